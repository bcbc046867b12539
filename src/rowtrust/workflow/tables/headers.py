"""Whether the first record of a file names the columns, or is a row like the others."""

from __future__ import annotations

from collections.abc import Sequence

from rowtrust.workflow.tables.cells import MISSING_MARKS
from rowtrust.workflow.tables.layout import is_number
from rowtrust.workflow.tables.readings import taken_apart

LOOKED_AT = 50
"""Rows below the first record that are compared with it; all pieces of a file have so many. Not studied."""

NO_HEADER = "the first line holds data, not column names: columns are called 1, 2, ..."
"""What is said where the first record was found to be a row."""


def is_row(first: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Whether the first record of a file is a row: numbers alone, or of the same kinds as all others.

    Names of columns may be numbers, such as years, and words are everywhere; so a column of words must have
    the first word again further down, or the first record one cell twice. What is not sure is a header.

    Parameters
    ----------
    first
        Cells of the first record.
    others
        Cells of some records below it.
    """
    if len(first) < 2:
        return False
    if all(is_number_cell(cell) for cell in first):
        return True
    columns = list(zip(*(row for row in others if len(row) == len(first)), strict=True))
    if len(columns) != len(first):
        return False
    numbers = [all(is_number_cell(cell) or is_gap(cell) for cell in column) for column in columns]
    pairs = list(zip(first, columns, numbers, strict=True))
    if not any(is_number_cell(cell) for cell, _, number in pairs if number):
        return False
    if not all(is_number_cell(cell) or is_gap(cell) for cell, _, number in pairs if number):
        return False
    again = [
        cell.strip() in {each.strip() for each in column}
        for cell, column, number in pairs
        if not number and 2 * len({*column}) <= len(column)
    ]
    given = [cell.strip() for cell in first if not is_gap(cell)]
    is_twice = len({*given}) < len(given)  # names would not be
    return all(again) and (bool(again) or is_twice)


def is_number_cell(cell: str) -> bool:
    """Whether a cell is a number, in whatever way it is written."""
    return is_number(cell) or taken_apart(cell) is not None


def is_gap(cell: str) -> bool:
    """Whether a cell is missing."""
    return cell.strip() in MISSING_MARKS
