"""The jobs of tests/golden."""

import base64
import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def filled(value: Any) -> Any:
    """A value with the bytes of `base64` and of `file` as `bits`."""
    if not isinstance(value, dict):
        return value
    fields = {name: filled(field) for name, field in value.items()}
    if "base64" in fields:
        fields["bits"] = base64.b64decode(fields.pop("base64"))
    if "file" in fields:
        fields["bits"] = (ROOT / fields.pop("file")).read_bytes()
    return fields


def goldens() -> dict[str, tuple[str, dict[str, Any], str]]:
    """By name: the verb, the spec and the digest."""
    found = {}
    for path in sorted((ROOT / "tests/golden").glob("*.json")):
        golden = json.loads(path.read_text("utf-8"))
        spec = filled(golden["spec"])
        found[path.stem] = (spec.pop("verb"), spec, golden["digest"])
    assert len(found) > 100, "files are missing from tests/golden"
    return found
