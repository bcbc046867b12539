"""The house rules: one-way imports, and no part without its contract."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import rowtrust
from rowtrust import likelihoods, weights

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


def classes(room):
    return [getattr(room, name) for name in room.__all__ if inspect.isclass(getattr(room, name))]


@pytest.mark.parametrize("part", classes(likelihoods), ids=lambda part: part.__name__)
def test_every_likelihood_answers_its_contract(part):
    assert not [name for name in ("sites", "update", "weight_exponent") if not hasattr(part, name)]


@pytest.mark.parametrize("part", classes(weights), ids=lambda part: part.__name__)
def test_every_weighting_answers_its_contract(part):
    assert not [name for name in ("opening", "learn", "update") if not hasattr(part, name)]


def test_public_names():
    expected = {"RVC", "RVR", "RobustRVC", "RobustRVR", "FuzzyRVC", "FuzzyRVR", "BayesianSVR"}
    assert expected <= set(rowtrust.__all__)
    for name in rowtrust.__all__:
        assert hasattr(rowtrust, name)


def test_torch_is_never_required():
    code = "import sys, rowtrust; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
