"""Rows that come in blocks of any size, and leave in chunks of one size."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from rowtrust.contracts import Array
from rowtrust.engines.sources import Chunk, ThreadedSource

READ_AGAIN = (
    "Give something that starts anew each time it is iterated over: a list of blocks, or an object whose "
    "__iter__ makes a new generator."
)
"""What to do about an iterator. Part of messages."""


class Rows(NamedTuple):
    """Some consecutive rows: inputs, targets if there are any, how many rows each stands for (None: one)."""

    X: Array
    y: NDArray[Any] | None
    weight: Array | None


class BlockSource(ThreadedSource):
    """Rows that are read block by block.

    Blocks are cut anew, so that sums do not depend on how rows were stored. Every reading must find as many
    rows as the first.
    """

    n_rows: int | None = None
    """Rows that the first complete reading has found."""

    @abstractmethod
    def _blocks(self) -> Iterator[Rows]:
        """Yield all rows once, in order, in blocks of any size."""

    def chunks(self) -> Iterator[Chunk]:
        """Yield all rows in chunks of one size."""
        n_rows = 0
        for rows in recut(self._blocks(), self._chunk_rows):
            yield Chunk(*rows, offset=n_rows)
            n_rows += len(rows.X)
        if self.n_rows not in (None, n_rows):
            raise ValueError(
                f"{n_rows} rows were read where the first reading found {self.n_rows}. The rows of a fit are "
                "read several times and must stay what they are."
            )
        self.n_rows = n_rows


def recut(blocks: Iterable[Rows], size: int) -> Iterator[Rows]:
    """Yield the rows of blocks in blocks of another size, only the last of which may be smaller."""
    waiting: list[Rows] = []
    n_waiting = 0
    for block in blocks:
        start = 0
        while len(block.X) - start >= size - n_waiting:
            end = start + size - n_waiting
            yield joined([*waiting, part(block, start, end)])
            waiting, n_waiting, start = [], 0, end
        if start < len(block.X):
            waiting.append(part(block, start, len(block.X)))
            n_waiting += len(block.X) - start
    if waiting:
        yield joined(waiting)


def part(rows: Rows, start: int, end: int) -> Rows:
    """Return some consecutive rows."""
    X, y, weight = (None if each is None else each[start:end] for each in rows)
    return Rows(cast(Array, X), y, cast("Array | None", weight))


def joined(parts: list[Rows]) -> Rows:
    """Return rows of several blocks as one block."""
    if len(parts) == 1:
        return parts[0]
    X = np.concatenate([each.X for each in parts])
    y = None if parts[0].y is None else np.concatenate([each.y for each in parts])
    if all(each.weight is None for each in parts):
        return Rows(X, y, None)
    weights = [np.ones(len(each.X)) if each.weight is None else each.weight for each in parts]
    return Rows(X, y, np.concatenate(weights))


class IterableSource(BlockSource):
    """Blocks ``(X, y)`` or ``(X, y, weight)`` of arrays or data frames that can be read again and again.

    Parameters
    ----------
    blocks
        Starts anew each time it is iterated over.
    """

    def __init__(self, blocks: Iterable[Any], **options: Any) -> None:
        super().__init__(**options)
        refuse_iterator(blocks)
        self._given = blocks
        first = next(iter(blocks), None)
        if first is None:
            raise ValueError("The iterable of blocks is empty. Give at least one block (X, y).")
        self.names = names_of(first[0])
        self._width = checked_rows(first, 0).X.shape[1]

    def _blocks(self) -> Iterator[Rows]:
        for number, block in enumerate(self._given):
            rows = checked_rows(block, number)
            if rows.X.shape[1] != self._width:
                raise ValueError(
                    f"Block {number} has {rows.X.shape[1]} columns, block 0 has {self._width}. "
                    "Give blocks of the same columns."
                )
            if names_of(block[0]) != self.names:
                raise ValueError(f"Block {number} has other column names than block 0, or another order.")
            yield rows


def refuse_iterator(blocks: Any) -> None:
    """Refuse what is used up by its first reading."""
    if isinstance(blocks, Iterator):
        raise TypeError(
            f"A {type(blocks).__name__} can be read only once, and a fit reads its rows several times. "
            f"{READ_AGAIN}"
        )


def names_of(X: Any) -> list[str] | None:
    """Return the column names of a data frame if they are strings, as scikit-learn takes them."""
    names = getattr(X, "columns", None)
    if names is None:
        return None
    return list(names) if all(isinstance(name, str) for name in names) else None


def checked_rows(block: Any, number: int) -> Rows:
    """Return a block as arrays; refuse what is none, and say in which block."""
    if not (isinstance(block, tuple | list) and len(block) in (2, 3)):
        raise ValueError(f"Block {number} is no pair (X, y) nor (X, y, weight) but a {type(block).__name__}.")
    X, y, weight = (*block, None)[:3]
    return sound_rows(X, y, weight, f"block {number}")


def sound_rows(X: Any, y: Any, weight: Any, where: str) -> Rows:
    """Return some rows as arrays; refuse those that cannot be fitted."""
    X, y = as_numbers(X, f"X of {where}"), targets_of(y, f"y of {where}")
    if weight is not None:
        weight = as_numbers(weight, f"the weights of {where}")
        weight = np.full(len(y), weight) if weight.ndim == 0 else weight  # one for all rows, as of arrays
        check_weights(weight, f"the weights of {where}")
    if X.ndim != 2:
        raise ValueError(f"X of {where} has {X.ndim} axes. Give a table of rows and columns.")
    lengths = [len(X), len(y), *([] if weight is None else [len(weight)])]
    if len(set(lengths)) > 1:
        raise ValueError(
            f"{where.capitalize()} has inconsistent numbers of rows in X, y and weight: {lengths}."
        )
    check_inputs(X, f"X of {where}")
    return Rows(X, y, weight)


def as_numbers(values: Any, what: str) -> Array:
    """Return doubles; missing values of a data frame become NaN."""
    if issparse(values):
        raise TypeError(f"{what} is a sparse matrix. Give dense blocks, such as X.toarray().")
    try:
        if hasattr(values, "to_numpy"):
            values = values.to_numpy(dtype=np.float64, na_value=np.nan)
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} holds values that are no numbers: {error}. Encode them first.") from error


def targets_of(values: Any, what: str) -> NDArray[Any]:
    """Return labels or numbers, one a row, none of them missing."""
    y = np.asarray(values)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(f"{what} has shape {y.shape}. Give one target per row.")
    refuse_missing(y, what)
    return y


def refuse_missing(y: NDArray[Any], what: str) -> None:
    """Refuse targets that are missing."""
    if y.dtype.kind == "f":
        missing = ~np.isfinite(y)
    elif y.dtype == object:
        missing = np.array([value is None or value != value for value in y], dtype=bool)
    else:
        return
    if missing.any():
        raise ValueError(
            f"{what} contains NaN, infinity or no value in {missing.sum()} rows. Leave them out."
        )


def check_inputs(X: Array, what: str) -> None:
    """Refuse infinite inputs; missing ones are the estimator's affair."""
    if np.isinf(X).any():
        raise ValueError(f"{what} contains infinity or a value too large for float64. Fix those rows.")


