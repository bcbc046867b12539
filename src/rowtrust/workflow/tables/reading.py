"""Reading CSV, TSV and Parquet, compressed or not, whole or in pieces."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.errors import ParserError, ParserWarning

from rowtrust.workflow.tables.errors import (
    READ_ERRORS,
    InputError,
    encoding_error_message,
    parser_error_message,
)
from rowtrust.workflow.tables.layout import PEEK, Layout, check_names, header_of
from rowtrust.workflow.tables.sources import Source, TooLongError, open_source, source_name

LARGEST = 2**30
"""Bytes of a file that are read whole; a kernel machine on more rows needs a sample anyway. A guard."""

CHUNK_ROWS = 50_000
"""Rows that are in memory at once when a file is read in pieces. It does not matter much."""

FAST_ROWS = 50_000
"""Rows of the sample that ``fast`` reads; taken over without a study."""

IN_MEMORY_ROWS, IN_MEMORY_CELLS = 200_000, 20_000_000
"""Rows of a table that a study has in memory, and cells if it is wide: 160 MB of numbers. Of a larger file
it has a random sample of that size, and a model is fitted to all rows as they are read."""

PARQUET_ROWS = 1 << 16
"""Rows of a batch of a Parquet file that is read whole; pyarrow's own default."""

MISSING_MARKS = ["?"]
"""Marks of a missing cell beside those of pandas: the one of the UCI repository."""


def read_table(source: str, layout: Layout = Layout()) -> pd.DataFrame:  # noqa: B008
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
            raise TooLongError
        if not file.is_parquet:
            # A small archive can contain a large file, and nobody knows the length of standard input.
            file.stream.limit = LARGEST
        return checked(pd.concat(list(frames(file, layout, None, None)), ignore_index=True), file.name)


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
    """

    table: pd.DataFrame
    n_rows: int
    notes: list[str]

    @property
    def is_whole(self) -> bool:
        """Whether all rows of the file are there."""
        return len(self.table) == self.n_rows


def read_for_study(source: str, layout: Layout, fast: bool, seed: int) -> Reading:
    """Read a table, or a sample of it if it is large or with ``fast``."""
    rows = FAST_ROWS if fast else IN_MEMORY_ROWS
    pieces = CHUNK_ROWS if fast else IN_MEMORY_ROWS  # a table of one piece is read as if there were no pieces
    table, total = read_sample(source, layout, rows, np.random.default_rng(seed), pieces)
    notes = []
    if len(table) < total and (fast or source == "-"):
        why = "--fast" if fast else "standard input can be read only once; give a file to use all its rows"
        notes.append(f"a random sample of {len(table)} of the {total} rows was used ({why})")
    return Reading(table, total, notes)


def read_sample(
    source: str, layout: Layout, rows: int, generator: np.random.Generator, pieces: int | None = None
) -> tuple[pd.DataFrame, int]:
    """Read a random sample of the rows of a file of any size; return it with the number of all rows.

    Every row draws a key and the smallest keys stay, so that one pass and little memory suffice.
    """
    kept, keys, total = pd.DataFrame(), np.empty(0), 0
    with reading(source, layout) as file:
        for chunk in frames(file, layout, None, pieces or CHUNK_ROWS):
            chunk.index = pd.RangeIndex(total, total + len(chunk))
            total += len(chunk)
            rows = at_once(rows, chunk.shape[1])
            kept = chunk if kept.empty else pd.concat([kept, chunk])
            keys = np.concatenate([keys, generator.random(len(chunk))])
            smallest = np.sort(np.argsort(keys)[:rows])
            kept, keys = kept.iloc[smallest], keys[smallest]
        return checked(kept, file.name), total


def at_once(rows: int, n_columns: int) -> int:
    """Return how many rows may be in memory: fewer of a wide table."""
    return min(rows, max(1, IN_MEMORY_CELLS // max(1, n_columns)))


def read_chunks(
    source: str, layout: Layout, text_columns: Sequence[str] = (), rows: int | None = None
) -> Iterator[pd.DataFrame]:
    """Yield a file of any size as tables of at most ``rows`` rows, in order."""
    with reading(source, layout) as file:
        chunks = frames(file, layout, dict.fromkeys(text_columns, str), rows or CHUNK_ROWS)
        yield checked(next(chunks, pd.DataFrame()), file.name)
        yield from chunks


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
    except (ParserError, ParserWarning, csv.Error) as error:
        raise InputError(parser_error_message(name, error)) from error
    except TooLongError as error:
        raise InputError(
            f"{name} has more than {LARGEST / 2**30:.1g} GB, too much to read whole. Add --fast, which "
            "fits a random sample of its rows."
        ) from error


def checked(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return a table that has rows."""
    if table.empty:
        raise InputError(f"{name} has no rows below its header. Give a file with data.")
    return table


def frames(
    file: Source, layout: Layout, types: dict[str, Any] | None, rows: int | None
) -> Iterator[pd.DataFrame]:
    """Yield the tables of an opened file: one, or several of at most ``rows`` rows."""
    if file.is_parquet:
        yield from parquet_frames(file, rows)
        return
    head = file.stream.peek(PEEK)[:PEEK]
    names, delimiter = header_of(head, layout, file.name)
    with warnings.catch_warnings():
        # A row longer than the header would otherwise lose its end in silence.
        warnings.simplefilter("error", ParserWarning)
        parts = pd.read_csv(
            file.stream,
            sep=delimiter,
            names=names,
            header=0 if layout.header else None,
            index_col=False,
            encoding=layout.codec,
            decimal=layout.decimal,
            na_values=MISSING_MARKS,
            dtype=types or None,
            low_memory=False,
            chunksize=np.iinfo(np.int32).max if rows is None else at_once(rows, len(names)),
        )
        yield from parts


def parquet_frames(file: Source, rows: int | None) -> Iterator[pd.DataFrame]:
    """Yield the tables of a Parquet file."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        parquet = ParquetFile(file.stream)
        check_names([str(name) for name in parquet.schema_arrow.names], file.name)
        rows = PARQUET_ROWS if rows is None else at_once(rows, len(parquet.schema_arrow.names))
        for batch in parquet.iter_batches(batch_size=rows):
            yield batch.to_pandas()
    except pyarrow.ArrowException as error:
        raise InputError(f"{file.name} is a damaged Parquet file. Write it again.") from error
