"""The content of listed rows: the columns that tell most, beside those of the rows to compare with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype
from sklearn.utils import gen_batches

from rowtrust.contracts import Array, Indices
from rowtrust.workflow.fitting import FittedModel
from rowtrust.workflow.flagged import neighbour_names
from rowtrust.workflow.tables.schema import MISSING

SHOWN_ROWS = 50
"""Listed rows whose content is looked at; more are read in a table, not by eye. It bounds the time."""

SHOWN_COLUMNS = 5
"""Telling columns of a row; readability alone."""

MOST_CELLS = 2_000_000
"""Cells that are asked for at once: 16 MB as numbers, some copies of them. Of 50 rows and 3000 columns all at
once took 2.6 GiB."""

MOST_PREDICTIONS = 20_000
"""Rows that are predicted to find the telling columns. With 50 rows that is 400 columns; of a wider table
only the first ones are tried. It bounds the time."""

LEAST_EFFECT = 0.02
"""Columns whose effect is a smaller share of the greatest one are not shown; readability alone."""

FAR = 0.25
"""Numbers that are so many standard deviations of their column apart differ to the eye; readability alone."""

LONG = 1e4
"""Numbers from here on are written without a decimal point; readability alone."""

LEAST_PROBABILITY = 1e-9
"""Below it probabilities are alike; a guard of the logarithm."""


@dataclass(frozen=True)
class Cell:
    """A cell of a row to compare with, and whether it differs from the listed row's."""

    value: Any
    differs: bool


@dataclass(frozen=True)
class TellingColumn:
    """A column of a listed row, with the cells of the rows to compare with."""

    name: str
    value: Any
    others: list[Cell]


@dataclass(frozen=True)
class Content:
    """What a listed row holds.

    Attributes
    ----------
    rows
        Numbers of the rows to compare with: for classes the one of the likely class first.
    targets
        Their targets.
    columns
        The telling columns, those first that move the prediction most.
    names
        Names of the rows to compare with; empty where rows have none.
    """

    rows: list[int]
    targets: list[Any]
    columns: list[TellingColumn]
    names: list[Any] = field(default_factory=list)


def contents(model: FittedModel, ranking: pd.DataFrame) -> dict[int, Content]:
    """Return the content of the first rows of a ranking, by their numbers in the file.

    A column tells if the prediction moves when its cell is replaced: for classes by that of the nearest row
    of the class as given, for numbers by the column's middle value.

    Parameters
    ----------
    model
        The model that judged them.
    ranking
        Rows of the table that ``rank_rows`` returns.
    """
    ranking = ranking.head(SHOWN_ROWS)
    if not len(ranking):
        return {}
    names = neighbour_names(model.task)
    if model.task == "classification":
        names = names[::-1]
    place = {int(number): row for row, number in enumerate(model.train.rows)}
    rows = np.array([place[int(number)] for number in ranking.index], dtype=np.intp)
    others = np.array(
        [[place.get(number, -1) for number in ranking[name].fillna(0)] for name in names], dtype=np.intp
    )
    effects = effects_of_cells(model, rows, others[-1])
    spread = spreads(model.train.X)
    return {
        int(model.train.rows[row]): content(
            model, row, [each for each in beside if each >= 0], effect, spread
        )
        for row, beside, effect in zip(rows, others.T, effects, strict=True)
    }


def content(
    model: FittedModel, row: int, beside: list[int], effect: Array, spread: dict[str, float]
) -> Content:
    """Return the content of one row, with the columns of greatest effect."""
    X, train = model.train.X, model.train
    beside = list(dict.fromkeys(beside))
    order = np.argsort(-effect, kind="stable")[:SHOWN_COLUMNS]
    kept = [place for place in order if effect[place] >= LEAST_EFFECT * effect[order[0]]]
    columns = []
    dates = model.schema.of_kind("date")
    for place in kept:
        values, name = X.iloc[:, place], str(X.columns[place])
        cells = [
            Cell(
                shown(values.iloc[other], name in dates),
                differ(values.iloc[row], values.iloc[other], spread.get(name)),
            )
            for other in beside
        ]
        columns.append(TellingColumn(name, shown(values.iloc[row], name in dates), cells))
    names = [] if train.ids is None else [train.ids[each] for each in beside]
    numbers = [int(train.rows[each]) for each in beside]
    return Content(numbers, [train.y[each] for each in beside], columns, names)


