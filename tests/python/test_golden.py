"""The golden digests, which JavaScript and Rust give too."""

import pytest
import unnorm
from golden import goldens
from unnorm import _native

GOLDENS = goldens()


@pytest.mark.parametrize("name", GOLDENS)
def test_digest_is_golden(name):
    verb, spec, digest = GOLDENS[name]
    assert unnorm.start(verb, spec).result()["digest"] == digest


def test_every_verb_is_a_function():
    snake = {"logZ": "log_z"}
    for verb in _native.verbs():
        function = getattr(unnorm, snake.get(verb, verb))
        assert function.__name__ in unnorm.__all__
    verbs = {name for name in unnorm.__all__ if name.islower()} - {"start"}
    assert verbs == {snake.get(verb, verb) for verb in _native.verbs()}


def test_functions_run_the_verb_of_their_name():
    verb_of = {verb: (name, spec, digest) for name, (verb, spec, digest) in GOLDENS.items()}
    for verb in _native.verbs():
        name, spec, digest = verb_of[verb]
        function = unnorm.log_z if verb == "logZ" else getattr(unnorm, verb)
        assert function(spec)["digest"] == digest, name
