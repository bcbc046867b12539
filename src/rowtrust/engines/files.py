"""Rows in files: Parquet and CSV, or any dataset of pyarrow, read piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from os import fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowtrust.contracts import Array
from rowtrust.engines.iterables import BlockSource, Rows, check_inputs, check_weights, refuse_missing

FORMATS = {".parquet": "parquet", ".csv": "csv", ".tsv": "csv"}
"""Kinds of files by the ends of their names."""

PACKED = (".gz", ".bz2", ".zst")
"""Ends of names of text that pyarrow unpacks on the way."""

BUFFER_BYTES = 2**20
"""Bytes of a column of a Parquet file that are read at once. With it ten columns of 6 million rows, in row
groups of a million, take 66 MB to read; pyarrow's readers as they come prepare whole row groups, and took
540 MB (one file) and 750 MB (a dataset, with the least read-ahead)."""

SHOWN_COLUMNS = 8
"""Columns that a message lists; readability alone."""


class TableSource(BlockSource):
    """The rows of a file, of a folder of files, or of a pyarrow dataset.

    Parameters
    ----------
    data
        Path of a Parquet or CSV file or of a folder of such files, or a ``pyarrow.dataset.Dataset``.
    target
        Name of the column of targets; None where there are none.
    weight
        Name of the column of sample weights; None where each row counts once.
    chunk_rows, n_threads
        As of any source with threads.
    """

    def __init__(self, data: Any, target: Any, weight: Any = None, **options: Any) -> None:
        super().__init__(**options)
        dataset = data if is_dataset(data) else dataset_of(fspath(data), target)
        for role, name in (("y", target), ("sample_weight", weight)):
            check_column(role, name, dataset.schema.names)
        roles = [name for name in (target, weight) if name is not None]
        self._inputs = [name for name in dataset.schema.names if name not in roles]
        refuse_words(dataset.schema, [*self._inputs, *([] if weight is None else [weight])])
        self.names = self._inputs
        self._dataset, self._target, self._weight = dataset, target, weight
        self._columns = [*self._inputs, *roles]

    def _blocks(self) -> Iterator[Rows]:
        from pyarrow import ArrowException

        n_rows = 0
        try:
            for batch in batches(self._dataset, self._columns, self._chunk_rows):
                yield self._rows(batch, n_rows)
                n_rows += batch.num_rows
        except ArrowException as error:
            raise ValueError(
                f"The table cannot be read beyond row {n_rows}: {str(error).splitlines()[0]}. A file must "
                "not change during a fit. If types were guessed from the first rows and do not suit later "
                "ones, state them: give pyarrow.dataset.dataset(path, schema=...) instead of the path."
            ) from error

    def _rows(self, batch: Any, offset: int) -> Rows:
        place = f"rows {offset} to {offset + batch.num_rows - 1}"
        X = np.empty((batch.num_rows, len(self._inputs)))
        for number, name in enumerate(self._inputs):
            X[:, number] = as_doubles(batch.column(name))
        check_inputs(X, f"The table, {place},")
        y = weight = None
        if self._target is not None:
            y = labels_or_numbers(batch.column(self._target))
            refuse_missing(y, f"Column {self._target!r}, {place},")
        if self._weight is not None:
            weight = as_doubles(batch.column(self._weight))
            check_weights(weight, f"Column {self._weight!r}, {place},")
        return Rows(X, y, weight)


def is_dataset(data: Any) -> bool:
    """Whether an object is a dataset of pyarrow; pyarrow is not imported to find out."""
    return any(
        each.__module__.startswith("pyarrow.") and each.__name__ == "Dataset" for each in type(data).__mro__
    )


def dataset_of(path: str, target: Any) -> Any:
    """Return a path as a dataset of pyarrow."""
    try:
        from pyarrow import dataset
    except ImportError as error:
        raise ImportError("Reading files needs pyarrow: pip install 'rowtrust[cli]'.") from error
    first = first_file(path)
    kind = format_of(first)
    if kind is None:
        raise ValueError(
            f"{path!r} is no Parquet or CSV file by its name. Rename it, or give a pyarrow.dataset.Dataset."
        )
    if kind == "parquet":
        return dataset.dataset(path, format="parquet", partitioning="hive")
    return dataset.dataset(path, format=text_format(path, first, target))


def first_file(path: str) -> str:
    """Return a file, or of a folder the first file that is a table."""
    if "://" in path:
        return path
    place = Path(path)
    if not place.exists():
        raise FileNotFoundError(f"There is no file {path!r}.")
    if not place.is_dir():
        return path
    files = [str(each) for each in sorted(place.rglob("*")) if each.is_file() and format_of(each.name)]
    if not files:
        raise ValueError(f"The folder {path!r} has no Parquet or CSV file in it.")
    return files[0]


def format_of(name: str) -> str | None:
    """Return which kind of file a name stands for, None if neither Parquet nor text."""
    suffixes = Path(name).suffixes
    if suffixes and suffixes[-1] in PACKED:
        suffixes = [each for each in suffixes[:-1] if each != ".parquet"]
    return FORMATS.get(suffixes[-1].lower()) if suffixes else None


def text_format(path: str, first: str, target: Any) -> Any:
    """Return how text is to be read: inputs as doubles, whatever the first rows look like.

    A column that begins with whole numbers, or with nothing, would otherwise have to go on so.
    """
    import pyarrow as pa
    from pyarrow import csv, dataset

    parse = csv.ParseOptions(delimiter="\t" if ".tsv" in Path(first).suffixes else ",")
    guessed = dataset.dataset(path, format=dataset.CsvFileFormat(parse_options=parse)).schema
    unsettled = [each.name for each in guessed if is_integer(each.type) or pa.types.is_null(each.type)]
    doubles = {name: pa.float64() for name in unsettled if name != target}
    convert = csv.ConvertOptions(column_types=doubles)
    return dataset.CsvFileFormat(parse_options=parse, convert_options=convert)


def check_column(role: str, name: Any, known: list[str]) -> None:
    """Refuse a role that is not the name of a column."""
    if name is None and role == "sample_weight":
        return
    shown = ", ".join(known[:SHOWN_COLUMNS]) + (", ..." if len(known) > SHOWN_COLUMNS else "")
    if not isinstance(name, str):
        raise TypeError(
            f"Where X is a file or a dataset, {role} is the name of a column, got {type(name).__name__}. "
            f"The columns are {shown}."
        )
    if name not in known:
        raise ValueError(f"{role} is {name!r}, but there is no such column. The columns are {shown}.")


def refuse_words(schema: Any, names: list[str]) -> None:
    """Refuse columns that hold no numbers, by name."""
    wrong = [
        f"{name} ({schema.field(name).type})" for name in names if not is_numeric(schema.field(name).type)
    ]
    if wrong:
        shown = ", ".join(wrong[:SHOWN_COLUMNS]) + (", ..." if len(wrong) > SHOWN_COLUMNS else "")
        raise ValueError(
            f"{len(wrong)} columns are not numeric: {shown}. Encode them as numbers, or leave them out: "
            "pyarrow.dataset.dataset(path, schema=...) reads the columns of its schema alone."
        )
    if not names:
        raise ValueError("The table has no input columns.")


def is_integer(kind: Any) -> bool:
    """Whether a type is of whole numbers."""
    from pyarrow import types

    return bool(types.is_integer(kind))


def is_numeric(kind: Any) -> bool:
    """Whether values of a type are numbers; no value at all (the type of an empty column) is one."""
    from pyarrow import types

    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    return any(test(kind) for test in tests)


def batches(dataset: Any, columns: list[str], size: int) -> Iterator[Any]:
    """Yield record batches of a dataset, in order, little more than one of them in memory."""
    try:
        fragments = list(dataset.get_fragments())
    except ValueError:  # a dataset with a filter has no fragments to show
        yield from scanned(dataset, columns, size)
        return
    for fragment in fragments:
        if is_whole_file(fragment, columns):
            yield from parquet_batches(fragment, columns, size)
        else:
            yield from scanned(fragment, columns, size, schema=dataset.schema)


def is_whole_file(fragment: Any, columns: list[str]) -> bool:
    """Whether a fragment is a Parquet file with all columns in it, none in the name of a folder."""
    from pyarrow.dataset import ParquetFileFragment

    return isinstance(fragment, ParquetFileFragment) and set(columns) <= set(fragment.physical_schema.names)


def parquet_batches(fragment: Any, columns: list[str], size: int) -> Iterator[Any]:
    """Yield batches of a Parquet file; a scanner would make whole row groups ready, see ``BUFFER_BYTES``."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(fragment.open(), buffer_size=BUFFER_BYTES, pre_buffer=False) as file:
        groups = [group.id for group in fragment.row_groups]
        yield from file.iter_batches(size, row_groups=groups, columns=columns, use_threads=False)


def scanned(rows: Any, columns: list[str], size: int, **options: Any) -> Iterator[Any]:
    """Yield batches as pyarrow reads them, with the least read-ahead."""
    yield from rows.to_batches(
        columns=columns, batch_size=size, batch_readahead=1, fragment_readahead=1, **options
    )


def as_doubles(column: Any) -> Array:
    """Return a column of numbers as doubles; null becomes NaN."""
    import pyarrow as pa

    doubles = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(doubles, dtype=np.float64)


def labels_or_numbers(column: Any) -> NDArray[Any]:
    """Return a column of targets: numbers, truth values, or words."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    if values.dtype == object and not column.null_count and not pa.types.is_boolean(column.type):
        return values.astype(str)
    return values
