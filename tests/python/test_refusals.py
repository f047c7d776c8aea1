"""What cannot be used is refused before work starts, with the field and the problem in words."""

import re

import numpy as np
import pytest
import unnorm

MODEL = {"kind": "ising", "dim": 3}


def refusal(run):
    with pytest.raises(unnorm.UnnormError) as caught:
        run()
    assert isinstance(caught.value, ValueError)
    return caught.value


def nested(depth):
    value = {}
    for _ in range(depth):
        value = {"model": value}
    return value


def cyclic():
    spec = {"kind": "ising"}
    spec["pattern"] = spec
    return spec


@pytest.mark.parametrize(
    ("spec", "code", "field", "words"),
    [
        ({"model": MODEL, "couplings": 3}, "invalid-spec", "couplings", "unknown field"),
        ({"model": {"kind": "ising", "dim": 0}}, "invalid-spec", "model.dim", "is 0"),
        (
            {"model": {**MODEL, "couplings": [float("nan")] * 9}},
            "invalid-spec",
            r"model.couplings\[0, 0\]",
            "NaN",
        ),
        (
            {"model": {**MODEL, "couplings": np.full(9, np.inf)}},
            "invalid-spec",
            r"model.couplings\[0, 0\]",
            "inf",
        ),
        (
            {"model": {**MODEL, "couplings": np.zeros((2, 2))}},
            "invalid-spec",
            "model.couplings",
            "4",
        ),
        (
            {"model": {**MODEL, "couplings": np.zeros(9, complex)}},
            "invalid-spec",
            "model.couplings",
            "array of complex128",
        ),
        (
            {"model": {**MODEL, "couplings": np.array(["0"] * 9)}},
            "invalid-spec",
            "model.couplings",
            "must be real",
        ),
        (
            {"model": {**MODEL, "couplings": np.array([None] * 9)}},
            "invalid-spec",
            "model.couplings",
            "array of object",
        ),
        (
            {"model": {**MODEL, "couplings": np.array([2**60] * 9)}},
            "invalid-spec",
            "model.couplings",
            "integers beyond",
        ),
        (
            {"model": {**MODEL, "couplings": [0, 2**53]}},
            "invalid-spec",
            r"model.couplings\[1\]",
            "beyond",
        ),
        ({"model": {**MODEL, "couplings": 10**400}}, "invalid-spec", "model.couplings", "beyond"),
        # The least integer of 64 bits, whose absolute value is none.
        ({"model": {**MODEL, "couplings": -(2**63)}}, "invalid-spec", "model.couplings", "beyond"),
        (
            {"model": {**MODEL, "couplings": {1, 2}}},
            "invalid-spec",
            "model.couplings",
            "of type set",
        ),
        ({"model": {**MODEL, 7: 1}}, "invalid-spec", "model", "a key that is no string: 7"),
        (
            {"model": {**MODEL, "couplings": [[0, object()]]}},
            "invalid-spec",
            r"model.couplings\[0\]\[1\]",
            "of type object",
        ),
        ({"model": cyclic()}, "invalid-spec", "model.pattern.*", "nested too deeply"),
        (nested(1000), "invalid-spec", "model.model.*", "nested too deeply"),
        ({"model": lambda: MODEL}, "invalid-spec", "model", "of type function"),
        ({"model": "ising"}, "invalid-spec", "model", "expected"),
        ({"model": None}, "invalid-spec", "model", "null|expected"),
        ({"verb": "fit"}, "invalid-spec", "verb", "is not a field of a spec"),
    ],
)
def test_specs(spec, code, field, words):
    error = refusal(lambda: unnorm.exact(spec))

    assert error.code == code, error
    assert re.fullmatch(field, error.field), error
    assert re.search(words, str(error)), error
    assert str(error).startswith(error.field)


@pytest.mark.parametrize("seed", [-1, 2**53, 0.5, "1", float("nan"), 2**100])
def test_seeds(seed, rows):
    assert refusal(lambda: unnorm.fit(model=MODEL, data=rows, seed=seed)).field == "seed"


