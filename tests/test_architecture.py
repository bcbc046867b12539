"""The architecture: public names are there, and what is optional stays optional."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import rowtrust

ROOT = Path(__file__).parents[1]
PACKAGES = [
    "engines",
    "fitting",
    "inference",
    "kernels",
    "likelihoods",
    "memberships",
    "predictive",
    "priors",
    "trust",
    "weights",
]


def test_public_names():
    expected = {
        "RVC",
        "RVR",
        "RobustRVC",
        "RobustRVR",
        "FuzzyRVC",
        "FuzzyRVR",
        "BayesianSVR",
        "SparseBayesClassifier",
        "SparseBayesRegressor",
    }
    assert expected <= set(rowtrust.__all__)
    for name in rowtrust.__all__:
        assert hasattr(rowtrust, name)


@pytest.mark.parametrize("name", PACKAGES)
def test_every_package_exports_what_it_names(name):
    package = importlib.import_module(f"rowtrust.{name}")
    for each in package.__all__:
        assert hasattr(package, each)


def test_nothing_optional_is_imported():
    optional = {"torch", "dask", "matplotlib", "typer", "skops", "onnx"}
    code = f"import sys, rowtrust; print(*sorted({optional!r} & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == []
