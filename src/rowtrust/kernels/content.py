"""Numbers for rows that their content alone decides: orders and folds that no order or unit of a table moves.

Where a fit ends may depend on what it looks at first, and what held-out rows say on which are held out
together. Both then are to follow from the values of the rows: not from their order or how often each is
there, nor from the order, the units or the signs of the columns, nor from columns that are constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.kernels.missing import with_holes
from rowtrust.numerics.blocks import scattered

Keys = NDArray[np.uint64]

HOLE = np.iinfo(np.uint64).max
"""The rank of a missing value, from below and from above: one that no value has."""


@dataclass(frozen=True)
class Cells:
    """Cells of a table, column by column: all of a dense one; of a sparse one those that are not zero.

    Attributes
    ----------
    row, column
        Where each cell is. A zero that a sparse column has and does not store is one cell in the row after
        the last: the level from which the others of its column are counted.
    low, high
        The ranks of each cell's value among the distinct ones of its column, from below and from above.
    shape
        Of the table.
    """

    row: Indices
    column: Indices
    low: Keys
    high: Keys
    shape: tuple[int, int]

    def over_columns(self, terms: Keys) -> Keys:
        """Return the sum of a number for each cell over every row, cells that are not stored included."""
        level = np.zeros(self.shape[1], dtype=np.uint64)
        is_level = self.row == self.shape[0]
        level[self.column[is_level]] = terms[is_level]
        total = np.zeros(self.shape[0] + 1, dtype=np.uint64)
        np.add.at(total, self.row, terms - level[self.column])
        return np.asarray(total[:-1] + level.sum(dtype=np.uint64))

    def over_rows(self, terms: Keys, factor: Keys) -> Keys:
        """Return the sum of a number for each cell times that of its row over every column."""
        level = np.zeros(self.shape[1], dtype=np.uint64)
        is_level = self.row == self.shape[0]
        level[self.column[is_level]] = terms[is_level]
        total = level * factor.sum(dtype=np.uint64)
        of_row = np.append(factor, np.uint64(0))[self.row]
        np.add.at(total, self.column, (terms - level[self.column]) * of_row)
        return np.asarray(total)


def content_keys(X: Matrix) -> Keys:
    """Return three numbers for each row, equal for copies, which only their content decides.

    The second scatters rows: it is a sum over cells of what scatters the rank of its value in its column and
    a number of that column. That number is made of all distinct rows in the same way, so that columns are
    known by what is in them. Sums are exact (modulo 2**64), ranks have no unit, and of a column's two
    directions the one is taken that gives the smaller number.

    The first is the rank in the column with the most distinct values, that of the smallest number if there
    are several: rows dealt out in this order are spread over its range. The third tells rows apart that are
    each other's mirror images in a table with a perfect symmetry; it depends on the order of the columns.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Rows.

    Returns
    -------
    ndarray of uint64 of shape (n, 3)
        The numbers of each row.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import content_keys
    >>> X = np.random.default_rng(0).standard_normal((20, 2))
    >>> keys = content_keys(X)
    >>> bool((content_keys(1000.0 * X[::-1])[::-1] == keys).all())  # neither order nor units matter
    True
    """
    cells = cells_of(X)
    low, high = scattered(cells.low), scattered(cells.high)
    place = scattered(~cells.column.astype(np.uint64))  # no column is mistaken for a rank
    own = cells.over_columns(scattered(place + low))
    row = scattered(cells.over_columns(low + high))
    row[np.setdiff1d(np.arange(len(own)), np.unique(own, return_index=True)[1])] = 0  # a copy counts once
    rising, falling = cells.over_rows(low, row), cells.over_rows(high, row)
    column, up = np.minimum(rising, falling), rising <= falling
    terms = scattered(np.where(up[cells.column], low, high) + column[cells.column])
    ranks = np.where(up[cells.column], cells.low, cells.high)
    leads = cells.column == leading_column(cells, column)
    lead = cells.over_columns(np.where(leads, ranks, np.uint64(0)))
    return np.column_stack([lead, cells.over_columns(terms), own])


def leading_column(cells: Cells, key: Keys) -> int:
    """Return the column with the most distinct values, of several that with the smallest key."""
    distinct = np.zeros(cells.shape[1], dtype=np.intp)
    known = cells.low != HOLE
    np.maximum.at(distinct, cells.column[known], cells.low[known].astype(np.intp) + 1)
    return int(np.lexsort((key, -distinct))[0]) if len(distinct) else -1


def cells_of(X: Matrix) -> Cells:
    """Return the cells of all columns that are not constant."""
    X = with_holes(X)
    row, column, value = stored(X) if issparse(X) else every(X)
    starts = np.append(True, column[1:] != column[:-1]) if len(column) else np.empty(0, dtype=bool)
    hole = np.isnan(value)
    is_new = starts | np.append(True, (value[1:] != value[:-1]) & ~hole[1:])[: len(value)]
    n_distinct = np.bincount(column[is_new & ~hole], minlength=X.shape[1])
    rank = np.cumsum(is_new) - 1
    rank = rank - rank[starts][np.cumsum(starts) - 1] if len(rank) else rank
    low = np.where(hole, HOLE, rank.astype(np.uint64))
    high = np.where(hole, HOLE, (n_distinct[column] - 1 - rank).astype(np.uint64))
    varies = n_distinct + (np.bincount(column[hole], minlength=X.shape[1]) > 0) > 1
    kept = varies[column]
    return Cells(row[kept], column[kept], low[kept], high[kept], X.shape)


def every(X: Matrix) -> tuple[Indices, Indices, NDArray[np.float64]]:
    """Return row, column and value of every cell of a dense table, sorted by column and value."""
    columns = np.ascontiguousarray(X.T, dtype=np.float64) + 0.0
    row = np.argsort(columns, axis=1)
    value = np.take_along_axis(columns, row, axis=1)
    return row.ravel(), np.repeat(np.arange(X.shape[1]), X.shape[0]), value.ravel()


def stored(X: Matrix) -> tuple[Indices, Indices, NDArray[np.float64]]:
    """Return the same of a sparse table, with one zero for all that are not stored in a column."""
    X = csr_array(X, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    cells = X.tocoo()
    with_zeros = np.flatnonzero(np.bincount(cells.col, minlength=X.shape[1]) < X.shape[0])
    row = np.append(cells.row, np.full(len(with_zeros), X.shape[0]))
    column = np.append(cells.col, with_zeros).astype(np.intp)
    value = np.append(np.asarray(cells.data, dtype=np.float64), np.zeros(len(with_zeros)))
    order = np.lexsort((value, column))
    return row[order], column[order], value[order]


def distinct_rows(X: Matrix, keys: Keys | None = None) -> Indices:
    """Return the first occurrence of every distinct row, in order.

    Copies of a row would be copies of a column: the model is the same without them, and a repeated
    row then equals a sample weight of two.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Rows.
    keys : ndarray of shape (n, 3) or None, default=None
        Their keys, where they are known.

    Returns
    -------
    ndarray of int
        Positions of the rows to keep.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import distinct_rows
    >>> distinct_rows(np.array([[1.0], [2.0], [1.0], [3.0]])).tolist()
    [0, 1, 3]
    """
    own = (content_keys(X) if keys is None else keys)[:, 2]
    return np.sort(np.unique(own, return_index=True)[1])


def numbered(keys: Keys) -> Indices:
    """Return a number for each row from its keys, in their order, the first key first."""
    return np.asarray(np.unique(keys, axis=0, return_inverse=True)[1]).ravel()


def row_keys(X: Matrix, y: NDArray[Any]) -> Keys:
    """Return a number for each row with its target, by which it is known again in any other table.

    It is a sum over the entries that are not zero, so that dense and sparse rows get the same.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Rows.
    y : ndarray of shape (n,)
        Their targets, as numbers.

    Returns
    -------
    ndarray of uint64 of shape (n,)
        Equal for equal rows, and for hardly any others.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import row_keys
    >>> keys = row_keys(np.array([[1.0], [2.0], [1.0]]), np.array([0, 0, 0]))
    >>> bool(keys[0] == keys[2] != keys[1])
    True
    """
    keys = scattered(bits_of(y))
    if issparse(X):
        rows = csr_array(X, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        entries = scattered(scattered(rows.indices.astype(np.uint64)) + bits_of(rows.data))
        np.add.at(keys, np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), entries)
        return keys
    for number, column in enumerate(with_holes(X).T):
        entries = scattered(scattered(np.array([number], dtype=np.uint64)) + bits_of(column))
        keys += np.where(column != 0.0, entries, np.uint64(0))
    return keys


def bits_of(numbers: NDArray[Any]) -> Keys:
    """Return the bits of doubles as whole numbers; -0.0 and 0.0 are one value."""
    return np.ascontiguousarray(numbers + 0.0, dtype=np.float64).view(np.uint64)


def landmarks(strata: Array, candidates: Indices, size: int, seed: int) -> Indices:
    """Choose ``size`` of the ``candidates`` as centres: at random, in proportion over ``strata``.

    Parameters
    ----------
    strata : ndarray of shape (n,)
        Class numbers, of which each gets at least one landmark, or targets in regression.
    candidates : ndarray of int
        Positions of the rows that may be chosen.
    size : int
        How many to choose; all of them if there are no more.
    seed : int
        Of the draw.

    Returns
    -------
    ndarray of int
        Positions of the landmarks, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import landmarks
    >>> y = np.repeat([0, 1], [98, 2])
    >>> chosen = landmarks(y, np.arange(100), 10, seed=0)
    >>> len(chosen), np.unique(y[chosen]).tolist()  # the rare class has one too
    (10, [0, 1])
    """
    if size >= len(candidates):
        return candidates
    random_state = np.random.RandomState(seed)
    # One draw from each of `size` equal slices of the rows sorted by stratum, shuffled within it.
    shuffled = candidates[random_state.permutation(len(candidates))]
    ordered = shuffled[np.argsort(strata[shuffled], kind="stable")]
    edges = np.linspace(0, len(ordered), size + 1).astype(np.intp)
    chosen = ordered[random_state.randint(edges[:-1], edges[1:])]
    if np.issubdtype(strata.dtype, np.integer):
        chosen = _with_every_class(chosen, shuffled, strata)
    return np.sort(chosen)


def _with_every_class(chosen: Indices, shuffled: Indices, strata: Array) -> Indices:
    """Give a class without a landmark one from the class that has the most."""
    chosen = chosen.copy()
    for label in np.setdiff1d(strata[shuffled], strata[chosen]):
        counts = np.bincount(strata[chosen])
        if counts.max() == 1:
            break
        spare = np.flatnonzero(strata[chosen] == counts.argmax())[0]
        chosen[spare] = shuffled[np.argmax(strata[shuffled] == label)]
    return chosen
