"""Hamiltonian annealed importance sampling in NumPy, all particles at once, as in section 2.3 of
Sohl-Dickstein and Culpepper (2011), with the refreshment that leaves normal momenta normal.

Particles are columns, so that every product is one of matrices; what can be computed in place is.
A step has the three products there must be: one for the energy, two for the gradient half-way.
"""

import math
import time

import numpy as np


class ProductOfExperts:
    """Sum of lambda_l |Phi_l x|, or of lambda_l ln(1 + (Phi_l x)^2)."""

    def __init__(self, model):
        self.dim = model["dim"]
        self.filters = np.array(model["filters"]).reshape(-1, self.dim)
        self.transposed = np.ascontiguousarray(self.filters.T)
        self.weights = np.array(model["lambda"])
        self.is_laplace = model["expert"] == "laplace"

    def energy(self, x):
        outputs = self.filters @ x
        if self.is_laplace:
            np.abs(outputs, out=outputs)
        else:
            np.multiply(outputs, outputs, out=outputs)
            np.log1p(outputs, out=outputs)
        return self.weights @ outputs

    def gradient(self, x):
        outputs = self.filters @ x
        if self.is_laplace:
            np.sign(outputs, out=outputs)
        else:
            outputs *= 2 / (1 + outputs * outputs)
        outputs *= self.weights[:, None]
        return self.transposed @ outputs


class Gaussian:
    """x^T Lambda x / 2."""

    def __init__(self, model):
        self.dim = model["dim"]
        self.precision = np.array(model["precision"]).reshape(self.dim, self.dim)

    def energy(self, x):
        return 0.5 * np.einsum("ij,ij->j", x, self.precision @ x)

    def gradient(self, x):
        return self.precision @ x


def log_weights_of(target, num_particles, num_distributions, step_size, refresh, rng):
    """Log weights of all particles, from the standard normal distribution."""
    shape = target.dim, num_particles
    x, v = rng.standard_normal(shape), rng.standard_normal(shape)
    keep, renew = math.sqrt(1 - refresh), math.sqrt(refresh)
    reference_energy = 0.5 * np.einsum("ij,ij->j", x, x)
    target_energy = target.energy(x)
    log_weights = np.zeros(num_particles)
    noise = np.empty(shape)
    for step in range(1, num_distributions + 1):
        log_weights -= (target_energy - reference_energy) / num_distributions
        if step == num_distributions:
            break
        beta = step / num_distributions
        # One leapfrog step.
        new_x = x + (0.5 * step_size) * v
        slope = target.gradient(new_x)
        slope *= beta
        slope += (1 - beta) * new_x
        slope *= step_size
        new_v = v - slope
        new_x += (0.5 * step_size) * new_v
        new_reference = 0.5 * np.einsum("ij,ij->j", new_x, new_x)
        new_target = target.energy(new_x)
        rise = (1 - beta) * (new_reference - reference_energy)
        rise += beta * (new_target - target_energy)
        rise += 0.5 * (np.einsum("ij,ij->j", new_v, new_v) - np.einsum("ij,ij->j", v, v))
        is_accepted = np.log(rng.random(num_particles)) < -rise
        np.copyto(x, new_x, where=is_accepted)
        np.copyto(reference_energy, new_reference, where=is_accepted)
        np.copyto(target_energy, new_target, where=is_accepted)
        # Accepted momenta are turned round twice; rejected ones go back.
        v *= -keep
        new_v *= keep
        np.copyto(v, new_v, where=is_accepted)
        rng.standard_normal(out=noise)
        noise *= renew
        v += noise
    return log_weights


def estimate(spec):
    """Milliseconds, log Z, and the mean of log Z + log weights."""
    model, transition = spec["model"], spec["transition"]
    target = (ProductOfExperts if model["kind"] == "productOfExperts" else Gaussian)(model)
    rng = np.random.default_rng(spec["seed"])
    start = time.perf_counter()
    log_weights = log_weights_of(
        target,
        spec["numChains"],
        spec["numDistributions"],
        transition["stepSize"],
        transition["momentumRefresh"],
        rng,
    )
    log_weights += 0.5 * target.dim * math.log(2 * math.pi)
    most = log_weights.max()
    log_z = most + math.log(np.mean(np.exp(log_weights - most)))
    milliseconds = 1e3 * (time.perf_counter() - start)
    return {
        "milliseconds": [milliseconds],
        "logZ": float(log_z),
        "meanLogWeight": float(log_weights.mean()),
    }
