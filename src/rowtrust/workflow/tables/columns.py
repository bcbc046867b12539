"""One column: numbers, categories, dates, prose, a row count, or nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import infer_dtype, is_datetime64_any_dtype

from rowtrust.workflow.tables.cells import Numbers, parse_numbers

MOST_UNREADABLE = 0.1
"""Share of a column of numbers that may be other text and counts as missing; taken over without a study."""

ALIKE_SHARE = 0.9
"""Share of a column's words that must look like dates, or like decimal commas; taken over without a study."""

LOOKED_AT = 1000
"""Words that are looked at for dates and decimal commas; more take time and say the same."""

FEW_WORDS = 20
"""So many different words are always categories: even a small table can have more rows than that."""

COUNTED_ROWS = 10
"""Rows from which on numbers that rise by one are a count of the rows; fewer may rise by chance."""

DATE = (
    r"\s*(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"
    r"|\d{1,2}[ -][A-Za-z]{3,9}[ ,-]+\d{2,4}"
    r"|[A-Za-z]{3,9} \d{1,2},? \d{4}).*"
)
"""What dates look like: 2020-01-31, 31/1/2020 12:00, 31 Jan 2020, Jan 31, 2020."""

COMMA_NUMBER = r"\s*[+-]?\d{1,3}(\.?\d{3})*,\d+\s*"
"""What numbers with a decimal comma look like: 1,5 and 2.000,25."""


def find_kind(values: pd.Series[Any], numbers: Numbers | None = None) -> str:
    """Return "number" or "category", or why the column is neither.

    Parameters
    ----------
    values
        The column.
    numbers
        What it says as numbers, if that is known.
    """
    numbers = parse_numbers(values) if numbers is None else numbers
    if not numbers.n_spoken:
        return "all missing"
    if is_datetime64_any_dtype(values.dtype):
        return "date"
    if numbers.word_share <= MOST_UNREADABLE:
        return kind_of_numbers(numbers.values, values.index)
    if values.dtype == object and (kind := infer_dtype(values, skipna=True)) != "string":
        return "date" if kind.startswith("date") else "neither numbers nor text"
    return kind_of_words(values.dropna().astype(str))


def kind_of_numbers(numbers: NDArray[np.float64], index: pd.Index[Any]) -> str:
    """Return "number", unless the column is constant or counts the rows, all of which need not be there."""
    present = numbers[~np.isnan(numbers)]
    if not len(present):
        return "all missing"
    if len(present) > 1 and (present == present[0]).all() and len(present) == len(numbers):
        return "constant"
    if len(numbers) >= COUNTED_ROWS and (np.diff(numbers) == np.diff(index)).all():
        return "row number"
    return "number"


def kind_of_words(words: pd.Series[Any]) -> str:
    """Return "category", "text", "date" or "decimal comma"."""
    sample = words.iloc[:LOOKED_AT]
    if sample.str.fullmatch(COMMA_NUMBER).mean() > ALIKE_SHARE:
        return "decimal comma"
    if sample.str.fullmatch(DATE).mean() > ALIKE_SHARE:
        return "date"
    n_different = words.nunique()
    if n_different > max(FEW_WORDS, len(words) / 2):
        return "text"
    return "category" if n_different > 1 else "constant"