@pytest.mark.parametrize(
    ("data", "field", "words"),
    [
        (np.array([[0, 1, 2]]), r"data.values\[2\]", "row 0, column 2.* 2"),
        (np.array([[0, 1, -1]]), "data.*", "row 0, column 2"),
        (np.array([[0.5, 1, 1]]), r"data.values\[0\]", "0.5"),
        (np.array([[np.nan, 1, 1]]), r"data.values\[0\]", "NaN"),
        (np.zeros(3), "data", "1 dimensions"),
        (np.zeros((2, 2, 3)), "data", "3 dimensions"),
        (np.zeros((0, 3)), "data.*", "has no rows"),
        (np.zeros((3, 0)), "data.dim", "is 0"),
        (np.zeros((2, 3), complex), "data", "array of complex128"),
        (np.zeros((2, 3), object), "data", "array of object"),
        (np.zeros((2, 4)), "model.dim", "4 bits a row"),
        ([[0, 1, 1], [0, 1]], r"data.rows\[1\]", "2 entries"),
        ([], r"data.rows", "no rows"),
        ([0, 1], r"data.*", "expected"),
        ("data.csv", "data", "expected"),
    ],
)
def test_data(data, field, words):

    error = refusal(lambda: unnorm.fit(model=MODEL, data=data, seed=1))
    assert error.code in ("invalid-data", "invalid-spec")
    assert re.fullmatch(field, error.field), error
    assert re.search(words, str(error)), error


def test_rows_are_named_as_in_the_spec():
    bad = np.array([[0, 1, 2]])
    error = refusal(
        lambda: unnorm.memorize(model=MODEL, patterns=bad, rule={"kind": "outerProduct"})
    )
    assert error.field == "patterns.values[2]"
    assert str(error).startswith("patterns.values[2]: ")
    error = refusal(lambda: unnorm.recall(model=MODEL, cues=bad))
    assert error.field == "cues.values[2]"
    spec = {
        "model": MODEL,
        "transition": {"kind": "gibbs"},
        "numChains": 1,
        "numWarmup": 0,
        "numDraws": 1,
    }
    error = refusal(lambda: unnorm.sample(spec, start={"kind": "data", "data": bad}))
    assert error.field == "start.data.values[2]"


def test_words_are_those_of_javascript():
    error = refusal(
        lambda: unnorm.sample(
            model={"kind": "ring"}, transition={"kind": "hmc"}, numChains=0, numWarmup=9, numDraws=1
        )
    )
    assert (error.code, error.field) == ("invalid-spec", "numChains")
    assert str(error) == "numChains: is 0; it must be from 1 to 1048576"
    error = refusal(lambda: unnorm.mode(model={"kind": "ring"}))
    assert error.code == "missing-capability"


def test_other_arguments():
    assert "unknown" in str(refusal(lambda: unnorm.start("guess", {})))
    assert refusal(lambda: unnorm.fit([MODEL])).field == "spec"
    with pytest.raises(TypeError):
        unnorm.fit({}, {})


def test_checkpoints(short):
    job = unnorm.start("sample", short, progress_interval=0)
    next(iter(job))
    checkpoint = job.checkpoint()
    job.cancel()
    refused = [
        (b"", "bad-checkpoint", "checkpoint"),
        (checkpoint[:-1], "bad-checkpoint", "checkpoint"),
        (bytearray(checkpoint), "bad-checkpoint", "must be bytes"),
        (checkpoint[:70] + b"?" + checkpoint[71:], "bad-checkpoint", "checksum"),
    ]
    for damaged, code, words in refused:
        error = refusal(lambda damaged=damaged: unnorm.sample(short, checkpoint=damaged))
        assert error.code == code
        assert words in str(error)
    other = refusal(lambda: unnorm.sample({**short, "numDraws": 999}, checkpoint=checkpoint))
    assert other.code == "checkpoint-mismatch"


def test_a_mistake_of_the_caller_in_an_array_stays_his():
    class Broken:
        def __array__(self, dtype=None, copy=None):
            raise LookupError("no array today")

    with pytest.raises(LookupError, match="no array today"):
        unnorm.fit(model=MODEL, data=Broken())
