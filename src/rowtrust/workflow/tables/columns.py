"""One column: numbers, categories, dates, prose, a row count, or nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype

from rowtrust.workflow.tables.cells import as_numbers, spoken, unreadable_share

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


def find_kind(values: pd.Series[Any]) -> str:
    """Return "number" or "category", or why the column is neither."""
    present = values.dropna()
    if not len(spoken(present)):
        return "all missing"
    if is_datetime64_any_dtype(present.dtype):
        return "date"
    if unreadable_share(present) <= MOST_UNREADABLE:
        return kind_of_numbers(values)
    return kind_of_words(present.astype(str))


def kind_of_numbers(values: pd.Series[Any]) -> str:
    """Return "number", unless the column is constant or counts the rows, all of which need not be there."""
    numbers = as_numbers(values).to_numpy()
    present = numbers[~np.isnan(numbers)]
    if len(present) > 1 and (present == present[0]).all() and len(present) == len(numbers):
        return "constant"
    if len(numbers) >= COUNTED_ROWS and (np.diff(numbers) == np.diff(values.index)).all():
        return "row number"
    return "number"


def kind_of_words(words: pd.Series[Any]) -> str:
    """Return "category", "text", "date" or "decimal comma"."""
    sample = words.iloc[:LOOKED_AT]
    if sample.str.fullmatch(COMMA_NUMBER).mean() > ALIKE_SHARE:
        return "decimal comma"
    if sample.str.fullmatch(DATE).mean() > ALIKE_SHARE:
        return "date"
    if words.nunique() > max(FEW_WORDS, len(words) / 2):
        return "text"
    return "category" if words.nunique() > 1 else "constant"
