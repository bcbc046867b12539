"""More and more rows of one synthetic problem, each fit in a process of its own: time, memory, error.

Ten inputs, two classes, a tenth of the labels flipped; or the same function as a number, a tenth of the
rows with twenty times the noise. Rows that judge are clean.
``python -m benchmarks.evidence.large SIZE FORM LEARNER``.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import log_loss

from benchmarks.evidence.models import BOOSTING, BOOSTING_OF_NUMBERS
from benchmarks.memory import resident_peak
from rowtrust.datasets.large import ManyRows, latent, make_many_rows
from rowtrust.estimators import RobustRVC, RobustRVR, TrustedClassifier, TrustedRegressor

Array = NDArray[Any]

TEST_ROWS, LANDMARKS, FILE_ROWS = 20_000, 500, 250_000

NOISE, WIDE, OUTLIERS = 0.5, 10.0, 0.1
"""Deviations of the noise of numbers, and the share of rows with the large one."""

CLASSIFIERS = {
    "RobustRVC": lambda: RobustRVC(basis=LANDMARKS, random_state=0),
    "trusted boosting": lambda: TrustedClassifier(BOOSTING),
    "boosting": lambda: BOOSTING,
}
REGRESSORS = {
    "RobustRVR": lambda: RobustRVR(basis=LANDMARKS, random_state=0),
    "trusted boosting, numbers": lambda: TrustedRegressor(BOOSTING_OF_NUMBERS),
    "boosting, numbers": lambda: BOOSTING_OF_NUMBERS,
}
FORMS = ("array", "file", "dask")
"""Where the rows are: in memory, in a folder of Parquet files, or in a Dask frame over that folder."""


def scaling(settings: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """Measure a cell in a process of its own, on one thread as all cells."""
    command = [sys.executable, "-m", __name__, *(str(settings[name]) for name in ("size", "form", "learner"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "it was killed")
    line: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return line


def numbers(rows: ManyRows, clean: bool) -> tuple[Array, Array]:
    """Return inputs, and the latent function with noise, or without any."""
    X, _ = rows.arrays()
    rng = np.random.default_rng(len(X))
    spread = np.where(rng.random(len(X)) < OUTLIERS, WIDE, NOISE)
    return X, latent(X) + (0.0 if clean else 1.0) * spread * rng.standard_normal(len(X))


def measure(size: int, form: str, learner: str) -> dict[str, Any]:
    """Fit a learner once, and judge it on clean rows."""
    is_classes = learner in CLASSIFIERS
    model = (CLASSIFIERS if is_classes else REGRESSORS)[learner]()
    rows, test = (
        make_many_rows(size, random_state=0),
        make_many_rows(TEST_ROWS, flipped=0.0, random_state=1),
    )
    with tempfile.TemporaryDirectory() as folder:
        asked = (rows.arrays() if is_classes else numbers(rows, clean=False)) if form == "array" else ()
        if form != "array":
            write(rows, Path(folder))
            asked = (folder, "label") if form == "file" else (dask_frame(folder), "label")
        start, cpu = perf_counter(), process_time()
        model.fit(*asked)
        line: dict[str, Any] = {"wall": perf_counter() - start, "seconds": process_time() - cpu}
    line |= {"memory": resident_peak(), "vectors": len(getattr(model, "relevance_", [])) or None}
    if not is_classes:
        X, y = numbers(test, clean=True)
        return line | {"rmse": float(np.sqrt(np.mean((model.predict(X) - y) ** 2)) / np.std(y))}
    X, y = test.arrays()
    loss = float(log_loss(y, model.predict_proba(X)))
    return line | {"error": 100.0 * float(np.mean(model.predict(X) != y)), "log_loss": loss}


def write(rows: ManyRows, folder: Path) -> None:
    """Write rows as Parquet files, a part of them at a time."""
    for start in range(0, rows.n_samples, FILE_ROWS):
        X, y = rows.between(start, min(start + FILE_ROWS, rows.n_samples))
        frame = pd.DataFrame(X).rename(columns=str).assign(label=y)
        frame.to_parquet(folder / f"{start:012d}.parquet")


def dask_frame(folder: str) -> Any:
    """Return the folder as a Dask frame."""
    from dask import dataframe

    return dataframe.read_parquet(folder)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(measure(int(sys.argv[1]), *sys.argv[2:])))
