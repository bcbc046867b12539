"""Reading CSV, TSV and Parquet, compressed or not, whole or in pieces, always by the same parser.

A row is known by its number in the file from here on: nothing is counted a second time.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TextIO

import numpy as np
import pandas as pd
import pyarrow
from pandas.errors import ParserError, ParserWarning

from rowtrust.workflow.tables.cells import read_cells
from rowtrust.workflow.tables.errors import (
    READ_ERRORS,
    InputError,
    encoding_error_message,
    parser_error_message,
)
from rowtrust.workflow.tables.layout import PEEK, Layout, check_names, delimiter_of, names_of
from rowtrust.workflow.tables.sources import (
    Source,
    TooLongError,
    can_be_read_again,
    file_state,
    open_source,
    source_name,
)

LARGEST = 2**30
"""Bytes of a file that are read whole; a kernel machine on more rows needs a sample anyway. A guard."""

CHUNK_ROWS = 50_000
"""Rows that are in memory at once when a file is read in pieces. It does not matter much."""

FAST_ROWS = 50_000
"""Rows of the sample that ``fast`` reads; taken over without a study."""

IN_MEMORY_ROWS, IN_MEMORY_CELLS = 200_000, 20_000_000
"""Rows of a table that a study has in memory, and cells if it is wide: 160 MB of numbers. Of a larger file
it has a random sample of that size, and a model is fitted to all rows as they are read."""

TEXT = pd.ArrowDtype(pyarrow.large_string())
"""How cells are read: as text, in Arrow's layout, which pandas fills ten times faster than its own."""


@dataclass(frozen=True)
class Records:
    """Rows of a file as they were written, each with its identity.

    Attributes
    ----------
    cells
        Text as it stands in a text file, values of a Parquet file; the index counts the rows of the file
        from 0.
    layout
        How the file is laid out; its delimiter is known.
    header
        Names of the columns as they were written; None where there are none.
    """

    cells: pd.DataFrame
    layout: Layout
    header: tuple[str, ...] | None

    @cached_property
    def table(self) -> pd.DataFrame:
        """The rows for a study: gaps where cells are missing."""
        return read_cells(self.cells, self.layout.decimal, self.layout.missing)

    def write_without(self, left_out: Collection[int], output: TextIO) -> int:
        """Write the rows as CSV, cells as they were, without some of them; return how many remain.

        Parameters
        ----------
        left_out
            Numbers of rows, counted from 1.
        output
            Where to write.
        """
        kept = self.cells[~(self.cells.index + 1).isin(list(left_out))]
        header = False if self.header is None else list(self.header)
        kept.to_csv(output, index=False, header=header, sep=self.layout.delimiter or ",", lineterminator="\n")
        return len(kept)


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
        parts = list(pieces(file, layout, None))
        return replace(parts[0], cells=pd.concat([each.cells for each in parts]))


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


def read_for_study(source: str, layout: Layout, fast: bool, seed: int) -> Reading:
    """Read a table, or a sample of it if it is large or with ``fast``."""
    rows, state = FAST_ROWS if fast else IN_MEMORY_ROWS, file_state(source)
    table, total = read_sample(source, layout, rows, np.random.default_rng(seed))
    notes = []
    once = not can_be_read_again(source)
    if len(table) < total and (fast or once):
        why = "--fast"
        if not fast:
            why = f"{source_name(source)} can be read only once; give a file to use all its rows"
        notes.append(f"a random sample of {len(table)} of the {total} rows was used ({why})")
    return Reading(table, total, notes, state)


def read_sample(
    source: str, layout: Layout, rows: int, generator: np.random.Generator
) -> tuple[pd.DataFrame, int]:
    """Read a random sample of the rows of a file of any size; return it with the number of all rows.

    Every row draws a key and the smallest keys stay, so that one pass and little memory suffice.
    """
    kept, keys, total = pd.DataFrame(), np.empty(0), 0
    with reading(source, layout) as file:
        for piece in pieces(file, layout, CHUNK_ROWS):
            cells = piece.cells
            total += len(cells)
            rows = at_once(rows, cells.shape[1])
            kept = cells if kept.empty else pd.concat([kept, cells])
            keys = np.concatenate([keys, generator.random(len(cells))])
            smallest = np.sort(np.argsort(keys)[:rows])
            kept, keys = kept.iloc[smallest], keys[smallest]
        return replace(piece, cells=kept).table, total


