"""Where the rows of a fit are: blocks on the disk, a device, the workers of a Dask cluster.

Of a file of more rows than a study has in memory a sample is studied, and the model is fitted to all rows.
They are read and prepared once, into blocks on the disk, which the fit then reads as often as it must.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn._config import config_context

from rowtrust.contracts import Array, Indices
from rowtrust.workflow.records import Part
from rowtrust.workflow.splitting import names_of
from rowtrust.workflow.tables import InputError, Layout, Schema, read_chunks
from rowtrust.workflow.tables.cells import as_numbers
from rowtrust.workflow.tables.sources import file_state
from rowtrust.workflow.tables.targets import known_labels

PATIENCE = 10.0
"""Seconds in which a scheduler must answer; Dask waits three times as long. A guard."""


@dataclass(frozen=True)
class WholeFile:
    """A file of which a study has a sample.

    Attributes
    ----------
    source, layout
        Its path, and how text in it is laid out.
    n_rows
        How many rows it has.
    place
        Folder in which prepared rows may be kept for the time of the fit.
    state
        Of the file when its sample was drawn; nothing if nobody looked.
    names
        The column that names the rows, if one does.
    on_rows
        Called with the number of rows of every piece that is read.
    """

    source: str
    layout: Layout
    n_rows: int
    place: Path | None = None
    state: tuple[int, ...] = ()
    names: str | None = None
    on_rows: Callable[[int], None] | None = None

    def chunks(self) -> Iterator[pd.DataFrame]:
        """Yield the file piece by piece, as long as it is the one of which a sample was drawn."""
        self.check()
        for chunk in read_chunks(self.source, self.layout):
            if self.on_rows is not None:
                self.on_rows(len(chunk))
            yield chunk
        self.check()

    def check(self) -> None:
        """Refuse a file that has changed: the numbers of its rows mean others now."""
        if self.state and self.state != file_state(self.source):
            raise InputError(f"{self.source} has changed while it was read. Run again when it is complete.")

    def parts(self, schema: Schema, classes: NDArray[Any], left_out: Indices) -> Iterator[Part]:
        """Yield the rows that can be fitted, in order.

        Rows of which the target is missing, or of a class that the sample has not, are passed over.

        Parameters
        ----------
        schema
            The columns, as the sample has shown them.
        classes
            Classes of the sample; empty for numbers.
        left_out
            Numbers of rows that are kept for judging.
        """
        for chunk in self.chunks():
            numbers = np.asarray(chunk.index, dtype=np.intp) + 1
            rows, y = targets_of(chunk.rename(columns=str)[schema.target], classes, schema.target_reading)
            kept = ~np.isin(numbers[rows], left_out)
            rows = rows[kept]
            ids = None if self.names is None else names_of(chunk.rename(columns=str)[self.names].iloc[rows])
            yield Part(schema.conform(chunk.iloc[rows], checks=False), y[kept], numbers[rows], ids=ids)

    def rows(self, schema: Schema, classes: NDArray[Any], numbers: Indices) -> Part:
        """Return the rows of some numbers, by one more reading."""
        found = []
        for part in self.parts(schema, classes, np.empty(0, dtype=np.intp)):
            found.append(part.take(np.flatnonzero(np.isin(part.rows, numbers))))
        return joined(found)


def targets_of(
    column: pd.Series[Any], classes: NDArray[Any], reading: str = ""
) -> tuple[Indices, NDArray[Any]]:
    """Return which rows have a target that can be fitted, and these."""
    if not len(classes):
        numbers = as_numbers(column, reading).to_numpy()
        rows = np.flatnonzero(~np.isnan(numbers))
        return rows, numbers[rows]
    rows, found, _ = known_labels(column, classes)
    return rows, found


def joined(parts: list[Part]) -> Part:
    """Return the rows of several parts as one, in the order of their numbers, with their names."""
    X = pd.concat([each.X for each in parts], ignore_index=True)
    named = [each.ids for each in parts if each.ids is not None]
    ids = np.concatenate(named) if len(named) == len(parts) else None
    y, rows = (np.concatenate([getattr(each, name) for each in parts]) for name in ("y", "rows"))
    both = Part(X, y, rows, ids=ids)
    return both.take(np.unique(both.rows, return_index=True)[1])


class StoredBlocks:
    """Prepared rows on the disk, in blocks; iterating over them reads all again.

    Parameters
    ----------
    folder
        Where they are.
    on_pass
        Called before each reading.
    """

    def __init__(self, folder: Path, on_pass: Callable[[], None] | None = None) -> None:
        self._folder, self._on_pass = folder, on_pass
        self.lengths: list[int] = []

    def append(self, X: Array, y: NDArray[Any], rows: Indices) -> None:
        """Store a block with the numbers of its rows in the file."""
        if not len(y):
            return
        for name, values in (("X", X), ("y", y), ("rows", rows)):
            np.save(self.path(len(self.lengths), name), values, allow_pickle=False)
        self.lengths.append(len(y))

    def path(self, number: int, name: str) -> Path:
        """Return the file of the inputs (X), of the targets (y) or of the row numbers (rows) of a block."""
        return self._folder / f"{name}-{number}.npy"

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> Iterator[tuple[Array, NDArray[Any]]]:
        if self._on_pass is not None:
            self._on_pass()
        for number in range(len(self)):
            X, y = (np.load(self.path(number, name), mmap_mode="r") for name in ("X", "y"))
            yield X, y

    def numbers_of(self, positions: Indices) -> Indices:
        """Return the numbers in the file of rows at some positions among all blocks."""
        ends = np.cumsum(self.lengths)
        block = np.searchsorted(ends, positions, side="right")
        found = np.empty(len(positions), dtype=np.intp)
        for number in np.unique(block):
            mine = block == number
            start = ends[number] - self.lengths[number]
            found[mine] = np.load(self.path(int(number), "rows"), mmap_mode="r")[positions[mine] - start]
        return found


@contextmanager
def stored(
    parts: Iterator[Part], preparation: Any, place: Path | None, on_pass: Callable[[], None] | None = None
) -> Iterator[StoredBlocks]:
    """Prepare rows and keep them on the disk, for as long as it takes to fit them."""
    with tempfile.TemporaryDirectory(prefix=".rowtrust-", dir=place) as folder:
        blocks = StoredBlocks(Path(folder), on_pass)
        for part in parts:
            if len(part.y):
                blocks.append(np.asarray(preparation.transform(part.X)), part.y, part.rows)
        if not len(blocks):
            raise InputError("no row of the file can be fitted. Has it changed since its sample was drawn?")
        yield blocks


def fit_on_device(estimator: Any, X: Array, y: NDArray[Any], device: str) -> Any:
    """Fit with rows that lie on a device; what is fitted comes back.

    Labels travel as whole numbers, since a device knows no words.
    """
    torch = torch_with(device)
    classes = None
    if hasattr(estimator, "predict_proba"):
        classes, y = np.unique(y, return_inverse=True)
    os.environ.setdefault("SCIPY_ARRAY_API", "1")  # scikit-learn asks for it
    with config_context(array_api_dispatch=True):
        estimator.fit(torch.asarray(X, device=device), torch.asarray(y, device=device))
    if classes is not None:
        estimator.classes_ = classes
    return estimator


def torch_with(device: str) -> Any:
    """Return PyTorch if it is there and has the device."""
    try:
        import torch
    except ImportError as error:
        raise InputError(f"--device {device} needs PyTorch. Install torch, or leave --device out.") from error
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise InputError(f"--device {device}: PyTorch finds no CUDA device. Leave --device out.")
    return torch


def all_in_memory(blocks: StoredBlocks) -> tuple[Array, NDArray[Any]]:
    """Return the rows of all blocks as two arrays."""
    parts = list(blocks)
    return np.concatenate([X for X, _ in parts]), np.concatenate([y for _, y in parts])


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Connect with a Dask scheduler for the time of a fit."""
    try:
        from dask.distributed import Client
    except ImportError as error:
        raise InputError("--dask needs Dask: pip install 'dask[array,distributed]'.") from error
    try:
        client = Client(address, timeout=PATIENCE)
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(f"--dask {address}: no scheduler answers there. Check the address.") from error
    with client:
        yield client


def as_dask(blocks: StoredBlocks) -> tuple[Any, Any]:
    """Return stored blocks as Dask arrays: every worker reads its own, so that it must see the folder."""
    from dask import array, delayed

    first, target = next(iter(blocks))
    read = delayed(np.load, pure=True)
    X, y = [], []
    for number, length in enumerate(blocks.lengths):
        names = [str(blocks.path(number, name)) for name in ("X", "y")]
        X.append(array.from_delayed(read(names[0]), (length, first.shape[1]), first.dtype))
        y.append(array.from_delayed(read(names[1]), (length,), target.dtype))
    return array.concatenate(X), array.concatenate(y)
