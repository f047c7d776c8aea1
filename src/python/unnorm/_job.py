"""Jobs that run in the background."""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from . import _native
from ._errors import UnnormError

T = TypeVar("T")

_running: weakref.WeakSet[Job] = weakref.WeakSet()


class Job:
    """A running job, made by :func:`start`.

    Iterate over it for its progress, a dict each time; a slow loop skips to the latest, and the
    last one is of the job's end. Leaving the loop does not stop the job. A job that still runs when
    the program ends is cancelled.
    """

    def __init__(self, job: _native.Job, progress_interval: float) -> None:
        self._job = job
        self._interval = progress_interval
        # Guards what follows; notified of every change of it.
        self._changed = threading.Condition()
        self._num_steps = 0
        self._is_working = False
        self._is_paused = False
        self._num_lookers = 0
        self._is_cancelled = False
        self._has_ended = False
        self._failure: BaseException | None = None
        _running.add(self)
        self._thread = threading.Thread(target=self._work, name="unnorm", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            while self._may_go_on() and not self._job.advance(self._interval):
                pass
        except BaseException as failure:
            self._failure = failure
        with self._changed:
            self._is_working = False
            self._has_ended = True
            self._changed.notify_all()

    def _may_go_on(self) -> bool:
        """Waits between two steps while someone holds the job, and says whether it goes on."""
        with self._changed:
            self._num_steps += 1
            self._is_working = False
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: self._is_cancelled or not (self._is_paused or self._num_lookers)
            )
            self._is_working = not self._is_cancelled
            return self._is_working

    def _look(self, what: Callable[[], T]) -> T:
        """Calls ``what`` while the job rests between two rounds."""
        with self._changed:
            self._num_lookers += 1
            try:
                self._changed.wait_for(lambda: not self._is_working)
                if self._failure is not None:
                    raise self._failure
                return what()
            finally:
                self._num_lookers -= 1
                self._changed.notify_all()

    def progress(self) -> dict[str, Any]:
        """How far the job has come."""
        return self._look(self._job.progress)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        # The first step begins before any work.
        num_seen, has_ended = 1, False
        while not has_ended:
            num_seen, has_ended = self._wait_for_step(num_seen)
            if has_ended:
                self._raise()
            yield self.progress()

    def _wait_for_step(self, num_seen: int) -> tuple[int, bool]:
        """Waits until more steps have begun than these, or the job has ended."""
        with self._changed:
            self._changed.wait_for(lambda: self._has_ended or self._num_steps > num_seen)
            return self._num_steps, self._has_ended

    def pause(self) -> None:
        """Stops the work between two rounds, and returns once it has stopped."""
        with self._changed:
            self._is_paused = True
            self._changed.wait_for(lambda: not self._is_working)

    def resume(self) -> None:
        """Goes on after :meth:`pause`."""
        with self._changed:
            self._is_paused = False
            self._changed.notify_all()

    def cancel(self) -> None:
        """Stops for good between two rounds, and returns once the work has stopped.

        :meth:`result` then raises an :class:`UnnormError` with code ``aborted`` that carries the
        checkpoint. After the end of the job it does nothing.
        """
        with self._changed:
            if self._has_ended:
                return
            self._is_cancelled = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._has_ended)

    def checkpoint(self) -> bytes:
        """The state of the job, from which :func:`start` goes on.

        These are the bytes that ``handle.checkpoint()`` gives in JavaScript: a job begun there goes
        on here, and the other way around.
        """
        return self._look(self._job.snapshot)

    def result(self) -> dict[str, Any]:
        """Waits for the result."""
        with self._changed:
            self._changed.wait_for(lambda: self._has_ended)
        self._raise()
        result = self._job.result()
        assert result is not None
        return result

    def _raise(self) -> None:
        """Raises what the job ended with, if that is no result."""
        if self._failure is not None:
            raise self._failure
        if self._is_cancelled and self._job.result() is None:
            raise UnnormError("aborted", "the job was cancelled", checkpoint=self._job.snapshot())


def whole_spec(spec: Mapping[str, Any] | None, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A spec with further fields, which replace its own."""
    if spec is not None and not isinstance(spec, Mapping):
        problem = f"must be a dict, got a value of type {type(spec).__name__}"
        raise UnnormError("invalid-spec", f"spec: {problem}", "spec")
    whole = {**(spec or {}), **fields}
    if "verb" in whole:
        raise UnnormError("invalid-spec", "verb: is not a field of a spec", "verb")
    return whole


def start(
    verb: str,
    spec: Mapping[str, Any] | None = None,
    /,
    *,
    checkpoint: bytes | None = None,
    progress_interval: float = 0.05,
    **fields: Any,
) -> Job:
    """Starts a job in the background, with a verb's name as in specs: ``"fit"``, ``"logZ"``.

    Everything is checked before it returns. ``fields`` are further fields of the spec; they
    replace those of ``spec``. ``checkpoint`` goes on from a checkpoint of a job with the same spec
    and data.
    ``progress_interval`` is the least time between two reports of progress, in seconds; with 0
    there is one after each round.
    """
    whole = whole_spec(spec, fields)
    if checkpoint is not None and not isinstance(checkpoint, bytes):
        problem = f"checkpoint: must be bytes, got a value of type {type(checkpoint).__name__}"
        raise UnnormError("bad-checkpoint", problem)
    return Job(_native.Job(verb, whole, checkpoint), progress_interval)


@atexit.register
def _cancel_all() -> None:
    # A thread that comes back from its work to an interpreter that has ended would crash it.
    for job in list(_running):
        job.cancel()
