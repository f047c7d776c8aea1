"""What the types of the package, `unnorm.types`, allow and forbid."""

import re
import subprocess
import sys

from golden import goldens

GOLDENS = goldens()

# A line that ends in this must not pass.
REFUSED = "  # refused"

PROGRAM = """
import json
import numpy as np
import unnorm
from unnorm.types import FitSpec, SampleSpec

ring: SampleSpec = {"model": {"kind": "ring"}, "transition": {"kind": "hmc"}, "numChains": 4}
draws = unnorm.sample(ring, numWarmup=200, numDraws=500, seed=7)
draws["draws"]["values"].reshape(-1, 2)
draws["draws"]["bitz"]  # refused
numbers: int = draws["draws"]["numChains"]
words: str = draws["seed"]  # refused
rows = np.array([[0, 1, 1], [1, 0, 1]])
fit = unnorm.fit(model={"kind": "ising", "dim": 3}, data=rows, seed=np.uint32(1))
fit["model"]["couplings"].reshape(3, 3)
unnorm.exact(model=fit["model"], data=rows)
unnorm.fit(json.loads("{}"))
misspelled: FitSpec = {"mudel": {"kind": "ising", "dim": 3}}  # refused
unnorm.fit({"modle": {"kind": "ising", "dim": 3}})  # refused
unnorm.fit(model={"kind": "ising", "dim": "three"}, data=rows)  # refused
unnorm.fit(model={"kind": "icing", "dim": 3}, data=rows)  # refused
unnorm.fit(model={"kind": "ising", "dim": 3, "coupling": rows}, data=rows)  # refused
unnorm.fit(model={"kind": "ising", "dim": 3, "couplings": "none"}, data=rows)  # refused
unnorm.fit(model={"kind": "ising"}, data=rows)  # refused
unnorm.sample(ring, numChain=3)  # refused
unnorm.sample(ring, numChains="3")  # refused
unnorm.sample(ring, transition={"kind": "nuts", "maxTreeDepht": 3})  # refused
unnorm.log_z(schedule={"kind": "linear"}, numChains=4, on_progress=lambda p: print(p["fraction"]))
unnorm.log_z(on_progress=lambda p: print(p["fractoin"]))  # refused
unnorm.sample(model={"kind": "custom", "dim": 3, "energy": lambda x: (x.sum(axis=1), x)})
unnorm.sample(model={"kind": "custom", "dim": 3, "energy": 4})  # refused
"""


def test_every_golden_spec_passes_and_mistakes_do_not(tmp_path):
    lines = PROGRAM.splitlines()
    for at, (name, (verb, spec, _)) in enumerate(GOLDENS.items()):
        function = "log_z" if verb == "logZ" else verb
        # As a dict and as keywords, by turns.
        if at % 2 == 0:
            lines.append(f"unnorm.{function}({spec!r})  # {name}")
            continue
        fields = ", ".join(f"{field}={value!r}" for field, value in spec.items())
        lines.append(f"unnorm.{function}({fields})  # {name}")
    file = tmp_path / "program.py"
    file.write_text("\n".join(lines), "utf-8")
    check = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir=/dev/null"]
    done = subprocess.run([*check, file.name], cwd=tmp_path, capture_output=True, text=True)
    found = re.findall(r"^program\.py:(\d+): error: (.*)$", done.stdout, re.MULTILINE)
    refused = {int(line): words for line, words in found}
    expected = [at for at, line in enumerate(lines, start=1) if line.endswith(REFUSED)]
    wrong = {lines[at - 1][-200:]: refused.get(at) for at in {*refused} ^ {*expected}}
    assert wrong == {}, done.stdout[-2000:] + done.stderr
    assert len(expected) > 10
