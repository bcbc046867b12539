"""Dates: which order day and month have, and days since 1970."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from rowtrust.workflow.tables.cells import Numbers

DAY_FIRST, MONTH_FIRST, UNSURE = "day first", "month first", "month first, unsure"
"""In which order numbers of days and months stand, as it is kept in model files."""

NUMERIC = re.compile(r"\s*(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?!\d)(.*)", re.DOTALL)
"""Dates in numbers alone, and what stands behind them."""

CENTURY = 69
"""Years of two digits are of this century below this number: the convention of POSIX."""

SHOWN = 3
"""Cells that are kept as examples; one line of a report."""


def date_reading(words: pd.Series[Any]) -> str:
    """Return the order of day and month in a column of dates; nothing where it does not matter."""
    days_first = months_first = either = points = 0
    for word, times in words.value_counts().items():
        found = NUMERIC.fullmatch(str(word))
        if found is None or len(found[1]) > 2:
            continue
        first, second = int(found[1]), int(found[3])
        days_first += int(times) * (first > 12 >= second)
        months_first += int(times) * (second > 12 >= first)
        either += int(times)
        points += int(times) * (found[2] == ".")
    if not either:
        return ""
    if days_first != months_first:
        return DAY_FIRST if days_first > months_first else MONTH_FIRST
    return DAY_FIRST if points == either else UNSURE


def parse_dates(values: pd.Series[Any], reading: str = "") -> Numbers:
    """Read a column as dates: days since 1970, in universal time where a zone is given.

    Parameters
    ----------
    values
        Dates, words, or days since 1970.
    reading
        The order of day and month.
    """
    if is_numeric_dtype(values.dtype):
        days = values.to_numpy(dtype=float, na_value=np.nan)
        return Numbers(np.where(np.isfinite(days), days, np.nan), int(np.count_nonzero(~np.isnan(days))))
    present = values.notna().to_numpy()
    n_spoken = int(present.sum())
    if is_datetime64_any_dtype(values.dtype):
        return Numbers(days_of(values), n_spoken)
    codes, words = pd.factorize(values[present].astype(object))
    written = [written_in_order(str(word), reading == DAY_FIRST) for word in words]
    found = np.full(len(values), np.nan)
    if len(words):
        dates = pd.to_datetime(pd.Series(written, dtype=object), format="mixed", errors="coerce", utc=True)
        known = days_of(dates)
        for place in np.flatnonzero(np.isnan(known)):
            known[place] = far_days(written[place])
        found[present] = known[codes]
        wrong = np.isnan(known)
        examples = tuple(str(word) for word in words[wrong][:SHOWN])
        return Numbers(found, n_spoken, int(wrong[codes].sum()), examples=examples)
    return Numbers(found, n_spoken)


def days_of(times: pd.Series[Any]) -> NDArray[np.float64]:
    """Return times as days since 1970."""
    if getattr(times.dtype, "tz", None) is not None:
        times = times.dt.tz_convert("UTC").dt.tz_localize(None)
    plain = times.to_numpy(dtype="datetime64[us]")
    days = plain.astype(np.int64) / 86_400e6
    return np.where(np.isnat(plain), np.nan, days)


def far_days(word: str) -> float:
    """Return days since 1970 of a date too far for nanoseconds, in which pandas before 3 counts; else NaN."""
    found = NUMERIC.fullmatch(word)
    if found is None or pd.Timestamp.min.year < int(found[1]) < pd.Timestamp.max.year:
        return np.nan
    try:
        return float(pd.Timestamp(word).timestamp()) / 86_400
    except ValueError:
        return np.nan


def written_in_order(word: str, day_first: bool) -> str:
    """Return a date in numbers as year, month and day; others as they are, and nothing if it cannot be."""
    found = NUMERIC.fullmatch(word)
    if found is None:
        return word
    first, second, third, rest = found[1], found[3], found[4], found[5]
    if len(first) == 4 and len(third) <= 2:
        year, month, day = first, second, third
    elif len(first) <= 2 and len(third) in (2, 4):
        day, month = (first, second) if day_first else (second, first)
        year = third if len(third) == 4 else f"{1900 + int(third) + 100 * (int(third) < CENTURY)}"
    else:
        return ""
    return f"{year}-{int(month):02d}-{int(day):02d}{rest}"
