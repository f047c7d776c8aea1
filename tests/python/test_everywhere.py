"""Jobs that begin in Node, go on in Python and on a page, and end on a cluster."""

import base64
import json
import subprocess

import pytest
from golden import ROOT, filled
from unnorm import _native, distributed

LATTICE = {
    "kind": "ising",
    "dim": 16,
    "pattern": {"kind": "lattice", "numRows": 4, "numCols": 4, "periodic": True},
    "uniform": {"coupling": 0.3, "field": 0.1},
}

# Draws; those of golden jobs are over after a round or two.
SAMPLES = {
    "ladder": {
        "verb": "sample",
        "model": LATTICE,
        "transition": {
            "kind": "parallelTempering",
            "transition": {"kind": "gibbs"},
            "numRungs": 6,
        },
        "numChains": 20,
        "numWarmup": 200,
        "numDraws": 250,
        "seed": 7,
    },
    "trajectories": {
        "verb": "sample",
        "model": {"kind": "gaussian", "dim": 3},
        "transition": {"kind": "hmc"},
        "numChains": 40,
        "numWarmup": 250,
        "numDraws": 250,
        "seed": 7,
    },
}

GOLDENS = ("log-z-glass", "fit-rbm-persistent-mpf", "fit-denoising")


def carried_on(where, specs, checkpoints):
    """What tests/python/station.mjs says of the jobs, with checkpoints as bytes."""
    jobs = [
        {"spec": spec, "checkpoint": begun and base64.b64encode(begun).decode()}
        for spec, begun in zip(specs, checkpoints, strict=True)
    ]
    command = ["node", ROOT / "tests/python/station.mjs", where]
    done = subprocess.run(
        command, check=True, input=json.dumps(jobs), stdout=subprocess.PIPE, text=True
    )
    said = json.loads(done.stdout)
    return [base64.b64decode(reached) for reached in said["checkpoints"]], said.get("digests")


@pytest.mark.usefixtures("no_round_is_short")
def test_a_job_goes_from_node_to_python_to_a_page_to_a_cluster(keeping):
    specs = {**SAMPLES}
    for name in GOLDENS:
        golden = json.loads((ROOT / f"tests/golden/{name}.json").read_text("utf-8"))
        specs[name] = golden["spec"]
    begun, digests = carried_on("node", specs.values(), [None] * len(specs))

    jobs = {name: filled(spec) for name, spec in specs.items()}
    verbs = {name: spec.pop("verb") for name, spec in jobs.items()}

    def resumed(name, checkpoint):
        job = _native.Job(verbs[name], jobs[name], checkpoint)
        assert job.result() is None, f"{name} is under way"
        return job

    gone_on = []
    for name, checkpoint in zip(specs, begun, strict=True):
        job = resumed(name, checkpoint)
        # In no time it does one round.
        job.advance(0.0)
        gone_on.append(job.snapshot())
    on_page, _ = carried_on("chromium", specs.values(), gone_on)

    for at, name in enumerate(specs):
        stations = [begun[at], gone_on[at], on_page[at]]
        assert len(set(stations)) == 3, f"{name} made its way everywhere"
        fractions = [resumed(name, checkpoint).progress()["fraction"] for checkpoint in stations]
        assert fractions == sorted(fractions), name
        keeping.futures.clear()
        result = distributed.run(verbs[name], jobs[name], client=keeping, checkpoint=on_page[at])
        assert len(keeping.futures) > 1, f"{name} had rounds for the cluster"
        assert result["digest"] == digests[at], name
