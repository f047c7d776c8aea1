"""Jobs on a cluster of two processes, some of which are killed in the middle of a task."""

import math
import os
import signal
import threading

import numpy as np
import pytest
import unnorm
from distributed.core import Status
from golden import goldens
from unnorm import _native, distributed

GOLDENS = goldens()


pytestmark = pytest.mark.usefixtures("no_round_is_short")


@pytest.fixture
def walk():
    """A spec of `sample` with six rounds of ten shards."""
    return {
        "model": {"kind": "gaussian", "dim": 3},
        "transition": {"kind": "hmc"},
        "numChains": 40,
        "numWarmup": 500,
        "numDraws": 500,
        "seed": 1,
    }


def lethal(folder):
    """An energy that has its process killed, if it is another, while there is a file in a folder.

    It names the process in the file ``NAME.pid`` and waits for its end: see :func:`reaper`.
    """
    client = os.getpid()

    def energy(x):
        if os.getpid() != client:
            for name in os.listdir(folder):
                if name.endswith(".pid"):
                    continue
                file = os.path.join(folder, name)
                try:
                    os.rename(file, f"{file}.{os.getpid()}.pid")
                except FileNotFoundError:
                    continue
                threading.Event().wait()
        return 0.5 * (x**2).sum(axis=1), x

    return energy


@pytest.fixture
def reaper(client, tmp_path):
    """Kills the processes that ask for it, in the folder of the test.

    Not before Dask's nanny of the process knows that it has started: one that dies earlier is given
    up for good, and a cluster without processes waits for ever.
    """
    is_over = threading.Event()

    def started():
        nannies = list(client.cluster.workers.values())
        return {
            nanny.pid
            for nanny in nannies
            if nanny.process and nanny.process.status == Status.running
        }

    def work():
        while not is_over.wait(0.01):
            for file in tmp_path.glob("*.pid"):
                pid = int(file.suffixes[-2][1:])
                if pid in started():
                    file.unlink()
                    os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=work)
    thread.start()
    yield
    is_over.set()
    thread.join()


def chains(energy):
    """A spec of `sample` for an energy on ℝ³."""
    return {
        "model": {"kind": "custom", "dim": 3, "energy": energy},
        "transition": {"kind": "hmc"},
        "numChains": 40,
        "numWarmup": 20,
        "numDraws": 20,
        "seed": 1,
    }


@pytest.mark.parametrize("verb", _native.verbs())
def test_digests_are_golden(client, verb):
    name = {verb: name for name, (verb, _, _) in GOLDENS.items()}[verb]
    _, spec, digest = GOLDENS[name]
    assert distributed.run(verb, spec, client=client)["digest"] == digest, name


def test_rounds_have_several_shards(walk):
    assert _native.Job("sample", walk, None).num_shards() == 10
    # As many as annealing ever has, which the guide says.
    glass = {"kind": "ising", "dim": 2, "couplings": [0, 1, 1, 0]}
    spec = {"model": glass, "numChains": 20_000, "numDistributions": 100}
    assert _native.Job("logZ", spec, None).num_shards() == 16
    assert _native.Job("sample", chains(lethal("")), None).num_shards() > 1


def test_short_rounds_are_done_here(client, walk, monkeypatch):
    on_cluster = []
    whole = distributed._round

    def counted(*args):
        on_cluster.append(args)
        return whole(*args)

    monkeypatch.setattr(distributed, "_round", counted)
    # What the first one takes is not known before.
    monkeypatch.setattr(distributed, "_LEAST_WORK", math.inf)
    result = distributed.run("sample", walk, client=client)
    assert result["digest"] == unnorm.sample(walk)["digest"]
    assert len(on_cluster) == 1


def test_rounds_become_longer_and_the_digest_stays(client, monkeypatch):
    model = {"kind": "gaussian", "dim": 40}
    spec = {"model": model, "numChains": 100, "numDistributions": 20_000, "seed": 1}
    digests, num_rounds = set(), []
    for seconds in [0.0, 1e6]:
        monkeypatch.setattr(distributed, "_ROUND_SECONDS", seconds)
        seen = []
        result = distributed.run("logZ", spec, client=client, on_progress=seen.append)
        digests.add(result["digest"])
        num_rounds.append(len(seen))
    assert digests == {unnorm.log_z(spec)["digest"]}
    assert num_rounds[1] < num_rounds[0], num_rounds


def test_what_is_large_goes_to_each_worker_once(client, walk, monkeypatch):
    monkeypatch.setattr(distributed, "_MAX_BESIDE", 0)
    result = distributed.run("sample", {**walk, "seed": 2}, client=client)
    assert result["digest"] == unnorm.sample({**walk, "seed": 2})["digest"]


