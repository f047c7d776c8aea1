"""Results of `sample` as ArviZ's `InferenceData`."""

import sys

import arviz
import numpy as np
import pytest
import unnorm
from golden import goldens

MODEL = {"kind": "ising", "dim": 3, "couplings": [0, -0.5, 0, -0.5, 0, 0, 0, 0, 0]}

BITS = {
    "model": MODEL,
    "transition": {"kind": "gibbs"},
    "numChains": 4,
    "numWarmup": 10,
    "numDraws": 50,
    "energies": True,
    "seed": 1,
}


@pytest.fixture(scope="module")
def banana():
    """Draws from a curved ridge, by NUTS."""
    return unnorm.sample(
        model={"kind": "banana"},
        transition={"kind": "nuts"},
        numChains=4,
        numWarmup=300,
        numDraws=500,
        seed=1,
    )


def test_draws_on_the_reals_are_the_results_chain_by_chain(banana):
    data = unnorm.to_arviz(banana, name="position")
    assert isinstance(data, arviz.InferenceData)
    position = data.posterior["position"]
    assert position.dims == ("chain", "draw", "position_dim_0")
    assert position.shape == (4, 500, 2)
    values = banana["draws"]["values"].reshape(500, 4, 2)
    stats = data.sample_stats
    for chain in range(4):
        assert np.array_equal(position.sel(chain=chain), values[:, chain])
        assert np.array_equal(stats["lp"].sel(chain=chain), -banana["energies"][chain::4])
    assert stats["lp"].dims == ("chain", "draw")
    # With the names of ArviZ's schema where it has one.
    chains = banana["chains"]
    theirs = {"stepSize": "step_size", "acceptance": "acceptance_rate"}
    names = {field: theirs.get(field, field) for field, values in chains.items() if len(values)}
    assert {"step_size", "acceptance_rate", "numDivergent", "ebfmi"} <= set(names.values())
    assert set(stats) == {"lp", *names.values()}
    for field, name in names.items():
        assert stats[name].dims == ("chain",)
        assert np.array_equal(stats[name], chains[field]), field


def test_attributes_say_where_the_draws_are_from(banana):
    data = unnorm.to_arviz(banana)
    for group in (data.posterior, data.sample_stats):
        assert group.attrs == {
            "inference_library": "unnorm",
            "inference_library_version": unnorm.__version__,
            "seed": 1,
            "digest": banana["digest"],
        }


def test_arviz_agrees_on_what_the_draws_are_worth(banana):
    data = unnorm.to_arviz(banana)
    ours = {
        "rhat": arviz.rhat(data),
        "essBulk": arviz.ess(data, method="bulk"),
        "essTail": arviz.ess(data, method="tail"),
        "mcseMean": arviz.mcse(data, method="mean"),
        "mcseSd": arviz.mcse(data, method="sd"),
    }
    for field, theirs in ours.items():
        # The definitions are the same; sums are added in another order.
        assert theirs["x"].values == pytest.approx(banana["summary"][field], rel=1e-9), field


def test_draws_of_bits_need_the_number_of_chains():
    result = unnorm.sample(BITS)
    data = unnorm.to_arviz(result, num_chains=4)
    x = data.posterior["x"]
    assert (x.dims, x.shape) == (("chain", "draw", "x_dim_0"), (4, 50, 3))
    rows = np.unpackbits(result["draws"]["bits"].reshape(200, 1), axis=1, bitorder="little")
    energies = unnorm.energies(model=MODEL, states=rows[:, :3])["energies"]
    for chain in range(4):
        assert np.array_equal(x.sel(chain=chain), rows[chain::4, :3])
        lp = data.sample_stats["lp"].sel(chain=chain)
        assert lp.values == pytest.approx(-energies[chain::4], rel=1e-12)
    summary = result["energySummary"]
    rhat = arviz.rhat(data.sample_stats)["lp"]
    assert float(rhat) == pytest.approx(summary["rhat"], rel=1e-9)
    without = unnorm.to_arviz(unnorm.sample(BITS, energies=False), num_chains=4)
    assert without.groups() == ["posterior"]
    for num_chains in (None, 0, 3, 2.0):
        with pytest.raises(unnorm.UnnormError, match="divides their 200 rows") as caught:
            unnorm.to_arviz(result, num_chains=num_chains)
        assert caught.value.field == "num_chains"


@pytest.mark.parametrize(
    ("name", "hidden"), [("sample-low-rank", 2), ("sample-clustering", 1)], ids=str
)
def test_hidden_variables_of_a_table_have_their_shapes(name, hidden):
    _, spec, _ = goldens()[name]
    result = unnorm.sample(spec)
    draws = result["draws"]
    chains, count = draws["numChains"], draws["numDraws"]
    data = unnorm.to_arviz(result)
    shape = (draws["numRows"], draws["order"])[:hidden]
    assert data.posterior["hidden"].shape == (chains, count, *shape)
    features = data.posterior["features"]
    assert features.shape == (chains, count, draws["order"], draws["dim"])
    values = draws["features"].reshape(count, chains, *features.shape[2:])
    assert np.array_equal(features.sel(chain=chains - 1), values[:, -1])
    assert np.array_equal(
        data.posterior["noiseVariance"].sel(chain=0), draws["noiseVariance"][::chains]
    )
    assert ("numInUse" in data.posterior) == ("numInUse" in draws) == (hidden == 1)
    assert np.array_equal(data.sample_stats["lp"].sel(chain=0), draws["logJoint"][::chains])


def test_what_is_no_result_of_sample_is_refused(banana):
    for wrong in (unnorm.exact(model=MODEL), None, []):
        with pytest.raises(unnorm.UnnormError, match="give a result of sample") as caught:
            unnorm.to_arviz(wrong)
        assert (caught.value.code, caught.value.field) == ("invalid-data", "result")
    with pytest.raises(unnorm.UnnormError, match="are of 4 chains"):
        unnorm.to_arviz(banana, num_chains=2)


def test_without_arviz_it_says_how_to_get_it(banana, monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(ImportError, match=r'pip install "unnorm\[arviz\]"'):
        unnorm.to_arviz(banana)
