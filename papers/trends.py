"""Whether means that belong to a rising setting rise or fall themselves, by their standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from papers.tables import TOLERANCE


def mean_and_error(values: ArrayLike) -> tuple[float, float]:
    """Return a mean and its standard error; NaN of fewer than two values."""
    found = np.asarray(values, dtype=float)
    error = found.std(ddof=1) / np.sqrt(len(found)) if len(found) > 1 else np.nan
    return float(found.mean()), float(error)


def median_and_error(values: ArrayLike) -> tuple[float, float]:
    """Return a median and its standard error, which one failed repeat does not move.

    The deviation is 1.4826 times the median distance to the median; the median of n Gaussian values has pi /
    2 times the variance of their mean.
    """
    found = np.asarray(values, dtype=float)
    if len(found) < 2:
        return float(np.median(found)), np.nan
    middle = float(np.median(found))
    deviation = 1.4826 * float(np.median(np.abs(found - middle)))
    return middle, float(deviation * np.sqrt(0.5 * np.pi / len(found)))


def apart(first: tuple[float, float], second: tuple[float, float]) -> bool:
    """Tell whether the second of two numbers is the larger one by more than the tolerance of both errors."""
    return bool(second[0] - first[0] > TOLERANCE * np.hypot(first[1], second[1]))


def rises(numbers: Sequence[tuple[float, float]]) -> bool:
    """Tell whether numbers with standard errors rise: the last beyond the first, and no step clearly back."""
    backwards = any(apart(later, earlier) for earlier, later in pairwise(numbers))
    return apart(numbers[0], numbers[-1]) and not backwards


def falls(numbers: Sequence[tuple[float, float]]) -> bool:
    """Tell whether numbers with standard errors fall."""
    return rises([(-value, error) for value, error in numbers])
