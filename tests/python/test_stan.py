"""Models of Stan and other log densities, against formulas of NumPy and quadrature."""

import pickle
import platform
import re
import sys
from typing import ClassVar

import numpy as np
import pytest
import unnorm
from unnorm.stan import constrain, energy

try:
    import bridgestan
    import stanli
except ImportError as error:
    if sys.platform == "linux" and platform.machine() == "x86_64":
        raise
    pytest.skip(f"stanli is not available here: {error}", allow_module_level=True)

# Gaussian errors exceed this many standard errors with a probability below 1e-8, in none of the
# less than 40 comparisons of this file with one below 1e-6.
NUM_MCSE = 6.0


def normal(x, mean, sd):
    """The log density of a normal distribution."""
    return -0.5 * np.log(2 * np.pi) - np.log(sd) - 0.5 * ((x - mean) / sd) ** 2


def integral(log_values, steps, *moments):
    """The logarithm of an integral by the trapezoid rule, and means of further functions."""
    most = log_values.max()
    weights = np.exp(log_values - most)
    total = weights.sum()
    return most + np.log(total * np.prod(steps)), [
        (weights * moment).sum() / total for moment in moments
    ]


class EightSchools:
    """Effects of coaching in eight schools (Rubin 1981), with the priors of posteriordb.

    The density of tau is that of a Cauchy distribution, not twice it.
    """

    code = """
        data { int J; array[J] real y; array[J] real sigma; }
        parameters { vector[J] raw; real mu; real<lower=0> tau; }
        transformed parameters { vector[J] theta = mu + tau * raw; }
        model {
          target += normal_lpdf(raw | 0, 1);
          target += normal_lpdf(y | theta, sigma);
          target += normal_lpdf(mu | 0, 5);
          target += cauchy_lpdf(tau | 0, 5);
        }
    """
    y = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
    sigma = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    data: ClassVar = {"J": 8, "y": y, "sigma": sigma}

    def log_density(self, q):
        raw, mu, log_tau = q[:, :8], q[:, 8:9], q[:, 9]
        tau = np.exp(log_tau)
        return (
            normal(raw, 0, 1).sum(axis=1)
            + normal(self.y, mu + tau[:, None] * raw, self.sigma).sum(axis=1)
            + normal(mu[:, 0], 0, 5)
            - np.log(np.pi * 5 * (1 + (tau / 5) ** 2))
            + log_tau
        )

    def truth(self, coarseness):
        """Given mu and tau the effects are normal, and integrated out in closed form."""
        steps = 0.5 * coarseness, 0.05 * coarseness
        mu, log_tau = np.meshgrid(np.arange(-45, 55, steps[0]), np.arange(-30, 20, steps[1]))
        tau = np.exp(log_tau)
        log_values = normal(mu, 0, 5) - np.log(np.pi * 5 * (1 + (tau / 5) ** 2)) + log_tau
        raw = []
        for y, sigma in zip(self.y, self.sigma, strict=True):
            variance = sigma**2 + tau**2
            log_values = log_values + normal(y, mu, np.sqrt(variance))
            raw.append(tau * (y - mu) / variance)
        return integral(log_values, steps, *raw, mu, log_tau)