@pytest.mark.parametrize(
    ("seconds", "works", "factors"),
    [
        (0.1, [1, 2, 4, 8], [2, 4, 8, 16]),
        (0.1, [1, 1, 1, 1], [2, 1, 2, 1]),
        (0.1, [1, 2, 1, 1], [2, 4, 2, 1]),
        (1.0, [1, 2, 4, 8], [1, 1, 1, 1]),
    ],
)
def test_rounds_grow_while_they_are_short_and_growing_helps(seconds, works, factors):
    seen = []

    class Job:
        lengthen_rounds = staticmethod(seen.append)

    length = distributed._Length(Job())
    for work in works:
        length.adapt(seconds, work)
    assert seen == factors
    length.adapt(10.0, 1000.0)
    assert seen[-1] == max(1, factors[-1] // 2)


@pytest.mark.parametrize("num_kills", [1, 3])
def test_lost_workers_do_not_show(client, reaper, tmp_path, num_kills, monkeypatch):
    # However the killed processes come upon the tasks.
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 10)
    spec = chains(lethal(tmp_path))
    digest = unnorm.sample(spec)["digest"]
    for at in range(num_kills):
        (tmp_path / str(at)).touch()
    assert distributed.run("sample", spec, client=client)["digest"] == digest
    assert list(tmp_path.iterdir()) == [], "every kill happened"


def test_a_task_that_kills_every_worker_ends_the_job_with_a_checkpoint(client, reaper, tmp_path):
    for at in range(100):
        (tmp_path / str(at)).touch()
    spec = chains(lethal(tmp_path))
    digest = unnorm.sample(spec)["digest"]
    with pytest.raises(unnorm.UnnormError, match="KilledWorker") as caught:
        distributed.run("sample", spec, client=client)
    assert caught.value.code == "aborted"
    checkpoint = caught.value.checkpoint
    assert unnorm.sample(spec, checkpoint=checkpoint)["digest"] == digest
    # On the cluster, too, once its tasks kill no more. The error is still there, and what it holds.
    for file in tmp_path.iterdir():
        # Who waits for its end gets it.
        if file.suffix != ".pid":
            file.unlink()
    again = distributed.run("sample", spec, client=client, checkpoint=checkpoint)
    assert again["digest"] == digest


def test_jobs_go_to_the_cluster_and_come_back(client, walk):
    digest = unnorm.sample(walk)["digest"]
    job = unnorm.start("sample", walk, progress_interval=0)
    next(iter(job))
    job.cancel()
    with pytest.raises(unnorm.UnnormError) as stopped:
        job.result()
    fractions = []

    def interrupt(progress):
        fractions.append(progress["fraction"])
        if len(fractions) == 2:
            raise KeyboardInterrupt

    begun = stopped.value.checkpoint
    with pytest.raises(unnorm.Interrupted) as interrupted:
        distributed.run("sample", walk, client=client, checkpoint=begun, on_progress=interrupt)
    assert 0 < fractions[0] < fractions[1] < 1
    checkpoint = interrupted.value.checkpoint
    assert unnorm.sample(walk, checkpoint=checkpoint)["digest"] == digest
    again = distributed.run("sample", walk, client=client, checkpoint=checkpoint)
    assert again["digest"] == digest


def test_many_jobs_keep_their_order(client, rows):
    jobs = [
        ("fit", {"model": {"kind": "ising", "dim": 3}, "data": np.array(rows), "seed": seed})
        for seed in range(4)
    ]
    results = distributed.run_all(jobs, client=client)
    assert [result["seed"] for result in results] == [0, 1, 2, 3]
    expected = [unnorm.start(verb, spec).result()["digest"] for verb, spec in jobs]
    assert [result["digest"] for result in results] == expected


def test_an_invented_seed_is_the_same_on_all_workers(client):
    verb, spec, _ = GOLDENS["structure-clusters"]
    spec = {name: field for name, field in spec.items() if name != "seed"}
    result = distributed.run(verb, spec, client=client)
    again = unnorm.start(verb, {**spec, "seed": result["seed"]}).result()
    assert again["digest"] == result["digest"]


def test_tasks_of_different_rounds_have_different_keys(keeping, walk):
    result = distributed.run("sample", walk, client=keeping)
    assert result["digest"] == unnorm.sample(walk)["digest"]
    assert len({future.key for future in keeping.futures}) == len(keeping.futures) > 20


class NoCluster:
    """A client that is not to be asked for anything."""

    asynchronous = False


def test_specs_are_checked_before_anything_is_submitted(walk):
    with pytest.raises(unnorm.UnnormError) as caught:
        distributed.run("sample", walk, numChains=0, client=NoCluster())
    assert caught.value.field == "numChains"
    with pytest.raises(unnorm.UnnormError) as caught:
        distributed.run_all(
            [("sample", walk), ("sample", {**walk, "numChains": 0})], client=NoCluster()
        )
    assert caught.value.field == "numChains"


def test_an_asynchronous_client_is_refused(walk):
    client = NoCluster()
    client.asynchronous = True
    with pytest.raises(unnorm.UnnormError, match="asynchronous"):
        distributed.run("sample", walk, client=client)


def test_another_version_on_the_cluster_is_named(client, walk, monkeypatch):
    here = _native.version()
    monkeypatch.setattr(_native, "version", lambda: "0.0.1")
    with pytest.raises(unnorm.UnnormError, match=rf"has unnorm {here}, the client has 0\.0\.1"):
        distributed.run("sample", walk, client=client)


def test_mistakes_of_an_energy_are_raised_here(client):
    here = os.getpid()

    def energy(x):
        if os.getpid() != here:
            raise LookupError("not here")
        return 0.5 * (x**2).sum(axis=1), x

    with pytest.raises(unnorm.UnnormError, match="not here") as caught:
        distributed.run("sample", chains(energy), client=client)
    assert caught.value.field == "model.energy"
