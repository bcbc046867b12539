"""How much fits into memory."""

from __future__ import annotations

import os

UNKNOWN_MEMORY = 4 * 2**30
"""Bytes that are taken for granted where the system does not say: a cautious guess."""

MEMORY_SHARE = 0.8
"""Share of the memory that matrices may take, so that others can live. Taken over without a study."""


def physical_memory() -> int:
    """Return the bytes of memory this machine has, or a cautious guess where it does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return UNKNOWN_MEMORY


def largest_square(copies: int, share: float = MEMORY_SHARE) -> int:
    """Return the largest n such that ``copies`` n x n matrices of doubles fit into a share of memory."""
    return int((share * physical_memory() / (8 * copies)) ** 0.5)
