"""`python -m unnorm VERB SPEC`."""

import json
import subprocess
import sys

import unnorm

SPEC = {"model": {"kind": "ising", "dim": 3, "couplings": [0, -0.5, 0, -0.5, 0, 0, 0, 0, 0]}}


def run(*arguments, stdin=""):
    command = [sys.executable, "-m", "unnorm", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, encoding="utf-8")


def test_a_result_is_printed_as_json(tmp_path):
    (tmp_path / "spec.json").write_text(json.dumps(SPEC))
    for done in (
        run("exact", str(tmp_path / "spec.json")),
        run("exact", "-", stdin=json.dumps(SPEC)),
    ):
        assert (done.returncode, done.stderr) == (0, "")
        assert json.loads(done.stdout)["digest"] == unnorm.exact(SPEC)["digest"]


def test_arrays_are_lists():
    spec = {"model": SPEC["model"], "states": [], "data": {"kind": "rows", "rows": [[0, 1, 1]]}}
    del spec["states"]
    done = run("fit", "-", stdin=json.dumps({**spec, "seed": 1}))
    assert len(json.loads(done.stdout)["model"]["couplings"]) == 9


def test_refusals_are_one_line():
    for arguments, stdin, words in [
        (("exact", "nowhere.json"), "", "nowhere.json"),
        (("exact", "-"), "{", "Expecting"),
        (("exact", "-"), '{"model": {"kind": "ising", "dim": 0}}', "model.dim: is 0"),
        (("exact", "-"), "[]", "spec: must be a dict"),
    ]:
        done = run(*arguments, stdin=stdin)
        assert (done.returncode, done.stdout) == (1, "")
        assert words in done.stderr
        assert done.stderr.startswith("✗ ")
        assert done.stderr.count("\n") == 1
    assert run("guess", "-").returncode == 2
