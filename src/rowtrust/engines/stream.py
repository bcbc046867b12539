"""Rows that a source reads, as an engine: basis functions exist for one block at a time, wherever it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rowtrust.contracts import Indices, Matrix
from rowtrust.engines.base import Block, BlockFunction, Engine, State
from rowtrust.engines.sources import Chunk, RowSource, added
from rowtrust.kernels import Basis, JointBasis
from rowtrust.numerics.array_api import ones_beside

Prepare = Callable[[Chunk], Chunk]
"""Makes the rows of a fit of rows as they are stored: scaled, coded, weighted."""


def as_they_are(chunk: Chunk) -> Chunk:
    """Return the rows as they are."""
    return chunk


@dataclass(frozen=True)
class ChunkFunction:
    """A function of blocks as one of chunks: what travels to the rows."""

    function: BlockFunction[Any]
    state: Any
    basis: Basis | JointBasis
    prepare: Prepare
    block_rows: int

    def __call__(self, chunk: Chunk) -> Any:
        """Return the sum over the blocks of a chunk."""
        return added(self.function(block, self.state) for block in self.blocks(self.prepare(chunk)))

    def blocks(self, chunk: Chunk) -> Iterator[Block]:
        """Yield the rows in blocks that fit into the cache."""
        n_rows = chunk.X.shape[0]
        weight = ones_beside(chunk.X) if chunk.weight is None else chunk.weight
        for start in range(0, n_rows, self.block_rows):
            rows = slice(start, min(start + self.block_rows, n_rows))
            offset = chunk.offset + start
            yield Block(chunk.X[rows, :], chunk.y[rows], weight[rows], offset, self.basis)


class StreamEngine(Engine):
    """Rows of a source; nothing is kept between passes.

    Parameters
    ----------
    source
        Reads the rows.
    basis
        Kernels and centres.
    probes
        Inputs of a few distinct rows, prepared.
    prepare
        Makes the rows of the fit of rows as they are stored.
    block_bytes
        Limit on the largest temporary of a block; None: the source's.
    """

    def __init__(
        self,
        source: RowSource,
        basis: Basis | JointBasis,
        probes: Matrix,
        prepare: Prepare = as_they_are,
        block_bytes: int | None = None,
    ) -> None:
        super().__init__(basis, probes)
        self.source, self._prepare = source, prepare
        self._block_bytes = source.block_bytes if block_bytes is None else block_bytes

    def blocks(self, width: int) -> Iterator[Block]:
        """Yield all rows in blocks, in this process."""
        one = ChunkFunction(lambda block, _: block, None, self.basis, self._prepare, self._block_rows(width))
        for chunk in self.source.chunks():
            yield from one.blocks(self._prepare(chunk))

    def map_reduce(self, function: BlockFunction[State], columns: Indices, state: State) -> Any:
        """Return the sum over blocks of ``function(block, state)``, added up where the rows are."""
        size = self._block_rows(len(columns))
        return self.source.map_reduce(ChunkFunction(function, state, self.basis, self._prepare, size))

    def _block_rows(self, width: int) -> int:
        return max(1, self._block_bytes // (8 * max(1, width)))
