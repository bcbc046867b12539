"""The problems of the part on accuracy: splits of tables, contaminated targets, smooth functions.

Every problem follows from its cell alone, so that a model may be run on it at any later time. Rows to fit
are the first of a shuffled pool and test rows do not depend on how many there are: a cap only shortens a fit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.accuracy_contamination import BOTH_SIDED, CONTAMINATED, CONTAMINATIONS
from benchmarks.calibration import published_splits
from benchmarks.race import Settings
from benchmarks.tables import Table, prepared, read_tables
from papers.datasets import load
from papers.hwang import protocol as hwang
from rowtrust.datasets import flip_labels

Array = NDArray[Any]

MOST_ROWS, QUICK_ROWS = 3000, 300
MOST_TEST_ROWS = 5000
"""Test rows of the largest tables: they settle an error rate of 10 % to 0.4 points."""

POOL_SHARE = 0.7
"""Of the rows of a table, those that may be fitted; the published splits have 90 %."""

PUBLISHED = {
    "boston": "boston_housing",
    "concrete": "uci_regression/concrete",
    "yacht": "uci_regression/yacht",
}
"""Folders of the tables whose splits papers share (Hernandez-Lobato & Adams 2015)."""

PUBLISHED_SPLITS = 20
FULL_SPLITS = 10
"""From so many splits on, tables with published splits get all of those."""

FUNCTIONS, QUICK_FUNCTIONS = 200, 20
"""Random smooth functions."""

KINDS = ("classes", "numbers", "contaminated", "smooth", "sparsity")


@dataclass(frozen=True)
class Options(Settings):
    """What the command line asks for, with what only this part knows.

    Attributes
    ----------
    splits
        Of every table.
    kinds
        Which of ``KINDS`` to run; all unless given.
    half
        The half of the manifest to run and to print; both if empty.
    moments
        Kills of each command (part: kills).
    """

    splits: int = FULL_SPLITS
    kinds: tuple[str, ...] = ()
    half: str = ""
    moments: int = 50


@dataclass(frozen=True)
class Cell:
    """One problem.

    Attributes
    ----------
    kind
        One of ``KINDS``.
    table
        A name of the manifest; "function" for smooth functions, the paper's name for ``sparsity``.
    variant
        The contamination, or the percentage of wrong labels; empty elsewhere.
    split
        Number of the split, or of the function.
    rows
        How many rows are fitted, so that a cap which changes nothing makes no other cell.
    """

    kind: str
    table: str
    variant: str
    split: int
    rows: int

    @property
    def seed(self) -> int:
        """The seed of a split: that of its table and number only."""
        return (crc32(self.table.encode()) + self.split) % 2**32

    @property
    def generator(self) -> np.random.Generator:
        """What contaminates the rows or draws the function."""
        return np.random.default_rng([crc32(f"{self.kind} {self.table} {self.variant}".encode()), self.split])


@dataclass(frozen=True)
class Rows:
    """Rows to fit and clean rows to test on.

    Attributes
    ----------
    X, y, X_test, y_test
        Inputs and targets.
    half
        Of the manifest; empty where a problem is in neither.
    pool
        How many rows could be fitted without a cap.
    unit
        Standard deviation of the clean targets that are fitted; 1 for classes.
    """

    X: Array
    y: Array
    X_test: Array
    y_test: Array
    half: str
    pool: int
    unit: float = 1.0


# which cells there are ------------------------------------------------------------------------------


@cache
def tables(folder: Path) -> dict[str, Table]:
    """Return the tables of the manifest by name, those of half A first."""
    return {table.name: table for table in sorted(read_tables(folder), key=lambda each: each.half)}


def cells(options: Options) -> Iterator[Cell]:
    """Yield all cells asked for, kind by kind, the first splits of all tables first."""
    assert options.data is not None
    most = cap(options)
    for kind in options.kinds or KINDS:
        for cell in CELLS[kind](options, most):
            if (not options.tables or cell.table in options.tables) and is_of_half(cell.table, options):
                yield cell


def is_of_half(name: str, options: Options) -> bool:
    """Return whether a table is of the half asked for; functions are of both."""
    known = tables(options.data)
    return not options.half or name not in known or known[name].half == options.half


def cap(options: Options) -> int:
    """Return how many rows are fitted at most."""
    return options.most_rows or (QUICK_ROWS if options.quick else MOST_ROWS)


def class_cells(options: Options, most: int) -> Iterator[Cell]:
    chosen = [table for table in tables(options.data).values() if table.is_classes]
    for split in range(options.splits):
        for table in chosen:
            yield Cell("classes", table.name, "", split, min(most, pool_size(options.data, table, split)))


def number_cells(options: Options, most: int, kind: str = "numbers", variant: str = "") -> Iterator[Cell]:
    chosen = [table for table in tables(options.data).values() if not table.is_classes]
    all_published = PUBLISHED_SPLITS if options.splits >= FULL_SPLITS else options.splits
    for split in range(max(options.splits, all_published)):
        for table in chosen:
            if split < (all_published if table.name in PUBLISHED else options.splits):
                rows = min(most, pool_size(options.data, table, split))
                yield Cell(kind, table.name, variant, split, rows)


def contaminated_cells(options: Options, most: int) -> Iterator[Cell]:
    """Yield the six cells of two tables, and both-sided outliers in all others for the coverage."""
    for variant in CONTAMINATIONS:
        for cell in number_cells(options, most, "contaminated", variant):
            if cell.table in CONTAMINATED or variant == BOTH_SIDED:
                yield cell


def smooth_cells(options: Options, most: int) -> Iterator[Cell]:
    for number in range(QUICK_FUNCTIONS if options.quick else FUNCTIONS):
        yield Cell("smooth", "function", "", number, min(most, function_size(number)[1]))


def sparsity_cells(options: Options, most: int) -> Iterator[Cell]:
    for split in range(options.splits):
        for name in (*hwang.SYNTHETIC, *hwang.REAL):
            for flipped in hwang.flips_of(name):
                rows = len(hwang_split(name, split, options.data)[0])
                yield Cell("sparsity", name, f"{flipped}", split, min(most, rows))


CELLS: dict[str, Callable[[Options, int], Iterator[Cell]]] = {
    "classes": class_cells,
    "numbers": number_cells,
    "contaminated": contaminated_cells,
    "smooth": smooth_cells,
    "sparsity": sparsity_cells,
}


# tables ---------------------------------------------------------------------------------------------


def problem(folder: Path, cell: Cell) -> Rows:
    """Return the rows of a cell."""
    if cell.kind == "smooth":
        return smooth_function(cell)
    if cell.kind == "sparsity":
        return wrong_labels(folder, cell)
    table = tables(folder)[cell.table]
    pool, test = split_rows(folder, table, cell.split)
    fit, test = pool[: cell.rows], test[:MOST_TEST_ROWS]
    X, X_test = prepared(table.inputs, fit, test)
    y = table.target[fit]
    unit = 1.0 if table.is_classes else float(np.std(y))
    if cell.kind == "contaminated":
        X, y = CONTAMINATIONS[cell.variant](X, y, cell.generator)
    return Rows(X, y, X_test, table.target[test], table.half, len(pool), unit)


def pool_size(folder: Path, table: Table, split: int) -> int:
    return len(split_rows(folder, table, split)[0])


def split_rows(folder: Path, table: Table, split: int) -> tuple[Array, Array]:
    """Return which rows may be fitted and which are tested on, both shuffled."""
    if table.name in PUBLISHED:
        pool, test = published(folder / PUBLISHED[table.name] / "gal_splits.tar.xz")[split]
        return pool, test
    rows = np.arange(len(table.target))
    pool, test = train_test_split(
        rows,
        train_size=int(POOL_SHARE * len(rows)),
        random_state=Cell("", table.name, "", split, 0).seed,
        stratify=table.target if table.is_classes else None,
    )
    return pool, test


@cache
def published(file: Path) -> list[tuple[Array, Array]]:
    return list(published_splits(file))


# made-up and published problems -----------------------------------------------------------------------


def function_size(number: int) -> tuple[int, int]:
    """Return how many inputs and rows a function has."""
    generator = np.random.default_rng([crc32(b"size"), number])
    return 1 + number % 6, int(generator.integers(60, 301))


def smooth_function(cell: Cell) -> Rows:
    """Return rows of a sum of three plane waves, a twentieth of it noise, and 500 clean test points.

    Of inputs between -1 and 1 a wave has half a period to four; targets have units and an offset.
    """
    inputs, rows = function_size(cell.split)
    generator = cell.generator
    frequency = generator.choice([0.25, 0.5, 1.0, 2.0], 3)
    directions = generator.normal(size=(inputs, 3))
    directions *= 2.0 * np.pi * frequency / np.linalg.norm(directions, axis=0)
    phase, height = generator.uniform(0.0, 2.0 * np.pi, 3), generator.uniform(0.5, 1.5, 3)
    X = generator.uniform(-1.0, 1.0, (rows + 500, inputs))
    truth = np.sin(X @ directions + phase) @ height
    scale, offset = 10.0 ** generator.uniform(-2.0, 2.0), generator.normal()
    truth = scale * (truth / np.std(truth) + offset)
    y = truth[:rows] + 0.05 * scale * generator.normal(size=rows)
    unit = float(np.std(y))
    return Rows(X[: cell.rows], y[: cell.rows], X[rows:], truth[rows:], "", rows, unit)


def hwang_split(name: str, split: int, folder: Path | None) -> tuple[Array, Array]:
    """Return the rows of Hwang & Jeong's protocol."""
    n_rows = len(load(name, os.fspath(folder))[1])
    order = np.random.default_rng(split).permutation(n_rows)
    share = hwang.TRAINING_SHARE.get(name, hwang.USUAL_TRAINING_SHARE)
    fit, test = np.split(order, [round(share * n_rows)])
    return fit, test


def wrong_labels(folder: Path, cell: Cell) -> Rows:
    """Return a split of Hwang & Jeong's protocol with flipped labels, inputs standardised."""
    X, y = load(cell.table, os.fspath(folder))
    pool, test = hwang_split(cell.table, cell.split, folder)
    fit = pool[: cell.rows]
    given, _ = flip_labels(y[fit], int(cell.variant) / 100.0, random_state=cell.split)
    scaler = StandardScaler().fit(X[fit])
    half = tables(folder)[cell.table].half
    return Rows(scaler.transform(X[fit]), given, scaler.transform(X[test]), y[test], half, len(pool))
