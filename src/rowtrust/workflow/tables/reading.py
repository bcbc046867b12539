"""Reading CSV, TSV and Parquet, compressed or not, whole or in pieces."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.errors import EmptyDataError, ParserError, ParserWarning

from rowtrust.workflow.tables.complaints import InputError, listed, shortened
from rowtrust.workflow.tables.opening import Opened, TooLongError, opened

DELIMITERS = (",", "\t", ";", "|")
LARGEST = 2**30
"""Bytes of a file that are read whole; a kernel machine on more rows needs a sample anyway."""

CHUNK_ROWS = 50_000
PEEK = 1 << 18


@dataclass(frozen=True)
class Layout:
    """How a text file is laid out.

    Attributes
    ----------
    delimiter
        Between fields; None to find out.
    encoding
        Of the text.
    decimal
        The decimal mark.
    header
        Whether the first line names the columns; otherwise they are called 1, 2, ...
    """

    delimiter: str | None = None
    encoding: str = "utf-8"
    decimal: str = "."
    header: bool = True


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
            # A small archive can hold a large file, and nobody knows the length of standard input.
            file.stream.limit = LARGEST
        return checked(pd.concat(list(frames(file, layout, None, None)), ignore_index=True), file.name)


def read_sample(
    source: str, layout: Layout, rows: int, generator: np.random.Generator
) -> tuple[pd.DataFrame, int]:
    """Read a random sample of the rows of a file of any size; return it with the number of all rows.

    Every row draws a key and the smallest keys stay, so that one pass and little memory suffice.
    """
    kept, keys, total = pd.DataFrame(), np.empty(0), 0
    with reading(source, layout) as file:
        for chunk in frames(file, layout, None, CHUNK_ROWS):
            chunk.index = pd.RangeIndex(total, total + len(chunk))
            total += len(chunk)
            kept = chunk if kept.empty else pd.concat([kept, chunk])
            keys = np.concatenate([keys, generator.random(len(chunk))])
            smallest = np.sort(np.argsort(keys)[:rows])
            kept, keys = kept.iloc[smallest], keys[smallest]
        return checked(kept, file.name), total


def read_chunks(
    source: str, layout: Layout, text_columns: Sequence[str] = (), rows: int = CHUNK_ROWS
) -> Iterator[pd.DataFrame]:
    """Yield a file of any size as tables of at most ``rows`` rows, in order."""
    with reading(source, layout) as file:
        empty = True
        for chunk in frames(file, layout, dict.fromkeys(text_columns, str), rows):
            empty = False
            yield chunk
        if empty:
            checked(pd.DataFrame(), file.name)


@contextmanager
def reading(source: str, layout: Layout) -> Iterator[Opened]:
    """Open a file; turn what goes wrong while it is read into one line with the cure."""
    name = "standard input" if source == "-" else shortened(source, 200)
    try:
        with opened(source) as file:
            yield file
    except FileNotFoundError as error:
        raise InputError(f"{name}: no such file. Check the path.") from error
    except IsADirectoryError as error:
        raise InputError(f"{name} is a folder. Give a file.") from error
    except PermissionError as error:
        raise InputError(f"{name} may not be read. Check its permissions.") from error
    except UnicodeError as error:
        raise InputError(encoding_complaint(name, layout, error)) from error
    except LookupError as error:
        raise InputError(f"unknown encoding '{layout.encoding}'. Try --encoding latin-1.") from error
    except (ParserError, ParserWarning, csv.Error) as error:
        raise InputError(parser_complaint(name, error)) from error
    except EmptyDataError as error:
        raise InputError(f"{name} is empty. Give a file with a header line and rows.") from error
    except TooLongError as error:
        raise InputError(
            f"{name} has more than {LARGEST / 2**30:.1g} GB, too much to read whole. Add --fast, which "
            "fits a random sample of its rows."
        ) from error
    except EOFError as error:
        raise InputError(f"{name} ends too early. Was it copied whole?") from error


def encoding_complaint(name: str, layout: Layout, error: UnicodeError) -> str:
    """Say which byte is wrong, and which encoding to try."""
    byte = ""
    if isinstance(error, UnicodeDecodeError):
        byte = f" (byte 0x{error.object[error.start]:02x})"
    other = "utf-8" if layout.encoding != "utf-8" else "latin-1"
    return f"{name} is not {layout.encoding} text{byte}. Try --encoding {other}."


def parser_complaint(name: str, error: Exception) -> str:
    """Say in which line the fields do not fit the header."""
    text = str(error)
    if "saw" in text and "line" in text:
        line, seen = text.split("line")[1].split(",")[0].strip(), text.split("saw")[1].strip()
        wanted = text.split("Expected")[1].split("fields")[0].strip()
        return (
            f"{name}: line {line} has {seen} fields, the header has {wanted}. Quote fields that hold the "
            "delimiter, or name another with --delimiter."
        )
    if isinstance(error, ParserWarning):
        return f"{name}: the rows have more fields than the header. Name every column, or use --no-header."
    return f"{name} cannot be read as a table: {shortened(text.strip(), 120)}. Mend the file."


def checked(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return a table that has rows."""
    if table.empty:
        raise InputError(f"{name} has no rows below its header. Give a file with data.")
    return table


