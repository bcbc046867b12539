"""The design matrix, made one block of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.kernels.centres import distinct_rows
from rowtrust.kernels.kernels import Basis
from rowtrust.numerics.blocks import BLOCK_BYTES, block_rows, row_blocks

PROBES = 256
"""Distinct rows at which columns are compared with each other."""

HELD_BYTES = 256 * 2**20
"""Columns that are asked for in every pass are held in memory up to this size."""


class Design:
    """Basis functions at the training rows. Never more than one block plus the held columns exist.

    Parameters
    ----------
    X
        Training rows.
    basis
        Kernel and centres.
    distinct
        Positions of the distinct rows, if they are known already.
    block_bytes, held_bytes
        Limits on the largest temporary of a block, and on the columns kept between passes.
    """

    def __init__(
        self,
        X: Matrix,
        basis: Basis,
        distinct: Indices | None = None,
        block_bytes: int = BLOCK_BYTES,
        held_bytes: int = HELD_BYTES,
    ) -> None:
        self.X = X
        self.basis = basis
        self.n_rows = int(X.shape[0])
        self.n_columns = basis.n_columns
        distinct = distinct_rows(X) if distinct is None else distinct
        spread = np.linspace(0, len(distinct) - 1, min(len(distinct), PROBES))
        self._probes = distinct[np.unique(spread.astype(np.intp))]
        self._block_bytes = block_bytes
        self._held_bytes = held_bytes
        self._held = np.empty((self.n_rows, 0))
        self._position = np.full(self.n_columns, -1, dtype=np.intp)

    def blocks(self, columns: Indices, width: int = 0) -> Iterator[tuple[slice, Array]]:
        """Yield ``(rows, phi)`` over all rows; held columns are read, others computed.

        Blocks are as long as ``max(width, len(columns))`` columns allow, so that two iterators of
        the same width go in step.
        """
        position = self._position[columns]
        in_order = len(columns) == self._held.shape[1] and bool((np.diff(position) == 1).all())
        is_held = bool((position >= 0).all())
        for rows in row_blocks(self.n_rows, block_rows(max(width, len(columns)), self._block_bytes)):
            if is_held:
                yield rows, self._held[rows] if in_order else self._held[rows][:, position]
            else:
                yield rows, self.basis.columns(self.X[rows], columns)

    def probe(self, columns: Indices) -> Array:
        """Return the basis functions at a few distinct rows, spread evenly over all."""
        position = self._position[columns]
        if (position >= 0).all():
            return self._held[self._probes][:, position]
        return self.basis.columns(self.X[self._probes], columns)

    def hold(self, columns: Indices) -> None:
        """Keep exactly these columns in memory from now on, if they fit."""
        if 8 * self.n_rows * len(columns) > self._held_bytes:
            columns = columns[:0]
        if np.array_equal(np.flatnonzero(self._position >= 0), np.sort(columns)):
            return
        self._held = np.empty((self.n_rows, len(columns)))
        for rows in row_blocks(self.n_rows, block_rows(len(columns), self._block_bytes)):
            self._held[rows] = self.basis.columns(self.X[rows], columns)
        self._position = np.full(self.n_columns, -1, dtype=np.intp)
        self._position[columns] = np.arange(len(columns))
