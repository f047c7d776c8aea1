"""Jobs on a Dask cluster, with the digests that they have on one machine.

A job runs in rounds. In each, the client makes tasks of the round's shards, the cluster works them,
and the client gathers their parts in order. A part depends on nothing but the spec, the round and
the shard, so that a task whose worker is lost is done again elsewhere, and no digest tells.
"""

from __future__ import annotations

import hashlib
import math
import pickle
import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import _native
from ._errors import Interrupted, UnnormError
from ._job import whole_spec

if TYPE_CHECKING:
    from distributed import Client, Future

__all__ = ["run", "run_all"]

# Tasks of a round for each thread of the cluster. Shards may differ in length, and more tasks share
# them out better, but each costs Dask some time.
_TASKS_PER_THREAD = 2

# A round costs Dask some 30 ms. Rounds that take less than these seconds are made longer.
_ROUND_SECONDS = 0.5

# A round is done here if the one before had less work than these seconds of one thread.
_LEAST_WORK = 0.05

# Most bytes that go with each task. What is longer goes to each worker once.
_MAX_BESIDE = 1 << 16

# Specs whose workers a process keeps.
_MAX_KEPT = 4

_kept: OrderedDict[str, _native.ShardWorker] = OrderedDict()
_keeping = threading.Lock()