class Kilpisjarvi:
    """Summer temperatures in Kilpisjärvi, a linear regression; the model and data of posteriordb
    with years counted from their mean. The prior of sigma is flat.
    """

    code = """
        data { int N; vector[N] x; vector[N] y; real pmualpha, psalpha, pmubeta, psbeta; }
        parameters { real alpha; real beta; real<lower=0> sigma; }
        model {
          target += normal_lpdf(alpha | pmualpha, psalpha);
          target += normal_lpdf(beta | pmubeta, psbeta);
          target += normal_lpdf(y | alpha + beta * x, sigma);
        }
    """
    y = np.array(
        """
        8.3 10.9 9.4 8.1 8.1 7.7 8.6 9.1 11.0 10.1 7.6 8.8 8.3 7.2 9.3 8.8 7.6 10.5 11.0 8.9 11.3
        10.0 10.1 6.4 8.2 8.4 9.5 9.9 10.6 7.6 7.7 8.1 8.4 9.7 9.5 7.3 10.3 9.6 10.3 9.8 9.0 9.1
        9.5 8.7 9.9 10.5 9.4 9.0 9.0 9.7 11.4 10.7 10.1 10.8 10.4 10.3 8.8 9.8 8.8 10.8 8.6 11.1
        """.split(),
        dtype=float,
    )
    x = np.arange(62) - 30.5
    prior = (9.31290322580645, 100.0, 0.0, 0.0333333333333333)
    data: ClassVar = {
        "N": 62,
        "x": x,
        "y": y,
        **dict(zip(["pmualpha", "psalpha", "pmubeta", "psbeta"], prior, strict=True)),
    }

    def log_density(self, q):
        alpha, beta, log_sigma = q.T
        line = alpha[:, None] + beta[:, None] * self.x
        return (
            normal(alpha, *self.prior[:2])
            + normal(beta, *self.prior[2:])
            + normal(self.y, line, np.exp(log_sigma)[:, None]).sum(axis=1)
            + log_sigma
        )

    def truth(self, coarseness):
        """Given sigma the line is normal; as x sums to zero, so are its coefficients apart."""
        step = 0.01 * coarseness
        log_sigma = np.arange(-5, 5, step)
        variance = np.exp(2 * log_sigma)
        log_values = log_sigma - 31 * np.log(2 * np.pi * variance)
        means = []
        rest = self.y - self.prior[0] - self.prior[2] * self.x
        squares = rest @ rest
        for column, (center, sd) in (
            (np.ones(62), self.prior[:2]),
            (self.x, self.prior[2:]),
        ):
            precision = column @ column / variance + sd**-2
            mean = column @ rest / variance / precision
            log_values = log_values - 0.5 * np.log(sd**2 * precision) + 0.5 * precision * mean**2
            means.append(center + mean)
        return integral(log_values - 0.5 * squares / variance, [step], *means, log_sigma)


class Rates:
    """Two rates of success (Lee and Wagenmakers 2013, section 3.2): `Rate_2` of posteriordb."""

    code = """
        data { int n1, n2, k1, k2; }
        parameters { real<lower=0, upper=1> theta1; real<lower=0, upper=1> theta2; }
        transformed parameters { real delta = theta1 - theta2; }
        model {
          target += beta_lpdf(theta1 | 1, 1);
          target += beta_lpdf(theta2 | 1, 1);
          target += binomial_lpmf(k1 | n1, theta1);
          target += binomial_lpmf(k2 | n2, theta2);
        }
    """
    data: ClassVar = {"n1": 10, "n2": 10, "k1": 5, "k2": 7}

    def log_density(self, q):
        theta = 1 / (1 + np.exp(-q))
        # 252 and 120 ways to have 5 and 7 successes; the Jacobian is theta (1 - theta).
        return (
            np.log(252 * 120)
            + (np.array([6, 8]) * np.log(theta)).sum(axis=1)
            + (np.array([6, 4]) * np.log1p(-theta)).sum(axis=1)
        )

    def truth(self, _):
        """1 / 11² in closed form. The mean of a log odds is a difference of harmonic numbers."""
        below = [sum(1 / i for i in range(1, n)) for n in (6, 6, 8, 4)]
        return -2 * np.log(11), [below[0] - below[1], below[2] - below[3]]


CASES = [EightSchools(), Kilpisjarvi(), Rates()]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: type(case).__name__)
def case(request):
    case = request.param
    case.stan = stanli.Model(stan_code=case.code, data=case.data)
    case.model = energy(case.stan)
    case.draws = unnorm.sample(
        model=case.model,
        transition={"kind": "nuts"},
        numChains=4,
        numWarmup=200,
        numDraws=300,
        seed=1,
    )
    return case


def log_z_spec(case):
    """Annealing from the normal distribution with the draws' moments."""
    draws = case.draws["draws"]["values"].reshape(-1, case.model["dim"])
    moments = {"mean": draws.mean(axis=0), "covariance": np.cov(draws.T)}
    normal = {"kind": "gaussian", "dim": case.model["dim"], **moments}
    return {
        "model": case.model,
        "reference": {"kind": "model", "model": normal},
        "numChains": 128,
        "numDistributions": 100,
        "pilot": {"numChains": 16, "numDistributions": 50},
        "seed": 1,
    }


