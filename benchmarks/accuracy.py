"""Accuracy: errors, log losses, coverage, sparsity and CPU seconds over all tables, with default settings.

Five kinds of cells: classes, numbers, contaminated numbers, random smooth functions, and the cells of Hwang &
Jeong for the number of coefficients. Results go line by line into a store (``--store``): a run that was
stopped goes on where it ended, peers run once, and ``--only own`` or ``--only peers`` names either side.
"""

from __future__ import annotations

import csv
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import norm

from benchmarks.accuracy_cells import Cell, Options, Rows, cap, cells, problem
from benchmarks.accuracy_contamination import CONTAMINATED
from benchmarks.accuracy_models import (
    COVERAGE,
    KINDS,
    OWN,
    WITH_DEVIATION,
    Fitted,
    Model,
    Work,
    coefficients,
)
from benchmarks.accuracy_report import print_report
from benchmarks.race import Settings, one_thread

Array = NDArray[Any]

LEVELS = {"cover50": 0.5, "cover80": 0.8, "cover95": 0.95}
LEAST = 1e-6
"""The least probability that a log loss is taken of, the same for all models."""

PREDICTED_ROWS = 100_000
"""Rows to predict where the time of it is measured."""

KEY = ["kind", "table", "variant", "split", "rows", "model"]
RESULTS = [
    *("error", "log_loss", "rmse", "mae", "log_score", *LEVELS, "explained", "spread"),
    *("coefficients", "vectors", "seconds", "predict_seconds", "file_bytes", "warned"),
]
COLUMNS = [*KEY, "half", "pool", "features", "classes", "unit", *RESULTS, "failed"]
"""What a line of the store has: the cell and the model, the size of the cell, and what came of it."""


def run(settings: Settings) -> None:
    """Run what the store does not have, and print what it has."""
    if settings.data is None:
        print("\naccuracy: skipped; give the folder of manifest.csv with --data or ROWTRUST_DATA.")
        return
    options = settings if isinstance(settings, Options) else Options(**asdict(settings))
    if unknown := sorted(set(options.kinds) - set(KINDS)):
        raise SystemExit(f"unknown kind {unknown[0]!r}; choose from {', '.join(KINDS)}.")
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or Path(folder) / "accuracy.csv"
        fill(store, options)
        print_report([store], cap(options), options.half)


def fill(store: Path, options: Options) -> None:
    """Run the cells and models that the store lacks, and write each cell as it ends."""
    is_new = not store.exists() or store.stat().st_size == 0
    tasks = list(missing(options, set() if is_new else keys(store)))
    lines = joblib.Parallel(n_jobs=options.jobs, return_as="generator_unordered")(
        joblib.delayed(run_cell)(options.data, *task) for task in tasks
    )
    with store.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if is_new:
            writer.writeheader()
        for some in lines:
            writer.writerows(some)
            file.flush()


def keys(store: Path) -> set[tuple[str, ...]]:
    """Return which cells and models a store has, as text."""
    frame = pd.read_csv(store, dtype=str, keep_default_na=False)
    return set(frame[KEY].itertuples(index=False, name=None))


def missing(options: Options, done: set[tuple[str, ...]]) -> Iterator[tuple[Cell, list[str]]]:
    """Yield cells with the models they lack."""
    check_names(options.only)
    for cell in cells(options):
        start = tuple(str(value) for value in asdict(cell).values())
        names = [name for name in models(cell) if is_wanted(name, options.only)]
        lacking = [name for name in names if (*start, name) not in done]
        if lacking:
            yield cell, lacking


def models(cell: Cell) -> dict[str, Model]:
    """Return the models that a cell is for."""
    if cell.kind == "contaminated" and cell.table not in CONTAMINATED:
        return {name: KINDS[cell.kind][name] for name in COVERAGE}
    return KINDS[cell.kind]


def check_names(only: tuple[str, ...]) -> None:
    known = ["own", "peers", *dict.fromkeys(name for kind in KINDS.values() for name in kind)]
    if unknown := sorted(set(only) - set(known)):
        raise SystemExit(f"unknown model {unknown[0]!r}; choose from {', '.join(known)}.")


def is_wanted(name: str, only: tuple[str, ...]) -> bool:
    return not only or name in only or ("own" if name in OWN else "peers") in only


