"""Dirty labels: four kinds of wrong labels at three rates in every class table, and none at all.

Labels to fit are flipped, labels to test on are clean. Every model is judged by what it predicts and by the
wrong rows it finds. Results go line by line into a store (``--store``): a run that was stopped goes on where
it ended, and models may be added later.
"""

from __future__ import annotations

import csv
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, f1_score

from benchmarks.calibration import calibration_error
from benchmarks.dirty_models import MODELS, Audit, Work
from benchmarks.dirty_report import print_report
from benchmarks.label_noise import NOISES
from benchmarks.race import Settings, one_thread
from benchmarks.tables import Table, read_tables

Array = NDArray[Any]

MOST_ROWS, QUICK_ROWS = 3000, 300
RATES, QUICK_RATES = (0.1, 0.2, 0.3), (0.2,)
CLEAN = "none"
"""The noise of a cell whose labels are all right."""

LARGE = "adult"
"""A table that gets only ``LARGE_CELLS``."""

LARGE_CELLS = ((CLEAN, 0.0), ("uniform", 0.2))
"""One noise, for its 30,000 test rows cost as much as all other tables'."""

LEAST = 1e-6
"""The least probability that a log loss is taken of, the same for all models."""

KEY = ["table", "noise", "rate", "repeat", "most_rows", "model"]
RESULTS = [
    "error",
    "log_loss",
    "calibration",
    "precision",
    "f1",
    "named",
    "false",
    "fit_seconds",
    "audit_seconds",
]
COLUMNS = [*KEY, "half", "rows", "classes", "flipped", *RESULTS, "label_noise", "failed"]
"""What a line of the store has: the cell and the model, the size of the cell, and what came of it."""


@dataclass(frozen=True)
class Cell:
    """One table with labels of one noise."""

    table: str
    noise: str
    rate: float
    repeat: int
    most_rows: int

    @property
    def generator(self) -> np.random.Generator:
        """A generator that only this cell has; the cap on rows does not matter to it."""
        return np.random.default_rng([crc32(f"{self.table} {self.noise} {self.rate}".encode()), self.repeat])


def run(settings: Settings) -> None:
    """Run what the store does not have, and print what it has."""
    if settings.data is None:
        print("\ndirty: skipped; give the folder of manifest.csv with --data or ROWTRUST_DATA.")
        return
    names = list(settings.only or MODELS)
    if unknown := sorted(set(names) - set(MODELS)):
        raise SystemExit(f"unknown model {unknown[0]!r}; choose from {', '.join(MODELS)}.")
    with tempfile.TemporaryDirectory() as folder:
        store = settings.store or Path(folder) / "dirty.csv"
        fill(store, settings, names)
        results = pd.read_csv(store, keep_default_na=False, na_values=["nan"])
        results = results[results["most_rows"] == most_rows(settings)]
        print_report(results)


def most_rows(settings: Settings) -> int:
    return settings.most_rows or (QUICK_ROWS if settings.quick else MOST_ROWS)


# cells ----------------------------------------------------------------------------------------------


def fill(store: Path, settings: Settings, names: list[str]) -> None:
    """Run the cells and models that the store lacks, and write each cell as it ends."""
    is_new = not store.exists() or store.stat().st_size == 0
    done = set() if is_new else keys(store)
    tasks = list(missing(settings, names, done))
    lines = joblib.Parallel(n_jobs=settings.jobs, return_as="generator_unordered")(
        joblib.delayed(run_cell)(*task) for task in tasks
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


def missing(
    settings: Settings, names: list[str], done: set[tuple[str, ...]]
) -> Iterator[tuple[Table, Cell, list[str]]]:
    """Yield cells with the models they lack, the tables of half A first."""
    assert settings.data is not None
    tables = [table for table in read_tables(settings.data) if table.is_classes]
    for table in sorted(tables, key=lambda each: each.half):
        if settings.tables and table.name not in settings.tables:
            continue
        for cell in cells(table.name, settings):
            start = tuple(str(value) for value in asdict(cell).values())
            lacking = [name for name in names if (*start, name) not in done]
            if lacking:
                yield table, cell, lacking


def cells(table: str, settings: Settings) -> Iterator[Cell]:
    """Yield the cells of a table."""
    rates = QUICK_RATES if settings.quick else RATES
    kinds = [(CLEAN, 0.0), *((noise, rate) for noise in NOISES for rate in rates)]
    for repeat in range(settings.draws):
        for noise, rate in LARGE_CELLS if table == LARGE else kinds:
            yield Cell(table, noise, rate, repeat, most_rows(settings))


def run_cell(table: Table, cell: Cell, names: list[str]) -> list[dict[str, Any]]:
    """Return the store's lines for one cell."""
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore")
        X, y, X_test, y_test = table.split(cell.most_rows, cell.repeat)
        given, flipped = y, np.zeros(len(y), dtype=bool)
        if cell.noise != CLEAN:
            given, flipped = NOISES[cell.noise](X, y, cell.rate, cell.generator)
        work = Work(X, given, X_test, cell.repeat)
        size = {"rows": len(y), "classes": len(work.labels), "flipped": flipped.sum(), "half": table.half}
        return [
            {**asdict(cell), **size, "model": name, **scores(name, work, y_test, flipped)} for name in names
        ]


# scores ---------------------------------------------------------------------------------------------


def scores(name: str, work: Work, y_test: Array, flipped: Array) -> dict[str, Any]:
    """Run a model and return what it is worth, or why it failed."""
    line: dict[str, Any] = dict.fromkeys(RESULTS, np.nan)
    try:
        outcome = MODELS[name](work)
        line.update(label_noise=outcome.label_noise, fit_seconds=outcome.fit_seconds)
        if outcome.probability is not None:
            line.update(prediction_scores(outcome.probability, y_test))
        if outcome.audit is not None:
            line.update(audit_scores(outcome.audit, flipped))
    except Exception as failure:  # whatever a model may raise is its result here
        line = dict.fromkeys(RESULTS, np.nan)
        line["failed"] = f"{type(failure).__name__}: {failure}".replace("\n", " ")
    return line


def prediction_scores(probability: Array, y_test: Array) -> dict[str, float]:
    """Return error, log loss and calibration error; of several classes that of the most probable one."""
    probability = probability / probability.sum(axis=1, keepdims=True)
    if not np.isfinite(probability).all():
        raise ValueError("probabilities that are not finite.")
    right = probability.argmax(axis=1) == y_test
    if probability.shape[1] == 2:
        calibration = calibration_error(probability[:, 1], y_test)
    else:
        calibration = calibration_error(probability.max(axis=1), right)
    of_truth = np.clip(probability[np.arange(len(y_test)), y_test], LEAST, 1.0)
    return {
        "error": float(1.0 - right.mean()),
        "log_loss": float(-np.log(of_truth).mean()),
        "calibration": calibration,
    }


def audit_scores(audit: Audit, flipped: Array) -> dict[str, float]:
    """Return average precision and F1 where labels are wrong, and what share was named, and in vain."""
    found = {
        "named": float(audit.named.mean()),
        "false": float(1.0 - flipped[audit.named].mean()) if audit.named.any() else np.nan,
        "audit_seconds": audit.seconds,
    }
    if flipped.any():
        found["precision"] = float(average_precision_score(flipped, audit.score))
        found["f1"] = float(f1_score(flipped, audit.named, zero_division=0.0))
    return found
