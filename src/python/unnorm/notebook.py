"""Labs in notebooks: widgets that show one lab of the site each, computing in the notebook's page.

The wheel has the labs in its folder ``labs``: one page for all of them, the data that they load,
and the widget's module. The page has no network; it asks for these files here.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import anywidget
import numpy as np
import traitlets

from . import _native
from ._errors import UnnormError
from ._lab import LABS

__all__ = ["Lab", "Setting"]

#: The value of a setting, as it stands in a link.
Setting: TypeAlias = str | int | float | bool


def _checked_settings(settings: object) -> dict[str, Setting]:
    problem = None
    if not isinstance(settings, Mapping):
        problem = f"settings: is {settings!r}; give a dict of settings"
    else:
        for name, value in settings.items():
            if not isinstance(name, str):
                problem = f"settings: has {name!r} as a name; names are strings"
            elif not isinstance(value, str | int | float):
                problem = (
                    f"settings.{name}: is {value!r}; give a string or a number, as it stands in "
                    "a link to the lab"
                )
    if problem is not None:
        raise UnnormError("invalid-spec", problem, problem.split(":")[0])
    assert isinstance(settings, Mapping)
    return dict(settings)


def _unpacked(value: Any, _widget: object = None) -> Any:
    """A value from the page, where an array is its type and its bytes in base64."""
    if isinstance(value, list):
        return [_unpacked(part) for part in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"dtype", "base64"}:
        return np.frombuffer(base64.b64decode(value["base64"]), value["dtype"])
    return {name: _unpacked(part) for name, part in value.items()}


def _packed(value: Any, _widget: object = None) -> Any:
    """The reverse of :func:`_unpacked`."""
    if isinstance(value, list):
        return [_packed(part) for part in value]
    if isinstance(value, np.ndarray):
        return {"dtype": str(value.dtype), "base64": base64.b64encode(value.tobytes()).decode()}
    if isinstance(value, dict):
        return {name: _packed(part) for name, part in value.items()}
    return value


class Lab(anywidget.AnyWidget):
    """One lab; :func:`unnorm.lab` makes it.

    ``settings``
        What the lab has now, a dict as in a link to it. Give it another one, and the lab takes it
        over; what is missing there has its usual value. It changes when somebody changes a setting
        in the lab.
    ``result``
        Of the last run that has ended, None while there is none and while one is on: its
        ``status``, ``"done"``, ``"stopped"`` or ``"failed"``; the ``digest``, empty where a lab has
        several results; the ``numbers`` of its table, as they are written there; ``jobs``, at most
        the last 100 that were finished since the run before, each with its ``verb``, ``spec`` and
        ``digest``. The spec is missing where it has a function of JavaScript in it, and where
        all specs are longer than 8 MB; the one of ``digest`` is kept first, then the newest.
    ``theme``
        ``"light"``, ``"dark"`` or, for the notebook's, None.

    ``observe`` calls a function when one of them changes.
    """

    _esm = LABS / "widget.js"

    lab = traitlets.Unicode(read_only=True).tag(sync=True)
    settings: traitlets.Dict[str, Setting] = traitlets.Dict().tag(sync=True)
    result: traitlets.Dict[str, Any] = traitlets.Dict(allow_none=True, default_value=None).tag(
        sync=True, from_json=_unpacked, to_json=_packed
    )
    theme = traitlets.Enum(["light", "dark", None], default_value=None).tag(sync=True)
    compact = traitlets.Bool(False, read_only=True).tag(sync=True)
    version = traitlets.Unicode(_native.version(), read_only=True).tag(sync=True)

    def __init__(
        self,
        lab: str,
        settings: Mapping[str, Setting],
        *,
        theme: Literal["light", "dark"] | None = None,
        compact: bool = False,
    ) -> None:
        labs = json.loads((LABS / "labs.json").read_text("utf-8"))
        if lab not in labs:
            problem = f"name: there is no lab {lab!r}; the labs are {', '.join(labs)}"
            raise UnnormError("invalid-spec", problem, "name")
        if theme not in ("light", "dark", None):
            raise UnnormError(
                "invalid-spec", f"theme: is {theme!r}; give 'light', 'dark' or None", "theme"
            )
        self.set_trait("lab", lab)
        self.set_trait("compact", bool(compact))
        super().__init__(settings=_checked_settings(settings), theme=theme)
        self.on_msg(self._answer)

    def start(self) -> None:
        """Presses the lab's button, unless a run is on. The lab has to be shown."""
        self.send({"type": "press", "what": "start"})

    def stop(self) -> None:
        """Stops the run, if there is one."""
        self.send({"type": "press", "what": "stop"})

    @traitlets.validate("settings")
    def _check_settings(self, proposal: dict[str, Any]) -> dict[str, Setting]:
        return _checked_settings(proposal["value"])

    def _answer(self, _widget: object, message: Any, _buffers: object) -> None:
        """Sends the file that the page asks for; none from outside of the labs."""
        if not isinstance(message, dict) or message.get("type") != "file":
            return
        name = message.get("name")
        files = {path.relative_to(LABS).as_posix(): path for path in LABS.rglob("*")}
        path = files.get(name) if isinstance(name, str) else None
        found = path is not None and path.is_file()
        self.send(
            {"type": "file", "name": name, "found": found},
            [path.read_bytes()] if path is not None and found else None,
        )