def at_once(rows: int, n_columns: int) -> int:
    """Return how many rows may be in memory: fewer of a wide table."""
    return min(rows, max(1, IN_MEMORY_CELLS // max(1, n_columns)))


def read_chunks(source: str, layout: Layout, rows: int | None = None) -> Iterator[pd.DataFrame]:
    """Yield a file of any size as tables of at most ``rows`` rows, in order."""
    with reading(source, layout) as file:
        for piece in pieces(file, layout, rows or CHUNK_ROWS):
            yield piece.table


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
        raise InputError(parser_error_message(name, error)) from error
    except TooLongError as error:
        if error.is_line:
            raise InputError(
                f"{name} has a line of more than {error.limit / 2**20:.3g} MB. Is it a table?"
            ) from error
        layout.limits.check("table_bytes", error.limit + 1, name)
        raise InputError(
            f"{name} has more than {error.limit / 2**30:.1g} GB, too much to read whole. Add --fast, which "
            "fits a random sample of its rows."
        ) from error


def pieces(file: Source, layout: Layout, rows: int | None) -> Iterator[Records]:
    """Yield the rows of an opened file: at once, or in pieces of at most ``rows``; there is at least one."""
    start, limits = 0, layout.limits
    for records in (
        parquet_records(file, layout, rows) if file.is_parquet else text_records(file, layout, rows)
    ):
        records.cells.index = pd.RangeIndex(start, start + len(records.cells))
        start += len(records.cells)
        limits.check("rows", start, file.name)
        if len(records.cells):
            yield records
    if not start:
        raise InputError(f"{file.name} has no rows below its header. Give a file with data.")


def text_records(file: Source, layout: Layout, rows: int | None) -> Iterator[Records]:
    """Yield the cells of a text file, its first record telling the columns."""
    file.limit(layout.limits.table_bytes)
    head = file.stream.peek(PEEK)[:PEEK]
    layout = replace(layout, delimiter=delimiter_of(head, layout, file.name))
    parts = text_frames(file, layout, rows)
    first = next(parts)
    header = tuple(str(field) for field in first.iloc[0])
    names = names_of(header, layout, file.name)
    for cells in parts if layout.header else chain([first], parts):
        cells.columns = pd.Index(names)
        yield Records(cells.astype("str"), layout, header if layout.header else None)


def text_frames(file: Source, layout: Layout, rows: int | None) -> Iterator[pd.DataFrame]:
    """Yield the first record of a text file, then the others, at once or in pieces."""
    with warnings.catch_warnings():
        # A row longer than the first would otherwise lose its end in silence.
        warnings.simplefilter("error", ParserWarning)
        parser = pd.read_csv(
            file.stream,
            sep=layout.delimiter,
            header=None,
            index_col=False,
            encoding=layout.codec,
            dtype=TEXT,
            na_filter=False,
            low_memory=False,
            iterator=True,
        )
        with parser, suppress(StopIteration):
            first = parser.read(1)
            yield first
            while True:
                yield parser.read(None if rows is None else at_once(rows, first.shape[1]))


def parquet_records(file: Source, layout: Layout, rows: int | None) -> Iterator[Records]:
    """Yield the rows of a Parquet file."""
    from pyarrow.parquet import ParquetFile

    try:
        parquet = ParquetFile(file.stream)
        names = [str(name) for name in parquet.schema_arrow.names]
        check_names(names, file.name)
        layout.limits.check("columns", len(names), file.name)
        layout.limits.check("rows", parquet.metadata.num_rows, file.name)
        groups = range(parquet.num_row_groups)
        size = sum(parquet.metadata.row_group(group).total_byte_size for group in groups)
        layout.limits.check("table_bytes", size, file.name)
        layout = replace(layout, delimiter=",", decimal=".")
        for batch in parquet.iter_batches(batch_size=at_once(rows or CHUNK_ROWS, len(names))):
            yield Records(batch.to_pandas(), layout, tuple(names))
    except pyarrow.ArrowException as error:
        raise InputError(f"{file.name} is a damaged Parquet file. Write it again.") from error
