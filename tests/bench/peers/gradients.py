"""The posteriors of www/bench/posteriors.js for Numba: log densities and gradients, by hand."""

from math import exp, log, log1p

import numpy as np
from numba import njit


@njit
def sigmoid(x):
    return 1 / (1 + exp(-x)) if x >= 0 else 1 - 1 / (1 + exp(x))


@njit
def softplus(x):
    return max(x, 0.0) + log1p(exp(-abs(x)))


@njit
def schools_prior(x, grad):
    """Adds the slopes; the energy."""
    mu, square = x[8], exp(2 * x[9])
    grad[8] += mu / 25
    grad[9] += 2 * square / (25 + square) - 1
    return mu**2 / 50 + log1p(square / 25) - x[9]


def eight_schools_noncentered(effects, errors):
    @njit
    def log_density(x):
        grad = np.zeros(10)
        energy = schools_prior(x, grad)
        tau = exp(x[9])
        for j in range(8):
            miss = (effects[j] - x[8] - tau * x[j]) / errors[j]
            energy += 0.5 * (x[j] ** 2 + miss**2)
            pull = -miss / errors[j]
            grad[j] += x[j] + pull * tau
            grad[8] += pull
            grad[9] += pull * tau * x[j]
        return -energy, -grad

    return log_density


def eight_schools_centered(effects, errors):
    @njit
    def log_density(x):
        grad = np.zeros(10)
        energy = schools_prior(x, grad) + 8 * x[9]
        precision = exp(-2 * x[9])
        grad[9] += 8
        for j in range(8):
            miss = (effects[j] - x[j]) / errors[j]
            apart = x[j] - x[8]
            energy += 0.5 * (miss**2 + precision * apart**2)
            grad[j] += precision * apart - miss / errors[j]
            grad[8] -= precision * apart
            grad[9] -= precision * apart**2
        return -energy, -grad

    return log_density


@njit
def squares(x, factor, coordinates, rest, grad):
    """The sum of squares; adds half its slopes."""
    total = rest
    size = len(coordinates)
    for i in range(size):
        miss = -coordinates[i]
        for j in range(i, size):
            miss += factor[i, j] * x[j]
        total += miss**2
        for j in range(i, size):
            grad[j] += factor[i, j] * miss
    return total


def ar5(factor, coordinates, rest, numRows):
    @njit
    def log_density(x):
        grad = np.zeros(7)
        precision, square = exp(-2 * x[6]), exp(2 * x[6])
        misfit = precision * squares(x, factor, coordinates, rest, grad)
        energy = (numRows - 1) * x[6] + 0.5 * misfit + log1p(square / 6.25)
        for i in range(6):
            energy += x[i] ** 2 / 200
            grad[i] = grad[i] * precision + x[i] / 100
        grad[6] = numRows - 1 - misfit + 2 * square / (6.25 + square)
        return -energy, -grad

    return log_density


def mesquite(factor, coordinates, rest, numRows):
    @njit
    def log_density(x):
        grad = np.zeros(8)
        precision = exp(-2 * x[7])
        misfit = precision * squares(x, factor, coordinates, rest, grad)
        grad *= precision
        grad[7] = numRows - 1 - misfit
        return -((numRows - 1) * x[7] + 0.5 * misfit), -grad

    return log_density


def dogs(table, sums):
    @njit
    def log_density(x):
        energy = 0.0
        grad = np.empty(3)
        for i in range(3):
            energy += x[i] ** 2 / 20000 - sums[i] * x[i]
            grad[i] = x[i] / 10000 - sums[i]
        for count, avoided, shocked in table:
            logit = x[0] + avoided * x[1] + shocked * x[2]
            energy += count * softplus(logit)
            slope = count * sigmoid(logit)
            grad[0] += slope
            grad[1] += slope * avoided
            grad[2] += slope * shocked
        return -energy, -grad

    return log_density


def peregrines(years, sums, bounds):
    @njit
    def log_density(x):
        energy = 0.0
        grad, b, slopes = np.empty(4), np.empty(4), np.empty(4)
        for i in range(4):
            p = sigmoid(x[i])
            b[i] = 2 * bounds[i] * p - bounds[i]
            energy += softplus(x[i]) + softplus(-x[i]) - sums[i] * b[i]
            grad[i] = 2 * p - 1
            slopes[i] = -sums[i]
        for year in years:
            mean = exp(b[0] + year * (b[1] + year * (b[2] + year * b[3])))
            energy += mean
            for i in range(4):
                slopes[i] += mean
                mean *= year
        for i in range(4):
            p = sigmoid(x[i])
            grad[i] += 2 * bounds[i] * p * (1 - p) * slopes[i]
        return -energy, -grad

    return log_density


