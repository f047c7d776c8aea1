"""Minimum probability flow of a restricted Boltzmann machine (Sohl-Dickstein 2012, appendix F).

E(v) = -c^T v - sum_j softplus(a_j), a = b + W v. A flip of site n adds s = 1 - 2 v_n times column
n of W to a, so its gain is m = s c_n + sum_j softplus(a_j + s W_jn) - softplus(a_j): one softplus a
(row, site, hidden unit), for some rows at once. K = mean over rows of sum_n e^{m/2}.
"""

import numpy as np

BLOCK = 2


class Flow:
    def __init__(self, v):
        self.v = v

    def params(self, model):
        weights = np.array(model["weights"]).reshape(model["numHidden"], model["numVisible"])
        return weights, np.array(model["visibleBias"]), np.array(model["hiddenBias"])

    def __call__(self, params):
        weights, visible_bias, hidden_bias = params
        columns = np.ascontiguousarray(weights.T)
        activations = hidden_bias + self.v @ columns
        column_grad = np.zeros_like(columns)
        visible_grad = np.zeros_like(visible_bias)
        hidden_grad = np.zeros_like(hidden_bias)
        weight_grad = np.zeros_like(weights)
        value = 0.0
        for start in range(0, len(self.v), BLOCK):
            v, a = self.v[start : start + BLOCK], activations[start : start + BLOCK]
            sign = 1 - 2 * v
            odds = sign[:, :, None] * columns
            odds += a[:, None, :]
            np.exp(odds, out=odds)
            softplus = np.log1p(odds).sum(axis=2)
            on = np.exp(a)
            gain = sign * visible_bias + softplus - np.log1p(on).sum(axis=1, keepdims=True)
            flow = np.exp(0.5 * gain)
            value += flow.sum()
            slope = 0.5 * flow
            odds /= odds + 1
            moved = (slope[:, None, :] @ odds)[:, 0] - slope.sum(axis=1, keepdims=True) * (on / (1 + on))
            hidden_grad += moved.sum(axis=0)
            weight_grad += moved.T @ v
            slope *= sign
            visible_grad += slope.sum(axis=0)
            column_grad += np.einsum("bd,bdh->dh", slope, odds)
        grads = (weight_grad + column_grad.T, visible_grad, hidden_grad)
        return value / len(self.v), [grad / len(self.v) for grad in grads]
