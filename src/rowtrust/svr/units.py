"""The user's units, and the standardised ones in which a machine works."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array
from rowtrust.numerics.statistics import CONSTANT, location_and_scale, mean_and_deviation


@dataclass(frozen=True)
class Units:
    """Offsets and scales of the inputs and of one target.

    The target's are its median and its median absolute deviation, which gross outliers do not move.
    """

    input_offset: Array
    input_scale: Array
    target_offset: float
    target_scale: float

    @classmethod
    def of(cls, X: Array, y: Array, weight: Array) -> Units:
        """Measure weighted rows; a row of weight two counts as two rows."""
        moments = np.array([column_moments(column, weight) for column in X.T])
        return cls(moments[:, 0], moments[:, 1], *location_and_scale(y, weight, robust=True))

    def inputs(self, X: Array) -> Array:
        """Return standardised inputs."""
        return (X - self.input_offset) / self.input_scale

    def target(self, y: Array) -> Array:
        """Return the standardised target."""
        return (y - self.target_offset) / self.target_scale


def column_moments(column: Array, weight: Array) -> tuple[float, float]:
    """Return mean and standard deviation of one input; a constant one keeps the scale one."""
    # Dividing by the size first keeps the squares of very large or very small numbers representable.
    size = float(np.abs(column).max()) or 1.0
    mean, deviation = mean_and_deviation(column / size, weight)
    return size * mean, 1.0 if deviation <= CONSTANT else size * deviation
