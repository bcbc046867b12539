"""Parquet: the types of columns are those of the file's schema, whatever a piece of it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pandas as pd
import pyarrow
from pyarrow import compute, types
from pyarrow.parquet import ParquetFile

from rowtrust.workflow.tables.errors import InputError
from rowtrust.workflow.tables.layout import Layout, check_names
from rowtrust.workflow.tables.records import Records
from rowtrust.workflow.tables.sources import Source


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
