"""The user's units, and the standardised ones in which a machine works."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Units:
    """Offsets and scales of the inputs and of one target.

    The target's are its median and its interquartile range, which gross outliers do not move.
    """

    input_offset: np.ndarray
    input_scale: np.ndarray
    target_offset: float
    target_scale: float

    @classmethod
    def of(cls, X, y, weight):
        """Measure weighted rows; a row of weight two counts as two rows."""
        offset, scale = moments(X, weight)
        return cls(offset, scale, *robust_location_and_scale(y, weight))

    def inputs(self, X):
        """Return standardised inputs."""
        return (X - self.input_offset) / self.input_scale

    def target(self, y):
        """Return the standardised target."""
        return (y - self.target_offset) / self.target_scale


def moments(X, weight):
    """Return mean and standard deviation of each column; a constant column keeps the scale one."""
    # Dividing by the size first keeps the squares of very large or very small numbers representable.
    size = np.abs(X).max(axis=0)
    size[size == 0.0] = 1.0
    mean = np.average(X / size, axis=0, weights=weight)
    deviation = np.sqrt(np.average((X / size - mean) ** 2, axis=0, weights=weight))
    constant = deviation <= 1e-13
    return size * mean, np.where(constant, 1.0, size * deviation)


def robust_location_and_scale(y, weight):
    """Return median and normal-consistent interquartile range, or the next best scale that is not zero."""
    lower, median, upper = (quantile(y, weight, share) for share in (0.25, 0.5, 0.75))
    size = float(np.abs(y).max())
    smallest = 1e-13 * size
    scale = (upper - lower) / 1.349
    if scale <= smallest:
        deviation = np.abs(y - median)
        scale = float(np.average(deviation, weights=weight))
    if scale <= smallest:
        scale = size or 1.0
    return median, scale


def quantile(values, weight, share):
    """Return the smallest value that at least ``share`` of the weight does not exceed."""
    order = np.argsort(values)
    reached = np.cumsum(weight[order])
    position = np.searchsorted(reached, share * reached[-1] * (1.0 - 1e-12))
    return float(values[order[position]])
