"""The posteriors of www/bench/posteriors.js as a careful user of JAX would write them.

Each is made from the posterior's data, and gives the energy of a state, all in vectors.
"""

import jax
import jax.numpy as jnp

softplus = jax.nn.softplus


def slope(x):
    """Of p = sigmoid(x), -ln of p (1 - p)."""
    return softplus(x) + softplus(-x)


def schools_prior(mu, log_tau):
    return mu**2 / 50 + jnp.log1p(jnp.exp(2 * log_tau) / 25) - log_tau


def eight_schools_noncentered(effects, errors):
    def energy(x):
        t, mu, log_tau = x[:8], x[8], x[9]
        misses = (effects - mu - jnp.exp(log_tau) * t) / errors
        return 0.5 * (t @ t + misses @ misses) + schools_prior(mu, log_tau)

    return energy


def eight_schools_centered(effects, errors):
    def energy(x):
        t, mu, log_tau = x[:8], x[8], x[9]
        apart, misses = t - mu, (effects - t) / errors
        spread = 0.5 * jnp.exp(-2 * log_tau) * (apart @ apart) + 8 * log_tau
        return spread + 0.5 * misses @ misses + schools_prior(mu, log_tau)

    return energy


def ar5(factor, coordinates, rest, numRows):
    def energy(x):
        b, log_sigma = x[:-1], x[-1]
        misses = factor @ b - coordinates
        fit = numRows * log_sigma + 0.5 * jnp.exp(-2 * log_sigma) * (rest + misses @ misses)
        return fit + b @ b / 200 + jnp.log1p(jnp.exp(2 * log_sigma) / 6.25) - log_sigma

    return energy


def mesquite(factor, coordinates, rest, numRows):
    def energy(x):
        b, log_sigma = x[:-1], x[-1]
        misses = factor @ b - coordinates
        return (numRows - 1) * log_sigma + 0.5 * jnp.exp(-2 * log_sigma) * (rest + misses @ misses)

    return energy


def dogs(table, sums):
    counts, entries = table[:, 0], jnp.ones_like(table).at[:, 1:].set(table[:, 1:])
    return lambda b: counts @ softplus(entries @ b) - sums @ b + b @ b / 20000


def peregrines(years, sums, bounds):
    powers = jnp.stack([jnp.ones_like(years), years, years**2, years**3], axis=1)

    def energy(x):
        b = 2 * bounds * jax.nn.sigmoid(x) - bounds
        return jnp.sum(jnp.exp(powers @ b)) - sums @ b + jnp.sum(slope(x))

    return energy


def dugongs(ages, lengths):
    def energy(x):
        a, b, g, t = x
        misses = lengths - a + b * jnp.exp(ages * jnp.log(0.5 + 0.5 * jax.nn.sigmoid(g)))
        fit = 0.5 * jnp.exp(t) * (misses @ misses) - len(ages) / 2 * t
        return fit + (a**2 + b**2) / 2e6 + slope(g) + 1e-4 * jnp.exp(t) - 1e-4 * t

    return energy


def seeds(sprouted, sown, types, extracts):
    design = jnp.stack([jnp.ones_like(sown), types, extracts, types * extracts], axis=1)

    def energy(x):
        fixed, t, effects = x[:4], x[4], x[5:]
        logits = design @ fixed + effects
        fit = sown @ softplus(logits) - sprouted @ logits
        spread = 0.5 * jnp.exp(t) * (effects @ effects) - len(sown) / 2 * t
        return fit + spread + 1e-3 * jnp.exp(t) - 1e-3 * t + fixed @ fixed / 2e6

    return energy


def surgical(died, operated):
    def energy(x):
        mu, v, b = x[0], x[1], x[2:]
        apart = b - mu
        fit = operated @ softplus(b) - died @ b
        spread = 0.5 * jnp.exp(-v) * (apart @ apart) + len(died) / 2 * v
        return fit + spread + mu**2 / 2e6 + 1e-3 * jnp.exp(-v) + 1e-3 * v

    return energy


def rats(means, slopes, ofMean, ofSlope, rest):
    def level(scale, count, squares):
        return 0.5 * jnp.exp(-2 * scale) * squares + (count - 1) * scale

    def energy(x):
        a, b, (mean_a, mean_b, y, scale_a, scale_b) = x[:30], x[30:60], x[60:]
        misfit = rest + ofMean * jnp.sum((a - means) ** 2) + ofSlope * jnp.sum((b - slopes) ** 2)
        levels = (
            level(y, 150, misfit)
            + level(scale_a, 30, jnp.sum((a - mean_a) ** 2))
            + level(scale_b, 30, jnp.sum((b - mean_b) ** 2))
        )
        return levels + (mean_a**2 + mean_b**2) / 20000

    return energy


ENERGIES = {
    "eight-schools-noncentered": eight_schools_noncentered,
    "eight-schools-centered": eight_schools_centered,
    "ar5": ar5,
    "mesquite": mesquite,
    "dogs": dogs,
    "peregrines": peregrines,
    "dugongs": dugongs,
    "seeds": seeds,
    "surgical": surgical,
    "rats": rats,
}


def energy_of(posterior):
    data = {name: jnp.array(value, dtype=float) for name, value in posterior["data"].items()}
    return ENERGIES[posterior["id"]](**data)
