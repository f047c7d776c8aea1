"""Runs the job of a spec and prints the result as JSON: ``python -m unnorm VERB SPEC``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy

from . import _native, start


def _plain(value: Any) -> Any:
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not JSON")


def main() -> int:
    """Runs the command line, and returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m unnorm", description=__doc__)
    parser.add_argument("verb", choices=_native.verbs())
    parser.add_argument("spec", help="a JSON file, or - for standard input")
    arguments = parser.parse_args()
    try:
        text = (
            sys.stdin.read() if arguments.spec == "-" else Path(arguments.spec).read_text("utf-8")
        )
        result = start(arguments.verb, json.loads(text)).result()
    except (OSError, ValueError) as problem:
        print(f"✗ {problem}", file=sys.stderr)
        return 1
    json.dump(result, sys.stdout, default=_plain)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
