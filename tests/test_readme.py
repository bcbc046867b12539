"""What the README tells users to type works, in its order, after the install that it names."""

import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("typer")

from typer.testing import CliRunner

from rowtrust.cli import app

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)
LINES = [
    line
    for language, block in BLOCKS
    if language == ""
    for line in block.splitlines()
    if line.startswith("rowtrust ")
]


@pytest.fixture(autouse=True)
def one_candidate(monkeypatch):
    """Compare one model, not three: these tests are of what is typed."""
    monkeypatch.setattr("rowtrust.workflow.run.names_to_compare", lambda *_: ["robust"])


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with the tables that the README names."""
    folder = tmp_path_factory.mktemp("readme")
    generator = np.random.default_rng(0)
    age, pressure = generator.normal(size=(2, 60))
    ill = np.where((age > 0) ^ (generator.random(60) < 0.08), "ill", "well")
    table = pd.DataFrame({"age": age, "pressure": pressure, "diagnosis": ill})
    table.to_csv(folder / "patients.csv", index=False)
    table.drop(columns="diagnosis").to_csv(folder / "new.csv", index=False)
    return folder


def test_there_are_lines_of_every_command():
    assert {line.split()[1] for line in LINES} >= {"fit", "audit", "clean", "predict", "export"}


def reviewed(path):
    """Do what the user does between the commands: say that the first row is wrong."""
    review = pd.read_csv(path, dtype=object)
    review.loc[0, "verdict"] = "wrong"
    review.to_csv(path, index=False)


def has_onnx():
    try:
        import skl2onnx  # noqa: F401
    except ImportError:
        return False
    return True


def test_the_lines_in_the_order_of_the_page(place, monkeypatch):
    """Later ones read what earlier ones write, so that one process must run them all."""
    monkeypatch.chdir(place)
    for line in LINES:
        arguments = shlex.split(line, comments=True)[1:]
        if any(each.endswith(".onnx") for each in arguments) and not has_onnx():
            continue
        if "clean" in arguments:
            reviewed(Path("rowtrust-results/review.csv"))
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, f"{line}\n{result.output}"


def test_the_main_job_in_python(place, monkeypatch):
    monkeypatch.chdir(place)
    (block,) = (block for language, block in BLOCKS if language == "python" and "study_table" in block)
    monkeypatch.setattr("rowtrust.workflow.report.render", lambda study: "<!doctype html>")
    known = {"new_frame": pd.read_csv("new.csv")}
    exec(block, known)  # the README's own code
    assert known["study"].judged.figures


def test_without_its_extra_the_export_names_the_fix(place, monkeypatch):
    monkeypatch.chdir(place)
    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    monkeypatch.delitem(sys.modules, "rowtrust.export.onnx", raising=False)
    result = CliRunner().invoke(app, ["export", "nowhere", "model.onnx"])
    assert result.exit_code == 1
    assert result.output.strip() == "rowtrust: ONNX export needs its extra: pip install 'rowtrust[onnx]'"


def test_lines_that_need_an_extra_say_so():
    for line in LINES:
        if "onnx" in line:
            assert "rowtrust[onnx]" in line, line


def test_the_tables_are_those_of_the_results():
    """The figures are what `make evidence` wrote, unedited."""
    from benchmarks.evidence.pages.readme import put_into
    from benchmarks.evidence.pages.results import Results
    from benchmarks.evidence.records import Records

    folder = Path(__file__).parents[1] / "docs" / "evidence" / "results"
    assert put_into(README, Results(Records(folder))) == README
