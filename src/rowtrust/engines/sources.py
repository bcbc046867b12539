"""Rows that are read again and again: where they are stored, and where the work on them runs.

A fit to many rows never has them all at hand. It gives a source a function of one chunk of rows, and gets
the sum of what the function returns: over threads, over a file, or over the workers of a cluster, to which
the function travels while the rows stay. A new kind of storage writes ``chunks``, or ``_sum`` where the
chunks are elsewhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, TypeVar

from rowtrust.contracts import Array, Matrix
from rowtrust.numerics.blocks import single_blas_thread, thread_count

Sum = TypeVar("Sum")

CHUNK_ROWS = 2**15
"""Rows of a chunk of arrays in memory: enough work for a thread, few enough for many chunks where there are a
million rows. Not studied."""

BLOCK_BYTES = 4 * 2**20
"""Size of the largest temporary of one row block. As that of rows in memory."""


@dataclass(frozen=True)
class Chunk:
    """Some consecutive rows.

    Attributes
    ----------
    X : (n, d)
        Inputs.
    y : (n,)
        Targets; None where rows are only to be predicted.
    weight : (n,)
        How many rows each stands for; None: one.
    offset
        Position of the first of them among all rows.
    """

    X: Matrix
    y: Any
    weight: Array | None
    offset: int


class RowSource(ABC):
    """Rows that can be read again and again, always in the same order.

    Attributes
    ----------
    reads
        How often all rows were read.
    block_bytes
        Size of the largest temporary of one block of a chunk.
    names
        Names of the inputs, where the rows have some.
    n_numbers
        How many inputs all rows have together, where that is known without reading them.
    """

    reads: int = 0
    block_bytes: int = BLOCK_BYTES
    names: Sequence[str] | None = None
    n_numbers: int | None = None

    @abstractmethod
    def chunks(self) -> Iterator[Chunk]:
        """Yield all rows once, in order."""

    def map_reduce(self, function: Callable[[Chunk], Sum]) -> Sum:
        """Return the sum over chunks, in their order, of ``function(chunk)``: one pass over all rows."""
        self.reads += 1
        total = self._sum(function)
        if total is None:
            raise ValueError("There are no rows to read. Give at least two.")
        return total

    def beside(self, X: Matrix, y: Any, weight: Array) -> RowSource | None:
        """Return what reads a few rows of the memory where these are, if they are faster there."""
        return None

    def _sum(self, function: Callable[[Chunk], Sum]) -> Sum | None:
        return added(map(function, self.chunks()))


def added(parts: Iterable[Sum | None]) -> Sum | None:
    """Return the sum of parts, one after the other; a chunk without rows has none, and no parts are None."""
    known = (part for part in parts if part is not None)
    first = next(known, None)
    return None if first is None else reduce(add, known, first)


class ThreadedSource(RowSource):
    """Rows that are read in this process, one chunk after the other, and worked on by several threads.

    The sum is in the order of the rows, so that it does not depend on the number of threads.

    Parameters
    ----------
    chunk_rows
        Rows of a chunk.
    n_threads
        Threads; None: one a core, or as many as BLAS may use if those are fewer.
    """

    def __init__(self, chunk_rows: int = CHUNK_ROWS, n_threads: int | None = None) -> None:
        self._chunk_rows = chunk_rows
        self._n_threads = thread_count() if n_threads is None else n_threads

    def _sum(self, function: Callable[[Chunk], Sum]) -> Sum | None:
        if self._n_threads == 1:
            return super()._sum(function)
        with single_blas_thread(), ThreadPoolExecutor(self._n_threads) as pool:
            return added(in_order(pool, function, self.chunks(), 2 * self._n_threads))


class ArraySource(ThreadedSource):
    """Arrays in memory, or mapped into it.

    Parameters
    ----------
    X, y, weight
        Rows, targets, and how many rows each stands for (None: one).
    chunk_rows, n_threads
        As of any source with threads.
    """

    def __init__(
        self,
        X: Matrix,
        y: Any,
        weight: Array | None = None,
        chunk_rows: int = CHUNK_ROWS,
        n_threads: int | None = None,
    ) -> None:
        super().__init__(chunk_rows, n_threads)
        self.X, self.y, self.weight = X, y, weight
        if X.shape[0] <= chunk_rows:
            self._n_threads = 1

    def chunks(self) -> Iterator[Chunk]:
        """Yield slices of the arrays."""
        for start in range(0, self.X.shape[0], self._chunk_rows):
            rows = slice(start, min(start + self._chunk_rows, self.X.shape[0]))
            y = None if self.y is None else self.y[rows]
            yield Chunk(self.X[rows], y, None if self.weight is None else self.weight[rows], start)


def in_order(
    pool: ThreadPoolExecutor, function: Callable[[Chunk], Sum], chunks: Iterator[Chunk], ahead: int
) -> Iterator[Sum]:
    """Yield what a function makes of chunks, in order, with so many of them under way at most."""
    waiting: deque[Future[Sum]] = deque()
    for chunk in chunks:
        waiting.append(pool.submit(function, chunk))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def is_dask(X: Any) -> bool:
    """Whether something is a dask array, dataframe or series."""
    kind = type(X)
    return kind.__module__.partition(".")[0] == "dask" and kind.__name__ in ("Array", "DataFrame", "Series")