def frames(
    file: Opened, layout: Layout, types: dict[str, Any] | None, rows: int | None
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
            encoding="utf-8-sig" if layout.encoding.lower() in ("utf-8", "utf8") else layout.encoding,
            decimal=layout.decimal,
            na_values=["?"],
            dtype=types or None,
            low_memory=False,
            chunksize=rows or np.iinfo(np.int32).max,
        )
        yield from parts


def parquet_frames(file: Opened, rows: int | None) -> Iterator[pd.DataFrame]:
    """Yield the tables of a Parquet file."""
    import pyarrow
    from pyarrow.parquet import ParquetFile

    try:
        parquet = ParquetFile(file.stream)
        check_names([str(name) for name in parquet.schema_arrow.names], file.name)
        for batch in parquet.iter_batches(batch_size=rows or 1 << 16):
            yield batch.to_pandas()
    except pyarrow.ArrowException as error:
        raise InputError(f"{file.name} is a damaged Parquet file. Write it again.") from error


def header_of(head: bytes, layout: Layout, name: str) -> tuple[list[str], str]:
    """Return the column names and the delimiter, from the beginning of a file."""
    if not head.strip():
        raise EmptyDataError
    if layout.encoding.lower() in ("utf-8", "utf8") and (b"\x00" in head or head[:2] in (b"\xff\xfe",)):
        raise InputError(f"{name} is no text file. Save it as CSV, or try --encoding utf-16.")
    text = decoded(head, layout.encoding)
    delimiter = layout.delimiter or sniffed(text)
    fields = next((row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row), [])
    if not layout.header:
        return [str(number) for number in range(1, len(fields) + 1)], delimiter
    names = [field.strip() or f"column {number}" for number, field in enumerate(fields, 1)]
    check_names(names, name)
    if len(names) > 1 and all(is_number(field) for field in names):
        raise InputError(
            f"{name}: the first line holds numbers, not column names. Add a header or --no-header."
        )
    return names, delimiter


def decoded(head: bytes, encoding: str) -> str:
    """Decode whole lines, so that no character is cut."""
    whole = head if len(head) < PEEK else head[: head.rfind(b"\n") + 1] or head
    return whole.decode(encoding, errors="strict").lstrip("\ufeff")


def sniffed(text: str) -> str:
    """Return the delimiter that splits the first line into most fields."""
    line = text.lstrip().splitlines()[0]
    counts = {mark: len(next(csv.reader([line], delimiter=mark))) for mark in DELIMITERS}
    return max(DELIMITERS, key=lambda mark: counts[mark])


def check_names(names: list[str], source: str) -> None:
    """Refuse two columns of one name."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"{source} has several columns called {listed(twice)}. Rename all but one.")


def is_number(text: str) -> bool:
    """Whether a text reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