def dugongs(ages, lengths):
    @njit
    def log_density(x):
        a, b, p, precision = x[0], x[1], sigmoid(x[2]), exp(x[3])
        base = 0.5 + 0.5 * p
        log_base = log(base)
        misfit, grad = 0.0, np.zeros(4)
        for n in range(len(ages)):
            power = exp(ages[n] * log_base)
            miss = lengths[n] - a + b * power
            misfit += miss**2
            grad[0] -= miss
            grad[1] += miss * power
            grad[2] += miss * b * ages[n] * power
        grad *= precision
        grad[0] += a / 1e6
        grad[1] += b / 1e6
        grad[2] = grad[2] / base * 0.5 * p * (1 - p) + 2 * p - 1
        grad[3] = 0.5 * precision * misfit - len(ages) / 2 + 1e-4 * precision - 1e-4
        energy = 0.5 * precision * misfit - len(ages) / 2 * x[3] + (a**2 + b**2) / 2e6
        energy += softplus(x[2]) + softplus(-x[2]) + 1e-4 * precision - 1e-4 * x[3]
        return -energy, -grad

    return log_density


def seeds(sprouted, sown, types, extracts):
    @njit
    def log_density(x):
        precision = exp(x[4])
        grad = np.zeros(26)
        energy, total = 0.0, 0.0
        for i in range(4):
            energy += x[i] ** 2 / 2e6
            grad[i] = x[i] / 1e6
        for n in range(21):
            effect = x[5 + n]
            both = types[n] * extracts[n]
            logit = x[0] + x[1] * types[n] + x[2] * extracts[n] + x[3] * both + effect
            energy += sown[n] * softplus(logit) - sprouted[n] * logit
            slope = sown[n] * sigmoid(logit) - sprouted[n]
            grad[0] += slope
            grad[1] += slope * types[n]
            grad[2] += slope * extracts[n]
            grad[3] += slope * both
            grad[5 + n] = slope + precision * effect
            total += effect**2
        energy += 0.5 * precision * total - 10.5 * x[4] + 1e-3 * precision - 1e-3 * x[4]
        grad[4] = 0.5 * precision * total - 10.5 + 1e-3 * precision - 1e-3
        return -energy, -grad

    return log_density


def surgical(died, operated):
    @njit
    def log_density(x):
        mu, v = x[0], x[1]
        precision = exp(-v)
        grad = np.zeros(14)
        energy, total = 0.0, 0.0
        grad[0] = mu / 1e6
        for n in range(12):
            b = x[2 + n]
            apart = b - mu
            energy += operated[n] * softplus(b) - died[n] * b
            grad[2 + n] = operated[n] * sigmoid(b) - died[n] + precision * apart
            grad[0] -= precision * apart
            total += apart**2
        energy += 0.5 * precision * total + 6 * v + mu**2 / 2e6 + 1e-3 * precision + 1e-3 * v
        grad[1] = -0.5 * precision * total + 6 - 1e-3 * precision + 1e-3
        return -energy, -grad

    return log_density


def rats(means, slopes, ofMean, ofSlope, rest):
    @njit
    def log_density(x):
        grad = np.zeros(65)
        p, q, r = exp(-2 * x[62]), exp(-2 * x[63]), exp(-2 * x[64])
        misfit, around_a, around_b = rest, 0.0, 0.0
        for n in range(30):
            miss_a, miss_b = x[n] - means[n], x[30 + n] - slopes[n]
            apart_a, apart_b = x[n] - x[60], x[30 + n] - x[61]
            misfit += ofMean * miss_a**2 + ofSlope * miss_b**2
            around_a += apart_a**2
            around_b += apart_b**2
            grad[n] = p * ofMean * miss_a + q * apart_a
            grad[30 + n] = p * ofSlope * miss_b + r * apart_b
            grad[60] -= q * apart_a
            grad[61] -= r * apart_b
        grad[60] += x[60] / 10000
        grad[61] += x[61] / 10000
        grad[62] = 149 - p * misfit
        grad[63] = 29 - q * around_a
        grad[64] = 29 - r * around_b
        energy = 0.5 * (p * misfit + q * around_a + r * around_b)
        energy += 149 * x[62] + 29 * (x[63] + x[64]) + (x[60] ** 2 + x[61] ** 2) / 20000
        return -energy, -grad

    return log_density


LOG_DENSITIES = {
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


def log_density_of(posterior):
    data = {name: np.array(value, dtype=float)[()] for name, value in posterior["data"].items()}
    return LOG_DENSITIES[posterior["id"]](**data)
