"""After Li et al. (2008): tables of rows in order of time, whose world changes."""

from __future__ import annotations

from collections.abc import Callable

from papers.context import RunContext
from papers.li.drift import (
    CLASS_MEASURES,
    METHODS,
    MOMENTS,
    NOISE,
    REGRESSION_MEASURES,
    SHARES,
    TEST_ROWS,
    TIMES,
)
from papers.li.paired import RULE, direction
from papers.li.plan import drift_records
from papers.li.table_pairs import compared
from papers.tables import Cell, Number, ResultTable

NOTES = (
    (
        f"The past has {MOMENTS} moments; {TEST_ROWS} rows of the next one are tested on. Classes: two "
        "inputs, a boundary that rotates by the angle from the first moment to the next, or jumps by it "
        f"after a share of the past. Regression: a sine with noise {NOISE:g} whose phase moves by the angle."
    ),
    (
        "Last half and last quarter: the plain machine forgets older rows. Time memberships: the oldest row "
        f"keeps {TIMES['time linear'].floor:g} of its weight, or the floor, and weight grows to one linearly "
        "or with the square. Robust: the label channel (classes), heavy tails (regression)."
    ),
)
"""What a reader of the tables must know."""


def change_words(change: str, amount: float) -> str:
    """Return what the tables call a change."""
    if amount == 0:
        return "none"
    if change == "gradual":
        return f"slowly, {amount:g} degrees"
    return f"{amount:g} degrees after {100 * float(change):g} %"


def drift_table(context: RunContext, number: str, classes: bool) -> ResultTable:
    """Tables 12 and 13: every method by change."""
    records = drift_records(context, classes)
    cells = [
        Cell(
            (measure, f"{rows}", change_words(change, amount)),
            method,
            Number.of(record[method][measure] for record in group),
            None,
            direction(measure),
        )
        for measure in (CLASS_MEASURES if classes else REGRESSION_MEASURES)
        for (rows, change, amount), group in records.items()
        for method in METHODS
    ]
    title = f"Rows in order of time, {'classes' if classes else 'regression'}"
    return ResultTable("li", number, title, ("measure", "rows", "change"), tuple(cells), NOTES)


def drift_tallies(context: RunContext) -> ResultTable:
    """Table 14: time memberships against the plain machine on all rows and on late ones."""
    cells = []
    for classes in (True, False):
        records = drift_records(context, classes)
        measure = (CLASS_MEASURES if classes else REGRESSION_MEASURES)[0]
        for changed in (False, True):
            groups = [group for (_, _, amount), group in records.items() if (amount > 0) == changed]
            for membership in TIMES:
                for other in SHARES:
                    row = (
                        f"{'classes' if classes else 'regression'}, {measure}",
                        "some" if changed else "none",
                        membership,
                        other,
                    )
                    found = compared(row, groups, membership, other, (measure,))
                    cells += [
                        Cell(row, cell.measure.removeprefix(f"{measure}: "), cell.ours, None, "neither")
                        for cell in found
                    ]
    labels = ("task", "change", "membership", "against")
    title = "Rows in order of time: paired comparisons of time memberships"
    return ResultTable("li", "14", title, labels, tuple(cells), (RULE,))


TABLES: dict[str, Callable[[RunContext], ResultTable]] = {
    "12": lambda context: drift_table(context, "12", classes=True),
    "13": lambda context: drift_table(context, "13", classes=False),
    "14": drift_tallies,
}
"""By number."""