def effects_of_cells(model: FittedModel, rows: Indices, others: Indices) -> Array:
    """Return how far the prediction of each row moves when one cell is replaced, of shape (rows, columns)."""
    X = model.train.X
    n_columns = min(X.shape[1], max(1, MOST_PREDICTIONS // len(rows)))
    said = [spoken(model, X.iloc[rows], rows)]
    for places in gen_batches(n_columns, max(1, MOST_CELLS // (X.shape[1] * len(rows)))):
        copies = [with_other_cells(model, rows, others, each) for each in range(places.start, places.stop)]
        said.append(spoken(model, pd.concat(copies), np.tile(rows, len(copies))))
    moved = np.abs(np.concatenate(said[1:]).reshape(n_columns, len(rows)) - said[0]).T
    return np.pad(moved, ((0, 0), (0, X.shape[1] - n_columns)))


def with_other_cells(model: FittedModel, rows: Indices, others: Indices, place: int) -> pd.DataFrame:
    """Return rows with the cells of one column replaced."""
    X = model.train.X
    values = X.iloc[:, place]
    cells = values.iloc[others].to_numpy(copy=True)
    if model.task == "regression" or (others < 0).any():
        nobody = others < 0 if model.task == "classification" else np.ones(len(rows), dtype=bool)
        cells[nobody] = middle(values)
    copy = X.iloc[rows].copy()
    copy.isetitem(place, pd.Series(cells, index=copy.index, dtype=values.dtype))
    return copy


def spoken(model: FittedModel, X: pd.DataFrame, rows: Indices) -> Array:
    """Return what the model says of rows: the log probability of the label as given, or the mean."""
    found = model.predict(X)
    if isinstance(found, tuple):
        return found[0]
    given = found[np.arange(len(rows)), model.labels(model.train.y[rows])]
    return np.asarray(np.log(np.maximum(given, LEAST_PROBABILITY)))


def shown(value: Any, is_date: bool) -> Any:
    """Return a cell as people read it: days since 1970 as a date."""
    if not is_date or pd.isna(value):
        return value
    time = (pd.Timestamp(0) + pd.Timedelta(days=float(value))).round("s")
    return time.strftime("%Y-%m-%d" if time == time.normalize() else "%Y-%m-%d %H:%M")


def middle(values: pd.Series[Any]) -> Any:
    """Return a value from the middle of a column, one that stands in it: the median, or the commonest."""
    present = values.dropna()
    if not len(present):
        return values.iloc[0]
    if is_numeric_dtype(values.dtype) and not is_bool_dtype(values.dtype):
        return present.quantile(0.5, interpolation="nearest")
    return present.mode().iloc[0]


def spreads(X: pd.DataFrame) -> dict[str, float]:
    """Return the standard deviation of every column of numbers."""
    return {
        str(name): float(X[name].std())
        for name in X.columns
        if is_numeric_dtype(X[name].dtype) and not is_bool_dtype(X[name].dtype)
    }


def differ(one: Any, other: Any, spread: float | None) -> bool:
    """Whether two cells of a column differ to the eye; a gap, of which nothing is known, does not."""
    if any(pd.isna(each) or each == MISSING for each in (one, other)):
        return False
    return bool(one != other) if spread is None else bool(abs(one - other) > FAR * spread)


def in_words(found: Content) -> str:
    """Return the content in a line, as ``age 71 (33; 35)``: in brackets the rows to compare with."""
    return ", ".join(
        f"{each.name} {plainly(each.value)}"
        + (f" ({'; '.join(plainly(cell.value) for cell in each.others)})" if each.others else "")
        for each in found.columns
    )


def plainly(value: Any) -> str:
    """Return a cell for people: numbers with about four digits, a dash for a gap."""
    if pd.isna(value):
        return "\u2013"
    if isinstance(value, float | np.floating):
        return f"{value:.4g}" if -LONG < float(value) < LONG else f"{value:,.0f}"
    return str(value)
