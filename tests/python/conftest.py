"""What the tests share."""

import dask
import pytest
from distributed import Client, LocalCluster
from unnorm import distributed


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


# A worker that a busy machine starts slowly is not lost: if Dask gives up all, their jobs wait for
# ever.
dask.config.set(
    {
        "distributed.comm.timeouts.connect": "1200s",
        "distributed.comm.timeouts.tcp": "1200s",
        "distributed.scheduler.worker-ttl": None,
    }
)


@pytest.fixture(scope="module")
def client():
    """A cluster of two processes. Others may be there at the same time: it takes any free ports."""
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


class Keeping:
    """A client that keeps every future, so that Dask keeps what belongs to its key."""

    def __init__(self, client):
        self.client = client
        self.futures = []

    def __getattr__(self, name):
        return getattr(self.client, name)

    def submit(self, *args, **options):
        self.futures.append(self.client.submit(*args, **options))
        return self.futures[-1]


@pytest.fixture
def keeping(client):
    return Keeping(client)


@pytest.fixture
def no_round_is_short(monkeypatch):
    """Has all rounds of several shards done on the cluster."""
    monkeypatch.setattr(distributed, "_LEAST_WORK", 0.0)
