"""Prediction reads and writes piece by piece: memory does not grow with the file."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rowtrust as package

CODE = """
import resource, sys
from rowtrust.cli import app
try:
    app(sys.argv[1:])
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def peak_memory(model, data, output) -> float:
    """Return megabytes at the peak of a run."""
    environment = {**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    line = [sys.executable, "-c", CODE, "predict", str(model), str(data), "-o", str(output), "--force"]
    result = subprocess.run(line, env=environment, capture_output=True, text=True, check=True)
    return int(result.stderr.split()[-1]) / 1024


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measures memory as Linux counts it")
def test_memory_does_not_grow_with_the_file(fitted, tmp_path):
    generator = np.random.default_rng(0)
    block = pd.DataFrame(generator.normal(size=(50_000, 2)).round(4), columns=["first", "second"])
    block["colour"] = "red"
    text = block.to_csv(index=False, header=False)
    peaks = {}
    for copies in (1, 10):
        data = tmp_path / "data.csv"
        data.write_text("first,second,colour\n" + copies * text)
        peaks[copies] = peak_memory(fitted / "results", data, tmp_path / "out.csv")
        with (tmp_path / "out.csv").open() as out:
            assert sum(1 for _ in out) == 50_000 * copies + 1
    # skops walks over scikit-learn's modules, some of which import PyTorch and dask where they are installed.
    assert peaks[10] < (500 if find_spec("torch") is None and find_spec("dask") is None else 900)
    assert peaks[10] < peaks[1] + 60
