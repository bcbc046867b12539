"""Statistics of rows that each stand for several, and statistics that gross outliers do not move."""

from __future__ import annotations

import numpy as np

from rowtrust.contracts import Array

ROUNDING = 64.0 * float(np.finfo(np.float64).eps)
"""A difference below this share of the terms it was made of is rounding: some dozens of roundings. A guard,
taken over without a study."""

NORMAL_CONSISTENT = 1.4826
"""What makes the median absolute deviation of a Gaussian its standard deviation: one over the upper quartile
of a standard one."""

CONSTANT = 1e-13
"""A spread below this share of the values' size is rounding: the values are constant. A guard, some hundred
times the precision of a double."""


def weighted_median(values: Array, weight: Array) -> float:
    """Return the median of values that each stand for ``weight`` copies."""
    order = np.argsort(values)
    passed = np.cumsum(weight[order])
    half = 0.5 * passed[-1]
    rounding = ROUNDING * passed[-1]
    lower, upper = np.searchsorted(passed, [half - rounding, half + rounding])
    return float(0.5 * (values[order[lower]] + values[order[upper]]))


def weighted_quantiles(values: Array, weight: Array, probabilities: Array) -> Array:
    """Return quantiles of values that each stand for ``weight`` copies.

    They are values themselves: the first at which the weight of those up to it reaches the share asked for.
    """
    order = np.argsort(values)
    passed = np.cumsum(weight[order])
    wanted = np.asarray(probabilities) * passed[-1] * (1.0 - ROUNDING)
    return np.asarray(values[order[np.minimum(np.searchsorted(passed, wanted), len(values) - 1)]])


def mean_and_deviation(values: Array, weight: Array) -> tuple[float, float]:
    """Return mean and standard deviation, rows weighted."""
    mean = float(np.average(values, weights=weight))
    return mean, float(np.sqrt(np.average((values - mean) ** 2, weights=weight)))


def median_and_deviation(values: Array, weight: Array) -> tuple[float, float]:
    """Return the median and the median absolute deviation as a standard deviation, rows weighted.

    Half of the rows may be wrong by any amount before either breaks.
    """
    median = weighted_median(values, weight)
    return median, NORMAL_CONSISTENT * weighted_median(np.abs(values - median), weight)


def location_and_scale(values: Array, weight: Array, robust: bool) -> tuple[float, float]:
    """Return a location and a scale above zero, robust ones where they exist.

    Where more than half of the values are equal the robust scale is zero and mean and deviation stand
    in; constant values keep their size as the scale, so that their noise is small beside them.
    """
    largest = float(np.abs(values).max())
    location, scale = median_and_deviation(values, weight) if robust else mean_and_deviation(values, weight)
    if scale <= CONSTANT * largest:
        location, scale = mean_and_deviation(values, weight)
    if scale <= CONSTANT * largest:
        location, scale = float(values[0]), largest or 1.0
    return location, scale
