"""Missing values: kernels averaged over them against imputation before the fit."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.pipeline import make_pipeline

from benchmarks.race import Settings
from benchmarks.tables import Table, read_tables
from rowtrust import RVC, RVR

Array = NDArray[Any]

TABLES = ("cancer", "pima", "liver", "wheat-seeds", "boston", "mpg")
"""Tables of half A, on which the way was chosen."""

FIT_ROWS, TEST_ROWS, SPLITS = 300, 500, 3
"""Rows to fit and to test at most, and splits, each with holes of its own."""

CASES = (
    ("at random", 0.05),
    ("at random", 0.15),
    ("at random", 0.30),
    ("large ones", 0.15),
    ("at random, in new rows only", 0.15),
)
"""Which values are missing, and how many of them: any alike, or in proportion to their rank in the column."""

WAYS: dict[str, Callable[[Any], Any]] = {
    "expected": lambda machine: machine(missing="expected"),
    "mean": lambda machine: make_pipeline(SimpleImputer(), machine()),
    "median, indicators": lambda machine: make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True), machine()
    ),
    "iterative": lambda machine: make_pipeline(IterativeImputer(random_state=0), machine()),
    "neighbours": lambda machine: make_pipeline(KNNImputer(), machine()),
}
"""What makes a model of rows with NaN of a machine."""


def run(settings: Settings) -> None:
    """Print errors and log scores of every way, in the mean over splits."""
    if settings.data is None:
        print("\nMissing values: needs --data.")
        return
    chosen = settings.tables or TABLES
    splits = 1 if settings.quick else SPLITS
    print(
        "\nMissing values in rows to fit and to test (standardised inputs). Error: share of wrong labels, or "
        "RMSE over the\ndeviation of y. Log: nats a row, higher is better, of y over its deviation. CPU: of "
        f"fit and prediction together, s.\nUp to {FIT_ROWS} rows to fit, {splits} splits."
    )
    tables = [table for table in read_tables(settings.data) if table.name in chosen]
    for kind, rate in CASES:
        print(f"\n{rate:.0%} missing, {kind}\n{'':14s}" + "".join(f"{way:>26s}" for way in WAYS))
        print(f"{'':14s}" + f"{'error':>12s}{'log':>8s}{'CPU':>6s}" * len(WAYS))
        found = np.array([table_scores(table, kind, rate, splits) for table in tables])
        for table, line in zip(
            [*[table.name for table in tables], "mean"], [*found, found.mean(0)], strict=True
        ):
            cells = "".join(f"{error:12.4f}{log:8.3f}{cpu:6.2f}" for error, log, cpu in line)
            print(f"{table:14s}{cells}", flush=True)


def table_scores(table: Table, kind: str, rate: float, splits: int) -> Array:
    """Return error, log score and time of every way, shape (ways, 3), in the mean over splits."""
    each = [list(scores(table, kind, rate, seed)) for seed in range(splits)]
    return np.mean(each, axis=0)


def scores(table: Table, kind: str, rate: float, seed: int) -> Iterator[tuple[float, float, float]]:
    """Yield error, log score and time of every way on one split."""
    X, y, X_test, y_test = table.split(FIT_ROWS, seed)
    if not table.is_classes:
        y, y_test = (y - y.mean()) / y.std(), (y_test - y.mean()) / y.std()
    generator = np.random.default_rng(seed)
    holed = with_holes(X, kind, 0.0 if "new rows" in kind else rate, generator)
    test = with_holes(X_test[:TEST_ROWS], kind, rate, generator)
    for build in WAYS.values():
        start = process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = build(RVC if table.is_classes else RVR).fit(holed, y)
        predicted = model.predict(test)
        seconds = process_time() - start
        wrong = predicted - y_test[:TEST_ROWS]
        error = np.mean(wrong != 0) if table.is_classes else np.sqrt(np.mean(wrong**2))
        yield float(error), log_score(model, test, y_test[:TEST_ROWS]), seconds


def log_score(model: Any, X: Array, y: Array) -> float:
    """Return the mean log density of targets, of the last step of a pipeline too."""
    if not hasattr(model, "steps"):
        return float(model.log_score(X, y))
    return float(model[-1].log_score(model[:-1].transform(X), y))


def with_holes(X: Array, kind: str, rate: float, generator: np.random.Generator) -> Array:
    """Return the rows with NaN for a share of the values."""
    rank = X.argsort(axis=0).argsort(axis=0) / len(X)
    chance = np.minimum(2.0 * rate * rank, 1.0) if kind == "large ones" else np.full(X.shape, rate)
    return np.where(generator.random(X.shape) < chance, np.nan, X)
