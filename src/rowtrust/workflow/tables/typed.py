"""Parquet and Excel files: their cells keep their types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any
from zipfile import ZipFile

import pandas as pd
import pyarrow
from pyarrow import compute, types
from pyarrow.parquet import ParquetFile

from rowtrust.workflow.tables.errors import InputError, listed
from rowtrust.workflow.tables.layout import Layout, check_names, names_of
from rowtrust.workflow.tables.records import Records
from rowtrust.workflow.tables.sources import Source, TooLongError
from rowtrust.workflow.tables.text import LOOKED_AT, NO_HEADER, is_row

LARGEST = 2**28
"""Bytes of a workbook once unpacked, as the parts of its archive say: some five million cells with something
in them. As many characters may its cells have, which may share their words. A guard against small files that
unpack to gigabytes."""

LONGEST, LAST_ROW = 32_767, 1_048_576
"""Characters of a cell and rows of a sheet that Excel itself allows; more were written by something else."""

MOST_CELLS = 20_000_000
"""Cells of a sheet, empty ones among them: as many as a study has in memory. A guard against sheets whose few
bytes lie at the far end of every row."""


def excel_records(file: Source, layout: Layout, rows_at_once: Callable[[int], int]) -> Iterator[Records]:
    """Yield the rows of the first sheet of a workbook, without empty ones.

    Parameters
    ----------
    file
        Open for reading.
    layout
        Its limits are kept.
    rows_at_once
        How many rows of so many columns may be in memory.
    """
    check_size(file, layout)
    layout = replace(layout, delimiter=",", decimal=".")
    rows, notes = sheet_rows(file, layout)
    if not rows:
        raise InputError(f"{file.name} has no rows in its first sheet. Give a sheet with a header and rows.")
    header = tuple("" if cell is None else str(cell) for cell in rows[0])
    if layout.header:
        below = [["" if cell is None else str(cell) for cell in row] for row in rows[1 : 1 + LOOKED_AT]]
        if is_row(header, below):
            layout, notes = replace(layout, header=False), [*notes, NO_HEADER]
    names = names_of(header, layout, file.name)
    body = rows[1:] if layout.header else rows
    cells = pd.DataFrame({name: column_of([row[i] for row in body]) for i, name in enumerate(names)})
    step = rows_at_once(len(names))
    for start in range(0, max(len(cells), 1), step):
        piece = cells.iloc[start : start + step].copy()
        yield Records(piece, layout, header if layout.header else None, tuple(notes))


def check_size(file: Source, layout: Layout) -> None:
    """Refuse a workbook that would unpack to too much; an archive gives no more than it says."""
    size = sum(entry.file_size for entry in ZipFile(file.stream).infolist())
    layout.limits.check("table_bytes", size, file.name)
    file.check(size)
    if size > LARGEST:
        raise InputError(
            f"{file.name} unpacks to {size / 2**20:.0f} MB, too much for a workbook. Save the sheet as CSV."
        )
    file.stream.seek(0)


def sheet_rows(file: Source, layout: Layout) -> tuple[list[tuple[Any, ...]], list[str]]:
    """Return the rows of the first sheet that are not empty, all as wide as the first; and what to say."""
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise InputError(
            f"{file.name} is an Excel workbook, which needs an extra: pip install 'rowtrust[excel]'. Or save "
            "the sheet as CSV."
        ) from error
    try:
        book = load_workbook(file.stream, read_only=True, data_only=True, keep_links=False)
        sheet = book.worksheets[0]
        sheet.reset_dimensions()  # what a sheet says of its size may be wrong, and rows beyond it be lost
        rows: list[tuple[Any, ...]] = []
        width = n_cells = n_letters = 0
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            n_cells += max(1, len(row))
            n_letters += letters_of(row)
            check_amount(file.name, number, n_cells, n_letters)
            if row.count(None) == len(row):
                continue
            filled = max(place for place, cell in enumerate(row, 1) if cell is not None)
            width = width or filled
            check_row(file.name, layout, number, filled, width, len(rows))
            rows.append((*row[:width], *[None] * (width - len(row))))
    except (InputError, TooLongError):
        raise
    except Exception as error:
        if type(error).__module__.startswith("rowtrust."):
            raise
        raise InputError(f"{file.name} is a damaged Excel workbook. Save it again, or as CSV.") from error
    notes = []
    if len(book.sheetnames) > 1:
        notes.append(f"of the {len(book.sheetnames)} sheets the first was read: {listed([sheet.title])}")
    return rows, notes


def letters_of(row: tuple[Any, ...]) -> int:
    """Return how many characters the words of a row have; refuse more in a cell than a sheet can have."""
    lengths = [len(cell) for cell in row if isinstance(cell, str)]
    if lengths and max(lengths) > LONGEST:
        raise InputError(
            f"a cell has {max(lengths):,} characters; Excel allows {LONGEST:,}. Save the sheet as CSV."
        )
    return sum(lengths)


def check_amount(name: str, number: int, n_cells: int, n_letters: int) -> None:
    """Refuse a sheet with too many cells, empty ones among them, or too much in them."""
    for amount, most, what in (
        (number, LAST_ROW, "rows"),
        (n_cells, MOST_CELLS, "cells"),
        (n_letters, LARGEST, "characters"),
    ):
        if amount > most:
            raise InputError(
                f"{name} has more than {most:,} {what} in its first sheet, too many for a workbook. Save "
                "the sheet as CSV."
            )


def check_row(name: str, layout: Layout, number: int, filled: int, width: int, n_rows: int) -> None:
    """Refuse a row that is wider than the header, and too many columns or rows."""
    layout.limits.check("columns", filled, name)
    layout.limits.check("rows", n_rows, name)
    check_amount(name, number, width * n_rows, 0)
    if filled > width:
        raise InputError(
            f"{name}: row {number} of the sheet has {filled} cells, the first has {width}. Name every "
            "column, or leave only the table in the sheet."
        )


def column_of(cells: list[Any]) -> pd.Series[Any]:
    """Return a column of one type: numbers, truths or dates where all cells are, else words."""
    present = [cell for cell in cells if cell is not None]
    if present and all(isinstance(cell, bool) for cell in present):
        return pd.Series(cells, dtype="boolean")
    if present and all(isinstance(cell, int) and not isinstance(cell, bool) for cell in present):
        return whole_numbers(cells)
    if present and all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in present):
        return pd.Series([None if cell is None else float(cell) for cell in cells], dtype=float)
    if present and all(isinstance(cell, date) for cell in present):
        return pd.to_datetime(pd.Series(cells, dtype=object), errors="coerce")
    return pd.Series([None if cell is None else as_word(cell) for cell in cells], dtype="str")


def whole_numbers(cells: list[Any]) -> pd.Series[Any]:
    """Return whole numbers with gaps; as floats where they are too large."""
    try:
        return pd.Series(cells, dtype="Int64")
    except (OverflowError, TypeError, ValueError):
        return pd.Series([None if cell is None else float(cell) for cell in cells], dtype=float)


def as_word(cell: Any) -> str:
    """Return a cell as text: dates as programs write them."""
    return cell.isoformat() if isinstance(cell, date | datetime | time) else str(cell)


def parquet_records(file: Source, layout: Layout, rows_at_once: Callable[[int], int]) -> Iterator[Records]:
    """Yield the rows of a Parquet file.

    Parameters
    ----------
    file
        Open for reading.
    layout
        Its limits are kept.
    rows_at_once
        How many rows of so many columns may be in memory.
    """
    layout = replace(layout, delimiter=",", decimal=".")
    size = 0.0
    try:
        parquet = opened(file)
        names = tuple(str(name) for name in parquet.schema_arrow.names)
        check_names(names, file.name)
        layout.limits.check("columns", len(names), file.name)
        layout.limits.check("rows", parquet.metadata.num_rows, file.name)
        for batch in parquet.iter_batches(batch_size=rows_at_once(len(names))):
            size += sum(unpacked_bytes(column) for column in batch.columns)
            layout.limits.check("table_bytes", size, file.name)
            file.check(size)
            yield Records(frame_of(batch), layout, names)
    except pyarrow.ArrowException as error:
        raise InputError(f"{file.name} is a damaged Parquet file. Write it again.") from error


def parquet_names(file: Source) -> list[str]:
    """Return the names of the columns of a Parquet file, from its schema alone."""
    try:
        return [str(name) for name in ParquetFile(file.stream).schema_arrow.names]
    except pyarrow.ArrowException as error:
        raise InputError(f"{file.name} is a damaged Parquet file. Write it again.") from error


def opened(file: Source) -> ParquetFile:
    """Return a file with its words as dictionaries: a word that is stored once for all rows stays so."""
    schema = ParquetFile(file.stream).schema_arrow
    words = [field.name for field in schema if is_words(field.type)]
    file.stream.seek(0)
    return ParquetFile(file.stream, read_dictionary=words)


def is_words(kind: Any) -> bool:
    """Whether a type is of words or bytes of any length."""
    tests = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    return any(test(kind) for test in tests)


def unpacked_bytes(column: Any) -> float:
    """Return what a column takes once every row has a word of its own; the file may have it once."""
    if not (types.is_dictionary(column.type) and is_words(column.type.value_type)):
        return float(column.nbytes)
    lengths = compute.fill_null(compute.binary_length(column.dictionary), 0)
    places = column.indices.drop_null()
    return float(compute.sum(lengths.take(places)).as_py() or 0) + float(column.indices.nbytes)


def frame_of(batch: Any) -> pd.DataFrame:
    """Return a batch as a table: words for the words of a dictionary, whole numbers and truths with gaps."""
    columns = [
        column.dictionary_decode() if types.is_dictionary(column.type) else column for column in batch.columns
    ]
    plain = pyarrow.RecordBatch.from_arrays(columns, names=[str(name) for name in batch.schema.names])
    return plain.to_pandas(types_mapper=nullable, ignore_metadata=True)


def nullable(kind: Any) -> Any:
    """Return the type of pandas that has room for gaps."""
    if types.is_boolean(kind):
        return pd.BooleanDtype()
    if types.is_unsigned_integer(kind):
        return pd.UInt64Dtype()
    return pd.Int64Dtype() if types.is_integer(kind) else None
