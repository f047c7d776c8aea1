"""The golden digests, which JavaScript and Rust give too."""

import json
import os
import subprocess
import sys

import pytest
import unnorm
from declared import check_declared
from golden import ROOT, goldens
from unnorm import _native, types

GOLDENS = goldens()


@pytest.mark.parametrize("name", GOLDENS)
def test_digest_is_golden_and_the_result_as_declared(name):
    verb, spec, digest = GOLDENS[name]
    result = unnorm.start(verb, spec).result()
    assert result["digest"] == digest
    declared = "AnySampleResult" if verb == "sample" else f"{verb[0].upper()}{verb[1:]}Result"
    check_declared(result, getattr(types, declared), declared)


def test_every_verb_is_a_function():
    snake = {"logZ": "log_z"}
    for verb in _native.verbs():
        function = getattr(unnorm, snake.get(verb, verb))
        assert function.__name__ in unnorm.__all__
    others = {"start", "lab", "stan", "to_arviz", "types"}
    verbs = {name for name in unnorm.__all__ if name.islower()} - others
    assert verbs == {snake.get(verb, verb) for verb in _native.verbs()}


def test_functions_run_the_verb_of_their_name():
    verb_of = {verb: (name, spec, digest) for name, (verb, spec, digest) in GOLDENS.items()}
    for verb in _native.verbs():
        name, spec, digest = verb_of[verb]
        function = unnorm.log_z if verb == "logZ" else getattr(unnorm, verb)
        assert function(spec)["digest"] == digest, name


ONE_OF_EACH = """
import json, unnorm
from golden import goldens

jobs = {verb: (name, spec) for name, (verb, spec, _) in goldens().items()}
digests = {name: unnorm.start(verb, spec).result()["digest"] for verb, (name, spec) in jobs.items()}
print(json.dumps(digests))
"""


@pytest.mark.parametrize("num_threads", ["1", "3"])
def test_digests_do_not_depend_on_the_number_of_threads(num_threads):
    done = subprocess.run(
        [sys.executable, "-c", ONE_OF_EACH],
        check=True,
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "tests/python"),
            "RAYON_NUM_THREADS": num_threads,
        },
    )
    digests = json.loads(done.stdout)
    assert len(digests) == len(_native.verbs())
    assert digests == {name: GOLDENS[name][2] for name in digests}
