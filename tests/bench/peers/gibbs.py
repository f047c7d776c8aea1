"""The peer of `npm run bench` for Gibbs sampling of sparse Ising models: D-Wave's sampler, in C++, at one temperature.

Reads a line of JSON a request and answers each with a line, as tests/bench/kernels.rs does.
"""

import json
import time

import dimod
import numpy as np
from dwave.samplers import SimulatedAnnealingSampler

from serve import serve, versions

models = {}


def model_of(spec):
    """The model in spins: w_ij = J_ij / 2 and h_i = J_ii / 2 + sum_j w_ij, each pair once."""
    dim, pairs = spec["dim"], np.array(spec["pattern"]["pairs"])
    params = np.array(spec["params"])
    weights = params[dim:] / 2
    fields = params[:dim] / 2
    np.add.at(fields, pairs[:, 0], weights)
    np.add.at(fields, pairs[:, 1], weights)
    couplings = {(int(i), int(j)): weight for (i, j), weight in zip(pairs, weights)}
    return dimod.BinaryQuadraticModel.from_ising(dict(enumerate(fields)), couplings)


def sample(request):
    spec = request["spec"]
    key = json.dumps(spec["model"], sort_keys=True)
    if key not in models:
        models[key] = model_of(spec["model"])
    begin = time.perf_counter()
    drawn = SimulatedAnnealingSampler().sample(
        models[key],
        num_reads=spec["numChains"],
        beta_schedule_type="custom",
        beta_schedule=[1.0],
        num_sweeps_per_beta=spec["numDraws"] * spec["numStepsPerDraw"],
        proposal_acceptance_criteria="Gibbs",
        seed=1,
    )
    seconds = time.perf_counter() - begin
    return {
        "milliseconds": [1e3 * seconds],
        "shareOfOnes": float(np.mean(drawn.record.sample == 1)),
    }


def about(_request):
    return versions("dwave-samplers")


serve({"sample": sample, "about": about})
