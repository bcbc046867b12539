"""The rows of a cell: which are fitted, what was made wrong, and which rows judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from benchmarks.evidence.errors import WRONG_VALUES
from benchmarks.label_noise import NOISES
from benchmarks.tables import Table, read_tables

Array = NDArray[Any]

MOST_TEST_ROWS = 3000
"""Test rows of the largest tables: they settle an error of 10 % to half a point."""

CLEAN = "none"
"""The noise of a table as it is."""


@dataclass(frozen=True)
class Case:
    """Rows to fit, of which some are wrong, and rows to judge by, of which none are.

    Attributes
    ----------
    X, given
        Rows to fit, and their labels 0, 1, ... or numbers as given.
    wrong
        Which of them are wrong.
    X_test, y_test
        Rows to judge by, with right targets; -1 is a class that no row to fit has.
    is_classes
        Whether targets are classes.
    seed
        Of all that draws.
    """

    X: Array
    given: Array
    wrong: Array
    X_test: Array
    y_test: Array
    is_classes: bool
    seed: int

    @property
    def labels(self) -> Array:
        """The classes given."""
        return np.unique(self.given)

    def without_errors(self) -> Case:
        """Return the case without its wrong rows; all of a class that would vanish stay."""
        keep = ~self.wrong
        if self.is_classes and set(self.given[keep]) != set(self.given):
            keep |= np.isin(self.given, list(set(self.given) - set(self.given[keep])))
        return Case(
            self.X[keep],
            self.given[keep],
            self.wrong[keep],
            self.X_test,
            self.y_test,
            self.is_classes,
            self.seed,
        )


@cache
def tables(data: Path) -> dict[str, Table]:
    """Return the tables of a data folder by their names."""
    return {table.name: table for table in read_tables(data)}


def dirty_case(settings: Mapping[str, Any], data: Path) -> Case:
    """Return a table with wrong targets of one kind."""
    table = tables(data)[settings["table"]]
    noise, rate, seed = settings["noise"], settings["rate"], int(settings["split"])
    X, y, X_test, y_test = table.split(settings["rows"], seed)
    X_test, y_test = X_test[:MOST_TEST_ROWS], y_test[:MOST_TEST_ROWS]
    generator = np.random.default_rng([crc32(f"{table.name} {noise} {rate}".encode()), seed])
    if table.is_classes:
        y, y_test = codes(y, y_test)
    given, wrong = y, np.zeros(len(y), dtype=bool)
    if noise != CLEAN:
        make = NOISES[noise] if table.is_classes else WRONG_VALUES[noise]
        given, wrong = make(X, y, rate, generator)
    return Case(X, given, wrong, X_test, y_test, table.is_classes, seed)


def codes(y: Array, y_test: Array) -> tuple[Array, Array]:
    """Return labels as 0, 1, ...; a class that only test rows have is -1, and always an error."""
    names, numbers = np.unique(y, return_inverse=True)
    place = np.minimum(np.searchsorted(names, y_test), len(names) - 1)
    return numbers, np.where(names[place] == y_test, place, -1)