def run(
    verb: str,
    spec: Mapping[str, Any] | None = None,
    /,
    *,
    client: Client,
    on_progress: Callable[[dict[str, Any]], object] | None = None,
    checkpoint: bytes | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """Runs a job to its end on the cluster of ``client``, which is not an asynchronous one.

    The result, ``fields`` and ``checkpoint`` are those of :func:`unnorm.start`. Everything is
    checked before anything is submitted. ``on_progress`` is called after each round. Ctrl-C raises
    :class:`unnorm.Interrupted`, and a failure of the cluster an :class:`unnorm.UnnormError` with
    code ``aborted``; both carry a checkpoint, which goes on here, in one process or in JavaScript.
    Rounds of one shard, and short ones, are done here, not on the cluster.
    """
    job, payload, key = _planned(client, verb, whole_spec(spec, fields), checkpoint)
    work, length = math.inf, _Length(job)
    with _large_tasks_allowed():
        source = _everywhere(client, payload, f"unnorm-spec-{key}")
        try:
            while job.result() is None:
                start = time.perf_counter()
                if job.num_shards() == 1 or work < _LEAST_WORK:
                    job.advance(0)
                    work = time.perf_counter() - start
                else:
                    work = _round(client, job, source, key)
                length.adapt(time.perf_counter() - start, work)
                if on_progress is not None:
                    on_progress(job.progress())
        except KeyboardInterrupt:
            raise Interrupted(job.snapshot()) from None
    result = job.result()
    assert result is not None
    return result


class _Length:
    """The length of a job's rounds, as a multiple of the usual one. No number depends on it."""

    def __init__(self, job: _native.Job) -> None:
        self._job = job
        self._factor = 1
        self._last_work = 0.0

    def adapt(self, seconds: float, work: float) -> None:
        """Has the next round twice or half as long as this one, which took ``seconds``."""
        # Some rounds end where a job adapts: a larger factor does not make them longer.
        grew = work > 1.25 * self._last_work
        self._last_work = work
        if seconds < _ROUND_SECONDS and (grew or self._factor == 1):
            self._factor *= 2
        elif self._factor > 1 and (seconds < _ROUND_SECONDS or seconds > 4 * _ROUND_SECONDS):
            self._factor //= 2
        self._job.lengthen_rounds(self._factor)


def run_all(
    jobs: Iterable[tuple[str, Mapping[str, Any]]], /, *, client: Client
) -> list[dict[str, Any]]:
    """Runs many jobs, each a verb and its spec, and returns their results in order.

    Each job is one task, for sweeps over seeds, models or data. All of them are checked before any
    is submitted. A job that has no seed is given one.
    """
    tasks = [_planned(client, verb, whole_spec(spec, {}), None)[1:] for verb, spec in jobs]
    with _large_tasks_allowed():
        futures = [
            client.submit(_run_whole, payload, key=f"unnorm-job-{key}") for payload, key in tasks
        ]
        results: list[dict[str, Any]] = client.gather(futures)
    return results


def _planned(
    client: Client, verb: str, spec: dict[str, Any], checkpoint: bytes | None
) -> tuple[_native.Job, bytes, str]:
    """The job; its verb and spec as bytes, with its seed; a key of these."""
    # Dask has it, for functions that pickle cannot take.
    import cloudpickle

    if client.asynchronous:
        problem = "client: is asynchronous; give a client that was made without asynchronous=True"
        raise UnnormError("invalid-spec", problem, "client")
    job = _native.Job(verb, spec, checkpoint)
    seed = job.seed()
    if seed is not None:
        spec = {**spec, "seed": seed}
    payload: bytes = cloudpickle.dumps((_native.version(), verb, spec))
    return job, payload, hashlib.sha256(payload).hexdigest()[:32]


def _everywhere(client: Client, data: bytes, key: str) -> bytes | Future[bytes]:
    """What tasks take for these bytes, which draws them to no worker.

    Dask sends a task to where its data are, and would have one worker do all.
    """
    if len(data) <= _MAX_BESIDE:
        return data
    future: Future[bytes] = client.submit(bytes, data, key=key)
    client.replicate([future])
    return future


def _round(client: Client, job: _native.Job, source: bytes | Future[bytes], spec_key: str) -> float:
    """One round: its shards as tasks, a few shards each. The seconds that all of them took."""
    broadcast, scattered = job.plan()
    # Tasks with equal keys are one task for Dask, so a key names all that a task depends on.
    digest = hashlib.sha256(broadcast)
    for bytes_of_shard in scattered:
        digest.update(len(bytes_of_shard).to_bytes(8, "little") + bytes_of_shard)
    key = f"unnorm-{spec_key}-{digest.hexdigest()[:32]}"
    num_tasks = min(len(scattered), _TASKS_PER_THREAD * max(1, sum(client.nthreads().values())))
    numbered = list(enumerate(scattered))
    futures: list[Future[Any]] = []
    try:
        shared = _everywhere(client, broadcast, f"{key}-broadcast")
        for task in range(num_tasks):
            # Every so many, because the last shards of a round may be the smallest.
            shards = numbered[task::num_tasks]
            task_key = f"{key}-{task}-{num_tasks}"
            futures.append(client.submit(_work, spec_key, source, shared, shards, key=task_key))
        by_task: list[tuple[float, list[bytes]]] = client.gather(futures)
    except UnnormError:
        raise
    except Exception as error:
        problem = f"the cluster could not work the job: {type(error).__name__}: {error}"
        raise UnnormError("aborted", problem, checkpoint=job.snapshot()) from error
    finally:
        # A failed task would keep its key, and fail again where the job goes on; others would be
        # worked for nothing.
        for future in futures:
            future.release()
    parts = [b""] * len(scattered)
    for task, (_, some) in enumerate(by_task):
        parts[task::num_tasks] = some
    job.gather(parts)
    return sum(seconds for seconds, _ in by_task)


def _work(
    key: str, payload: bytes, broadcast: bytes, shards: list[tuple[int, bytes]]
) -> tuple[float, list[bytes]]:
    """The seconds that some shards took on a worker of the cluster, and their parts."""
    worker = _shard_worker(key, payload)
    start = time.perf_counter()
    parts = worker.work(broadcast, shards)
    return time.perf_counter() - start, parts


def _shard_worker(key: str, payload: bytes) -> _native.ShardWorker:
    """What works the shards of a spec in this process; made once."""
    with _keeping:
        if key not in _kept:
            _kept[key] = _native.ShardWorker(*_unpacked(payload))
            if len(_kept) > _MAX_KEPT:
                _kept.popitem(last=False)
        _kept.move_to_end(key)
        return _kept[key]


def _run_whole(payload: bytes) -> dict[str, Any]:
    from ._job import start

    return start(*_unpacked(payload)).result()


def _unpacked(payload: bytes) -> tuple[str, dict[str, Any]]:
    version, verb, spec = pickle.loads(payload)
    if version != _native.version():
        raise RuntimeError(
            f"a worker of the cluster has unnorm {_native.version()}, the client has {version}: "
            "install the same one"
        )
    return verb, spec


@contextmanager
def _large_tasks_allowed() -> Iterator[None]:
    """Without Dask's warning that a task is large.

    Data in a task stay with the scheduler, which can give them to a new worker when all that had
    them are lost; data that were scattered would be lost, too.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sending large graph")
        yield