def test_energies_have_all_constants(case):
    q = np.random.default_rng(1).normal(scale=0.7, size=(50, case.model["dim"]))
    result = unnorm.energies(model=case.model, states=q, gradients=True)
    assert result["energies"] == pytest.approx(-case.log_density(q), rel=1e-12)
    gradients = result["gradients"].reshape(q.shape)
    for at in range(case.model["dim"]):
        step = 1e-5 * np.eye(case.model["dim"])[at]
        slope = (case.log_density(q - step) - case.log_density(q + step)) / 2e-5
        assert gradients[:, at] == pytest.approx(slope, rel=1e-5, abs=1e-5)


def test_log_z_is_that_of_quadrature(case):
    exact = case.truth(1)[0]
    assert case.truth(2)[0] == pytest.approx(exact, abs=1e-8)
    spec = log_z_spec(case)
    result = unnorm.log_z(spec)
    assert 0 < result["standardError"] < 0.05
    # Exceeded with a probability of 6e-7.
    assert abs(result["logZ"] - exact) < 5 * result["standardError"]
    assert unnorm.log_z(spec)["digest"] == result["digest"]


def test_means_are_those_of_quadrature(case):
    summary = case.draws["summary"]
    _, means = case.truth(1)
    assert len(means) == case.model["dim"]
    assert np.all(np.abs(summary["mean"] - means) < NUM_MCSE * summary["mcseMean"])
    assert max(summary["rhat"]) < 1.05


def test_jobs_side_by_side_do_not_disturb_one_another():
    stan = stanli.Model(stan_code=EightSchools.code, data=EightSchools.data)
    spec = {"transition": {"kind": "nuts"}, "numChains": 2, "numWarmup": 50, "numDraws": 50}
    seeds = (1, 2, 3)
    jobs = [unnorm.start("sample", spec, model=energy(stan), seed=seed) for seed in seeds]
    digests = [job.result()["digest"] for job in jobs]
    alone = [unnorm.sample(spec, model=energy(stan), seed=seed)["digest"] for seed in seeds]
    assert digests == alone


PLAIN = "data { real y; } parameters { real mu; } model { %s }"


def plain(statements, **options):
    return stanli.Model(stan_code=PLAIN % statements, data={"y": 1.5}, **options)


@pytest.mark.parametrize(
    "statements",
    [
        "target += normal_lpdf(mu | 0, 10);\n  y ~ normal(mu, 2);",
        "target += normal_lpdf(mu | 0, 10);\n  target += normal_lupdf(y | mu, 2);",
    ],
)
def test_dropped_constants_are_refused(statements):
    model = plain(statements)
    line = re.escape(statements.split("\n")[1].strip())
    with pytest.raises(
        unnorm.UnnormError, match=f"^model: line 2 of its Stan code, `{line}"
    ) as caught:
        energy(model)
    assert (caught.value.code, caught.value.field) == ("invalid-model", "model")
    # They would be missing from log Z.
    whole = energy(plain(statements.replace("lupdf", "lpdf").replace(*FULL)))
    part = energy(model, may_drop_constants=True)
    offsets = [
        unnorm.energies(model=of, states=np.array([[0.0], [1.0]]))["energies"]
        for of in (whole, part)
    ]
    assert offsets[0] - offsets[1] == pytest.approx(np.log(2 * np.sqrt(2 * np.pi)), rel=1e-12)


FULL = ("y ~ normal(mu, 2)", "target += normal_lpdf(y | mu, 2)")


def test_constants_are_not_seen_in_comments():
    full = "target += normal_lpdf(mu | 0, 1);"
    energy(plain(f'// mu ~ normal\n/* x_lupdf\n ~ */ print("~ // "); {full} // "~\n'))
    with pytest.raises(unnorm.UnnormError, match="line 1 of"):
        energy(plain('print("//"); mu ~ normal(0, 1); print("//");'))
    with pytest.raises(unnorm.UnnormError, match="line 2 of"):
        energy(plain("/* of two\nlines */ mu ~ normal(0, 1);"))


def test_code_that_cannot_be_read_is_refused(tmp_path):
    (tmp_path / "prior.stan").write_text("mu ~ normal(0, 1);\n", "utf-8")
    included = plain("\n#include prior.stan\n", include_paths=tmp_path)
    code = PLAIN % "target += normal_lpdf(mu | 0, 1);"
    compiled = stanli.Model(mir=stanli.stan_to_mir(code), data={"y": 1.5})
    for model in (included, compiled):
        with pytest.raises(unnorm.UnnormError, match="not all of its Stan code can be read"):
            energy(model)
        assert energy(model, may_drop_constants=True)["dim"] == 1


