"""One column: numbers, categories, dates, prose, names of the rows, or nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import infer_dtype, is_datetime64_any_dtype, is_float_dtype, is_integer_dtype

from rowtrust.workflow.tables.cells import MISSING_WORDS, Numbers, in_words, is_text, parse_numbers
from rowtrust.workflow.tables.dates import date_reading, parse_dates
from rowtrust.workflow.tables.readings import parsed_cell, reading_of

MOST_UNREADABLE = 0.1
"""Share of a column of numbers that may be other text and counts as missing; taken over without a study."""

ALIKE_SHARE = 0.9
"""Share of a column's words that must look like dates; taken over without a study."""

LOOKED_AT = 1000
"""Words that are looked at for dates and for how numbers are written; more take time and say the same."""

FEW_WORDS = 20
"""So many different words are always categories: even a small table can have more rows than that."""

COUNTED_ROWS = 10
"""Rows from which on numbers that rise by one are a count of the rows; fewer may rise by chance."""

MOST_LIMITS = 0.5
"""Share of a column of numbers that may be detection limits, unless there are some different numbers beside
them: "<5" and ">=5" alone are two categories. Not studied."""

SOME_NUMBERS = 5
"""Different plain numbers that make a column one of numbers however many limits it has. Not studied."""

ID_SHARE = 0.95
"""Share of the rows in which an ID is another one than in all others: some rows may be there twice. Not
studied."""

ID_ROWS = 20
"""Rows from which on whole numbers or codes that name nearly all of them are IDs; fewer differ by chance."""

ID_WORDS = frozenset(
    ("id", "ids", "no", "nr", "num", "number", "code", "key", "index", "uuid", "guid", "identifier", "ref")
)
"""Words at the end of the names of columns that hold IDs."""

TIMES = frozenset(("year", "month", "week", "day", "hour", "time", "date", "years", "days", "hours", "age"))
"""Words at the end of the names of columns that may rise by one from row to row and are no IDs."""

ID_ENDINGS = re.compile(
    r"(patient|customer|client|user|row|record|sample|case|order|product|subject)(id|no|nr)"
)
"""Such names without a mark between their words."""

CODE = r"\s*\S*\d\S*\s*"
"""What codes look like, unlike prose: a digit, and no blanks within."""

DATE = (
    r"\s*(\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"
    r"|\d{1,2}[ -][A-Za-z]{3,9}[ ,-]+\d{2,4}"
    r"|[A-Za-z]{3,9} \d{1,2},? \d{4}).*"
)
"""What dates look like: 2020-01-31, 31/1/2020 12:00, 31 Jan 2020, Jan 31, 2020."""


@dataclass(frozen=True)
class Look:
    """What a column was found to be.

    Attributes
    ----------
    kind
        "number", "category" or "date", or why the column is none of them.
    reading
        How its cells are read: see ``readings`` and ``dates``.
    numbers, dates
        What it says as numbers, and as dates if it holds dates.
    """

    kind: str
    reading: str
    numbers: Numbers
    dates: Numbers | None = None


def find_kind(values: pd.Series[Any]) -> str:
    """Return "number", "category" or "date", or why the column is none of them."""
    return look_at(values).kind


def look_at(values: pd.Series[Any], comma: bool = False) -> Look:
    """Find out what a column is.

    Parameters
    ----------
    values
        The column.
    comma
        Whether other columns have decimal commas: decides where this one leaves it open.
    """
    values = in_words(values)
    reading, numbers = find_numbers(values, comma)
    if not numbers.n_spoken:
        return Look("all missing", "", numbers)
    if is_datetime64_any_dtype(values.dtype):
        return look_at_dates(values, numbers)
    if numbers.word_share <= MOST_UNREADABLE:
        kind = kind_of_numbers(numbers.values, values)
        return Look(kind, reading, numbers)
    if not is_text(values) and (kind := infer_dtype(values, skipna=True)) != "string":
        if kind.startswith("date"):
            return look_at_dates(values, numbers)
        if kind != "categorical":
            return Look("neither numbers nor text", "", numbers)
    words = values.dropna().astype(str)
    if words.iloc[:LOOKED_AT].str.fullmatch(DATE).mean() > ALIKE_SHARE:
        found = look_at_dates(words, numbers)
        if found.dates is not None and found.dates.n_unreadable <= MOST_UNREADABLE * len(words):
            return found
    return Look(kind_of_words(words), "", numbers)