def check_weights(weight: Array, what: str) -> None:
    """Refuse weights that count nothing."""
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise ValueError(f"{what} must be finite and zero or more: a weight counts copies of a row.")


class MappedSource(BlockSource):
    """An array that is mapped into memory: only the chunks at work are there, as doubles.

    Parameters
    ----------
    X, y, weight
        Rows, targets, and how many rows each stands for (None: one).
    chunk_rows, n_threads
        As of any source with threads.
    """

    def __init__(self, X: Any, y: Any, weight: Any = None, **options: Any) -> None:
        super().__init__(**options)
        if X.ndim != 2:
            raise ValueError(f"X has {X.ndim} axes. Give a table of rows and columns.")
        for name, values in (("y", y), ("sample_weight", weight)):
            if values is not None and len(values) != len(X):
                raise ValueError(
                    f"Found input variables with inconsistent numbers of samples: X has {len(X)} rows, "
                    f"{name} has {len(values)}."
                )
        self._X, self._y, self._weight = X, y, weight

    def _blocks(self) -> Iterator[Rows]:
        for start in range(0, len(self._X), self._chunk_rows):
            cut = slice(start, start + self._chunk_rows)
            weight = None if self._weight is None else self._weight[cut]
            place = f"rows {start} to {min(cut.stop, len(self._X)) - 1}"
            yield sound_rows(self._X[cut], self._y[cut], weight, place)
