"""Writes quantiles.json: the quantiles of priors at standard normal numbers, with 60 digits by mpmath.

python3 tests/data/priors/make.py > tests/data/priors/quantiles.json
"""

import json

from mpmath import betainc, erfc, exp, findroot, gammainc, inf, log, mp, mpf, pi, sqrt, tan

mp.dps = 60
US = [-8, -5.5, -3, -1.25, -0.375, 0, 0.5, 1.75, 4, 6.25, 8]


def tail(u):
    """Φ(−u)."""
    return erfc(u / sqrt(mpf(2))) / 2


def solve(u, below, above, start):
    """The y at which the smaller of both tails is that of u, by its logarithm."""
    target = log(tail(abs(u)))
    f = (lambda y: log(below(y)) - target) if u < 0 else (lambda y: log(above(y)) - target)
    low, high = mpf(-2000), mpf(2000)
    if start is not None:
        low, high = start
    # Bisection first: the functions are monotonic.
    increasing = u < 0
    for _ in range(60):
        middle = (low + high) / 2
        if (f(middle) < 0) == increasing:
            low = middle
        else:
            high = middle
    return findroot(f, (low, high), solver="anderson", tol=1e-90, maxsteps=200, verify=False)


def gamma(shape, u):
    a = mpf(shape)
    below = lambda y: gammainc(a, 0, exp(y), regularized=True)
    above = lambda y: gammainc(a, exp(y), inf, regularized=True)
    centre = log(a)
    return exp(solve(u, below, above, (centre - 800, centre + 8)))


def beta(a, b, u):
    a, b = mpf(a), mpf(b)
    x = lambda y: 1 / (1 + exp(-y))
    # 1 - x loses digits, so the upper tail is the lower one of the mirror image.
    below = lambda y: betainc(a, b, 0, x(y), regularized=True)
    above = lambda y: betainc(b, a, 0, x(-y), regularized=True)
    return x(solve(u, below, above, (mpf(-900), mpf(900))))


def half_normal(u):
    return sqrt(2 * gamma(0.5, u))


CASES = [
    ({"kind": "normal", "mean": -1.5, "sd": 2.5}, lambda u: mpf(-1.5) + mpf(2.5) * u),
    ({"kind": "logNormal", "mean": 0.75, "sd": 1.25}, lambda u: exp(mpf(0.75) + mpf(1.25) * u)),
    ({"kind": "uniform", "min": 0, "max": 3}, lambda u: 3 * tail(-u)),
    ({"kind": "uniform", "min": -3, "max": 0}, lambda u: -3 * tail(u)),
    ({"kind": "logUniform", "min": 0.125, "max": 50}, lambda u: exp(log(mpf(0.125)) + log(mpf(400)) * tail(-u))),
    ({"kind": "exponential", "rate": 0.25}, lambda u: -4 * log(tail(u))),
    ({"kind": "halfNormal", "scale": 2}, lambda u: 2 * half_normal(u)),
    ({"kind": "laplace", "location": 0, "scale": 1.5}, lambda u: mpf(1.5) * (log(2 * tail(-u)) if u < 0 else -log(2 * tail(u)))),
    ({"kind": "cauchy", "location": 0, "scale": 0.5}, lambda u: (-1 if u < 0 else 1) / tan(pi * tail(abs(u))) / 2 if u else mpf(0)),
    ({"kind": "halfCauchy", "scale": 3}, lambda u: 3 * tan(pi / 2 * tail(-u))),
]
for shape in [0.05, 0.5, 1, 2.5, 17.5, 400, 10000]:
    CASES.append(({"kind": "gamma", "shape": shape, "rate": 2}, lambda u, a=shape: gamma(a, u) / 2))
for shape in [0.05, 3, 250]:
    CASES.append(({"kind": "inverseGamma", "shape": shape, "scale": 2}, lambda u, a=shape: 2 / gamma(a, -u)))
for a, b in [(0.05, 0.05), (0.5, 2), (2, 0.5), (1, 1), (3, 40), (900, 10000), (10000, 0.05)]:
    CASES.append(({"kind": "beta", "a": a, "b": b}, lambda u, a=a, b=b: beta(a, b, u)))

rows = []
for distribution, quantile in CASES:
    rows.append({"distribution": distribution, "quantiles": [float(quantile(mpf(u))) for u in US]})
lines = ",\n".join("    " + json.dumps(row) for row in rows)
print('{\n  "u": ' + json.dumps(US) + ',\n  "priors": [\n' + lines + "\n  ]\n}")
