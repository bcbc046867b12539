"""Numbers that look random, the same ones for the same numbers: keys of rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

GOLDEN, FIRST_MIX, SECOND_MIX = (
    np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
"""Increment and factors of the SplitMix64 generator, which scatters nearby numbers."""


def scattered(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the finaliser of SplitMix64 (Steele et al. 2014) of each number."""
    bits = bits + GOLDEN
    bits = (bits ^ (bits >> np.uint64(30))) * FIRST_MIX
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND_MIX
    return np.asarray(bits ^ (bits >> np.uint64(31)))
