"""How the programs here talk with the bench: a line of JSON a request in, a line of JSON out."""

import json
import sys
from importlib.metadata import version


def versions(*packages):
    """The versions of Python and of packages, by name."""
    return {"python": sys.version.split()[0], **{name: version(name) for name in packages}}


def serve(answers):
    """Answers each request by the function that `answers` has for its kind."""
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(answers[request["kind"]](request)), flush=True)
