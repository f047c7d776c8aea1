"""The code of the guide, www/docs/guides/python.md: it runs, and it prints what its comments say.

As in tests/node/docs-code.mjs: a block goes on where the last one ended if its fence says
`continue`, and is not run if it says `no-run` and why. A comment behind a `print` is what that
prints; where a line prints several times, ", then " is between.
"""

import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from golden import ROOT

GUIDE = (ROOT / "www/docs/guides/python.md").read_text("utf-8")
FENCE = re.compile(r"^```(\w+) *([^`\n]*)\n([\s\S]*?)^```$", re.MULTILINE)
SAYS = re.compile(r"^( *)print\((.*)\)  # (.+)$")


def blocks(language):
    """The blocks that are run: the number of their first line, whether they go on, their code."""
    for fence in FENCE.finditer(GUIDE):
        name, words, code = fence.groups()
        assert name in ("python", "sh"), name
        if name != language or re.match(r"no-run: \S", words):
            continue
        assert words in ("", "continue"), words
        yield GUIDE.count("\n", 0, fence.start()) + 2, words == "continue", code


def programs():
    """The number of the first line and the lines of each program, as long as the page."""
    found = []
    for first, continues, code in blocks("python"):
        if not continues:
            found.append((first, []))
        lines = found[-1][1]
        lines += [""] * (first - 1 - len(lines)) + code.splitlines()
    return found


@pytest.mark.parametrize(("first", "lines"), programs(), ids=lambda value: str(value)[:8])
def test_prints_what_it_says(first, lines, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected, printed = {}, defaultdict(list)
    for number, line in enumerate(lines, start=1):
        said = SAYS.match(line)
        if said:
            indent, what, expected[number] = said.groups()
            lines[number - 1] = f"{indent}_printed({number}, {what})"
    assert len(expected) > 8

    def note(number, *values):
        printed[number].append(" ".join(map(str, values)))

    exec(compile("\n".join(lines), "python.md", "exec"), {"_printed": note})
    assert {number: ", then ".join(texts) for number, texts in printed.items()} == expected


def test_commands_run(tmp_path):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    commands = list(blocks("sh"))
    assert commands
    for _, _, code in commands:
        subprocess.run(
            ["sh", "-euc", code], cwd=tmp_path, env={**os.environ, "PATH": path}, check=True
        )
