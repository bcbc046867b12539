"""The user's units, and the standardised ones in which a machine works."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.magnitudes import refuse_spreads, unit_of, within_reach
from rowtrust.numerics.statistics import CONSTANT, location_and_scale, mean_and_deviation

KEPT_BITS = 30
"""Binary digits of a standardised number that are kept, counted from one or from its own size if that is
larger: a billionth of a standard deviation. The same table in other units differs by some 1e-13 of one, and
a search over a jumping evidence can carry that far; rounded, both are the same table. No study: 2**-30 lies
between rounding and any error of measurement."""


@dataclass(frozen=True)
class Units:
    """Offsets and scales of the inputs and of one target.

    The target's are its median and its median absolute deviation, which gross outliers do not move. Its scale
    carries a sign, such that the longer tail of the standardised target is the upper one: a target and its
    negative are the same problem.

    Attributes
    ----------
    columns : (k,)
        The inputs in use: those that vary. A constant one says nothing.
    input_offset, input_scale : (k,)
        Of these.
    target_offset, target_scale
        Of the target.
    n_features
        Number of all inputs.
    """

    columns: Indices
    input_offset: Array
    input_scale: Array
    target_offset: float
    target_scale: float
    n_features: int

    @classmethod
    def of(cls, X: Array, y: Array, weight: Array, keep_constant: bool = False) -> Units:
        """Measure weighted rows; a row of weight two counts as two rows."""
        moments = np.array([column_moments(column, weight) for column in X.T])
        varying = np.flatnonzero(np.isfinite(moments[:, 1]))
        columns = np.arange(X.shape[1]) if keep_constant or not len(varying) else varying
        scale = np.where(np.isfinite(moments[:, 1]), moments[:, 1], 1.0)
        refuse_spreads(scale)
        location, spread = location_and_scale(y, weight, robust=True)
        sign = longer_tail((y - location) / spread, weight)
        return cls(columns, moments[columns, 0], scale[columns], location, sign * spread, X.shape[1])

    @property
    def size(self) -> float:
        """The target's scale without its sign."""
        return abs(self.target_scale)

    def inputs(self, X: Array) -> Array:
        """Return standardised inputs."""
        with np.errstate(over="ignore"):
            return within_reach((X[:, self.columns] - self.input_offset) / self.input_scale)

    def target(self, y: Array) -> Array:
        """Return the standardised target."""
        return (y - self.target_offset) / self.target_scale

    def spread_out(self, values: Array, fill: Array | float = 0.0) -> Array:
        """Return one value per input from those in use, on the last axis; ``fill`` for the others."""
        full = np.empty((*values.shape[:-1], self.n_features))
        full[...] = fill
        full[..., self.columns] = values
        return full


def longer_tail(standardised: Array, weight: Array) -> float:
    """Return 1 or -1: the side on which standardised numbers reach further, each counted up to three."""
    return -1.0 if float(weight @ np.clip(standardised, -3.0, 3.0) ** 3) < 0.0 else 1.0


def rounded(values: Array) -> Array:
    """Return numbers without the digits that are rounding: see ``KEPT_BITS``."""
    exponent = np.maximum(np.frexp(values)[1], 1) - KEPT_BITS
    return np.asarray(np.ldexp(np.rint(np.ldexp(values, -exponent)), exponent)) + 0.0


def column_moments(column: Array, weight: Array) -> tuple[float, float]:
    """Return mean and standard deviation of one input; infinity as that of a constant one."""
    # Dividing by the size first keeps the squares of very large or very small numbers representable.
    unit = float(unit_of(column))
    mean, deviation = mean_and_deviation(column / unit, weight)
    is_constant = deviation <= CONSTANT * float(np.abs(column / unit).max())
    return unit * mean, np.inf if is_constant else unit * deviation
