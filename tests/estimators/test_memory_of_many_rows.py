"""Memory: a fit to many rows needs little beside the rows, and a fit to a file does not grow with it.

Each fit runs in a process of its own; what counts is its peak above the peak after imports, after the rows
were made, and after a small fit that loads whatever is loaded late.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rowtrust as package

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="measures memory as Linux counts it"
)

SMALL_FIT = """
import resource, sys, warnings
import numpy as np
from rowtrust import RobustRVC, RVC
warnings.simplefilter("ignore")
few = np.random.default_rng(0).normal(size=(200, 10))
RobustRVC(basis=20, random_state=0).fit(few, few[:, 0] > 0)
"""

ARRAYS = """
def made(generator, n_rows):
    X, y = np.empty((n_rows, 10)), np.empty(n_rows, dtype=int)
    for start in range(0, n_rows, 10_000):
        rows = slice(start, min(start + 10_000, n_rows))
        X[rows] = generator.normal(size=X[rows].shape)
        latent = np.sin(2.0 * X[rows, 0]) + X[rows, 1]
        y[rows] = (latent > 0) ^ (generator.random(len(latent)) < 0.1)
    return X, y

X, y = made(np.random.default_rng(0), 200_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = RobustRVC(basis=50, random_state=0).fit(X, y)
assert len(model.sample_trust_) == 200_000
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""

FILE = """
import pyarrow.dataset
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model = RVC(basis=30, gamma=0.5, random_state=0).fit(sys.argv[1], "y")
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""

MOST_OF_ARRAYS = 130
"""Megabytes. Measured on two cores: 86 in both of two runs; half as much again is a margin. The rows are 16
themselves, and 50 basis functions of every one of them would be 80."""

MOST_GROWTH = 20
"""Megabytes. Measured: 74 and 61 for 100 000 rows, 71 and 70 for 400 000. The rows more are 26."""


def peak(code, *arguments):
    """Return megabytes that a fit adds to the peak of a process."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(package.__file__).parents[1]),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
    }
    line = [sys.executable, "-c", SMALL_FIT + code, *map(str, arguments)]
    result = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return float(result.stdout.split()[-1])


def test_a_fit_to_200_000_rows_in_memory_needs_little_beside_them():
    assert peak(ARRAYS) < MOST_OF_ARRAYS


def write_rows(path, n_rows):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    generator = np.random.default_rng(0)
    schema = pa.schema([(f"x{number}", pa.float64()) for number in range(10)] + [("y", pa.int64())])
    with parquet.ParquetWriter(path, schema) as writer:
        for _ in range(n_rows // 100_000):
            X = generator.normal(size=(100_000, 10))
            columns = [*X.T, (np.sin(2.0 * X[:, 0]) + X[:, 1] > 0).astype(int)]
            writer.write_table(pa.table(dict(zip(schema.names, columns, strict=True))))


def test_a_fit_to_a_file_does_not_grow_with_it(tmp_path):
    peaks = {}
    for n_rows in (100_000, 400_000):
        write_rows(tmp_path / f"{n_rows}.parquet", n_rows)
        peaks[n_rows] = peak(FILE, tmp_path / f"{n_rows}.parquet")
    assert peaks[400_000] < peaks[100_000] + MOST_GROWTH