def run_cell(folder: Path, cell: Cell, names: list[str]) -> list[dict[str, Any]]:
    """Return the store's lines for one cell."""
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore")
        rows = problem(folder, cell)
        work = Work(rows.X, rows.y, cell.split)
        is_classes = cell.kind in ("classes", "sparsity")
        size = {"half": rows.half, "pool": rows.pool, "features": rows.X.shape[1], "unit": rows.unit}
        size["classes"] = len(np.unique(rows.y)) if is_classes else 0
        return [{**asdict(cell), "model": name, **size, **scores(name, cell, work, rows)} for name in names]


# scores ---------------------------------------------------------------------------------------------


def scores(name: str, cell: Cell, work: Work, rows: Rows) -> dict[str, Any]:
    """Run a model and return what it is worth, or why it failed."""
    line: dict[str, Any] = dict.fromkeys(RESULTS, np.nan)
    try:
        warm_up(cell.kind, name)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fitted = KINDS[cell.kind][name](work)
        line.update(size_scores(fitted), warned=len(caught))
        if cell.kind in ("classes", "sparsity"):
            line.update(class_scores(fitted.model, rows))
        else:
            line.update(number_scores(fitted.model, rows, name in WITH_DEVIATION))
        if cell.kind == "sparsity":
            line.update(cost_scores(fitted.model, rows))
    except Exception as failure:  # whatever a model may raise is its result here
        line = dict.fromkeys(RESULTS, np.nan)
        line["failed"] = f"{type(failure).__name__}: {failure}".replace("\n", " ")
    return line


@cache
def warm_up(kind: str, name: str) -> None:
    """Fit a few rows, so that no first cell pays for imports and first calls."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(40, 2))
    y = np.arange(40) % 2 if kind in ("classes", "sparsity") else X[:, 0] + 0.1 * generator.normal(size=40)
    KINDS[kind][name](Work(X, y, 0))


def size_scores(fitted: Fitted) -> dict[str, float]:
    vectors = next(
        (
            float(len(np.unique(getattr(fitted.model, rows))))
            for rows in ("relevance_", "support_")
            if hasattr(fitted.model, rows)
        ),
        np.nan,
    )
    return {"seconds": fitted.seconds, "coefficients": coefficients(fitted.model), "vectors": vectors}


def class_scores(model: Any, rows: Rows) -> dict[str, float]:
    """Return the error, and the log loss of a model with probabilities."""
    found = {"error": float(np.mean(model.predict(rows.X_test) != rows.y_test))}
    if hasattr(model, "predict_proba"):
        probability = np.asarray(model.predict_proba(rows.X_test))
        probability = probability / probability.sum(axis=1, keepdims=True)
        if not np.isfinite(probability).all():
            raise ValueError("probabilities that are not finite.")
        column = np.searchsorted(model.classes_, rows.y_test)
        of_truth = np.clip(probability[np.arange(len(column)), column], LEAST, 1.0)
        found["log_loss"] = float(-np.log(of_truth).mean())
    return found


def number_scores(model: Any, rows: Rows, with_deviation: bool) -> dict[str, float]:
    """Return errors; of a model with deviations the negative log score and the coverage of intervals too.

    Both take the prediction for Gaussian, whatever the model assumes.
    """
    mean, deviation = model.predict(rows.X_test), None
    if with_deviation:
        mean, deviation = model.predict(rows.X_test, return_std=True)
    error = rows.y_test - mean
    if not np.isfinite(error).all():
        raise ValueError("predictions that are not finite.")
    found = {
        "rmse": float(np.sqrt(np.mean(error**2))),
        "mae": float(np.abs(error).mean() / rows.unit),
        "explained": float(1.0 - np.mean(error**2) / np.var(rows.y_test)),
        "spread": float(np.std(mean) / np.std(rows.y_test)),
    }
    if deviation is not None:
        found["log_score"] = float(-norm.logpdf(error, scale=deviation).mean())
        for name, level in LEVELS.items():
            found[name] = float(np.mean(np.abs(error) <= norm.ppf(0.5 + level / 2) * deviation))
    return found


def cost_scores(model: Any, rows: Rows) -> dict[str, float]:
    """Return CPU seconds to predict many rows, the better of two runs, and the size of the model's file."""
    from rowtrust.io import save  # needs skops, and only here

    many = rows.X_test[np.arange(PREDICTED_ROWS) % len(rows.X_test)]
    seconds = []
    for _ in range(2):
        start = process_time()
        model.predict_proba(many)
        seconds.append(process_time() - start)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.skops"
        save(model, file)
        return {"predict_seconds": min(seconds), "file_bytes": file.stat().st_size}
