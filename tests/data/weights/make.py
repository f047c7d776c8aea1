"""Writes the log weights and others' figures of them that tests/native/weights.rs compares ours with.

    python3 -m venv elsewhere && elsewhere/bin/pip install pymbar==4.0.3 scipy==1.17.1
    elsewhere/bin/python tests/data/weights/make.py

bridge.json: forward and reverse log weights, and log Z and its standard error by pymbar's Bennett
acceptance ratio (its work is minus a log weight, its free energy minus log Z; the error is the
one it calls "MBAR").
intervals.json: log weights with log mean w, its standard error and Hall's interval, found from the
cubic by root finding in SciPy; and quantiles of Student's t distribution.
null is minus infinity.
"""

import json
import math
import pathlib

import numpy as np
import pymbar
import scipy
from pymbar.other_estimators import bar
from scipy import optimize, stats

HERE = pathlib.Path(__file__).parent
BY = f"pymbar {pymbar.__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}"


def write(name, content):
    (HERE / name).write_text(json.dumps({"by": BY, **content}, allow_nan=False) + "\n")


def plain(values):
    return [float(x) if math.isfinite(x) else None for x in values]


def bridge_case(about, forward, reverse):
    forward, reverse = np.round(forward, 4), np.round(reverse, 4)
    result = bar(
        -forward,
        -reverse,
        uncertainty_method="MBAR",
        relative_tolerance=1e-15,
        maximum_iterations=5000,
        method="bisection",
    )
    return {
        "about": about,
        "forward": plain(forward),
        "reverse": plain(reverse),
        "logZ": -float(result["Delta_f"]),
        "standardError": float(result["dDelta_f"]),
    }


def bridges(rng):
    def gauss(sd, num_forward, num_reverse, log_z):
        draw = lambda mean, num: mean - sd * sd / 2 + sd * rng.standard_normal(num)
        about = f"normal, sd {sd}, log Z {log_z}"
        return bridge_case(about, draw(log_z, num_forward), draw(-log_z, num_reverse))

    def gamma(rate, num_forward, num_reverse):
        # Gamma(2, 1) against Gamma(2, rate): log w = 2 ln rate - (rate - 1) x.
        log_weight = lambda x: 2 * math.log(rate) - (rate - 1) * x
        forward = log_weight(rng.gamma(2, size=num_forward))
        reverse = -log_weight(rng.gamma(2, size=num_reverse) / rate)
        return bridge_case(f"gamma, rate {rate}", forward, reverse)

    return [
        gauss(0.3, 20, 20, 0.0),
        gauss(1.0, 50, 50, -3.5),
        gauss(2.0, 200, 20, 104.0),
        gauss(2.0, 20, 200, -2000.0),
        gauss(4.0, 60, 60, 1.0),
        gauss(6.0, 40, 30, 0.0),
        gamma(3.0, 70, 30),
        gamma(8.0, 30, 70),
    ]


def interval_case(about, log_weights, confidence):
    log_weights = np.round(log_weights, 4)
    weights = np.exp(log_weights - log_weights.max())
    num, mean, sd = len(weights), weights.mean(), weights.std(ddof=1)
    skewness = stats.skew(weights) / math.sqrt(num)
    ess = weights.sum() ** 2 / (weights**2).sum()
    t = stats.t.ppf((1 + confidence) / 2, max(ess - 1, 1))
    cubic = lambda x, y: x + skewness * x**2 / 3 + skewness**2 * x**3 / 27 + skewness / 6 - y
    ends = [optimize.brentq(cubic, -1e4, 1e4, args=(y,), xtol=1e-14) for y in (t, -t)]
    with np.errstate(divide="ignore"):
        low, high = (math.log(max(mean - x * sd / math.sqrt(num), 1e-300) / mean) for x in ends)
    log_mean = math.log(mean) + log_weights.max()
    return {
        "about": about,
        "logWeights": plain(log_weights),
        "confidence": confidence,
        "logZ": log_mean,
        "standardError": sd / math.sqrt(num) / mean,
        "low": log_mean + max(low, math.log((1 - confidence) / 2)),
        "high": log_mean + high,
    }


def main():
    rng = np.random.default_rng(20013)
    write("bridge.json", {"cases": bridges(rng)})
    zeros = np.where(rng.random(80) < 0.4, -np.inf, rng.standard_normal(80))
    cases = [
        interval_case("normal, sd 0.5", 0.5 * rng.standard_normal(100), 0.95),
        interval_case("normal, sd 1.5", 1.5 * rng.standard_normal(100) - 40, 0.95),
        interval_case("normal, sd 4: one weight is nearly all", 4 * rng.standard_normal(50), 0.9),
        interval_case("skewed downward", 3 * np.log(rng.exponential(size=60)), 0.99),
        interval_case("weights skewed downward", np.log(rng.beta(5, 1, size=60)), 0.95),
        interval_case("many zeros", zeros, 0.95),
        interval_case("three weights", np.array([0.0, 1.0, 2.5]), 0.5),
    ]
    quantiles = [
        [p, nu, float(stats.t.ppf(p, nu))]
        for p in [1e-6, 0.025, 0.2, 0.45, 0.7, 0.9, 0.975, 0.9995]
        for nu in [1.0, 1.3, 2.0, 4.7, 30.0, 777.5, 9999.0, 10001.0, 1e7]
    ]
    write("intervals.json", {"cases": cases, "studentT": quantiles})


main()
