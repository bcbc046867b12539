"""Writing tables that people open in a spreadsheet."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TextIO

import pandas as pd

from rowtrust.workflow.tables.layout import is_number

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""How cells begin that spreadsheets take for formulas, some after leaving blanks out: the list of OWASP on
CSV injection."""

EXPONENTS_FROM = 1e15
"""Numbers from here on are written with a power of ten: a double has no more digits."""


def write_csv(table: pd.DataFrame, output: Path | TextIO, digits: str, *, header: bool = True) -> None:
    """Write a table as CSV in which no cell of text is a formula.

    Parameters
    ----------
    table
        What to write, without its index.
    output
        Where to.
    digits
        How numbers are written, such as ``"%.6g"``.
    header
        Whether to write the names of the columns.
    """
    table = table.rename(columns=without_formula)
    for place, kind in enumerate(table.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            table.isetitem(place, table.iloc[:, place].astype(object).map(without_formula))
    table.to_csv(output, index=False, header=header, float_format=digits, lineterminator="\n")


def without_formula(cell: Any) -> Any:
    """Return a cell as it is, or with an apostrophe before it if a spreadsheet could run it.

    Numbers stay, and texts of one letter such as the class "+".
    """
    if isinstance(cell, str) and len(cell) > 1 and cell.startswith(FORMULAS) and not is_number(cell):
        return f"'{cell}"
    return cell


def brief(value: float, digits: int = 4) -> str:
    """Return a number with some digits, but all those before its point.

    Parameters
    ----------
    value
        The number.
    digits
        How many there are at least.
    """
    whole = 10.0 ** (digits - 1) <= abs(value) < EXPONENTS_FROM
    return f"{value:.0f}" if whole else f"{value:.{digits}g}"
