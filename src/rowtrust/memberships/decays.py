"""How a membership decays with a distance, or rises with agreement: from any numbers to those of 0 to 1."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from rowtrust.contracts import Array
from rowtrust.numerics.statistics import ROUNDING, weighted_median

OFFSET = 1e-3
"""What the farthest row keeps, as a share, by default.

The formulae ask only for a small number above zero. Balanced accuracy of FuzzyRVC with class centres and
with imbalance (a class of 5 % of the rows; half-moons with a tenth of the labels wrong; 20 seeds) is the
same within 0.001 at 1e-6, and within 0.005 at 0.1. FuzzyRVR with residuals on sinc with a tenth of outliers
has a root mean square error of 0.070 at 1e-6 and 1e-3 but 0.079 at 0.1: an outlier must be able to lose
nearly all its weight.
"""

SAME = 1e-8
"""Distances that agree to this relative accuracy do not rank their rows.

About the square root of the rounding error, because a distance in a kernel's space is the root of a
difference. It hardly matters: the tests pass with 1e-14 and with 1e-4.
"""


def linear_decay(distance: Array, offset: float) -> Array:
    """Return ``1 - d / (max d + offset max d)``, or ones where the distances do not differ."""
    largest = float(distance.max())
    if largest - float(distance.min()) <= SAME * largest:
        return np.ones_like(distance)
    # In this order the farthest row keeps offset / (1 + offset) however small the offset.
    decayed: Array = (1.0 - distance / largest + offset) / (1.0 + offset)
    return decayed


def exponential_decay(distance: Array, weight: Array, rate: float, offset: float) -> Array:
    """Return ``2 / (1 + exp(rate d / m))`` with ``m`` the median of the distances above zero."""
    apart = distance > 0.0
    if not apart.any():
        return np.ones_like(distance)
    typical = weighted_median(distance[apart], weight[apart])
    decayed: Array = 2.0 * expit(-rate * (distance / typical))
    return np.maximum(decayed, offset / (1.0 + offset))


def unit_ramp(values: Array, low: float, high: float) -> Array:
    """Return 0 below ``low``, 1 above ``high``, straight between; a step at ``low`` without a between."""
    if high - low <= ROUNDING * float(np.abs(values).max()):
        return np.where(values >= low, 1.0, 0.0)
    return np.clip((values - low) / (high - low), 0.0, 1.0)
