"""A column that orders the rows in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import infer_dtype, is_datetime64_any_dtype, is_numeric_dtype

from rowtrust.workflow.tables import InputError
from rowtrust.workflow.tables.cells import parse_numbers
from rowtrust.workflow.tables.columns import MOST_UNREADABLE

DAY_FIRST, MONTH_FIRST = True, False
"""The two ways to read dates such as 3/4/2020; the second where both are possible, as pandas does."""

SECONDS = 1e9
"""Nanoseconds of a second."""


@dataclass(frozen=True)
class Times:
    """Places of rows in time.

    Attributes
    ----------
    values
        Seconds since 1970, or the numbers themselves; NaN where there is none.
    first, last
        The earliest and the latest, in words.
    ambiguous
        Whether days and months might be read the other way round.
    """

    values: NDArray[np.float64]
    first: str
    last: str
    ambiguous: bool = False


def times_of(column: pd.Series[Any]) -> Times:
    """Read a column as times: dates, texts that are dates, or numbers.

    A few cells may be unreadable and count as missing.
    """
    if not column.notna().any():
        raise InputError(f"the column '{column.name}' of --time has no value. Name another column.")
    if is_datetime64_any_dtype(column.dtype) or infer_dtype(column, skipna=True).startswith("date"):
        return as_times(pd.to_datetime(column, utc=True))
    numbers = parse_numbers(column)
    if is_numeric_dtype(column.dtype) or numbers.word_share <= MOST_UNREADABLE:
        return in_order(numbers.values, lambda value: f"{value:.10g}", str(column.name))
    words = column.astype(object).map(str, na_action="ignore")
    month_first, day_first = read_dates(words, MONTH_FIRST), read_dates(words, DAY_FIRST)
    best = month_first if month_first.notna().sum() >= day_first.notna().sum() else day_first
    if best.isna().sum() - words.isna().sum() > MOST_UNREADABLE * words.notna().sum():
        example = words[best.isna() & words.notna()].iloc[0]
        raise InputError(
            f"the column '{column.name}' of --time holds '{example}', which is neither a date nor a number. "
            "Write dates as 2020-01-31, or name another column."
        )
    both = month_first.notna().all() and day_first.notna().all()
    return as_times(best, ambiguous=bool(both and (month_first != day_first).any()))


def read_dates(words: pd.Series[Any], day_first: bool) -> pd.Series[Any]:
    """Read words as dates that are all written in one way, or as ISO 8601 has them."""
    usual = pd.to_datetime(words, format="ISO8601", utc=True, errors="coerce")
    if usual.notna().sum() >= (1.0 - MOST_UNREADABLE) * words.notna().sum():
        return usual
    separator = r"(\d{1,4})[./-](\d{1,2})[./-](\d{2,4})"
    parts = words.str.replace(separator, r"\1/\2/\3", regex=True)
    first = "%d/%m" if day_first else "%m/%d"
    best = usual
    for year in ("%Y", "%y"):
        for clock in ("", " %H:%M", " %H:%M:%S"):
            found = pd.to_datetime(parts, format=f"{first}/{year}{clock}", utc=True, errors="coerce")
            best = found if found.notna().sum() > best.notna().sum() else best
    if not best.notna().any():  # 31 Jan 2020 and the like
        best = pd.to_datetime(words, format="mixed", utc=True, errors="coerce", dayfirst=day_first)
    return best


def as_times(dates: pd.Series[Any], ambiguous: bool = False) -> Times:
    """Return dates as seconds."""
    values = dates.astype("datetime64[ns, UTC]").astype("int64").to_numpy(dtype=float) / SECONDS
    values = np.where(dates.isna(), np.nan, values)

    def word(seconds: float) -> str:
        return str(pd.Timestamp(seconds, unit="s").strftime("%Y-%m-%d %H:%M")).removesuffix(" 00:00")

    return in_order(values, word, str(dates.name), ambiguous)


def in_order(values: NDArray[np.float64], word: Any, name: str, ambiguous: bool = False) -> Times:
    """Return times with the first and the last in words; refuse a column of a single one."""
    first, last = float(np.nanmin(values)), float(np.nanmax(values))
    if first == last:
        raise InputError(
            f"the column '{name}' of --time is {word(first)} in every row: it puts nothing in order. Name "
            "another column."
        )
    return Times(values, word(first), word(last), ambiguous)
