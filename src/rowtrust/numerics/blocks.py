"""How many rows make a block."""

from __future__ import annotations

from collections.abc import Iterator

from sklearn.utils import gen_batches

BLOCK_NUMBERS = 2**19
"""Doubles in the largest temporary of one row block, 4 MiB: small enough for the cache, large enough for
BLAS-3. See ``engines.memory`` for what other sizes cost."""


def block_rows(n_columns: int, numbers: int = BLOCK_NUMBERS) -> int:
    """Return how many rows of ``n_columns`` doubles make one block."""
    return max(1, numbers // max(1, n_columns))


def row_blocks(n_rows: int, size: int) -> Iterator[slice]:
    """Yield slices of ``size`` rows; none of no rows."""
    if n_rows:
        yield from gen_batches(n_rows, size)
