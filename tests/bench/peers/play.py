"""The peers of `npm run bench`: NumPy for evaluations and annealing, SciPy's L-BFGS-B for fits, on one thread.

Reads a line of JSON a request and answers each with a line, as tests/bench/kernels.rs does.
"""

import json
import sys
import time

import numpy as np
import scipy
from scipy.optimize import minimize

import hais
import ising
import rbm
from serve import serve


def rows_of(data):
    """The rows as 0.0 and 1.0, [numRows, dim]."""
    width = (data["dim"] + 7) // 8
    packed = np.fromfile(data["file"], dtype=np.uint8, count=width * data["numRows"])
    bits = np.unpackbits(packed.reshape(-1, width), axis=1, bitorder="little")
    return bits[:, : data["dim"]].astype(np.float64)


def evaluate(request):
    spec = request["spec"]
    model = spec["model"]
    x = rows_of(spec["data"])
    if model["kind"] == "rbm":
        objective = rbm.Flow(x)
        params = objective.params(model)
    else:
        objective = ising.objective_of(spec, x)
        couplings = np.array(model["couplings"]).reshape(model["dim"], model["dim"])
        params = objective.params(couplings)
    value, _ = objective(params)
    times = []
    begin = time.perf_counter()
    while not times or time.perf_counter() - begin < request["seconds"]:
        start = time.perf_counter()
        objective(params)
        times.append(1e3 * (time.perf_counter() - start))
    return {"milliseconds": times, "objective": value}


# The lowest value so far after each evaluation, with the time, of the fits done.
traces = {}


def fit(request):
    """Until SciPy's own tolerances are met; the time to `target` where one is given."""
    spec = request["spec"]
    key = json.dumps([spec["model"], spec["data"]], sort_keys=True)
    if key not in traces:
        traces[key] = trace_of(spec)
    trace = traces[key]
    target = request.get("target")
    reached = next((at for at, (_, value) in enumerate(trace) if target and value <= target), None)
    if target and reached is None:
        return {"milliseconds": [], "objective": trace[-1][1], "numEvaluations": len(trace)}
    seconds, value = trace[reached if target else -1]
    num_evaluations = reached + 1 if target else len(trace)
    return {"milliseconds": [1e3 * seconds], "objective": value, "numEvaluations": num_evaluations}


def trace_of(spec):
    start = time.perf_counter()
    objective = ising.objective_of(spec, rows_of(spec["data"]))
    dim = spec["model"]["dim"]
    trace = []

    def traced(params):
        value, gradient = objective(params)
        lowest = min(value, trace[-1][1]) if trace else value
        trace.append((time.perf_counter() - start, lowest))
        return value, gradient

    origin = objective.params(np.zeros((dim, dim)))
    minimize(traced, origin, jac=True, method="L-BFGS-B")
    return trace


def about(_request):
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    return {
        "python": sys.version.split()[0],
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "blas": f"{blas['name']} {blas['version']}",
    }


def log_z(request):
    return hais.estimate(request["spec"])


serve({"evaluate": evaluate, "fit": fit, "logZ": log_z, "about": about})