class OfBridgeStan:
    """What `bridgestan.StanModel` has, for a normal distribution."""

    def param_unc_num(self):
        return 2

    def log_density_gradient(self, q, *, propto=True, jacobian=True):
        assert jacobian
        return -0.5 * q @ q - (0 if propto else np.log(2 * np.pi)), -q


@pytest.mark.parametrize(
    ("may_drop_constants", "energies"), [(False, np.log(2 * np.pi)), (True, 0)]
)
def test_bridgestan_computes_constants(may_drop_constants, energies):
    model = energy(OfBridgeStan(), may_drop_constants=may_drop_constants)
    assert unnorm.energies(model=model, states=[0.0, 0.0])["energies"] == [energies]


def test_stanlis_models_for_bridgestan():
    case = CASES[0]
    model = stanli.bridgestan_model(stan_code=case.code, data=case.data)
    assert isinstance(model, bridgestan.StanModel)
    with pytest.raises(unnorm.UnnormError, match="only propto=true") as caught:
        energy(model)
    assert isinstance(caught.value.__cause__, RuntimeError)
    q = np.random.default_rng(1).normal(size=(5, 10))
    bridged = unnorm.energies(model=energy(model, may_drop_constants=True), states=q)
    assert bridged["energies"] == pytest.approx(-case.log_density(q), rel=1e-12)


def test_constrained_draws_have_names_and_shapes():
    code = """
        parameters { matrix[2, 3] m; real<lower=0> s; array[2] simplex[3] p; }
        transformed parameters { real z = m[1, 3] + 10 * m[2, 1]; vector[3] t = p[2]; }
        model {
          target += std_normal_lpdf(to_vector(m));
          target += exponential_lpdf(s | 1);
          target += dirichlet_lpdf(p[1] | [2, 3, 4]') + dirichlet_lpdf(p[2] | [2, 3, 4]');
        }
    """
    model = energy(stanli.Model(stan_code=code))
    result = unnorm.sample(
        model=model, transition={"kind": "nuts"}, numChains=3, numWarmup=50, numDraws=4, seed=1
    )
    draws = constrain(stanli.bridgestan_model(stan_code=code), result)
    shapes = {name: values.shape for name, values in draws.items()}
    assert shapes == {
        "m": (3, 4, 2, 3),
        "s": (3, 4),
        "p": (3, 4, 2, 3),
        "z": (3, 4),
        "t": (3, 4, 3),
    }
    values = result["draws"]["values"].reshape(4, 3, 11)
    for chain, draw in np.ndindex(3, 4):
        q = values[draw, chain]
        assert np.array_equal(draws["m"][chain, draw], q[:6].reshape(3, 2).T)
        assert draws["s"][chain, draw] == pytest.approx(np.exp(q[6]), rel=1e-12)
    assert draws["z"] == pytest.approx(draws["m"][..., 0, 2] + 10 * draws["m"][..., 1, 0])
    assert np.array_equal(draws["t"], draws["p"][..., 1, :])
    assert draws["p"].sum(axis=-1) == pytest.approx(1)


def test_what_cannot_be_constrained_is_refused():
    case = CASES[0]
    model = stanli.bridgestan_model(stan_code=case.code, data=case.data)
    with pytest.raises(unnorm.UnnormError, match=r"stanli\.bridgestan_model"):
        constrain(stanli.Model(stan_code=case.code, data=case.data), {})
    with pytest.raises(unnorm.UnnormError, match="give a result of sample"):
        constrain(model, {})
    two = {"draws": {"dim": 2, "numChains": 1, "numDraws": 1, "values": np.zeros(2)}}
    with pytest.raises(unnorm.UnnormError, match="with 2 entries, but the model has 10"):
        constrain(model, two)


def gamma(q):
    """The log density of a gamma distribution with shape 2, which is none below zero."""
    if q[0] < 0:
        raise ValueError("below zero") if q[0] < -100 else RuntimeError("below zero")
    return np.log(q[0]) - q[0], 1 / q - 1


