"""How new targets scatter around predictions: as rows have that were left out.

A model's own deviation tells rows apart, but not how large errors are: its columns were chosen with the rows,
its noise is of a shape that was assumed, and what its kernels cannot represent is in neither. So held-out
rows say by what factor a deviation must be multiplied, how that changes with the level of the prediction,
and which shape errors have: a split Student t, as the judge of numbers knows it. Gross errors are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from rowtrust.contracts import Array
from rowtrust.trust import NumberJudge

COVERED = 0.95
"""A deviation is that of the Gaussian whose interval of this probability is as wide: what most people make of
a deviation then holds for tails of any weight. A convention."""


@dataclass(frozen=True)
class TargetNoise:
    """The distribution of new targets, given mean and deviation of a prediction.

    Attributes
    ----------
    factor
        What deviations are multiplied by at the median of the predictions.
    growth, centre, spread
        Logarithm of the factor by which they grow while the mean rises by ``spread`` from ``centre``.
    freedom, skewness
        Degrees of freedom, and half the logarithm of the left scale over the right one.
    location
        By how much the place where the density is split lies above the mean.
    """

    factor: float
    growth: float
    centre: float
    spread: float
    freedom: float
    skewness: float
    location: float

    @classmethod
    def of(cls, judge: NumberJudge, usual: float) -> TargetNoise:
        """Return the noise that a judge has learnt, for models of this median log deviation."""
        freedom = 2.0 + float(np.exp(judge.log_freedom))
        width = half_width(freedom, judge.skewness) / float(norm.ppf(0.5 + 0.5 * COVERED))
        factor = width * judge.unit * float(np.exp(judge.log_scale - usual))
        location = judge.unit * judge.location
        return cls(factor, judge.growth, judge.centre, judge.spread, freedom, judge.skewness, location)

    def rescaled(self, offset: float, scale: float) -> TargetNoise:
        """Return the same for targets and predictions that are multiplied, which may turn them, and moved."""
        sign = float(np.sign(scale))
        return TargetNoise(
            self.factor,
            sign * self.growth,
            offset + scale * self.centre,
            abs(scale) * self.spread,
            self.freedom,
            sign * self.skewness,
            scale * self.location,
        )

    def stretch(self, mean: Array) -> Array:
        """Return by how much the variances of these predictions are multiplied."""
        level = np.clip((mean - self.centre) / self.spread, -3.0, 3.0)
        return np.asarray(self.factor**2 * np.exp(2.0 * self.growth * level))

    def quantile(self, mean: Array, deviation: Array, level: float) -> Array:
        """Return the values below which new targets lie with this probability."""
        at = split_quantile(self.freedom, self.skewness, level)
        return np.asarray(mean + self.location + self._scale(deviation) * at)

    def cdf(self, mean: Array, deviation: Array, target: Array) -> Array:
        """Return the probability of new targets to lie below these."""
        off, (left, right) = (target - mean - self.location) / self._scale(deviation), self._sides()
        below = 2.0 * left * student.cdf(np.minimum(off, 0.0) / left, self.freedom)
        above = 2.0 * right * (student.cdf(np.maximum(off, 0.0) / right, self.freedom) - 0.5)
        return np.asarray((below + above) / (left + right))

    def log_density(self, mean: Array, deviation: Array, target: Array) -> Array:
        """Return the log density of new targets."""
        scale, (left, right) = self._scale(deviation), self._sides()
        off = (target - mean - self.location) / scale
        density = student.logpdf(off / np.where(off < 0.0, left, right), self.freedom)
        return np.asarray(density - np.log(scale) - np.log(0.5 * (left + right)))

    def _scale(self, deviation: Array) -> Array:
        return deviation * float(norm.ppf(0.5 + 0.5 * COVERED)) / half_width(self.freedom, self.skewness)

    def _sides(self) -> tuple[float, float]:
        return float(np.exp(self.skewness)), float(np.exp(-self.skewness))


def split_quantile(freedom: float, skewness: float, level: float) -> float:
    """Return a quantile of a split Student t of scale one."""
    left, right = np.exp(skewness), np.exp(-skewness)
    below = left / (left + right)
    if level < below:
        return float(left * student.ppf(0.5 * level / below, freedom))
    return float(right * student.ppf(1.0 - 0.5 * (1.0 - level) / (1.0 - below), freedom))


def half_width(freedom: float, skewness: float) -> float:
    """Return half the width of its interval of probability ``COVERED``."""
    ends = [split_quantile(freedom, skewness, 0.5 + 0.5 * sign * COVERED) for sign in (-1.0, 1.0)]
    return 0.5 * (ends[1] - ends[0])
