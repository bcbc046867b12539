"""Cells as they were written, and what they say: which are missing, which are numbers."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype, is_bool_dtype, is_numeric_dtype

NAN = ("nan", "NaN", "-nan", "-NaN", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN")
"""How programs write a number that is none."""

MISSING_MARKS = frozenset(("", "?", "<NA>", "#N/A", "#NA", "#N/A N/A", "#NULL!", *NAN))
"""Text that is a missing cell wherever it stands: what programs write, and the mark of the UCI repository."""

MISSING_WORDS = frozenset(["None", "NA", "N/A", "n/a", "NULL", "null"])
"""Text that is a missing number among numbers, but a word among words: somebody's class is called None."""

TRUTHS = {"true": "1", "false": "0"}
"""Words that are numbers where a column has no others, in small letters."""


def is_text(values: pd.Series[Any]) -> bool:
    """Whether a column holds text, apart from gaps."""
    if is_numeric_dtype(values.dtype) or is_bool_dtype(values.dtype):
        return False
    return infer_dtype(values, skipna=True) in ("string", "empty")


def read_cells(cells: pd.DataFrame, decimal: str = ".", missing: Collection[str] = ()) -> pd.DataFrame:
    """Return a table with gaps where cells are missing, without spaces around text, with decimal points.

    Whether a text is a number or a word is not decided here: that hangs on its whole column.

    Parameters
    ----------
    cells
        As they were written.
    decimal
        The decimal mark.
    missing
        Words that stand for a missing cell, beside the usual ones.
    """
    marks = [*MISSING_MARKS, *missing]
    columns = [read_column(cells.iloc[:, place], decimal, marks) for place in range(cells.shape[1])]
    return pd.concat(columns, axis=1) if columns else cells


def read_column(values: pd.Series[Any], decimal: str, marks: Collection[str]) -> pd.Series[Any]:
    """Return one column of text so; others as they are."""
    if not is_text(values):
        return values
    words = values.str.strip()
    if decimal != ".":
        number = rf"^([+-]?[0-9]*){re.escape(decimal)}([0-9]+(?:[eE][+-]?[0-9]+)?)$"
        words = words.str.replace(number, r"\1.\2", regex=True)
    return words.mask(words.isin(marks), np.nan)


def as_numbers(values: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column as floats; what is no finite number is missing."""
    if not (is_numeric_dtype(values.dtype) or is_bool_dtype(values.dtype)):
        values = pd.to_numeric(truths_as_numbers(values).astype(object), errors="coerce")
    numbers = pd.Series(values.to_numpy(dtype=float, na_value=np.nan), index=values.index)
    return numbers.where(np.isfinite(numbers))


def truths_as_numbers(values: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column of true and false alone with 1 and 0 in their place, any other as it is."""
    if not is_text(values):
        return values
    words = values.str.strip().str.lower()
    spoken = words[~words.isin([word.lower() for word in MISSING_WORDS])].dropna()
    return words.map(lambda word: TRUTHS.get(word, word)) if spoken.isin(list(TRUTHS)).all() else values


def spoken(values: pd.Series[Any]) -> pd.Series[Any]:
    """Return the cells that are neither missing nor a word for that."""
    present = values.dropna()
    return present[~present.isin(list(MISSING_WORDS))] if is_text(present) else present


def unreadable_share(values: pd.Series[Any]) -> float:
    """Return the share of the cells that are neither missing nor numbers; one if there are only words."""
    if is_numeric_dtype(values.dtype) or is_bool_dtype(values.dtype):
        return 0.0
    said = spoken(values)
    if not len(said):
        return 1.0 if values.notna().any() else 0.0
    return float(as_numbers(said).isna().mean())