def look_at_dates(values: pd.Series[Any], numbers: Numbers) -> Look:
    """Return a column of dates, unless all are the same."""
    reading = date_reading(values.dropna().astype(str)) if is_text(values) else ""
    dates = parse_dates(values, reading)
    present = dates.values[~np.isnan(dates.values)]
    same = len(present) > 1 and bool((present == present[0]).all())
    return Look("constant" if same else "date", reading, numbers, dates)


def find_numbers(values: pd.Series[Any], comma: bool = False) -> tuple[str, Numbers]:
    """Return how the words of a column are read as numbers, and what they say so; "" if they are words."""
    values = in_words(values)
    strict = parse_numbers(values)
    if not strict.n_unreadable or not is_text(values):
        return "", strict
    words = values.dropna().str.strip()
    counts = words[~words.isin(list(MISSING_WORDS))].value_counts()
    odd = counts[parse_numbers(pd.Series(counts.index, dtype="str")).values_are_nan]
    sample = odd.index[:LOOKED_AT]
    if not any(parsed_cell(word) is not None for word in sample):
        return "", strict
    n_plain = strict.n_spoken - strict.n_unreadable
    reading = reading_of(odd.to_dict(), n_plain, counts.index.difference(odd.index)[:LOOKED_AT], comma)
    found = parse_numbers(values, reading)
    plain = found.n_spoken - found.n_unreadable - found.n_limits
    enough = found.n_limits <= MOST_LIMITS * found.n_spoken or n_distinct(strict.values) >= SOME_NUMBERS
    is_numbers = found.word_share <= MOST_UNREADABLE and plain > 0 and enough
    return (reading, found) if is_numbers else ("", strict)


def n_distinct(numbers: NDArray[np.float64]) -> int:
    """Return how many different numbers there are."""
    return len(np.unique(numbers[~np.isnan(numbers)]))


def kind_of_numbers(numbers: NDArray[np.float64], values: pd.Series[Any]) -> str:
    """Return "number", unless the column is constant or names the rows, all of which need not be there."""
    present = numbers[~np.isnan(numbers)]
    if not len(present):
        return "all missing"
    if len(present) > 1 and (present == present[0]).all() and len(present) == len(numbers):
        return "constant"
    is_time = words_of_name(str(values.name))[-1] in TIMES
    if len(numbers) >= COUNTED_ROWS and not is_time and (np.diff(numbers) == np.diff(values.index)).all():
        return "row number"
    return "id" if are_ids(present, values) else "number"


def are_ids(present: NDArray[np.float64], values: pd.Series[Any]) -> bool:
    """Whether numbers are names of the rows: whole, nearly all different, and called so or rising by one."""
    if len(present) < ID_ROWS or is_float_dtype(values.dtype) or not (present == np.round(present)).all():
        return False
    if n_distinct(present) < ID_SHARE * len(present):
        return False
    if not is_integer_dtype(values.dtype) and values.dropna().astype(str).str.contains(r"[.eE%]").any():
        return False
    words = words_of_name(str(values.name))
    counts = bool((np.diff(present) == 1).all()) and words[-1] not in TIMES
    return counts or is_called_id(words)


def words_of_name(name: str) -> list[str]:
    """Return the words in a column's name, in small letters; there is at least one."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", name)
    return [part.lower() for part in parts] or [""]


def is_called_id(words: list[str]) -> bool:
    """Whether a column is called as IDs are: PassengerId, sample_no, code."""
    return words[-1] in ID_WORDS or ID_ENDINGS.fullmatch("".join(words)) is not None


def kind_of_words(words: pd.Series[Any]) -> str:
    """Return "category", "constant", or for words that name nearly every row "id" or "text"."""
    n_different = words.nunique()
    if n_different > max(FEW_WORDS, len(words) / 2):
        are_codes = n_different >= ID_SHARE * len(words) and words.iloc[:LOOKED_AT].str.fullmatch(CODE).all()
        return "id" if are_codes else "text"
    return "category" if n_different > 1 else "constant"
