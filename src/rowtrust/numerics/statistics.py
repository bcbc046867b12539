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
    return float(weighted_quantiles(values, weight, np.array([0.5]))[0])


def weighted_quantiles(values: Array, weight: Array, probabilities: Array) -> Array:
    """Return quantiles of values that each stand for ``weight`` copies.

    A quantile is the first value at which the weight of those up to it reaches the share asked for. Where it
    reaches it exactly the next value is one as well, and the one nearer to the median is taken, of the median
    itself the middle: values of the other sign have the quantiles of the other sign.
    """
    order, share = np.argsort(values), np.asarray(probabilities)
    passed = np.cumsum(weight[order])
    rounding, last = ROUNDING * passed[-1], len(values) - 1
    first = values[order[np.searchsorted(passed, share * passed[-1] - rounding)]]
    second = values[order[np.minimum(np.searchsorted(passed, share * passed[-1] + rounding), last)]]
    middle = np.where(first == second, first, 0.5 * first + 0.5 * second)
    return np.asarray(np.where(share > 0.5, first, np.where(share < 0.5, second, middle)))


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