def test_outside_its_domain_the_energy_is_infinite():
    def odd(q):
        values = {1.0: np.nan, 2.0: -np.inf, 3.0: 0.0, 4.0: 0.0}
        return values.get(q[0], -(q[0] ** 2)), np.array([np.nan if q[0] == 4 else 0.5])

    states = np.array([[1.0], [2.0], [3.0], [4.0]])
    energies, gradients = energy(odd, dim=1)["energy"](states)
    assert energies.tolist() == [np.inf, np.inf, 0, np.inf]
    assert gradients.tolist() == [[0], [0], [-0.5], [0]]
    half = energy(gamma, dim=1)["energy"]
    assert half(np.array([[-1.0], [1.0]]))[0].tolist() == [np.inf, 1]
    # What is no domain's end is a mistake.
    with pytest.raises(ValueError, match="below zero"):
        half(np.array([[-101.0]]))
    infinite = energy(lambda q: (np.inf if q[0] > 3 else -(q[0] ** 2), -2 * q), dim=1)
    with pytest.raises(unnorm.UnnormError, match="gave -Infinity as the energy"):
        unnorm.energies(model=infinite, states=[4.0])


def test_log_z_of_a_function():
    # Of x = exp(q): the density is that of a gamma distribution times 3.
    def density(q):
        x = np.exp(q[0])
        return np.log(3) + 2 * q[0] - x, np.array([2 - x])

    result = unnorm.log_z(
        model=energy(density, dim=1),
        numChains=200,
        numDistributions=50,
        pilot={"numChains": 16, "numDistributions": 50},
        seed=1,
    )
    assert 0 < result["standardError"] < 0.05
    assert abs(result["logZ"] - np.log(3)) < 5 * result["standardError"]


def test_a_checkpoint_goes_on_with_the_same_model_only():
    case = CASES[2]

    def spec(**data):
        model = stanli.Model(stan_code=case.code, data={**case.data, **data})
        nuts = {"transition": {"kind": "nuts"}, "numChains": 2, "numWarmup": 100, "numDraws": 100}
        return {**nuts, "model": energy(model), "seed": 1}

    digest = unnorm.sample(spec())["digest"]
    job = unnorm.start("sample", spec(), progress_interval=0)
    next(iter(job))
    checkpoint = job.checkpoint()
    job.cancel()
    assert unnorm.sample(spec(), checkpoint=checkpoint)["digest"] == digest
    with pytest.raises(unnorm.UnnormError) as caught:
        unnorm.sample(spec(k1=6), checkpoint=checkpoint)
    assert caught.value.code == "checkpoint-mismatch"


def test_functions_are_sent_to_other_processes_and_models_are_not():
    model = energy(plain("target += normal_lpdf(mu | 0, 1);"))
    with pytest.raises(unnorm.UnnormError, match="cannot be sent to another process"):
        pickle.dumps(model)
    sent = pickle.loads(pickle.dumps(energy(of_everyone, dim=2)))
    assert sent["energy"](np.ones((1, 2)))[0].tolist() == [1]


def of_everyone(q):
    return -0.5 * q @ q, -q


def raises(error):
    def density(q):
        raise error

    return density


@pytest.mark.parametrize(
    ("model", "options", "words", "field"),
    [
        (3, {}, "is of type int; give a model of stanli or bridgestan", "model"),
        (of_everyone, {}, "is missing; give the number of parameters", "dim"),
        (of_everyone, {"dim": 0}, "is 0; a model must have one", "dim"),
        (of_everyone, {"dim": 2.0}, "is 2.0; a model must have one", "dim"),
        (OfBridgeStan(), {"dim": 3}, "is 3, but the model has 2", "dim"),
        (lambda q: (0.0, q[:1]), {"dim": 2}, r"gradient of shape \[1\] were returned", "model"),
        (lambda q: (q, q), {"dim": 2}, r"log density of shape \[2\]", "model"),
        (lambda q: 0.0, {"dim": 2}, "returns a pair", "model"),
        (lambda q: (-np.inf, q), {"dim": 2}, "at none of 20 points .* infinite or NaN", "model"),
        (raises(RuntimeError("dry")), {"dim": 2}, "it raised RuntimeError: dry", "model"),
        (raises(KeyError("b")), {"dim": 2}, "its log density raised KeyError: 'b'", "model"),
    ],
)
def test_what_is_no_log_density_is_refused(model, options, words, field):
    with pytest.raises(unnorm.UnnormError, match=words) as caught:
        energy(model, **options)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")


def test_stanli_without_parameters_is_refused():
    with pytest.raises(unnorm.UnnormError, match="is 0; a model must have one"):
        energy(stanli.Model(stan_code="model { target += 1; }"))
