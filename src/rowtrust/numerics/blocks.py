"""Rows in blocks: map a function over them, add up what it returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import add
from typing import Any, TypeVar

Additive = TypeVar("Additive", bound=Any)

BLOCK_NUMBERS = 2**19
"""Doubles in the largest temporary of one row block: small enough for the cache, large enough for BLAS-3."""

BLOCK_BYTES = 4 * 2**20
"""Size of the largest temporary of one row block: small enough for the cache, large enough for BLAS-3."""


def block_rows(n_columns: int, block_bytes: int = BLOCK_BYTES) -> int:
    """Return how many rows of ``n_columns`` doubles make one block."""
    return max(1, block_bytes // (8 * max(1, n_columns)))


def row_blocks(n_rows: int, size: int) -> Iterator[slice]:
    """Yield consecutive slices of at most ``size`` rows."""
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))


def total(parts: Iterable[Additive]) -> Additive:
    """Add up what each block contributed, in order."""
    return reduce(add, parts)
