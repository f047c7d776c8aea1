"""What the tests share."""

import pytest


@pytest.fixture
def rows():
    """Five observations of three neurons: the README's first example."""
    return [[0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 0, 1], [0, 0, 0]]


@pytest.fixture
def short():
    """A spec of `sample` with many rounds, done in a moment."""
    return {
        "model": {"kind": "ring"},
        "transition": {"kind": "hmc"},
        "numChains": 20,
        "numWarmup": 500,
        "numDraws": 1000,
        "seed": 1,
    }


@pytest.fixture
def endless(short):
    """The same, but it would take days."""
    return {**short, "numWarmup": 500_000_000}
