"""Rows in the partitions of dask arrays and dataframes: functions travel to them, and sums come back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, count
from typing import Any
from uuid import uuid4

import dask
import numpy as np
from dask import array
from dask.delayed import Delayed, delayed

from rowtrust.engines.sources import Chunk, RowSource, Sum, added
from rowtrust.numerics.blocks import single_blas_thread

FAN_IN = 8
"""Sums that one task adds up: few tasks, and few sums in memory at a time. Not studied."""


class DaskSource(RowSource):
    """Rows of dask arrays or dataframes, wherever their partitions are.

    Sums are added in a tree whose shape depends on the number of partitions only, in the order of the
    rows: the result is the same for any number of workers. It runs on the scheduler that ``dask.compute``
    would take. Nothing is left on a worker between two readings, and a function travels as part of the graph:
    whatever a dead worker had the scheduler can make again elsewhere.

    Parameters
    ----------
    X
        Dask array with two axes, or dask dataframe, of which the numeric columns are read.
    y, weight
        Dask arrays or series of the same rows, arrays in memory, or names of columns of a dataframe.

    Attributes
    ----------
    names
        Columns of a dataframe that are inputs; None for an array.
    n_features
        Number of inputs.
    known
        Rows of every partition as far as dask knows; None where it does not.
    parts
        Inputs, targets and weights of every partition, each a delayed object or None.
    """

    def __init__(self, X: Any, y: Any = None, weight: Any = None) -> None:
        beside = {"y": y, "sample_weight": weight}
        for what, values in beside.items():
            if getattr(values, "ndim", 1) != 1:
                raise ValueError(f"{what} must have one axis, one number or label a row; got {values.ndim}.")
        if hasattr(X, "columns"):
            X, self.reader = one_table(X, beside)
            self.names = self.reader.inputs
            beside = {what: None if is_column(values) else values for what, values in beside.items()}
        else:
            X, self.reader = whole_rows(X, beside), Reader()
        self.n_features = X.shape[1] if self.names is None else len(self.names)
        self.known, self._blocks = known_lengths(X), blocks_of(X)
        self.n_numbers = None if self.known is None else sum(self.known) * self.n_features
        # Collections are kept, not only their parts: what is persisted is forgotten with them.
        self._collections = X, *(self._beside(values, what) for what, values in beside.items())
        absent = [None] * len(self._blocks)
        others = [absent if each is None else blocks_of(each) for each in self._collections[1:]]
        self.parts = list(zip(self._blocks, *others, strict=True))

    def _beside(self, values: Any, what: str) -> Any:
        """Return something that goes with the rows, in their partitions."""
        if values is None:
            return None
        if not dask.is_dask_collection(values):
            values = array.from_array(np.asarray(values), chunks=-1)
        lengths = known_lengths(values)
        if lengths is not None and lengths != self.known:
            check_size(sum(lengths), sum(self.lengths), what)
            values = values.rechunk((self.lengths,))
        if n_parts(values) != len(self._blocks):
            raise ValueError(
                f"X has {len(self._blocks)} partitions and {what} has {n_parts(values)}. Give a dataframe "
                "and the names of its columns, or arrays whose chunk sizes are known (compute_chunk_sizes())."
            )
        return values

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Rows of every partition; counted once, by a reading of them, where dask does not know them."""
        if self.known is not None:
            return self.known
        self.reads += 1
        return tuple(dask.compute(*map(delayed(n_rows, pure=False), self._blocks)))

    def _tasks(self, function: Any) -> list[Delayed]:
        """Return the application of a function to every partition."""
        run, offsets = f"rowtrust-{uuid4().hex}", accumulate(self.lengths, initial=0)
        # One key of its own: it is sent once, not with every partition.
        sent = delayed(Sent(function, self.reader), name=f"{run}-function", traverse=False)
        apply = delayed(apply_to_rows, pure=False, traverse=False)
        return [
            apply(sent, *part, offset, dask_key_name=(f"{run}-part", number))
            for number, (part, offset) in enumerate(zip(self.parts, offsets, strict=False))
        ]

    def chunks(self) -> Iterator[Chunk]:
        """Bring all rows into this process, a partition at a time."""
        for task in self._tasks(as_chunk):
            (chunk,) = dask.compute(task)
            if chunk is not None:
                yield chunk

    def _sum(self, function: Callable[[Chunk], Sum]) -> Sum | None:
        parts, level = self._tasks(function), count()
        while len(parts) > 1:
            name = f"{parts[0].key[0]}-sum-{next(level)}"
            groups = [parts[first : first + FAN_IN] for first in range(0, len(parts), FAN_IN)]
            add = delayed(sum_of, pure=False)
            parts = [add(group, dask_key_name=(name, number)) for number, group in enumerate(groups)]
        total: Sum | None = dask.compute(parts[0])[0] if parts else None
        return total


