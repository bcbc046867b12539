"""A column that orders the rows in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import infer_dtype, is_datetime64_any_dtype, is_numeric_dtype

from rowtrust.workflow.tables import InputError
from rowtrust.workflow.tables.cells import in_words, parse_numbers
from rowtrust.workflow.tables.columns import MOST_UNREADABLE
from rowtrust.workflow.tables.dates import UNSURE, date_reading, parse_dates
from rowtrust.workflow.tables.errors import shortened

SECONDS = 86_400.0
"""Seconds of a day."""


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

    Dates are read as in inputs. A few cells may be unreadable and count as missing.
    """
    if not column.notna().any():
        raise InputError(f"the column '{column.name}' of --time has no value. Name another column.")
    column = in_words(column)
    is_dates = is_datetime64_any_dtype(column.dtype) or infer_dtype(column, skipna=True).startswith("date")
    numbers = None if is_dates else parse_numbers(column)
    if numbers is not None and (is_numeric_dtype(column.dtype) or numbers.word_share <= MOST_UNREADABLE):
        return in_order(numbers.values, lambda value: f"{value:.10g}", str(column.name))
    reading = "" if is_dates else date_reading(column.dropna().astype(str))
    dates = parse_dates(column, reading)
    if dates.unreadable_share > MOST_UNREADABLE:
        raise InputError(
            f"the column '{column.name}' of --time holds '{shortened(dates.examples[0])}', which is neither "
            "a date nor a number. Write dates as 2020-01-31, or name another column."
        )
    return in_order(dates.values * SECONDS, as_date, str(column.name), ambiguous=reading == UNSURE)


def as_date(seconds: float) -> str:
    """Return seconds since 1970 as a date, with hours and minutes where there are some."""
    date = np.datetime64(round(seconds), "s").astype("datetime64[m]")
    return str(date).replace("T", " ").removesuffix(" 00:00")


def in_order(values: NDArray[np.float64], word: Any, name: str, ambiguous: bool = False) -> Times:
    """Return times with the first and the last in words; refuse a column of a single one."""
    first, last = float(np.nanmin(values)), float(np.nanmax(values))
    if first == last:
        raise InputError(
            f"the column '{name}' of --time is {word(first)} in every row: it puts nothing in order. Name "
            "another column."
        )
    return Times(values, word(first), word(last), ambiguous)
