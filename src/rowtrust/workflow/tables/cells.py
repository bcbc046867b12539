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

from rowtrust.workflow.tables.readings import DECIMAL_COMMA, POINT_GROUPS, read_word

NAN = ("nan", "NaN", "-nan", "-NaN", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN")
"""How programs write a number that is none."""

MISSING_MARKS = frozenset(("", "?", "<NA>", "#N/A", "#NA", "#N/A N/A", "#NULL!", *NAN))
"""Text that is a missing cell wherever it stands: what programs write, and the mark of the UCI repository."""

MISSING_WORDS = frozenset(["None", "NA", "N/A", "n/a", "NULL", "null"])
"""Text that is a missing number among numbers, but a word among words: somebody's class is called None."""

TRUTHS = {"true": 1.0, "false": 0.0}
"""Words that are numbers in a column of numbers, in small letters."""

BEFORE, BEHIND = r"(?:[<>≤≥]=?\s*)?(?:[$€£¥]\s*)?[+-]?", r"\s*(?:%|[$€£¥]|[A-Z]{3})?"
"""What may stand around a number with a decimal comma that the user has named: see ``readings``."""

THOUSANDS = rf"^{BEFORE}[0-9]{{1,3}}(?:\.[0-9]{{3}})+(?:,[0-9]+)?{BEHIND}$"
"""How numbers with a decimal comma may have points between thousands."""

LOOKED_AT = 1000
"""Cells among which different examples are looked for; more take time."""

EXAMPLES = 3
"""Cells that are kept as examples of what could not be read; one line of a report."""


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
    n_infinite
        Those that are infinite: numbers, but of no use.
    n_limits
        Those that are detection limits.
    examples
        Some cells that cannot be read or are infinite, as they stand.
    limits
        Some detection limits, as they stand.
    """

    values: NDArray[np.float64]
    n_spoken: int
    n_unreadable: int = 0
    n_truths: int = 0
    n_infinite: int = 0
    n_limits: int = 0
    examples: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()

    @property
    def unreadable_share(self) -> float:
        """Share of the cells that are no numbers."""
        return self.n_unreadable / max(1, self.n_spoken)

    @property
    def values_are_nan(self) -> NDArray[np.bool_]:
        """Which cells are no finite numbers."""
        return np.isnan(self.values)

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


def in_words(values: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column of numbers and words as words, as spreadsheets have them; others as they are."""
    if values.dtype != object or infer_dtype(values, skipna=True) not in ("mixed", "mixed-integer"):
        return values
    if not all(isinstance(each, str | int | float | np.number) for each in values.dropna()):
        return values
    return values.map(lambda each: each if isinstance(each, str) else str(each), na_action="ignore")


def read_cells(cells: pd.DataFrame, decimal: str = ".", missing: Collection[str] = ()) -> pd.DataFrame:
    """Return a table with gaps where cells are missing, without spaces around text, with decimal points.

    Whether a text is a number or a word is not decided here: that depends on its whole column.

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
    number = rf"^({BEFORE}[0-9]*){re.escape(decimal)}([0-9]+(?:[eE][+-]?[0-9]+)?{BEHIND})$"
    return compute.replace_substring_regex(words, number, r"\1.\2")


def as_arrow(values: pd.Series[Any]) -> Any:
    """Return a column of text as Arrow has it."""
    found = pyarrow.array(values, pyarrow.large_string(), from_pandas=True)
    return found.combine_chunks() if isinstance(found, pyarrow.ChunkedArray) else found


def parse_numbers(values: pd.Series[Any], reading: str | None = None) -> Numbers:
    """Read a column as numbers.

    Parameters
    ----------
    values
        The column.
    reading
        How words that are no plain numbers are read, see ``readings``; None if they are not.
    """
    if is_numeric_dtype(values.dtype) or is_bool_dtype(values.dtype):
        found = values.to_numpy(dtype=float, na_value=np.nan)
        return of_numbers(found, int(np.count_nonzero(~np.isnan(found))))
    values = in_words(values)
    if not is_text(values):
        found = pd.to_numeric(values.astype(object), errors="coerce").to_numpy(dtype=float, na_value=np.nan)
        present = values.notna().to_numpy()
        wrong = present & np.isnan(found)
        return of_numbers(found, int(present.sum()), some(values[wrong]), n_unreadable=int(wrong.sum()))
    words = as_arrow(values)
    if reading is None or DECIMAL_COMMA not in reading:  # 2.000 is no two where commas are decimal
        with suppress(pyarrow.ArrowInvalid):
            found = compute.cast(words, pyarrow.float64()).to_numpy(zero_copy_only=False)
            return of_numbers(found, len(words) - words.null_count)
    return parse_words(words, reading)


def of_numbers(
    found: NDArray[np.float64], n_spoken: int, examples: tuple[str, ...] = (), **more: Any
) -> Numbers:
    """Return numbers without the infinite ones, which are counted."""
    bad = ~np.isfinite(found)
    infinite = found[bad & ~np.isnan(found)] if bad.any() else found[:0]
    examples = (*examples, *dict.fromkeys(str(each) for each in infinite[:EXAMPLES]))[:EXAMPLES]
    values = np.where(bad, np.nan, found)
    return Numbers(values, n_spoken, n_infinite=len(infinite), examples=examples, **more)


def some(cells: Any) -> tuple[str, ...]:
    """Return some different cells as they stand."""
    return tuple(dict.fromkeys(str(each) for each in cells[:LOOKED_AT]))[:EXAMPLES]


def parse_words(words: Any, reading: str | None) -> Numbers:
    """Read words as numbers, of which some are none; each different word once."""
    encoded = compute.utf8_trim_whitespace(words).dictionary_encode()
    places = compute.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    given = encoded.dictionary.to_numpy(zero_copy_only=False)
    counts = np.bincount(places[places >= 0], minlength=len(given))
    silent = np.array([word in MISSING_WORDS for word in given], dtype=bool)
    plain = encoded.dictionary
    if reading is not None and DECIMAL_COMMA in reading:
        grouped = compute.match_substring_regex(plain, POINT_GROUPS)
        plain = compute.if_else(grouped, compute.replace_substring(plain, ".", ""), plain)
    different = pd.Series(plain.to_numpy(zero_copy_only=False), dtype=object)
    rounded = pd.to_numeric(different, errors="coerce").to_numpy(dtype=float)
    found = np.array([*map(exact, different, rounded)], dtype=float)
    truths = np.array([TRUTHS.get(word.lower(), np.nan) for word in given], dtype=float)
    found = np.where(np.isnan(truths), found, truths)
    is_limit = np.zeros(len(given), dtype=bool)
    for place in np.flatnonzero(np.isnan(found) & ~silent) if reading is not None else ():
        number, is_limit[place] = read_word(given[place], reading or "")
        found[place] = np.nan if number is None else number
    wrong = np.isnan(found) & ~silent
    return of_numbers(
        np.append(found, np.nan)[places],
        int(counts[~silent].sum()),
        some(given[wrong]),
        n_unreadable=int(counts[wrong].sum()),
        n_truths=int(counts[~np.isnan(truths)].sum()),
        n_limits=int(counts[is_limit].sum()),
        limits=some(given[is_limit]),
    )


def exact(word: str, number: float) -> float:
    """Return a number as Python reads its word: pandas before 3.1 may miss its last digit."""
    if not np.isfinite(number):
        return number
    try:
        return float(word)
    except ValueError:
        return number


def as_numbers(values: pd.Series[Any], reading: str | None = None) -> pd.Series[Any]:
    """Return a column as floats; what is no finite number is missing."""
    return pd.Series(parse_numbers(values, reading).values, index=values.index)
