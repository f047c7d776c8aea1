"""Models whose energy is a Python function."""

import numpy as np
import pytest
import unnorm


def quadratic(x):
    """The energy of independent standard normal numbers, with its gradient."""
    return 0.5 * (x * x).sum(axis=1), x


def model(energy):
    return {"kind": "custom", "dim": 3, "energy": energy}


SPEC = {
    "transition": {"kind": "hmc"},
    "numChains": 8,
    "numWarmup": 200,
    "numDraws": 500,
    "seed": 1,
}


def sample(energy):
    return unnorm.sample(SPEC, model=model(energy))


def test_energies_and_gradients_are_the_functions():
    states = np.random.default_rng(1).normal(size=(70, 3))
    result = unnorm.energies(model=model(quadratic), states=states, gradients=True)
    energies, gradients = quadratic(states)
    assert np.array_equal(result["energies"], energies)
    assert np.array_equal(result["gradients"].reshape(70, 3), gradients)


def test_draws_are_those_of_the_same_energy_in_rust():
    # Its additions and multiplications are the same, in the same order.
    gaussian = {"kind": "gaussian", "dim": 3}
    assert sample(quadratic)["digest"] == unnorm.sample(SPEC, model=gaussian)["digest"]


def test_a_checkpoint_goes_on_with_the_same_function():
    digest = sample(quadratic)["digest"]
    spec = {**SPEC, "model": model(quadratic)}
    job = unnorm.start("sample", spec, progress_interval=0)
    next(iter(job))
    checkpoint = job.checkpoint()
    job.cancel()
    assert unnorm.sample(spec, checkpoint=checkpoint)["digest"] == digest
    assert "energy" in spec["model"], "the caller's dicts stay as they are"
    other = {**spec, "model": model(lambda x: quadratic(x))}
    with pytest.raises(unnorm.UnnormError) as caught:
        unnorm.sample(other, checkpoint=checkpoint)
    assert caught.value.code == "checkpoint-mismatch"


def scaled(x, params):
    """Precision k and mean m of independent normal numbers: the energy is finite for k > 0."""
    k, m = params
    off = x - m
    square = 0.5 * (off * off).sum(axis=1)
    return k * square, k * off, np.stack([square, -k * off.sum(axis=1)], axis=1)


FIT = {"objective": {"kind": "mpf", "connectivity": {"kind": "ball", "radius": 1, "numSamples": 4}}}


def test_parameters_are_fitted_as_those_of_a_formula():
    states = np.random.default_rng(1).normal(1.5, 0.5, size=(400, 3))
    params = {"k": {"value": 1.0, "lower": 0.0}, "m": 0.0}
    own = unnorm.fit(
        FIT, model={**model(scaled), "params": params}, states=states, seed=1, errors=True
    )
    expression = "k*((x1-m)^2 + (x2-m)^2 + (x3-m)^2)/2"
    typed = {"kind": "formula", "expression": expression, "params": params}
    known = unnorm.fit(FIT, model=typed, states=states, seed=1, errors=True)
    for ours, theirs in zip(
        own["errors"]["parameters"], known["errors"]["parameters"], strict=True
    ):
        assert ours["name"] == theirs["name"]
        assert abs(ours["value"] - theirs["value"]) < 1e-6
        assert abs(ours["standardError"] - theirs["standardError"]) < 1e-6
    fitted = {**model(scaled), "params": own["model"]["params"]}
    assert unnorm.energies(model=fitted, states=states)["energies"].shape == (400,)


def test_a_function_that_forgets_the_gradients_in_the_parameters_is_told():
    with pytest.raises(unnorm.UnnormError, match="3 are needed"):
        unnorm.fit(
            FIT,
            model={**model(lambda x, params: quadratic(x)), "params": {"k": 1.0}},
            states=np.zeros((4, 3)),
            seed=1,
        )


def raises(x):
    raise LookupError("no energy today")


@pytest.mark.parametrize(
    ("energy", "words", "cause"),
    [
        (raises, "raised LookupError: no energy today", LookupError),
        (lambda x: (np.full(len(x), np.nan), x), "gave NaN, or nothing, as the energy", None),
        (lambda x: (np.zeros(len(x)), np.full_like(x, np.nan)), "of the gradient", None),
        (lambda x: (0.0, x), r"shape \[\] was returned where \[\d+\] is needed", ValueError),
        (lambda x: (x[:, 0], x.T[:2]), r"is needed", ValueError),
        (lambda x: x[:, 0], "raised ", Exception),
    ],
)
def test_mistakes_of_the_function(energy, words, cause):
    with pytest.raises(unnorm.UnnormError, match=words) as caught:
        sample(energy)
    assert (caught.value.code, caught.value.field) == ("invalid-model", "model.energy")
    assert str(caught.value).startswith("model.energy: ")
    if cause is None:
        assert caught.value.__cause__ is None
    else:
        assert isinstance(caught.value.__cause__, cause)


def test_a_mistake_later_on_ends_the_job():
    calls = []

    def late(x):
        calls.append(len(x))
        if len(calls) > 500:
            raise LookupError("no more")
        return quadratic(x)

    with pytest.raises(unnorm.UnnormError, match="no more"):
        sample(late)


@pytest.mark.parametrize(
    ("energy", "words"),
    [(None, "is no function; give a function"), ("x", "is no function; give a function")],
)
def test_what_is_no_function(energy, words):
    with pytest.raises(unnorm.UnnormError, match=words) as caught:
        sample(energy)
    assert caught.value.field == "model.energy"
    with pytest.raises(unnorm.UnnormError, match="is missing; give a function"):
        unnorm.energies(model={"kind": "custom", "dim": 1}, states=[0.0])
