"""A copy of a table after its review: confirmed rows corrected, weighted or removed, nothing else touched."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TextIO

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from rowtrust.contracts import Indices
from rowtrust.workflow.auditing import Change, Effect, effects_of_change
from rowtrust.workflow.checks.copies import find_copies
from rowtrust.workflow.records import Settings
from rowtrust.workflow.review import RIGHT, UNSURE, WRONG, Decision, as_float, check_fits, same
from rowtrust.workflow.rows import with_copies_grouped
from rowtrust.workflow.splitting import columns_aside, usable
from rowtrust.workflow.tables import InputError, Layout, Records, Schema, pipeline
from rowtrust.workflow.tables.cells import parse_numbers, read_cells
from rowtrust.workflow.tables.errors import listed, shortened
from rowtrust.workflow.tables.layout import is_number
from rowtrust.workflow.tables.names import check_columns
from rowtrust.workflow.tables.readings import DECIMAL_COMMA, EITHER, THOUSANDS, read_word
from rowtrust.workflow.tables.targets import Target

CORRECT, WEIGHT, REMOVE = WAYS = ("correct", "weight", "remove")
"""What may be done with rows that are confirmed to be wrong; part of the command's interface."""

WEIGHTS = "rowtrust_weight"
"""Name of the column of weights; part of the command's interface."""

UNKNOWN_TRUST = 0.5
"""Weight of an unsure row of which the review does not say how probably it is wrong: half a row. A
convention."""


@dataclass(frozen=True)
class Cleaning:
    """What is to be done with a table.

    Attributes
    ----------
    how
        "correct", "weight" or "remove".
    decisions
        What the review says.
    changes
        New cells of the target, by the number of the row: those of confirmed rows, empty where nobody knows
        the right value.
    new_classes
        Classes among the new cells that no row had: perhaps typing errors.
    """

    how: str
    decisions: Sequence[Decision]
    changes: dict[int, str]
    new_classes: tuple[str, ...] = ()

    def rows(self, verdict: str) -> list[int]:
        """Return the numbers of the rows of which the review says so."""
        return [each.row for each in self.decisions if each.verdict == verdict]

    @property
    def summary(self) -> str:
        """What is done, in a sentence or two."""
        n_wrong, n_empty = len(self.changes), sum(not value for value in self.changes.values())
        left = f"{len(self.rows(RIGHT))} marked right and {len(self.rows(UNSURE))} unsure are unchanged."
        if self.how == REMOVE:
            return f"{rows_are(n_wrong)} removed; {left}"
        if self.how == WEIGHT:
            unsure = f"; {len(self.rows(UNSURE))} unsure count by their trust" * bool(self.rows(UNSURE))
            return f"{rows_are(n_wrong)} given the weight 0 in '{WEIGHTS}'{unsure}; all others count fully."
        empty = f", {n_empty} emptied because no right value is given" if n_empty else ""
        news = f" No row had the class {listed(self.new_classes)} before." if self.new_classes else ""
        return f"{rows_are(n_wrong - n_empty)} corrected{empty}; {left}{news}"


def rows_are(count: int) -> str:
    """Return a count of rows with its verb."""
    return f"{count} row{' was' if count == 1 else 's were'}"


def plan(records: Records, settings: Settings, decisions: Sequence[Decision], how: str) -> Cleaning:
    """Find out what a review asks for; refuse one of another file, and one that confirms nothing.

    Parameters
    ----------
    records
        The data.
    settings
        Target and task.
    decisions
        What the review says.
    how
        "correct", "weight" or "remove".
    """
    table = records.table.rename(columns=str)
    check_columns(table, settings.target, settings.drop, keep=settings.keep)
    if not decisions:
        raise InputError(
            "the review says nothing yet: write wrong, right or unsure into its column 'verdict', or tick "
            "the rows in report.html and download it from there. Nothing was changed."
        )
    found = target_of(table, settings)
    is_numbers = found.task == "regression"
    cells = table[settings.target]
    check_fits(decisions, cells, parse_numbers(cells, found.reading).values if is_numbers else None)
    if how == WEIGHT and WEIGHTS in table.columns:
        raise InputError(f"the data have a column '{WEIGHTS}' already. Rename or remove it.")
    cell = partial(number_cell, reading=found.reading, decimal=records.layout.decimal)
    write_cell = cell if is_numbers else class_cell
    changes = {each.row: write_cell(each) for each in decisions if each.verdict == WRONG}
    news = {word for word in changes.values() if word and not is_numbers}.difference(map(str, found.values))
    return Cleaning(how, decisions, changes, tuple(sorted(news)))


def target_of(table: pd.DataFrame, settings: Settings) -> Target:
    """Return the target as a study reads it, with the other columns, which tell codes from amounts."""
    aside = columns_aside(settings)
    return Schema.find(table, settings.target, settings.task, settings.drop, aside, settings.keep)[1]


def class_cell(decision: Decision) -> str:
    """Return the right class as it is to be written; nothing where nobody knows it.

    The likely class is taken where somebody confirms that the given one is wrong.
    """
    if decision.corrected:
        return decision.corrected
    return "" if same(decision.likely, decision.given) else decision.likely


