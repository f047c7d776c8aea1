"""The verbs as functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ._errors import Interrupted
from ._job import start


class Verb(Protocol):
    """A function that runs a job to its end."""

    def __call__(
        self,
        spec: Mapping[str, Any] | None = None,
        /,
        *,
        on_progress: Callable[[dict[str, Any]], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Any,
    ) -> dict[str, Any]: ...


def verb(name: str, does: str) -> Any:
    """The function of the verb of this name in specs; ``does`` is a sentence.

    Its type, which differs from verb to verb, is in :mod:`unnorm.types`.
    """

    def run(
        spec: Mapping[str, Any] | None = None,
        /,
        *,
        on_progress: Callable[[dict[str, Any]], object] | None = None,
        checkpoint: bytes | None = None,
        progress_interval: float = 0.05,
        **fields: Any,
    ) -> dict[str, Any]:
        job = start(
            name, spec, checkpoint=checkpoint, progress_interval=progress_interval, **fields
        )
        try:
            if on_progress is not None:
                for progress in job:
                    on_progress(progress)
            return job.result()
        except KeyboardInterrupt:
            job.cancel()
            raise Interrupted(job.checkpoint()) from None
        finally:
            job.cancel()

    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    run.__name__ = run.__qualname__ = snake
    run.__module__ = "unnorm"
    run.__doc__ = f"""{does}

    ``fields`` are further fields of the spec; they replace those of ``spec``. ``on_progress`` is
    called with each progress, a dict. ``checkpoint`` goes on from a checkpoint of a job with the
    same spec and data. Ctrl-C raises :class:`Interrupted`, which carries a checkpoint.
    """
    return run
