"""A copy of a table after its review: confirmed rows corrected, weighted or removed, nothing else touched."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from rowtrust.auditing.effect import Effect
from rowtrust.contracts import Indices
from rowtrust.workflow.auditing import effects_of_change
from rowtrust.workflow.checks import find_copies
from rowtrust.workflow.records import Settings
from rowtrust.workflow.review import RIGHT, UNSURE, WRONG, Decision, as_float, check_fits, same
from rowtrust.workflow.rows import with_copies_grouped
from rowtrust.workflow.splitting import usable
from rowtrust.workflow.tables import InputError, Records, pipeline
from rowtrust.workflow.tables.errors import shortened
from rowtrust.workflow.tables.layout import is_number
from rowtrust.workflow.tables.names import check_columns
from rowtrust.workflow.tables.targets import read_target

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
    """

    how: str
    decisions: Sequence[Decision]
    changes: dict[int, str]

    def rows(self, verdict: str) -> list[int]:
        """Return the numbers of the rows of which the review says so."""
        return [each.row for each in self.decisions if each.verdict == verdict]

    @property
    def summary(self) -> str:
        """What is done, in a sentence or two."""
        n_wrong, n_empty = len(self.changes), sum(not value for value in self.changes.values())
        left = f"{len(self.rows(RIGHT))} called right and {len(self.rows(UNSURE))} unsure stay as they were."
        if self.how == REMOVE:
            return f"{rows_are(n_wrong)} removed; {left}"
        if self.how == WEIGHT:
            unsure = f"; {len(self.rows(UNSURE))} unsure count by their trust" * bool(self.rows(UNSURE))
            return f"{rows_are(n_wrong)} given the weight 0 in '{WEIGHTS}'{unsure}; all others count fully."
        empty = f", {n_empty} emptied because nobody said the right value" if n_empty else ""
        return f"{rows_are(n_wrong - n_empty)} corrected{empty}; {left}"


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
    check_fits(decisions, table[settings.target])
    task = read_target(table[settings.target], settings.task).task
    if how == WEIGHT and WEIGHTS in table.columns:
        raise InputError(f"the data have a column '{WEIGHTS}' already. Rename or remove it.")
    decimal = records.layout.decimal
    changes = {each.row: corrected_cell(each, task, decimal) for each in decisions if each.verdict == WRONG}
    return Cleaning(how, decisions, changes)


def corrected_cell(decision: Decision, task: str, decimal: str) -> str:
    """Return the right value as it is to be written; nothing where nobody knows it.

    A likely class is taken where somebody confirms that the given one is wrong. A likely number is an
    average, no measurement: it is not made up.
    """
    if task == "classification":
        if decision.corrected:
            return decision.corrected
        return "" if same(decision.likely, decision.given) else decision.likely
    if not decision.corrected:
        return ""
    number = as_float(decision.corrected)
    if number is None:
        raise InputError(
            f"row {decision.row}: the corrected value '{shortened(decision.corrected)}' is no number, but "
            "the target has numbers. Mend the review."
        )
    word = decision.corrected if is_number(decision.corrected) else f"{number!r}"
    return word.replace(".", decimal)


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
            found[each.row - 1] = UNKNOWN_TRUST if each.wrong is None else 1.0 - each.wrong
    return [f"{value:.4g}" for value in found]


def effects(records: Records, settings: Settings, cleaning: Cleaning) -> list[Effect]:
    """Return what the change does to the error on the rows that nobody doubts, if that can be told.

    Rows that are weighted with zero count as left out.
    """
    schema, rows = usable(records.table, settings)
    rows = with_copies_grouped(rows, find_copies(rows.X, rows.y, schema.task == "classification"))
    place = {int(number): row for row, number in enumerate(rows.rows)}
    changed = np.array([place[row] for row in cleaning.changes if row in place], dtype=np.intp)
    corrected = None
    if cleaning.how == CORRECT:
        corrected = new_targets(rows.rows, rows.y, cleaning)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        X = np.asarray(pipeline(schema, None)[:-1].fit_transform(rows.X), dtype=float)
        task, seed = schema.task, settings.seed
        return effects_of_change(X, rows.y, changed, task, seed, corrected, groups=rows.groups)


def new_targets(numbers: Indices, y: NDArray[Any], cleaning: Cleaning) -> tuple[Indices, NDArray[Any]]:
    """Return the rows that have a new target, and these targets, of the kind of the others."""
    place = {int(number): row for row, number in enumerate(numbers)}
    known = {place[row]: value for row, value in cleaning.changes.items() if value and row in place}
    stay = np.array(list(known), dtype=np.intp)
    if y.dtype.kind == "f":
        return stay, np.array([as_float(value) for value in known.values()], dtype=float)
    classes = np.unique(y)
    words = [next((each for each in classes if same(str(each), value)), value) for value in known.values()]
    return stay, np.array(words, dtype=None if len(words) else y.dtype)
