"""The widgets of `unnorm.lab`, without a notebook: tests/notebooks has them in real ones."""

import gzip
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
import unnorm

PACKAGE = Path(unnorm.__file__).parent
LABS = PACKAGE / "labs"


def answer(widget, name):
    """What the page gets when it asks for a file: whether it is there, and its bytes."""
    sent = []
    widget.send = lambda content, buffers=None: sent.append((content, buffers))
    widget._handle_custom_msg({"type": "file", "name": name}, [])
    [(content, buffers)] = sent
    assert content["type"] == "file" and content["name"] == name
    return content["found"], buffers


def test_settings_are_those_of_the_call():
    widget = unnorm.lab("annealing", {"most": 100, "seed": 2}, most=250)
    assert widget.settings == {"most": 250, "seed": 2}
    assert (widget.lab, widget.result, widget.theme, widget.compact) == (
        "annealing",
        None,
        None,
        False,
    )
    widget.settings = {"schedule": "sigmoidal"}
    assert widget.settings == {"schedule": "sigmoidal"}


@pytest.mark.parametrize(
    ("make", "field", "problem"),
    [
        (lambda: unnorm.lab("aneal"), "name", "the labs are .*annealing"),
        (lambda: unnorm.lab("annealing", most=[1]), "settings.most", "is \\[1\\]; give a string"),
        (lambda: unnorm.lab("annealing", [1]), "settings", "is \\[1\\]; give a dict"),
        (lambda: unnorm.lab("annealing", {1: 2}), "settings", "has 1 as a name"),
        (lambda: unnorm.lab("annealing", theme="black"), "theme", "is 'black'; give 'light'"),
    ],
)
def test_refuses_what_cannot_be(make, field, problem):
    with pytest.raises(unnorm.UnnormError, match=f"^{field}: .*{problem}") as raised:
        make()
    assert (raised.value.code, raised.value.field) == ("invalid-spec", field)


def test_refuses_new_settings_that_cannot_be():
    widget = unnorm.lab("annealing", most=250)
    with pytest.raises(unnorm.UnnormError, match=r"^settings\.most: is None; give a string"):
        widget.settings = {"most": None}
    assert widget.settings == {"most": 250}


def test_the_page_gets_the_files_of_the_labs_and_no_others():
    widget = unnorm.lab("lattice")
    found, [page] = answer(widget, "page.html.gz")
    assert found and b"<!doctype html>" in gzip.decompress(page)[:20]
    found, [data] = answer(widget, "data/airline.csv")
    assert found and data == (LABS / "data/airline.csv").read_bytes()
    for name in ("../__init__.py", "data", "", str(LABS / "labs.json"), None, "no.bits"):
        assert answer(widget, name) == (False, None)


def test_a_result_has_arrays_and_runs_again():
    spec = {"model": {"kind": "ising", "dim": 2}, "data": np.array([[0, 1], [1, 1]], "uint8")}
    digest = unnorm.fit(spec)["digest"]
    bits = {"dtype": "uint8", "base64": "AgM="}
    rows = {"kind": "bits", "dim": 2, "numRows": 2, "bits": bits}
    packed = {"model": spec["model"], "data": rows}
    widget = unnorm.lab("ising-learn")
    jobs = [{"verb": "fit", "spec": packed, "digest": digest}]
    # As the page sends it.
    widget.set_state({"result": {"status": "done", "digest": digest, "numbers": {}, "jobs": jobs}})
    [job] = widget.result["jobs"]
    assert job["spec"]["data"]["bits"].dtype == np.uint8
    assert job["spec"]["data"]["bits"].tolist() == [2, 3]
    assert unnorm.start(job["verb"], job["spec"]).result()["digest"] == digest
    # As it is kept in a notebook.
    assert widget.get_state("result")["result"]["jobs"] == jobs


def test_the_button_is_pressed_from_here():
    widget = unnorm.lab("lattice")
    sent = []
    widget.send = lambda content, buffers=None: sent.append(content)
    widget.start()
    widget.stop()
    assert sent == [{"type": "press", "what": "start"}, {"type": "press", "what": "stop"}]


def test_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r'pip install "unnorm\[notebook\]"'):
        unnorm.lab("annealing")


def test_a_build_without_labs_says_so(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "unnorm", ignore=shutil.ignore_patterns("labs"))
    program = "import unnorm; unnorm.lab('annealing')"
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True
    )
    assert "ImportError: this build of unnorm has no labs in it: make the wheel" in ended.stderr


def test_the_labs_add_less_than_6_mb_to_the_wheel():
    sizes = [len(zlib.compress(path.read_bytes())) for path in LABS.rglob("*") if path.is_file()]
    assert 2e6 < sum(sizes) < 6e6
