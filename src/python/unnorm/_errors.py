"""The exceptions of the package."""

from __future__ import annotations


class UnnormError(ValueError):
    """Why a job was refused or stopped: which field, what was wrong, and what to do about it.

    ``code`` stays the same between releases: ``invalid-spec``, ``invalid-data``, ``invalid-model``,
    ``missing-capability``, ``too-large``, ``bad-checkpoint``, ``checkpoint-mismatch`` or
    ``aborted``. ``field`` is the path of the invalid field, if there is one. ``checkpoint`` is the
    last state of a job that was cancelled.
    """

    __module__ = "unnorm"

    def __init__(
        self, code: str, message: str, field: str | None = None, checkpoint: bytes | None = None
    ) -> None:
        super().__init__(code, message, field, checkpoint)
        self.code = code
        self.field = field
        self.checkpoint = checkpoint

    def __str__(self) -> str:
        return str(self.args[1])


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped a job between two rounds; ``checkpoint`` goes on from there."""

    __module__ = "unnorm"

    def __init__(self, checkpoint: bytes) -> None:
        super().__init__("the job was interrupted; its checkpoint goes on from where it stopped")
        self.checkpoint = checkpoint
