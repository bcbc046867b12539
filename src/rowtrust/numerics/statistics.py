"""Robust and weighted statistics, and probabilities of classes."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_softmax, logit, logsumexp, softmax

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


SMALLEST = 1e-12
"""Probabilities of zero and one are moved so far inside before their log-odds are taken. A guard."""


def class_probabilities(log_odds: Array, n_classes: int = 0) -> Array:
    """Return class probabilities from log-odds.

    These are of the second class against the first, of each class against the rest, or, of which
    ``n_classes`` tells, of every class but the first against the first.
    """
    if log_odds.shape[1] == 1:
        return np.column_stack([expit(-log_odds[:, 0]), expit(log_odds[:, 0])])
    if log_odds.shape[1] == n_classes - 1:
        return np.asarray(softmax(np.column_stack([np.zeros(len(log_odds)), log_odds]), axis=1))
    one_against_rest = expit(log_odds)
    total = one_against_rest.sum(axis=1, keepdims=True)
    # Far from every class all outputs can underflow to zero: nobody knows, so nobody wins.
    uniform = np.full_like(one_against_rest, 1.0 / log_odds.shape[1])
    return np.asarray(np.divide(one_against_rest, total, out=uniform, where=total > 0))


def log_odds_of(probability: Array) -> Array:
    """Return the log-odds that have these class probabilities: one output for two classes, else one each."""
    inside = np.clip(probability, SMALLEST, 1.0 - SMALLEST)
    return np.asarray(logit(inside[:, 1:] if probability.shape[1] == 2 else inside))


def odds_against_rest(log_odds: Array, n_classes: int) -> Array:
    """Return the log-odds of each class against the rest: as given, but where they are against the first."""
    if log_odds.shape[1] != n_classes - 1 or n_classes == 2:
        return log_odds
    whole = np.column_stack([np.zeros(len(log_odds)), log_odds])
    best = (np.arange(len(whole)), whole.argmax(axis=1))
    log_probability = log_softmax(whole, axis=1)
    chance = np.exp(log_probability)
    chance[best] = 0.0  # of the likeliest class the others say what is left, to the last digit
    rest = np.log1p(-chance)
    total = logsumexp(whole, axis=1)
    whole[best] = -np.inf
    rest[best] = logsumexp(whole, axis=1) - total
    return np.asarray(log_probability - rest)
