"""How many rows make a block."""

from __future__ import annotations

from collections.abc import Iterator

KEPT_BYTES = 2**28
"""Rows, or distances between rows and centres, that are kept in memory have this size at most: distances of
512 centres to 65536 rows. A limit on memory."""

TILE = 2048
"""Columns whose values exist at a time: with more, a block would hold few rows and be all overhead. It does
not matter much: with 512 to 8192 a fit to 5000 rows of Ripley's data takes the same time within a tenth."""

BLOCK_NUMBERS = 2**19
"""Doubles in the largest temporary of one row block, 4 MiB: small enough for the cache, large enough for
BLAS-3. See ``engines.memory`` for what other sizes cost."""


def block_rows(n_columns: int, numbers: int = BLOCK_NUMBERS) -> int:
    """Return how many rows of ``n_columns`` doubles make one block."""
    return max(1, numbers // max(1, n_columns))


def row_blocks(n_rows: int, size: int) -> Iterator[slice]:
    """Yield consecutive slices of at most ``size`` rows; none of no rows.

    scikit-learn's ``gen_batches`` refuses no rows, and takes longer to check its arguments than a small
    block takes.
    """
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))
