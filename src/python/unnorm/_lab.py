"""The function that shows a lab, without what it needs until it is called."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .notebook import Lab, Setting

#: What the build puts into the wheel.
LABS = Path(__file__).with_name("labs")


def lab(
    name: str,
    settings: Mapping[str, Setting] | None = None,
    /,
    *,
    theme: Literal["light", "dark"] | None = None,
    compact: bool = False,
    **fields: Setting,
) -> Lab:
    """A lab of the site as a widget, in JupyterLab or marimo, without a network.

    ``settings`` are those of a link to the lab, and ``fields`` replace them; what is missing has
    its usual value. ``theme`` is that of the notebook if it is None. ``compact`` leaves out what is
    below the pictures. Raises an :class:`unnorm.UnnormError` for a name or settings that cannot be,
    and an ``ImportError`` that says what is missing and where to get it.
    """
    if not LABS.exists():
        raise ImportError(
            "this build of unnorm has no labs in it: make the wheel with `npm run wheel` in a "
            "checkout, and install that"
        )
    try:
        import anywidget  # noqa: F401
    except ImportError as error:
        raise ImportError('unnorm.lab needs anywidget: pip install "unnorm[notebook]"') from error
    from .notebook import Lab

    # Others than mappings are refused there.
    whole = {**settings, **fields} if isinstance(settings, Mapping) else settings or fields
    return Lab(name, whole, theme=theme, compact=compact)
