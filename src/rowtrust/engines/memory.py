"""Rows in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.engines.base import Block, Engine
from rowtrust.kernels import Basis, JointBasis, SharedDistances, distinct_rows

BLOCK_BYTES = 4 * 2**20
"""Size of the largest temporary of one row block: small enough for the cache, large enough for BLAS-3. It
does not matter much: with 1 to 16 MiB a fit to 5000 rows of Ripley's data takes the same time within a
tenth."""

PROBES = 64
"""Distinct rows at which columns are compared with each other. Four times as many end 0.1 nats lower for
classes, 1 lower for RVR and 1.7 higher for RobustRVR, single fits 20 either way (half A of the tables, up
to 500 rows, four widths): it does not matter much."""

CACHE_BYTES = 256 * 2**20
"""Columns that are asked for in every pass are kept in memory up to this size: 512 of them for 65536 rows.
Without any a fit to 5000 rows of Ripley's data takes a tenth longer. A limit on memory, taken over without a
study."""


class MemoryEngine(Engine):
    """Rows in memory. Never more basis functions than one block and the cached columns exist.

    Parameters
    ----------
    X, y, weight
        Rows, targets and how many rows each stands for.
    basis
        Kernel and centres.
    distinct
        Positions of the distinct rows, if they are known already.
    distances
        What engines with the same rows and centres, at other widths, have in common.
    block_bytes, cache_bytes
        Limits on the largest temporary of a block, and on the columns kept between passes.
    """

    def __init__(
        self,
        X: Matrix,
        y: Array,
        weight: Array,
        basis: Basis | JointBasis,
        distinct: Indices | None = None,
        distances: SharedDistances | None = None,
        block_bytes: int = BLOCK_BYTES,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        distinct = distinct_rows(X) if distinct is None else distinct
        spread = np.linspace(0, len(distinct) - 1, min(len(distinct), PROBES))
        self._probe_rows = distinct[np.unique(spread.astype(np.intp))]
        super().__init__(basis, X[self._probe_rows])
        self.X, self.y, self.weight = X, y, weight
        self._block_bytes, self._cache_bytes = block_bytes, cache_bytes
        self._distances = distances
        self._cached = np.empty((0, self.n_rows))
        self._position = np.full(self.n_columns, -1, dtype=np.intp)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.y)

    def blocks(self, width: int) -> Iterator[Block]:
        """Yield all rows in blocks whose largest temporary of ``width`` columns stays small."""
        size = max(1, self._block_bytes // (8 * max(1, width)))
        for start in range(0, self.n_rows, size):
            rows = slice(start, min(start + size, self.n_rows))
            yield CachedBlock(
                self.X[rows], self.y[rows], self.weight[rows], rows.start, self.basis, self, rows
            )

    def cached(self, columns: Indices, rows: slice | Indices) -> Array | None:
        """Return cached columns at some rows; None if one of them is not cached."""
        position = self._position[columns]
        if not (position >= 0).all():
            return None
        found = self._cached[:, rows]
        in_order = len(columns) == len(found) and bool((np.diff(position) == 1).all())
        return (found if in_order else found.take(position, axis=0)).T

    def probe(self, columns: Indices) -> Array:
        """Return basis functions at a few distinct rows, spread evenly over all."""
        cached = self.cached(columns, self._probe_rows)
        return super().probe(columns) if cached is None else cached

    def cache(self, columns: Indices) -> None:
        """Keep exactly these columns in memory from now on, if they fit."""
        if 8 * self.n_rows * len(columns) > self._cache_bytes:
            columns = columns[:0]
        position = self._position[columns]
        if (position >= 0).all() and len(columns) == len(self._cached):
            return
        # A column a row, in which those that are asked for together lie apart only by whole rows.
        kept, new = np.empty((len(columns), self.n_rows)), position < 0
        kept[~new] = self._cached[position[~new]]
        self._cached, self._position = np.empty((0, self.n_rows)), np.full(self.n_columns, -1, dtype=np.intp)
        self._fill(kept, np.flatnonzero(new), columns)
        self._cached = kept
        self._position[columns] = np.arange(len(columns))

    def _fill(self, kept: Array, where: Indices, columns: Indices) -> None:
        """Compute columns into rows of ``kept``, from distances that other widths have used if there are."""
        kernels = where[columns[where] > 0]
        which = columns[kernels] - 1
        shared = None
        if self._distances is not None and isinstance(self.basis, Basis):
            shared = self._distances.kernel(self.basis.kernel, which)
        if shared is not None:
            kept[where] = 1.0
            kept[kernels] = shared
            return
        for block in self.blocks(len(where)):
            kept[where, block.offset : block.offset + len(block.y)] = block.phi(columns[where]).T


@dataclass(frozen=True)
class CachedBlock(Block):
    """A block that reads cached columns and computes only the others."""

    engine: MemoryEngine
    rows: slice

    def phi(self, columns: Indices) -> Array:
        """Return basis functions at the rows: cached ones are read, others computed."""
        cached = self.engine.cached(columns, self.rows)
        return super().phi(columns) if cached is None else cached
