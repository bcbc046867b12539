"""Text: one parser for headers and rows, and every cell as it was written."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from io import StringIO
from itertools import chain
from typing import Any

import pandas as pd
import pyarrow
from pandas.errors import ParserError, ParserWarning

from rowtrust.workflow.tables.cells import MISSING_MARKS
from rowtrust.workflow.tables.fields import FieldCounter
from rowtrust.workflow.tables.layout import BLANK, Layout, first_record, is_number, look_ahead, names_of
from rowtrust.workflow.tables.readings import parsed_cell
from rowtrust.workflow.tables.records import Records
from rowtrust.workflow.tables.sources import Source

TEXT = pd.ArrowDtype(pyarrow.large_string())
"""How cells are read: as text, in Arrow's layout, which pandas fills ten times faster than its own."""

RUN_OF_BLANKS = r"\s+"
"""How to say to the parser that blanks and tabs in any number are one delimiter, by its own definition."""


LOOKED_AT = 50
"""Rows below the first record that are compared with it; all pieces of a file have so many. Not studied."""

NO_HEADER = "the first line holds data, not column names: columns are called 1, 2, ..."
"""What is said where the first record was found to be a row."""


def text_records(file: Source, layout: Layout, rows_at_once: Callable[[int], int]) -> Iterator[Records]:
    """Yield the cells of a text file, its first record telling the columns.

    Parameters
    ----------
    file
        Open for reading.
    layout
        What is known of it.
    rows_at_once
        How many rows of so many columns may be in memory.
    """
    file.limit(layout.limits.table_bytes)
    layout = replace(layout, delimiter=look_ahead(file.stream, layout, file.name))
    file.stream.refused = b"\0" if layout.is_utf8 else b""
    how = parser_options(layout)
    width = pd.read_csv(StringIO(first_record(file.stream, layout.codec)), nrows=1, **how).shape[1]
    counter = FieldCounter(layout.delimiter or BLANK, layout.codec, width)
    if len((layout.delimiter or BLANK).encode()) == 1:  # others are patterns, which another parser knows
        file.stream.watch = counter.feed
    parts = text_frames(file, layout.codec, width, rows_at_once(width), how)
    first = next(parts)
    header = tuple(str(field) for field in first.iloc[0])
    layout.limits.check("columns", len(header), file.name)
    notes: tuple[str, ...] = ()
    if layout.header:
        second = next(parts, first.iloc[:0])
        parts = chain([second], parts)
        if is_row(header, second.iloc[:LOOKED_AT].astype(str).to_numpy().tolist()):
            layout, notes = replace(layout, header=False), (NO_HEADER,)
    names = names_of(header, layout, file.name)
    records = int(layout.header)
    for cells in parts if layout.header else chain([first], parts):
        cells.columns = pd.Index(names)
        records += len(cells)
        counter.count(is_end=not file.stream.peek(1))
        check_fields(counter, width, records)
        said = (*notes, *counter.notes(layout.header))
        yield Records(cells.astype("str"), layout, header if layout.header else None, said)


def check_fields(counter: FieldCounter, width: int, records: int) -> None:
    """Refuse a longer row among so many, in the words of the parser, some versions of which overlook it."""
    if counter.too_long is not None and counter.too_long[0] < records:
        _, line, fields = counter.too_long
        raise ParserError(f"Expected {width} fields in line {line}, saw {fields}")


def parser_options(layout: Layout) -> dict[str, Any]:
    """Return how the parser reads every cell as it was written."""
    return {
        "sep": RUN_OF_BLANKS if layout.delimiter == BLANK else layout.delimiter,
        "header": None,
        "index_col": False,
        "dtype": TEXT,
        "na_filter": False,
        "low_memory": False,
    }


def text_frames(
    file: Source, codec: str, width: int, rows: int, how: dict[str, Any]
) -> Iterator[pd.DataFrame]:
    """Yield the first record of a text file, then the others in pieces."""
    with warnings.catch_warnings():
        # A row longer than the first would otherwise lose its end in silence.
        warnings.simplefilter("error", ParserWarning)
        # pandas before 3.1 forgets from piece to piece how many fields there are: they are told, and the
        # first record is read together with those behind it.
        parser = pd.read_csv(file.stream, names=list(range(width)), encoding=codec, iterator=True, **how)
        with parser, suppress(StopIteration):
            piece = parser.read(rows + 1)
            yield piece.iloc[:1]
            if len(piece) > 1:
                yield piece.iloc[1:]
            while True:
                yield parser.read(rows)


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
    return is_number(cell) or parsed_cell(cell) is not None


def is_gap(cell: str) -> bool:
    """Whether a cell is missing."""
    return cell.strip() in MISSING_MARKS
