"""The command: what it prints, what it writes, and what it says when something is wrong."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("typer")
pytest.importorskip("matplotlib")
from PIL import Image
from typer.testing import CliRunner

from papers.command import app

ROOT = Path(__file__).parents[2]
FIGURES_WITHOUT_DATA = [
    ("hwang", "2"),
    ("chu", "1"),
    ("li", "1"),
]


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def origin_of(picture):
    return json.loads(Image.open(picture).text["Description"])


@pytest.mark.parametrize(("paper", "number"), FIGURES_WITHOUT_DATA)
def test_figures_are_drawn(tmp_path, paper, number):
    result = run(paper, "--figure", number, "--quick", "--output", tmp_path)
    assert result.exit_code == 0, result.output
    picture = tmp_path / paper / f"figure-{number}.png"
    assert picture.stat().st_size > 5000
    facts = origin_of(picture)
    assert facts["seed"] == 0
    assert "numpy" in facts["software"]
    assert len(facts["code"].split()[0]) in (2, 40)
    assert facts["wall_seconds"] >= 0


@pytest.mark.slow
def test_a_table_beside_the_papers(tmp_path, data_folder):
    arguments = ("hwang", "--table", 5, "--quick", "--repeats", 2, "--jobs", 1)
    result = run(*arguments, "--data", data_folder, "--output", tmp_path)
    assert result.exit_code == 0, result.output
    assert "s.e." in result.output
    text = (tmp_path / "hwang" / "table-5.csv").read_text()
    assert text.count("\n") == 31  # two measures of three flips: one SVM, and two machines by two protocols
    assert "29.08" in text
    stored = {path: path.stat().st_mtime_ns for path in (tmp_path / "repeats").rglob("*.json")}
    assert sum(path.parent.name.startswith("hwang-banana-") for path in stored) == 6
    assert run(*arguments, "--data", data_folder, "--output", tmp_path).exit_code == 0
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "repeats").rglob("*.json")} == stored


def test_unknown_papers_and_tables_are_named():
    result = run("tipping")
    assert result.exit_code == 2
    assert "hwang, chu, li or all" in " ".join(result.output.replace("│", " ").split())
    result = run("chu", "--figure", 9)
    assert result.exit_code == 2
    assert "no figure 9" in " ".join(result.output.replace("│", " ").split())


def test_missing_data_name_the_cure(tmp_path):
    result = run("hwang", "--figure", 4, "--quick", "--data", tmp_path, "--output", tmp_path)
    assert result.exit_code == 1
    assert "ROWTRUST_DATA" in result.output


def test_the_module_is_the_command(tmp_path):
    arguments = ["chu", "--figure", "1", "--output", str(tmp_path)]
    command = [sys.executable, "-m", "papers", *arguments]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert origin_of(tmp_path / "chu" / "figure-1.png")["command"] == " ".join(
        ["python -m papers", *arguments]
    )
