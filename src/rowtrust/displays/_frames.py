"""Rows as users have them: arrays, sparse matrices, and tables of pandas and polars."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_consistent_length, column_or_1d

from rowtrust.contracts import Array
from rowtrust.displays.looks import listed

NUMBERS = "iuf"
"""Kinds of NumPy's types that are numbers with a middle: whole ones and others, no truth values."""


def is_pandas(X: Any) -> bool:
    """Return whether rows are a dataframe of pandas, or one that behaves like it."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def is_polars(X: Any) -> bool:
    """Return whether rows are a dataframe of polars."""
    return hasattr(X, "with_columns") and hasattr(X, "schema")


def refuse_absent_rows(X: Any) -> None:
    """Refuse rows that are not in memory, and say how they get there."""
    for method in ("compute", "collect"):
        if hasattr(X, method) and not hasattr(X, "to_pandas"):
            raise TypeError(
                f"the rows of this {type(X).__name__} are not in memory, and a picture needs them there. "
                f"Give X.{method}(), of many rows a sample of them."
            )


def dense(X: Any) -> Array:
    """Return rows as an array of numbers, missing values as NaN, or say which column holds others."""
    refuse_absent_rows(X)
    if issparse(X):
        return np.asarray(X.toarray(), dtype=float)
    if is_pandas(X) or is_polars(X):
        columns = [numbers_of(X, place) for place in range(X.shape[1])]
        return np.column_stack(columns) if columns else np.empty((len(X), 0))
    return np.asarray(X, dtype=float)


def numbers_of(X: Any, place: int) -> Array:
    """Return one column as numbers, missing values as NaN."""
    refuse_absent_rows(X)
    name = place
    try:
        if is_pandas(X):
            name = X.columns[place]
            return np.asarray(X.iloc[:, place].to_numpy(dtype=float, na_value=np.nan))
        if is_polars(X):
            name = X.columns[place]
            return np.asarray(X[name].to_numpy(), dtype=float)
        column = X[:, [place]].toarray()[:, 0] if issparse(X) else np.asarray(X)[:, place]
        return np.asarray(column, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the column {name!r} holds no numbers to draw. Choose another one.") from error


def column_names(X: Any) -> list[str] | None:
    """Return the names of a dataframe's columns; None where there are none."""
    columns = getattr(X, "columns", None)
    return None if columns is None else [str(name) for name in columns]


def name_of(X: Any, place: int) -> str:
    """Return the name of a column, its number where it has none."""
    names = column_names(X)
    return f"input {place}" if names is None else names[place]


def position_of(column: int | str, X: Any) -> int:
    """Return which column is meant: strings are names, whole numbers are positions, from the end below 0."""
    names, shape = column_names(X), np.shape(X)
    if isinstance(column, str):
        if names is None or column not in names:
            there = "X has no names" if names is None else f"there are {listed(names, 20)}"
            raise ValueError(f"there is no column {column!r}: {there}. Give a name of X, or a position.")
        return names.index(column)
    try:
        place = index(column)
    except TypeError:
        raise TypeError(f"column must be a name or a position, got {column!r}.") from None
    if len(shape) != 2 or not -shape[1] <= place < shape[1]:
        raise ValueError(f"there is no column {column} in X of shape {shape}. Columns count from 0.")
    return int(place % shape[1])


def framed_like(X: Any, values: NDArray[Any]) -> Any:
    """Return values as a dataframe with the columns of X where that is one of pandas or of polars."""
    if is_pandas(X):
        return type(X)(values, columns=X.columns)
    return type(X)(values, schema=list(X.columns), orient="row") if is_polars(X) else values


def replaced(X: Any, place: int, values: Array) -> Any:
    """Return rows with one column replaced by numbers; the others keep their types."""
    if is_pandas(X):
        frame = X.copy()
        frame.isetitem(place, values)
        return frame
    if is_polars(X):
        name = X.columns[place]
        return X.with_columns(type(X[name])(name, values))
    rows = np.array(dense(X) if issparse(X) else X)
    rows = rows if rows.dtype == object else rows.astype(float)
    rows[:, place] = values
    return rows


def typical(X: Any, count: int) -> Any:
    """Return one row many times, in the types of X: medians of numbers, the most frequent of other values.

    A median of whole numbers is one of them, so that the column keeps its type.
    """
    if is_pandas(X):
        rows = X.iloc[np.zeros(count, dtype=int)].reset_index(drop=True)
        for place in range(X.shape[1]):
            rows.isetitem(place, typical_of_pandas(X.iloc[:, place], count))
        return rows
    if is_polars(X):
        return type(X)(
            {name: [typical_of_polars(X[name])] * count for name in X.columns}, schema=dict(X.schema)
        )
    return np.tile(np.nanmedian(dense(X), axis=0), (count, 1))


def typical_of_pandas(column: Any, count: int) -> Any:
    """Return the typical value of a column of pandas, many times, in the column's type."""
    kind = column.dtype.kind
    if kind in NUMBERS:
        value = column.median() if kind == "f" else column.quantile(interpolation="lower")
        return type(column)(np.full(count, value), dtype=column.dtype)
    frequent = column.mode(dropna=True)
    if not len(frequent):  # nothing but missing values
        return column.iloc[np.zeros(count, dtype=int)].reset_index(drop=True)
    return frequent.iloc[np.zeros(count, dtype=int)].reset_index(drop=True)


def typical_of_polars(column: Any) -> Any:
    """Return the typical value of a column of polars."""
    if column.dtype.is_numeric():
        value = column.fill_nan(None).median() if column.dtype.is_float() else column.quantile(0.5, "lower")
        return int(value) if column.dtype.is_integer() and value is not None else value
    frequent = column.drop_nulls().mode().sort()
    return frequent[0] if len(frequent) else None


def checked_labels(y: Any, X: Any, classes: Any = None) -> NDArray[Any]:
    """Return one label per row; raise if any is unknown."""
    labels = np.asarray(column_or_1d(y))
    check_consistent_length(X, labels)
    if classes is not None:
        unknown = [label for label in unique(labels) if not np.any(np.asarray(classes) == label)]
        if unknown:
            raise ValueError(
                f"y holds labels that are none of the classes: {listed(map(repr, unknown))}. The classes are "
                f"{listed(map(repr, unique(classes)))}: give labels of these, leave the other rows out, or "
                "leave y out."
            )
    return labels


def unique(labels: Any) -> list[Any]:
    """Return the values among labels, of whatever types, in the order in which they come."""
    return list(dict.fromkeys(np.asarray(labels).tolist()))


def checked_targets(y: Any, X: Any) -> Array:
    """Return one number per row."""
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] > 1:
        raise ValueError(
            f"y must hold one number per row, got an array of shape {values.shape}. Draw one target, such as "
            "y[:, 0], with the estimator that was fitted to it."
        )
    check_consistent_length(X, values)
    return np.asarray(column_or_1d(values), dtype=float)


def checked_resolution(resolution: Any) -> int:
    """Return how many points a grid has along a side: at least its two ends."""
    try:
        count = index(resolution)
    except TypeError:
        raise TypeError(f"grid_resolution must be a whole number, got {resolution!r}.") from None
    if count < 2:
        raise ValueError(f"grid_resolution must be 2 or more, got {count}.")
    return count
