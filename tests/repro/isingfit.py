"""The estimator of the R package IsingFit 0.4 (van Borkulo et al. 2014), with scikit-learn's logistic regressions.

Reads `{"gamma": number, "networks": [["0110…", …], …]}` from standard input: the rows of each network. For each site an
L1-penalized logistic regression on the others over penalties as glmnet has them, columns scaled to a variance of 1; the
penalty with the least extended BIC, one for each site. Writes for each network, pairs i < j in lexicographic order:

- `both`, `either`: whether both regressions of a pair have the edge, or either of them
- `shared`, `sharedEither`: the same where one penalty is chosen for all sites, by the sum of their criteria
- `entries`: the greatest of the penalties for all sites at which both have the edge, 0 where there is none
- `seconds`: of what `both` takes
- `violation`: the greatest of the conditions of a minimum, in nats a row
- `numAtEnd`: of the sites whose choice is the last penalty
"""

import json
import sys
import time

import numpy as np
from sklearn import set_config
from sklearn.linear_model import LogisticRegression

# Of thousands of small regressions, looking for infinite numbers and wrong arguments is a tenth of the work.
set_config(assume_finite=True, skip_parameter_validation=True)

# glmnet's 100 penalties go down to 10^-4 of the greatest. No choice comes near the end of the first 50.
SHARES = 10.0 ** (-4 * np.arange(50) / 99)
# liblinear penalizes the intercept too, by its size over this.
INTERCEPT_SCALING = 1e4


def greatest_penalty(x, y):
    return np.abs(x.T @ (y - y.mean())).max() / len(y)


def regressions(x, y, penalties):
    """Log likelihoods, which coefficients are not 0, and the greatest violation of a minimum's conditions."""
    scores, supports, violation = [], [], 0.0
    for penalty in penalties:
        fit = LogisticRegression(
            penalty="l1",
            solver="liblinear",
            C=1 / (len(y) * penalty),
            intercept_scaling=INTERCEPT_SCALING,
            tol=1e-6,
            max_iter=1000,
            random_state=0,
        ).fit(x, y)
        coefficients = fit.coef_[0]
        field = fit.decision_function(x)
        scores.append(-np.logaddexp(0, (1 - 2 * y) * field).sum())
        supports.append(coefficients != 0)
        errors = 1 / (1 + np.exp(-field)) - y
        slopes = x.T @ errors / len(y)
        of_zeros = np.abs(slopes) - penalty
        of_others = np.abs(slopes + penalty * np.sign(coefficients))
        conditions = np.where(coefficients == 0, of_zeros, of_others)
        violation = max(violation, conditions.max(), abs(errors.mean()))
    return np.array(scores), np.array(supports), violation


def network(rows, gamma):
    num_rows, dim = rows.shape
    sites = range(dim)
    scaled = (rows - rows.mean(0)) / rows.std(0)
    of_edge = np.log(num_rows) + 2 * gamma * np.log(dim - 1)
    others = [np.delete(np.arange(dim), site) for site in sites]

    def criterion(scores, supports):
        return -2 * scores + of_edge * supports.sum(1)

    started = time.perf_counter()
    chosen = np.zeros((dim, dim), bool)
    violation, num_at_end = 0.0, 0
    for site in sites:
        x, y = scaled[:, others[site]], rows[:, site]
        found = regressions(x, y, greatest_penalty(x, y) * SHARES)
        best = criterion(*found[:2]).argmin()
        chosen[site, others[site]] = found[1][best]
        violation = max(violation, found[2])
        num_at_end += int(best == len(SHARES) - 1)
    seconds = time.perf_counter() - started

    greatest = max(greatest_penalty(scaled[:, others[site]], rows[:, site]) for site in sites)
    penalties = greatest * SHARES
    total = np.zeros(len(penalties))
    supports = np.zeros((len(penalties), dim, dim), bool)
    for site in sites:
        x, y = scaled[:, others[site]], rows[:, site]
        found = regressions(x, y, penalties)
        total += criterion(*found[:2])
        supports[:, site, others[site]] = found[1]
    mirrored = supports.transpose(0, 2, 1)
    both = supports & mirrored
    best = total.argmin()
    entries = (both * penalties[:, None, None]).max(0)

    pairs = np.triu_indices(dim, 1)
    return {
        "both": (chosen & chosen.T)[pairs].tolist(),
        "either": (chosen | chosen.T)[pairs].tolist(),
        "shared": both[best][pairs].tolist(),
        "sharedEither": (supports | mirrored)[best][pairs].tolist(),
        "entries": entries[pairs].tolist(),
        "seconds": seconds,
        "violation": float(violation),
        "numAtEnd": num_at_end,
    }


asked = json.load(sys.stdin)
json.dump(
    [
        network(np.array([list(row) for row in rows], float), asked["gamma"])
        for rows in asked["networks"]
    ],
    sys.stdout,
)
