"""Rows as a judge reads them: one column of numbers per number, and one per category."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.preprocessing import OneHotEncoder

from rowtrust.contracts import Array, Matrix
from rowtrust.trust import row_contents

MOST_CATEGORIES = 30
"""Categories of a column that get an input of their own; the rarest share one. As in the benchmarks' tables:
beyond are names or numbers of things."""


DIGEST = 6
"""Bytes of a number that stands for a row: as many as a double holds exactly."""


class JudgeInputs:
    """Turns what an estimator takes raw into numbers, as the rows of a fit say."""

    encoders: list[OneHotEncoder | None]

    def fit(self, X: Any) -> JudgeInputs:
        """Learn the categories of every column."""
        self.encoders = []
        if issparse(X) or is_numbers(X):
            return self
        for column in columns_of(X):
            encoder = None
            if as_numbers(column) is None:
                encoder = OneHotEncoder(
                    handle_unknown="infrequent_if_exist", max_categories=MOST_CATEGORIES, sparse_output=False
                ).fit(as_words(column))
            self.encoders.append(encoder)
        return self

    def transform(self, X: Any) -> Matrix:
        """Return rows; what is no number in a column of numbers is missing."""
        if issparse(X):
            return X
        if not self.encoders:
            return np.asarray(X, dtype=float)
        pairs = zip(self.encoders, columns_of(X), strict=True)
        return np.column_stack([encoded(encoder, column) for encoder, column in pairs])


class RowContents:
    """Turns rows of any kind, such as texts, into one number each: enough to know them again."""

    def transform(self, X: Any) -> Array:
        """Return a number for each row, equal for equal rows and for hardly any others."""
        digests = (blake2b(repr(key).encode(), digest_size=DIGEST).digest() for key in row_contents(X))
        return np.array([[float(int.from_bytes(each))] for each in digests])


def is_table(X: Any) -> bool:
    """Whether rows have columns; texts and pictures have none."""
    return issparse(X) or hasattr(X, "columns") or np.ndim(X) == 2


def encoded(encoder: OneHotEncoder | None, column: Any) -> Array:
    """Return the inputs of one column."""
    if encoder is not None:
        return np.asarray(encoder.transform(as_words(column)))
    numbers = as_numbers(column)
    return np.full(len(column), np.nan) if numbers is None else numbers


def is_numbers(X: Any) -> bool:
    """Whether rows are an array of numbers; frames are read column by column."""
    return not hasattr(X, "columns") and np.asarray(X).dtype.kind in "biuf"


def columns_of(X: Any) -> list[Any]:
    """Return the columns of a frame, or of rows of anything."""
    if hasattr(X, "columns"):
        return [X[name] for name in X.columns]
    rows = np.asarray(X, dtype=object)
    if rows.ndim != 2:
        raise ValueError(
            f"X must be a table, rows and columns; got {rows.ndim} axes. Turn texts into columns first, or "
            "let the estimator judge its rows itself: judge='own'."
        )
    return list(rows.T)


def as_numbers(column: Any) -> Array | None:
    """Return a column as numbers, None where it has words or was declared to have categories."""
    if str(getattr(column, "dtype", "")).lower().startswith(("category", "categorical", "enum")):
        return None
    values = np.asarray(column)
    if values.dtype.kind in "biuf":
        return values.astype(float)
    if values.dtype.kind in "mM":
        return np.where(np.isnat(values), np.nan, values.astype("int64").astype(float))
    try:
        return np.array([np.nan if is_missing(value) else float(value) for value in values])
    except (TypeError, ValueError):
        return None


def as_words(column: Any) -> NDArray[Any]:
    """Return a column as words: one word for a value, whatever is beside it, and none where it is missing."""
    return np.array([word_of(value) for value in np.asarray(column, dtype=object)], dtype=object)[:, None]


def word_of(value: Any) -> str:
    """Return a value as a word: a whole number that became a float beside missing ones is whole again."""
    if is_missing(value):
        return ""
    is_whole = isinstance(value, float | np.floating) and float(value).is_integer()
    return str(int(value)) if is_whole else str(value)


def is_missing(value: Any) -> bool:
    """Whether a cell is empty."""
    return value is None or str(value) in ("nan", "NaN", "<NA>", "NaT", "None")
