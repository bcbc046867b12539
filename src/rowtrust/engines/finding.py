"""Where rows are, by what was given to ``fit``."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any

import numpy as np

from rowtrust.engines.files import TableSource, is_dataset
from rowtrust.engines.iterables import IterableSource, MappedSource, refuse_iterator
from rowtrust.engines.sources import RowSource, is_dask


def as_source(X: Any, y: Any = None, sample_weight: Any = None) -> RowSource | None:
    """Return what reads the rows where they are; None for an ordinary array or table in memory.

    Parameters
    ----------
    X
        Path of a Parquet or CSV file, or of a folder of them; a pyarrow dataset; an array that is mapped
        into memory; a dask array or dataframe; an iterable of blocks ``(X, y)`` or ``(X, y, weight)``;
        anything else is an array.
    y
        Targets; the name of their column where X is a table; None where X has blocks.
    sample_weight
        Weights, None, or the name of their column where X is a table.
    """
    if isinstance(X, str | PathLike) or is_dataset(X):
        return TableSource(X, y, sample_weight)
    if isinstance(X, np.memmap) and y is not None:
        return MappedSource(X, y, sample_weight)
    if is_dask(X):
        from rowtrust.engines.dask import DaskSource

        return DaskSource(X, y, sample_weight)
    if y is None and has_blocks(X):
        if sample_weight is not None:
            raise TypeError("Blocks bring their own weights: give (X, y, weight) and no sample_weight.")
        return IterableSource(X)
    return None


def has_blocks(X: Any) -> bool:
    """Whether an object is an iterable of blocks of rows, and no array.

    A list is one only if it begins with a pair or a triple whose first part is a table: lists of lists of
    numbers are arrays.
    """
    if not isinstance(X, Iterable) or any(hasattr(X, name) for name in ("shape", "__array__", "columns")):
        return False
    refuse_iterator(X)
    if not isinstance(X, list | tuple) or not len(X):
        return True
    first = X[0]
    return isinstance(first, list | tuple) and len(first) in (2, 3) and is_table(first[0])


def is_table(values: Any) -> bool:
    """Whether values have rows and columns."""
    try:
        return len(getattr(values, "shape", None) or np.shape(values)) == 2
    except ValueError:  # lists of different lengths
        return False
