"""After Li et al. (2008): tables of regression with outliers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from papers.context import RunContext
from papers.experiments import Record
from papers.li.paired import RULE, direction
from papers.li.plan import Side, regression_records
from papers.li.regression import (
    COVERAGE,
    FARTHEST,
    MEASURES,
    METHODS,
    NEAREST,
    RESIDUAL,
    TEST_ROWS,
    TRAINING_ROWS,
)
from papers.li.table_pairs import compared
from papers.tables import Cell, Number, ResultTable

NOTES = (
    (
        f"Training targets of a share of the {TRAINING_ROWS} rows are moved by {NEAREST:g} to {FARTHEST:g} "
        f"standard deviations, up or down, or all up; the up to {TEST_ROWS} test rows are clean. Errors and "
        "widths are in standard deviations of the clean training targets."
    ),
    (
        "RVR, fuzzy RVR, robust RVR and Bayesian SVR with their defaults; SVR by 5-fold absolute error; GP "
        "is scikit-learn's Gaussian process with a length scale per input and Gaussian noise."
    ),
)
"""What a reader of the tables must know."""

JUDGED = ("RMSE", "MAE")
"""Measures that have a better side."""


def is_measured(records: list[Record], method: str, measure: str) -> bool:
    """Tell whether a method has a measure: some have no intervals."""
    return all(measure in record[method] for record in records)


def outlier_words(share: float, one_sided: bool) -> str:
    """Return what the tables call the outliers of a problem."""
    if share == 0:
        return "none"
    return f"{100 * share:g} %{', all up' if one_sided else ''}"


def error_table(context: RunContext) -> ResultTable:
    """Table 9: RMSE of every method by problem."""
    cells = [
        Cell(
            (name, outlier_words(share, one_sided)),
            method,
            Number.of(record[method]["RMSE"] for record in records),
            None,
            "lower",
            rival=method in ("SVR", "GP"),
        )
        for (name, share, one_sided), records in regression_records(context).items()
        for method in METHODS
    ]
    title = "Regression with outliers: RMSE on clean rows"
    return ResultTable("li", "9", title, ("data", "outliers"), tuple(cells), NOTES)


def by_outliers(context: RunContext) -> dict[str, dict[Side, list[Record]]]:
    """Return the records by what the outliers are, then by problem."""
    found: dict[str, dict[Side, list[Record]]] = {}
    for side, records in regression_records(context).items():
        found.setdefault(outlier_words(*side[1:]), {})[side] = records
    return found


def interval_table(context: RunContext) -> ResultTable:
    """Table 10: all measures over all problems, by share of outliers."""
    cells = []
    for words, groups in by_outliers(context).items():
        for method in METHODS:
            for measure in MEASURES:
                values = [
                    float(np.mean([record[method][measure] for record in records]))
                    for records in groups.values()
                    if is_measured(records, method, measure)
                ]
                cells.append(Cell((words, method), measure, Number.of(values), None, direction(measure)))
    notes = (
        "Means over the problems of the means over repeats; in brackets the spread of problems.",
        f"The intervals shall cover {100 * COVERAGE:g} % of the clean rows; SVR has none.",
    )
    title = "Regression with outliers: errors and intervals"
    return ResultTable("li", "10", title, ("outliers", "method"), tuple(cells), notes)


def outlier_tallies(context: RunContext) -> ResultTable:
    """Table 11: on how many problems the fuzzy machine is better than each other."""
    cells = [
        cell
        for words, groups in by_outliers(context).items()
        for other in METHODS
        if other != RESIDUAL
        for cell in compared((words, other), groups.values(), RESIDUAL, other, JUDGED)
    ]
    title = f"Regression with outliers: paired comparisons of {RESIDUAL}"
    return ResultTable("li", "11", title, ("outliers", "against"), tuple(cells), (RULE,))


TABLES: dict[str, Callable[[RunContext], ResultTable]] = {
    "9": error_table,
    "10": interval_table,
    "11": outlier_tallies,
}
"""By number."""
