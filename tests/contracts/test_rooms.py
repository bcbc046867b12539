"""The house rules: one-way imports, and no part without its contract."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import skarn
from skarn import noise, weights

ROOT = Path(__file__).parents[2]


def test_imports_point_one_way():
    pytest.importorskip("importlinter")
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command; lint_imports_command()",
    ]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("room", [noise, weights])
def test_every_part_answers_its_contract(room):
    parts = [getattr(room, name) for name in room.__all__ if inspect.isclass(getattr(room, name))]
    wanted = {noise: ("sites", "update", "weight_exponent"), weights: ("learn", "update")}[room]
    assert parts
    for part in parts:
        for name in wanted:
            assert hasattr(part, name), f"{part.__name__} has no {name}"


def test_public_names():
    expected = {"RVC", "RVR", "RobustRVC", "RobustRVR", "FuzzyRVC", "FuzzyRVR"}
    assert expected <= set(skarn.__all__)
    for name in skarn.__all__:
        assert hasattr(skarn, name)


def test_torch_is_never_required():
    code = "import sys, skarn; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
