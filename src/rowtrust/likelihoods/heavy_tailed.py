"""Symmetric noise with heavy tails, and one bound for all of it."""

from __future__ import annotations

from typing import ClassVar

from rowtrust.contracts import Array, Sites
from rowtrust.likelihoods.base import SMALLEST_CURVATURE, Likelihood
from rowtrust.numerics.array_api import at_least, namespace

SMALLEST_DISTANCE = 1e-6
"""Of a latent function from its target, where a density with a cusp would pull without limit: a guard, not
studied."""

DIFFERENCE = 1e-4
"""Share of the distance over which the slope of a log density is taken: good to 1e-8, but for rounding at
distances below a thousandth of the noise's width (at 1e-4 of it, 1e-4)."""


class HeavyTailed(Likelihood):
    """Base of symmetric noise whose log density is a convex function of ``(t - f)**2``.

    Student's t, the logistic and Laplace's density are such; a Gaussian is the limit. The tangent in the
    square lies below the log density: a Gaussian site that bounds it, tightest at ``xi**2 = E(t - f)**2``,
    as Jaakkola and Jordan's does for the logistic function. A subclass writes ``log_density`` and
    ``rescaled``, and ``conditional_variance`` if error bars are wanted.

    Examples
    --------
    >>> from dataclasses import dataclass, replace
    >>> import numpy as np
    >>> from rowtrust import SparseBayesRegressor
    >>> from rowtrust.datasets import make_sinc
    >>> from rowtrust.likelihoods import HeavyTailed
    >>> @dataclass(frozen=True)
    ... class Cauchy(HeavyTailed):
    ...     width: float = 0.1
    ...
    ...     def log_density(self, target, latent):
    ...         return -np.log(np.pi * self.width) - np.log1p(((target - latent) / self.width) ** 2)
    ...
    ...     def rescaled(self, scale):
    ...         return replace(self, width=self.width * scale)
    >>> X, y = make_sinc(100, random_state=0)
    >>> y[::10] += 5.0
    >>> model = SparseBayesRegressor(likelihood=Cauchy(), gamma=3.0).fit(X, y)
    >>> bool(abs(model.predict([[0.0]])[0] - 1.0) < 0.2)  # the outliers hardly pull
    True
    """

    is_bound: ClassVar[bool] = True
    is_location_scale: ClassVar[bool] = True

    def mean(self, latent: Array) -> Array:
        """Return ``f`` itself: the noise is symmetric."""
        return latent

    def sites(self, target: Array, mean: Array, variance: Array) -> Sites:
        """Return the tangents of the log density as a function of the squared distance."""
        xp = namespace(mean)
        xi = at_least(xp.sqrt((target - mean) ** 2 + variance), SMALLEST_DISTANCE)
        nearer, further = ((1.0 + side * DIFFERENCE) * xi for side in (-1.0, 1.0))
        origin = xp.zeros_like(xi)
        fall = self._finite_log_density(nearer, origin) - self._finite_log_density(further, origin)
        precision = at_least(fall / (2.0 * DIFFERENCE * xi**2), SMALLEST_CURVATURE)
        peak = self._log_peak(target)
        constant = self._finite_log_density(xi, origin) - peak + 0.5 * precision * (xi**2 - target**2)
        return Sites(precision, precision * target, constant, peak)
