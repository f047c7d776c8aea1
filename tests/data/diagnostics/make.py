"""Writes the draws and ArviZ's figures of them that tests/native/diagnostics.rs compares ours with.

    python3 -m venv elsewhere && elsewhere/bin/pip install arviz==0.23.4 scipy==1.17.1
    elsewhere/bin/python tests/data/diagnostics/make.py

Each case is one file: {"case", "about", "numChains", "numDraws", "draws", "figures"}; `draws` is
chain-major with few decimals, and the figures are those of the draws as rounded. NaN is null.
quantiles.json holds SciPy's quantiles of the normal and of beta distributions.
"""

import json
import math
import pathlib
import warnings

import arviz
import numpy as np
import scipy
from scipy import special

HERE = pathlib.Path(__file__).parent
PROBABILITIES = [0.05, 0.25, 0.5, 0.95]


def plain(value):
    """A number JSON can hold."""
    value = float(value)
    return value if math.isfinite(value) else None


def autoregression(rng, rho, num_chains, num_draws):
    """Stationary: x' = rho x + sqrt(1 - rho^2) normal."""
    draws = np.empty((num_chains, num_draws))
    draws[:, 0] = rng.standard_normal(num_chains)
    for at in range(1, num_draws):
        noise = rng.standard_normal(num_chains)
        draws[:, at] = rho * draws[:, at - 1] + math.sqrt(1 - rho * rho) * noise
    return draws


def switching(rng, stay, num_chains, num_draws):
    """A chain on {0, 1} that keeps its state with probability stay[state]."""
    draws = np.empty((num_chains, num_draws))
    for chain in range(num_chains):
        state = int(rng.integers(2))
        for at in range(num_draws):
            if rng.random() >= stay[state]:
                state = 1 - state
            draws[chain, at] = state
    return draws


def figures(draws):
    """Every figure ArviZ has, by the name it goes under in the Rust test."""
    rhat = lambda method: plain(arviz.rhat(draws, method=method))
    ess = lambda method, **how: plain(arviz.ess(draws, method=method, **how))
    mcse = lambda method, **how: plain(arviz.mcse(draws, method=method, **how))
    return {
        "rhat": rhat("rank"),
        "rhatBulk": rhat("z_scale"),
        "rhatTail": rhat("folded"),
        "essBulk": ess("bulk"),
        "essTail": ess("tail"),
        "essMean": ess("mean"),
        "essSd": ess("sd"),
        "essQuantile": [ess("quantile", prob=p) for p in PROBABILITIES],
        "mcseMean": mcse("mean"),
        "mcseSd": mcse("sd"),
        "mcseQuantile": [mcse("quantile", prob=p) for p in PROBABILITIES],
        "ebfmi": [plain(value) for value in np.atleast_1d(arviz.bfmi(draws))],
        "autocovariance": [plain(value) for value in arviz.autocov(draws[0])[:20]],
    }


def write(case, about, draws, decimals):
    draws = np.round(draws, decimals)
    content = {
        "case": case,
        "about": about,
        "by": f"ArviZ {arviz.__version__}, NumPy {np.__version__}, SciPy {scipy.__version__}",
        "numChains": draws.shape[0],
        "numDraws": draws.shape[1],
        "probabilities": PROBABILITIES,
        "figures": figures(draws),
        "draws": [int(x) if x == int(x) else float(x) for x in draws.ravel()],
    }
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    (HERE / f"{case}.json").write_text(text + "\n")


def write_quantiles():
    normal = [1e-300, 1e-20, 1e-9, 1e-6, 0.001, 0.0749, 0.0751, 0.2, 0.4, 0.5, 0.7, 0.92, 0.999]
    beta = [
        (p, a, b)
        for p in [0.01, 0.1586553, 0.5, 0.8413447]
        for a, b in [(1, 1), (1, 3.5), (1.4, 9), (20, 380), (2500.5, 2500.5), (5001, 95001), (9e5, 2)]
    ]
    content = {
        "by": f"SciPy {scipy.__version__}",
        "normal": [[p, plain(special.ndtri(p))] for p in normal],
        "beta": [[p, a, b, plain(special.betaincinv(a, b, p))] for p, a, b in beta],
    }
    (HERE / "quantiles.json").write_text(json.dumps(content) + "\n")


def main():
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(20211)
    normal = lambda *shape: rng.standard_normal(shape)
    write("normal", "independent normal draws", normal(4, 250), 4)
    for rho in [0.3, 0.9, -0.4, -0.9]:
        name = f"ar1-{'minus-' if rho < 0 else ''}{abs(rho)}"
        about = f"autoregression, rho = {rho}"
        write(name, about, autoregression(rng, rho, 4, 300), 4)
    write("ar1-0.99", "autoregression, rho = 0.99", autoregression(rng, 0.99, 4, 2000), 3)
    write("cauchy", "independent Cauchy draws", rng.standard_cauchy((4, 300)), 4)
    write("cauchy-ar1", "autoregression to the fifth power", autoregression(rng, 0.7, 2, 400) ** 5, 5)
    write("binary", "fast chain on 0 and 1", switching(rng, [0.7, 0.6], 4, 300), 0)
    write("binary-rare", "slow chain on 0 and 1, 1 rare", switching(rng, [0.99, 0.8], 4, 500), 0)
    write("means-differ", "chains of means 0, 0, 0, 2", normal(4, 200) + [[0], [0], [0], [2]], 4)
    write("scales-differ", "chains of scales 1, 1, 1, 4", normal(4, 200) * [[1], [1], [1], [4]], 4)
    write("drift", "chains that move together", normal(3, 200) + np.linspace(0, 3, 200), 4)
    write("ties", "counts", rng.poisson(3.0, (4, 200)), 0)
    write("odd", "an odd number of draws", autoregression(rng, 0.5, 3, 77), 4)
    write("short", "the fewest draws", normal(2, 4), 4)
    write("short-5", "five draws", normal(3, 5), 4)
    write("short-9", "nine draws, odd halves left over", normal(2, 9), 4)
    write("too-short", "three draws", normal(4, 3), 4)
    write("one-chain", "one chain", autoregression(rng, 0.6, 1, 501), 4)
    write("constant", "one value throughout", np.full((3, 20), 1.5), 4)
    write("one-constant", "a chain that never moved", np.vstack([normal(3, 100), np.full((1, 100), 0.5)]), 4)
    write("stuck", "chains that never moved, elsewhere each", np.repeat([[0.25], [1.5], [2.0]], 40, 1), 4)
    write("offset", "far from zero", 1e4 + autoregression(rng, 0.8, 2, 200), 3)
    write_quantiles()


main()
