"""Reading CSV, TSV, Parquet and Excel, compressed or not, whole or in pieces, always by the same parser.

A row is known by its number in the file from here on: nothing is counted a second time.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from lzma import LZMAError
from zipfile import BadZipFile

import numpy as np
import pandas as pd
from pandas.errors import ParserError, ParserWarning

from rowtrust.workflow.tables.errors import (
    READ_ERRORS,
    InputError,
    NoRowsError,
    encoding_error_message,
    parser_error_message,
)
from rowtrust.workflow.tables.layout import Layout
from rowtrust.workflow.tables.records import Records
from rowtrust.workflow.tables.sources import (
    LARGEST,
    Source,
    TooLongError,
    can_be_read_again,
    file_state,
    open_source,
    source_name,
)
from rowtrust.workflow.tables.text import LOOKED_AT, text_records
from rowtrust.workflow.tables.typed import excel_records, parquet_names, parquet_records

CHUNK_ROWS = 50_000
"""Rows that are in memory at once when a file is read in pieces. It does not matter much."""

FAST_ROWS = 50_000
"""Rows of the sample that ``fast`` reads; taken over without a study."""

IN_MEMORY_ROWS, IN_MEMORY_CELLS = 200_000, 20_000_000
"""Rows of a table that a study has in memory, and cells if it is wide: 160 MB of numbers. Of a larger file
it has a random sample of that size, and a model is fitted to all rows as they are read."""

DAMAGE = (zlib.error, LZMAError, BadZipFile, OSError)
"""What archives raise that cannot be unpacked; errors of the system have a number, and stay what they are."""


def read_records(source: str, layout: Layout = Layout()) -> Records:  # noqa: B008
    """Read a whole file; refuse one too large for that.

    Parameters
    ----------
    source
        Path of the file, or ``-`` for standard input.
    layout
        How a text file is laid out.
    """
    with reading(source, layout) as file:
        if file.size > LARGEST:
            raise TooLongError(LARGEST)
        # A small archive can contain a large file, and nobody knows the length of standard input.
        file.limit(LARGEST)
        parts = list(pieces(file, layout, CHUNK_ROWS))
        return replace(parts[-1], cells=pd.concat([each.cells for each in parts]))


def read_names(source: str, layout: Layout = Layout()) -> list[str] | None:  # noqa: B008
    """Return the names of a file's columns from its beginning; refuse a file that cannot be read.

    None where that would take as long as reading it, as with workbooks, or would use it up, as with pipes.

    Parameters
    ----------
    source
        Path of the file, or ``-`` for standard input.
    layout
        How a text file is laid out.
    """
    if source == "-" or (os.path.exists(source) and not (os.path.isfile(source) or os.path.isdir(source))):
        return None
    with reading(source, layout) as file:
        if file.is_excel:
            return None
        if file.is_parquet:
            return parquet_names(file)
        with closing(pieces(file, layout, LOOKED_AT)) as parts:
            return [str(name) for name in next(parts).cells.columns]


def read_table(source: str, layout: Layout = Layout()) -> pd.DataFrame:  # noqa: B008
    """Read a whole file as a table."""
    return read_records(source, layout).table


@dataclass(frozen=True)
class Reading:
    """What a study has read.

    Attributes
    ----------
    table
        All rows of the file, or a random sample of them; the index counts the rows of the file from 0.
    n_rows
        Rows of the file.
    notes
        What is to be said about that.
    state
        Of the file when it was read.
    """

    table: pd.DataFrame
    n_rows: int
    notes: list[str]
    state: tuple[int, ...]

    @property
    def is_whole(self) -> bool:
        """Whether all rows of the file are there."""
        return len(self.table) == self.n_rows


def read_for_study(
    source: str, layout: Layout, fast: bool, seed: int, on_rows: Callable[[int], None] | None = None
) -> Reading:
    """Read a table, or a sample of it if it is large or with ``fast``; ``on_rows`` gets the rows read."""
    rows, state = FAST_ROWS if fast else IN_MEMORY_ROWS, file_state(source)
    records, total = sampled_records(source, layout, rows, np.random.default_rng(seed), on_rows)
    table, notes = records.table, list(records.notes)
    once = not can_be_read_again(source)
    if len(table) < total and (fast or once):
        why = "--fast"
        if not fast:
            why = f"{source_name(source)} can be read only once; give a file to use all its rows"
        notes.append(f"a random sample of {len(table)} of the {total} rows was used ({why})")
    return Reading(table, total, notes, state)


def sampled_records(
    source: str,
    layout: Layout,
    rows: int,
    generator: np.random.Generator,
    on_rows: Callable[[int], None] | None = None,
) -> tuple[Records, int]:
    """Read a random sample of the rows of a file of any size as they were written, and count all rows.

    Every row draws a key and the smallest keys stay, so that one pass and little memory suffice.
    """
    kept, keys, total = pd.DataFrame(), np.empty(0), 0
    with reading(source, layout) as file:
        for piece in pieces(file, layout, CHUNK_ROWS):
            cells = piece.cells
            total += len(cells)
            if on_rows is not None:
                on_rows(len(cells))
            rows = at_once(rows, cells.shape[1])
            kept = cells if kept.empty else pd.concat([kept, cells])
            keys = np.concatenate([keys, generator.random(len(cells))])
            smallest = np.sort(np.argsort(keys)[:rows])
            kept, keys = kept.iloc[smallest], keys[smallest]
        return replace(piece, cells=kept), total


def at_once(rows: int, n_columns: int) -> int:
    """Return how many rows may be in memory: fewer of a wide table."""
    return min(rows, max(1, IN_MEMORY_CELLS // max(1, n_columns)))


def read_chunks(
    source: str, layout: Layout, rows: int | None = None, remark: Callable[[str], None] | None = None
) -> Iterator[pd.DataFrame]:
    """Yield a file of any size as tables of at most ``rows`` rows, in order; then say how it was read."""
    with reading(source, layout) as file:
        for piece in pieces(file, layout, rows or CHUNK_ROWS):
            yield piece.table
        if remark is not None:
            for each in piece.notes:
                remark(each)


@contextmanager
def reading(source: str, layout: Layout) -> Iterator[Source]:
    """Open a file; turn what goes wrong while it is read into one line with the cure."""
    name = source_name(source)
    try:
        with open_source(source) as file:
            yield file
    except tuple(READ_ERRORS) as error:
        raise InputError(f"{name}{READ_ERRORS[type(error)]}") from error
    except UnicodeError as error:
        raise InputError(encoding_error_message(name, layout.encoding, error)) from error
    except LookupError as error:
        raise InputError(f"unknown encoding '{layout.encoding}'. Try --encoding latin-1.") from error
    except (ParserError, ParserWarning) as error:
        raise InputError(parser_error_message(name, error, layout.header)) from error
    except DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise InputError(f"{name} is a damaged archive. Copy it again.") from error
    except TooLongError as error:
        if error.is_line:
            raise InputError(
                f"{name} has a line of over {error.limit / 2**20:.3g} MB. Check that it is a table."
            ) from error
        layout.limits.check("table_bytes", error.limit + 1, name)
        raise InputError(
            f"{name} has more than {error.limit / 2**30:.1g} GB, too much to read whole. Add --fast, "
            "which fits a random sample of its rows."
        ) from error


def pieces(file: Source, layout: Layout, rows: int) -> Generator[Records]:
    """Yield the rows of an opened file in pieces of at most ``rows``; there is at least one."""
    start = 0
    records = parquet_records if file.is_parquet else text_records
    records = excel_records if file.is_excel else records
    for piece in records(file, layout, partial(at_once, rows)):
        piece.cells.index = pd.RangeIndex(start, start + len(piece.cells))
        start += len(piece.cells)
        layout.limits.check("rows", start, file.name)
        if len(piece.cells):
            yield piece
    if not start:
        raise NoRowsError(f"{file.name} has no rows below its header. Give a file with data.")
