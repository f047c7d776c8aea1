"""The peer of `npm run bench` for lattices: mcising, in Rust, by Metropolis sampling of single spins, at one temperature.

Reads a line of JSON a request and answers each with a line, as tests/bench/kernels.rs does.
"""

import time

import numpy as np
from mcising import IsingSimulation

from serve import serve, versions


def sample(request):
    spec = request["spec"]
    pattern, coupling = spec["model"]["pattern"], spec["model"]["uniform"]["coupling"]
    kind = {"lattice": "square"}.get(pattern["kind"], pattern["kind"])
    lattice = IsingSimulation(pattern["numRows"], 1.0, 0.0, 0.0, 0.0, 1, lattice_type=kind)
    begin = time.perf_counter()
    lattice.sweep(spec["numDraws"] * spec["numStepsPerDraw"], temperature=1 / coupling)
    seconds = time.perf_counter() - begin
    return {
        "milliseconds": [1e3 * seconds],
        "shareOfOnes": float(np.mean(lattice.get_spins() == 1)),
    }


def about(_request):
    return versions("mcising")


serve({"sample": sample, "about": about})
