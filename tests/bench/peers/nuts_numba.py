"""A peer of the bench's no-U-turn sampler: nutpie, in Rust, on one thread.

Reads a line of JSON a request and answers each with a line, as nuts.py does. Log densities and
gradients are written by hand, and compiled by Numba to a C function, which is what nutpie makes of
a model of PyMC: a call of Python for each gradient would take some nine microseconds more. Chains
go one after another. The adaptation is nutpie's default: a diagonal metric from draws and
gradients, and an acceptance of 0.8. Compiling is not timed, nor is the way of the draws out of its
table.
"""

import os

if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import base64
import time
import warnings

warnings.simplefilter("ignore")

import numpy as np
import nutpie
import pyarrow
from numba import carray, cfunc, types
from nutpie.compile_pymc import CompiledPyMCModel

from gradients import log_density_of
from serve import serve, versions

NUMBERS = types.CPointer(types.double)
LOG_DENSITY = types.int64(types.uint64, NUMBERS, NUMBERS, NUMBERS, types.voidptr)
EXPAND = types.int64(types.uint64, types.uint64, NUMBERS, NUMBERS, types.voidptr)


@cfunc(EXPAND)
def expand(dim, count, state, values, _):
    carray(values, (count,))[:] = carray(state, (dim,))
    return 0


def model_of(request):
    """The posterior as nutpie has it, and a list that is to hold the states where chains start."""
    density = log_density_of(request["posterior"])
    dim = len(request["spec"]["model"]["variables"])

    @cfunc(LOG_DENSITY)
    def log_density(dim, state, slopes, value, _):
        found, gradient = density(carray(state, (dim,)))
        carray(value, (1,))[0] = found
        carray(slopes, (dim,))[:] = gradient
        return 0 if np.isfinite(found) else 3

    starts = []
    model = CompiledPyMCModel(
        compiled_logp_func=log_density,
        compiled_expand_func=expand,
        initial_point_func=lambda seed: starts.pop(0),
        shared_data={},
        user_data=np.zeros(1),
        n_expanded=dim,
        shape_info=(["x"], None, [(dim,)]),
        logp_func=None,
        expand_func=None,
        _n_dim=dim,
        _shapes={"x": (dim,)},
        _coords=None,
        dims={},
    )
    return model, starts


def column(table, name):
    return pyarrow.array(table.column(name))


compiled = {}


def posterior(request):
    spec, name = request["spec"], request["posterior"]["id"]
    if name not in compiled:
        compiled[name] = model_of(request)
    model, starts = compiled[name]
    states = np.reshape(spec["start"]["states"], (spec["numChains"], -1))
    # More than there are chains, should one be tried again.
    starts[:] = [*states] * 100
    begin = time.perf_counter()
    trace = nutpie.sample(
        model,
        draws=spec["numDraws"],
        tune=spec["numWarmup"],
        chains=spec["numChains"],
        cores=1,
        seed=spec["seed"],
        progress_bar=False,
        return_raw_trace=True,
    )
    seconds = time.perf_counter() - begin
    _, tables = trace.get_arrow_trace()
    draws = [
        column(table, "unconstrained_draw").flatten().to_numpy().reshape(table.num_rows, -1)
        for table in tables
    ]
    # Draw by draw, as ours are.
    values = np.ascontiguousarray(np.stack(draws, axis=1)[spec["numWarmup"] :])
    return {
        "milliseconds": [1e3 * seconds],
        "draws": base64.b64encode(values.tobytes()).decode(),
        "numGradients": int(sum(column(table, "n_steps").to_numpy().sum() for table in tables)),
    }


def energies(request):
    density = log_density_of(request["posterior"])
    states = np.reshape(request["states"], (-1, len(request["spec"]["model"]["variables"])))
    return {"energies": [-density(state)[0] for state in states]}


def about(_request):
    return versions("numba", "nutpie")


serve({"posterior": posterior, "energies": energies, "about": about})
