"""Sums over single flips of an Ising model E = x^T J x, x in {0,1}^d, as NumPy does them best.

Minimum probability flow (Sohl-Dickstein 2012, eq. E.10):
K = mean over rows of sum_n exp((2 x_n - 1) sum_i x_i J_in - J_nn / 2). Pseudolikelihood sums
ln(1 + e^m) in place of e^{m/2}, m twice that exponent. Parameters: [J_nn | J_ij, i < j, of the
pattern]; a coupling is one parameter that stands in J twice.
"""

import numpy as np

BLOCK = 1000


def objective_of(spec, x):
    """The objective of a spec, and its parameters from couplings."""
    dim = spec["model"]["dim"]
    pattern = spec["model"].get("pattern", {"kind": "dense"})
    flow = spec["objective"]["kind"] == "mpf"
    if pattern["kind"] == "lattice":
        return Lattice(x, pattern["numRows"], pattern["numCols"])
    return Dense(x, dim, flow)


class Dense:
    """All pairs: two matrix products, in blocks of rows that stay in cache."""

    def __init__(self, x, dim, flow):
        self.x = x
        self.signs = 2 * x - 1
        self.dim = dim
        self.flow = flow
        self.upper = np.triu_indices(dim, 1)
        self.buffers = [np.empty((BLOCK, dim)) for _ in range(3)]

    def params(self, couplings):
        return np.concatenate([np.diag(couplings), couplings[self.upper]])

    def __call__(self, params):
        dim = self.dim
        couplings = np.zeros((dim, dim))
        couplings[self.upper] = params[dim:]
        couplings += couplings.T
        couplings[np.diag_indices(dim)] = params[:dim]
        half = 0.5 * params[:dim]
        grad = np.zeros((dim, dim))
        biases = np.zeros(dim)
        value = 0.0
        for start in range(0, len(self.x), BLOCK):
            x, signs = self.x[start : start + BLOCK], self.signs[start : start + BLOCK]
            terms, slopes, sums = (buffer[: len(x)] for buffer in self.buffers)
            np.matmul(x, couplings, out=terms)
            terms *= signs
            terms -= half
            if self.flow:
                np.exp(terms, out=terms)
                value += terms.sum()
                slopes = terms
            else:
                terms *= 2
                np.exp(terms, out=terms)
                value += np.log1p(terms, out=sums).sum()
                np.add(terms, 1, out=sums)
                np.divide(terms, sums, out=slopes)
                slopes *= 2
            biases += slopes.sum(axis=0)
            slopes *= signs
            grad += x.T @ slopes
        grad += grad.T
        gradient = np.concatenate([np.diag(grad) / 2 - biases / 2, grad[self.upper]])
        return value / len(self.x), gradient / len(self.x)


class Lattice:
    """Nearest neighbours on a grid with open ends: shifted slices, no product."""

    def __init__(self, x, num_rows, num_cols):
        self.x = np.ascontiguousarray(x.T).reshape(num_rows, num_cols, -1)
        self.shape = (num_rows, num_cols)
        self.num_sites = num_rows * num_cols
        sites = np.arange(self.num_sites).reshape(self.shape)
        self.across = (sites[:, :-1].ravel(), sites[:, 1:].ravel())
        self.down = (sites[:-1].ravel(), sites[1:].ravel())

    def params(self, couplings):
        return np.concatenate([np.diag(couplings), couplings[self.across], couplings[self.down]])

    def __call__(self, params):
        num_rows, num_cols = self.shape
        num_across = len(self.across[0])
        bias = params[: self.num_sites].reshape(self.shape)
        across, down = np.split(params[self.num_sites :], [num_across])
        across = across.reshape(num_rows, num_cols - 1)[..., None]
        down = down.reshape(num_rows - 1, num_cols)[..., None]
        bias_grad = np.empty(self.shape)
        across_grad = np.zeros((num_rows, num_cols - 1))
        down_grad = np.zeros((num_rows - 1, num_cols))
        value = 0.0
        num_data = self.x.shape[2]
        dot = lambda a, b: np.einsum("rcn,rcn->rc", a, b)
        bias_grad[:] = 0
        for start in range(0, num_data, BLOCK):
            x = self.x[:, :, start : start + BLOCK]
            terms = np.repeat(0.5 * bias[..., None], x.shape[2], axis=2)
            terms[:, :-1] += across * x[:, 1:]
            terms[:, 1:] += across * x[:, :-1]
            terms[:-1] += down * x[1:]
            terms[1:] += down * x[:-1]
            signs = 2 * x - 1
            terms *= signs
            np.exp(terms, out=terms)
            value += terms.sum()
            terms *= signs
            bias_grad += 0.5 * terms.sum(axis=2)
            across_grad += dot(x[:, 1:], terms[:, :-1]) + dot(x[:, :-1], terms[:, 1:])
            down_grad += dot(x[1:], terms[:-1]) + dot(x[:-1], terms[1:])
        gradient = np.concatenate([bias_grad.ravel(), across_grad.ravel(), down_grad.ravel()])
        return value / num_data, gradient / num_data
