"""Checkpoints that go from Python to the package in Node, and back."""

import json
import subprocess

import unnorm
from golden import ROOT, goldens
from unnorm import _native


def test_every_golden_job_goes_to_node_and_back(tmp_path):
    under_way = set()
    for name, (verb, spec, _) in goldens().items():
        job = _native.Job(verb, spec, None)
        # In no time it does one round.
        if not job.advance(0.0):
            under_way.add(name)
        (tmp_path / f"{name}.python").write_bytes(job.snapshot())
    assert len(under_way) > 20, "most jobs are over after a round"
    node = ["node", ROOT / "tests/python/go-on.mjs", tmp_path]
    ended = subprocess.run(node, check=True, capture_output=True, text=True, timeout=600)
    digests = json.loads(ended.stdout)
    for name, (verb, spec, digest) in goldens().items():
        assert digests[name] == digest, f"{name} in Node"
        checkpoint = (tmp_path / f"{name}.node").read_bytes()
        result = unnorm.start(verb, spec, checkpoint=checkpoint).result()
        assert result["digest"] == digest, f"{name}, back in Python"