@dataclass(frozen=True)
class Reader:
    """Makes a chunk of a partition.

    Attributes
    ----------
    inputs
        Columns of a dataframe that are inputs; None for arrays.
    target, weight
        Columns of the dataframe, where they are none of their own.
    """

    inputs: list[str] | None = None
    target: str | None = None
    weight: str | None = None

    def columns(self, X: Any, y: Any, weight: Any) -> tuple[Any, Any, Any]:
        """Return inputs, targets and weights of a partition, as they are stored."""
        y = X[self.target] if self.target is not None else y
        weight = X[self.weight] if self.weight is not None else weight
        X = X if self.inputs is None else X[self.inputs]
        for values, what in ((y, "y"), (weight, "sample_weight")):
            if values is not None:
                check_size(len(values), X.shape[0], what)
        return X, y, weight

    def __call__(self, X: Any, y: Any, weight: Any, offset: int) -> Chunk:
        """Return the rows of a partition."""
        X, y, weight = self.columns(X, y, weight)
        if self.inputs is not None:  # rows of a dataframe are columns in memory
            X = np.ascontiguousarray(X.to_numpy(dtype=np.float64, na_value=np.nan))
        weight = None if weight is None else np.asarray(weight, dtype=np.float64)
        return Chunk(X, None if y is None else np.asarray(y), weight, offset)


class Sent:
    """A function of a chunk on its way to the partitions. No dataclass: dask would look into one."""

    def __init__(self, function: Any, reader: Reader) -> None:
        self.function, self.reader = function, reader


def apply_to_rows(sent: Sent, X: Any, y: Any, weight: Any, offset: int) -> Any:
    """Return what a function makes of a partition; None of one without rows."""
    if n_rows(X) == 0:
        return None
    with single_blas_thread():
        return sent.function(sent.reader(X, y, weight, offset))


def as_chunk(chunk: Chunk) -> Chunk:
    """Return the rows as they are."""
    return chunk


def sum_of(parts: Sequence[Any]) -> Any:
    """Return the sum of parts in order; partitions without rows have none."""
    return added(part for part in parts if part is not None)


def n_rows(X: Any) -> int:
    """Return the number of rows of a partition."""
    return int(X.shape[0])


def is_column(values: Any) -> bool:
    """Whether something is a column of a dask dataframe, or the name of one."""
    return isinstance(values, str) or (dask.is_dask_collection(values) and hasattr(values, "to_frame"))


def one_table(X: Any, beside: dict[str, Any]) -> tuple[Any, Reader]:
    """Return a dataframe of all that is read, and what makes chunks of its partitions.

    Series join it, as dask may put partitions of a file together, more of them the fewer columns are read.
    """
    places: dict[str, str | None] = dict.fromkeys(beside)
    joining = {}
    for what, values in beside.items():
        if isinstance(values, str):
            places[what] = values
        elif is_column(values):
            places[what] = f"rowtrust {what}"
            joining[f"rowtrust {what}"] = values
    named = [values for values in beside.values() if isinstance(values, str)]
    inputs = numeric_columns(X, named)
    return X[inputs + named].assign(**joining), Reader(inputs, places["y"], places["sample_weight"])


def numeric_columns(X: Any, others: Sequence[str]) -> list[str]:
    """Return the columns of a dataframe that are numbers, but for some."""
    missing = [name for name in others if name not in X.columns]
    if missing:
        raise ValueError(f"X has no column {missing[0]!r}. Its columns are {list(X.columns)}.")
    inputs = [name for name in X.select_dtypes(include=["number", "bool"]).columns if name not in others]
    if not inputs:
        raise ValueError(f"X has no numeric column to learn from. Its columns are {list(X.columns)}.")
    return inputs


def whole_rows(X: Any, beside: dict[str, Any]) -> Any:
    """Return a dask array in which every row is in one chunk."""
    for values in beside.values():
        if isinstance(values, str):
            raise ValueError(
                f"{values!r} names a column, but X is an array. Give a dask array of the same rows."
            )
    if X.ndim != 2:
        raise ValueError(f"X must have two axes, rows and features; got {X.ndim}.")
    return X if len(X.chunks[1]) == 1 else X.rechunk({1: -1})


def known_lengths(values: Any) -> tuple[int, ...] | None:
    """Return the rows of every chunk, None where dask does not know them."""
    chunks = getattr(values, "chunks", None)
    return None if chunks is None or np.isnan(chunks[0]).any() else tuple(map(int, chunks[0]))


def n_parts(values: Any) -> int:
    """Return the number of chunks along the rows, or of partitions."""
    return len(values.chunks[0]) if hasattr(values, "chunks") else len(blocks_of(values))


def blocks_of(values: Any) -> list[Delayed]:
    """Return the partitions of a dask collection, in order."""
    return list(np.ravel(np.asarray(values.to_delayed(), dtype=object)))


def check_size(given: int, expected: int, what: str) -> None:
    """Refuse what does not go with the rows."""
    if given != expected:
        raise ValueError(f"X has {expected} rows where {what} has {given}; give one per row.")
