"""Cells as they were written, and what they say: which are missing, which are numbers."""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow
from numpy.typing import NDArray
from pandas.api.types import infer_dtype, is_bool_dtype, is_numeric_dtype
from pyarrow import compute

NAN = ("nan", "NaN", "-nan", "-NaN", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN")
"""How programs write a number that is none."""

MISSING_MARKS = frozenset(("", "?", "<NA>", "#N/A", "#NA", "#N/A N/A", "#NULL!", *NAN))
"""Text that is a missing cell wherever it stands: what programs write, and the mark of the UCI repository."""

MISSING_WORDS = frozenset(["None", "NA", "N/A", "n/a", "NULL", "null"])
"""Text that is a missing number among numbers, but a word among words: somebody's class is called None."""

TRUTHS = {"true": 1.0, "false": 0.0}
"""Words that are numbers in a column of numbers, in small letters."""

THOUSANDS = r"^[+-]?[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?$"
"""How numbers with a decimal comma may have points between thousands."""


@dataclass(frozen=True)
class Numbers:
    """What the cells of a column say as numbers.

    Attributes
    ----------
    values
        Finite numbers; NaN where there is none.
    n_spoken
        Cells that are neither missing nor a word for that.
    n_unreadable
        Those of them that are no numbers, true and false counted as numbers.
    n_truths
        Those that are true or false.
    """

    values: NDArray[np.float64]
    n_spoken: int
    n_unreadable: int = 0
    n_truths: int = 0

    @property
    def unreadable_share(self) -> float:
        """Share of the cells that are no numbers."""
        return self.n_unreadable / max(1, self.n_spoken)

    @property
    def word_share(self) -> float:
        """Share of the cells that are words, true and false among them unless there are no others."""
        if not self.n_spoken:
            return 1.0
        words = self.n_unreadable if self.n_truths == self.n_spoken else self.n_unreadable + self.n_truths
        return words / self.n_spoken


def is_text(values: pd.Series[Any]) -> bool:
    """Whether a column holds text, apart from gaps."""
    if isinstance(values.dtype, pd.StringDtype):
        return True
    return values.dtype == object and infer_dtype(values, skipna=True) in ("string", "empty")


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
    marks = pyarrow.array([*MISSING_MARKS, *missing], pyarrow.large_string())
    columns = {name: read_column(cells[name], decimal, marks) for name in cells.columns}
    return pd.DataFrame(columns, index=cells.index)


def read_column(values: pd.Series[Any], decimal: str, marks: Any) -> pd.Series[Any]:
    """Return one column of text so; others as they are."""
    if not is_text(values):
        return values
    words = compute.utf8_trim_whitespace(as_arrow(values))
    if decimal != ".":
        words = with_points(without_thousands(words) if decimal == "," else words, decimal)
    missing = compute.is_in(words, value_set=marks)
    if compute.any(missing).as_py():
        words = compute.if_else(missing, None, words)
    found = words.to_pandas()
    found.index, found.name = values.index, values.name
    return found


def without_thousands(words: Any) -> Any:
    """Return words without the points between thousands where they are numbers with them."""
    grouped = compute.match_substring_regex(words, THOUSANDS)
    return compute.if_else(grouped, compute.replace_substring(words, ".", ""), words)


def with_points(words: Any, decimal: str) -> Any:
    """Return words with decimal points where they are numbers with another decimal mark."""
    number = rf"^([+-]?[0-9]*){re.escape(decimal)}([0-9]+(?:[eE][+-]?[0-9]+)?)$"
    return compute.replace_substring_regex(words, number, r"\1.\2")


def as_arrow(values: pd.Series[Any]) -> Any:
    """Return a column of text as Arrow has it."""
    found = pyarrow.array(values, pyarrow.large_string(), from_pandas=True)
    return found.combine_chunks() if isinstance(found, pyarrow.ChunkedArray) else found


def parse_numbers(values: pd.Series[Any]) -> Numbers:
    """Read a column as numbers."""
    if is_numeric_dtype(values.dtype) or is_bool_dtype(values.dtype):
        found = values.to_numpy(dtype=float, na_value=np.nan)
        return Numbers(finite(found), int(np.count_nonzero(~np.isnan(found))))
    if not is_text(values):
        found = pd.to_numeric(values.astype(object), errors="coerce").to_numpy(dtype=float, na_value=np.nan)
        n_present = int(values.notna().sum())
        return Numbers(finite(found), n_present, n_present - int(np.count_nonzero(~np.isnan(found))))
    words = as_arrow(values)
    with suppress(pyarrow.ArrowInvalid):
        found = compute.cast(words, pyarrow.float64()).to_numpy(zero_copy_only=False)
        return Numbers(finite(found), len(words) - words.null_count)
    return parse_words(words)


def parse_words(words: Any) -> Numbers:
    """Read words as numbers, of which some are none."""
    words = compute.utf8_trim_whitespace(words)
    silent = compute.is_in(words, value_set=pyarrow.array([*MISSING_WORDS], pyarrow.large_string()))
    n_spoken = len(words) - words.null_count - (compute.sum(silent).as_py() or 0)
    objects = words.to_numpy(zero_copy_only=False)
    found = pd.to_numeric(pd.Series(objects, dtype=object), errors="coerce").to_numpy(dtype=float, copy=True)
    small = compute.utf8_lower(words)
    n_truths = 0
    for truth, number in TRUTHS.items():
        place = compute.fill_null(compute.equal(small, truth), False).to_numpy(zero_copy_only=False)
        found[place] = number
        n_truths += int(place.sum())
    n_numbers = int(np.count_nonzero(~np.isnan(found)))
    return Numbers(finite(found), n_spoken, n_spoken - n_numbers, n_truths)


def finite(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers, NaN for those that are infinite."""
    return np.where(np.isfinite(numbers), numbers, np.nan)


def as_numbers(values: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column as floats; what is no finite number is missing."""
    return pd.Series(parse_numbers(values).values, index=values.index)


def unreadable_share(values: pd.Series[Any]) -> float:
    """Return the share of the cells that are neither missing nor numbers."""
    return parse_numbers(values).unreadable_share