def number_cell(decision: Decision, reading: str, decimal: str) -> str:
    """Return the right number as it is to be written; nothing where nobody knows it.

    A likely number is an average, no measurement: none is invented. A plain number has a decimal point, as
    those of the review; it is written with the mark of its column. Others may be written as the column has
    them.

    Parameters
    ----------
    decision
        What somebody said.
    reading
        How the cells of the column are read; see ``readings``.
    decimal
        The decimal mark of the file.
    """
    word = decision.corrected
    has_commas = decimal == "," or DECIMAL_COMMA in reading
    number = as_float(word)
    if is_number(word) and number is not None:
        return word.replace(".", "," if has_commas else decimal)
    if EITHER.fullmatch(word) and not has_commas and THOUSANDS not in reading:
        thousand, decimals = word.replace(",", ""), word.replace(",", ".")
        raise InputError(
            f"row {decision.row}: the corrected value '{word}' may be {thousand} or {decimals}. Write it "
            "without the comma."
        )
    own = f"{reading}, {DECIMAL_COMMA}" if has_commas else reading
    if not word or read_word(word, own)[0] is not None:
        return word
    if number is None:
        raise InputError(
            f"row {decision.row}: the corrected value '{shortened(word)}' is no number, but the target has "
            "numbers. Fix the review."
        )
    return f"{number!r}".replace(".", decimal)


def write(records: Records, target: str, cleaning: Cleaning, output: TextIO) -> None:
    """Write the copy; cells that the review does not name are as they were."""
    if cleaning.how == REMOVE:
        records.write_without(cleaning.changes, output)
    elif cleaning.how == CORRECT:
        there = next(name for name in records.cells.columns if str(name) == target)
        records.write_changed(there, cleaning.changes, output)
    else:
        records.write_with(WEIGHTS, weights(len(records.cells), cleaning), output)


def weights(n_rows: int, cleaning: Cleaning) -> list[str]:
    """Return the weight of every row as text: none for wrong ones, their trust for unsure ones."""
    found = np.ones(n_rows)
    for each in cleaning.decisions:
        if each.verdict == WRONG:
            found[each.row - 1] = 0.0
        elif each.verdict == UNSURE:
            found[each.row - 1] = UNKNOWN_TRUST if each.p_wrong is None else 1.0 - each.p_wrong
    return [f"{value:.4g}" for value in found]


def effects(records: Records, settings: Settings, cleaning: Cleaning) -> list[Effect]:
    """Return what the change does to the error on the rows that nobody doubts, if that can be told.

    Rows that are weighted with zero count as left out.
    """
    schema, rows = usable(records.table, settings)
    rows = with_copies_grouped(rows, find_copies(rows.X, rows.y, schema.task == "classification"))
    place = {int(number): row for row, number in enumerate(rows.rows)}
    changed = np.array([place[row] for row in cleaning.changes if row in place], dtype=np.intp)
    y, corrected = rows.y, None
    if cleaning.how == CORRECT:
        read = numbers_in(records.layout, schema.target_reading)
        corrected = new_targets(rows.rows, y, cleaning, read)
        y = y.astype(str) if corrected[1].dtype.kind == "U" else y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        X = np.asarray(pipeline(schema, None)[:-1].fit_transform(rows.X), dtype=float)
        change = Change(X, y, changed, schema.task, settings.seed, corrected, groups=rows.groups)
        return effects_of_change(change)


def numbers_in(layout: Layout, reading: str) -> Callable[[list[str]], NDArray[np.float64]]:
    """Return what reads cells as the numbers of a target, as the next study will."""

    def read(words: list[str]) -> NDArray[np.float64]:
        cells = read_cells(pd.DataFrame({"": pd.Series(words, dtype=object)}), layout.decimal, layout.missing)
        return parse_numbers(cells[""], reading).values

    return read


def new_targets(
    numbers: Indices, y: NDArray[Any], cleaning: Cleaning, read: Callable[[list[str]], NDArray[np.float64]]
) -> tuple[Indices, NDArray[Any]]:
    """Return the rows that have a new target, and these targets, of the kind of the others.

    Where classes are whole numbers and a new one is none, all new ones are words.

    Parameters
    ----------
    numbers
        Of the rows in the file.
    y
        Targets as given.
    cleaning
        What is done.
    read
        Reads cells as numbers.
    """
    place = {int(number): row for row, number in enumerate(numbers)}
    known = {place[row]: value for row, value in cleaning.changes.items() if value and row in place}
    stay = np.array(list(known), dtype=np.intp)
    if y.dtype.kind == "f":
        return stay, read(list(known.values()))
    classes = np.unique(y)
    words = [next((each for each in classes if same(str(each), value)), value) for value in known.values()]
    if y.dtype.kind in "iu":
        whole = [as_float(str(word)) for word in words]
        if all(each is not None and each.is_integer() for each in whole):
            return stay, np.array(whole, dtype=y.dtype)
    return stay, np.array(words, dtype=str)
