"""NumPy in specs and in results."""

import numpy as np
import pytest
import unnorm

MODEL = {"kind": "ising", "dim": 3}


def fitted(data):
    return unnorm.fit(model=MODEL, data=data, seed=1)["digest"]


def strided(rows):
    wide = np.full((5, 6), 7)
    wide[:, ::2] = rows
    return wide[:, ::2]


class Frame:
    """A table of another library, such as pandas, that converts itself."""

    def __init__(self, rows):
        self._rows = rows

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self._rows, dtype)


@pytest.mark.parametrize(
    "form",
    [
        *(
            lambda rows, dtype=dtype: np.array(rows, dtype)
            for dtype in ("?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8")
        ),
        lambda rows: 2 * np.array(rows, "i1") - 1,
        lambda rows: 2.0 * np.array(rows) - 1,
        lambda rows: np.asfortranarray(rows),
        lambda rows: np.array(rows, ">f8"),
        strided,
        Frame,
        lambda rows: rows,
        lambda rows: tuple(tuple(row) for row in rows),
        lambda rows: [np.array(row) for row in rows],
        lambda rows: {"kind": "rows", "rows": rows},
        lambda rows: {"kind": "rows", "rows": np.array(rows)},
        lambda rows: {"kind": "values", "dim": 3, "values": np.array(rows)},
        lambda rows: {
            "kind": "bits",
            "dim": 3,
            "numRows": 5,
            "bits": np.packbits(rows, axis=1, bitorder="little"),
        },
        lambda rows: {
            "kind": "bits",
            "dim": 3,
            "numRows": 5,
            "bits": np.packbits(rows, axis=1, bitorder="little").tobytes(),
        },
        lambda rows: {
            "kind": "csv",
            "bytes": b"\n".join(b",".join(b"%d" % x for x in row) for row in rows),
        },
    ],
)
def test_rows_mean_the_same_in_every_form(rows, form):
    assert fitted(form(rows)) == fitted(rows)
    assert fitted(rows).startswith("6d932d5f")  # as the README has it of JavaScript


def test_rows_have_their_own_names(rows):
    cues = np.array(rows)
    memory = unnorm.memorize(model=MODEL, patterns=cues, rule={"kind": "outerProduct"})
    end = unnorm.recall(model=memory["model"], cues=cues)
    plain = {"kind": "rows", "rows": rows}
    assert end["digest"] == unnorm.recall(model=memory["model"], cues=plain)["digest"]
    spec = {
        "model": MODEL,
        "transition": {"kind": "gibbs"},
        "numChains": 5,
        "numWarmup": 0,
        "numDraws": 3,
        "seed": 1,
    }
    starts = [{"kind": "data", "data": data} for data in (cues, plain)]
    assert len({unnorm.sample(spec, start=start)["digest"] for start in starts}) == 1
    assert "data" in starts[0], "the caller's dicts stay as they are"


def test_numbers_mean_the_same_in_every_form():
    states = np.arange(12.0).reshape(6, 2) / 8
    couplings = np.array([[0, 0.5, 0], [0.5, 0, -1], [0, -1, 0]])
    forms = [
        states,
        states.ravel(),
        states.tolist()[0] + states[1:].ravel().tolist(),
        states.astype("f4"),
        np.asfortranarray(states),
    ]
    gaussian = {"kind": "gaussian", "dim": 2}
    digests = {unnorm.energies(model=gaussian, states=form)["digest"] for form in forms}
    assert len(digests) == 1
    models = [
        {**MODEL, "couplings": form}
        for form in (couplings, couplings.ravel().tolist(), couplings.astype("f4"))
    ]
    assert len({unnorm.exact(model=model)["digest"] for model in models}) == 1
    # 1,024 numbers and more go another way.
    large = np.zeros((40, 40))
    large[3, 4] = large[4, 3] = 0.25
    models = [
        {
            "kind": "ising",
            "dim": 40,
            "couplings": form,
            "pattern": {"kind": "pairs", "pairs": [[3, 4]]},
        }
        for form in (large, large.ravel().tolist())
    ]
    assert len({unnorm.exact(model=model)["digest"] for model in models}) == 1


def test_lists_of_lists_may_be_arrays(rows):
    pairs = [[0, 1], [1, 2]]
    models = [
        {**MODEL, "pattern": {"kind": "pairs", "pairs": form}} for form in (pairs, np.array(pairs))
    ]
    assert len({unnorm.fit(model=model, data=rows, seed=1)["digest"] for model in models}) == 1


def test_numpys_numbers_are_numbers(rows):
    model = {"kind": "ising", "dim": np.int64(3)}
    spec = {
        "model": model,
        "data": rows,
        "seed": np.uint32(1),
        "regularizer": {"kind": "l2", "strength": np.float32(0.25)},
    }
    plain = {
        "model": MODEL,
        "data": rows,
        "seed": 1,
        "regularizer": {"kind": "l2", "strength": 0.25},
    }
    assert unnorm.fit(spec)["digest"] == unnorm.fit(plain)["digest"]


def test_results_have_arrays_that_can_be_written_to(rows):
    model = unnorm.fit(model=MODEL, data=rows, seed=1)["model"]
    couplings = model["couplings"]
    assert (couplings.dtype, couplings.shape) == (np.dtype("f8"), (9,))
    couplings[:] = 0
    assert unnorm.exact(model=model)["logZ"] == pytest.approx(3 * np.log(2))
    draws = unnorm.sample(
        model=model, transition={"kind": "gibbs"}, numChains=1, numWarmup=0, numDraws=4, seed=1
    )["draws"]
    assert draws["bits"].dtype == np.uint8


def test_layers_have_arrays_too():
    layers = [{"weights": np.zeros((3, 2))}]
    model = {"kind": "dbn", "sizes": [3, 2], "layers": layers}
    rows = np.eye(3, dtype=bool)
    assert isinstance(
        unnorm.fit(model=model, data=rows, seed=1)["model"]["layers"][0]["weights"], np.ndarray
    )
