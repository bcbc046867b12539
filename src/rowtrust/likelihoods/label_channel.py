"""Labels behind a noisy channel: some were written down as the other class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array, Sites
from rowtrust.likelihoods.logistic import Logistic, bound_curvature
from rowtrust.numerics.array_api import expit, like, log_expit, namespace

LEAST_RATE = 1e-6
"""Rates are not below this, so that no label is impossible: where one is zero a single wrong label would
otherwise bend the fit without limit. A guard, not studied."""


@dataclass(frozen=True)
class LabelChannel(Logistic):
    """``P(t = 1 | f) = e0 + (1 - e0 - e1) sigma(f)`` for labels 0 and 1 of which some are wrong.

    Parameters
    ----------
    false_one : float, default=0.0
        The rate ``e0`` at which rows whose true label is 0 were given a 1.
    false_zero : float, default=0.0
        The rate ``e1`` at which rows whose true label is 1 were given a 0.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.likelihoods import LabelChannel
    >>> channel = LabelChannel(false_one=0.1, false_zero=0.2)
    >>> channel.mean(np.array([-50.0, 0.0, 50.0])).round(3)  # of the label as given
    array([0.1 , 0.45, 0.8 ])
    >>> channel.probability_of_one(np.array([1.0]), np.array([-4.0])).round(2)  # probably a 0
    array([0.13])
    """

    false_one: float = 0.0
    false_zero: float = 0.0

    def _log_rates(self, target: Array) -> tuple[Array, Array]:
        """Return ``ln p(t | z = 1)`` and ``ln p(t | z = 0)`` of the labels as given."""
        one = np.clip([self.false_zero, 1.0 - self.false_zero], LEAST_RATE, 1.0 - LEAST_RATE)
        zero = np.clip([1.0 - self.false_one, self.false_one], LEAST_RATE, 1.0 - LEAST_RATE)
        xp = namespace(target)
        given = xp.asarray(target > 0.5, dtype=xp.int64)
        return like(np.log(one), target)[given], like(np.log(zero), target)[given]

    def log_density(self, target: Array, latent: Array) -> Array:
        """Return ``ln p(t | f)``, the true label summed out."""
        one, zero = self._log_rates(target)
        xp = namespace(latent)
        density: Array = xp.logaddexp(one + log_expit(latent), zero + log_expit(-latent))
        return density

    def mean(self, latent: Array) -> Array:
        """Return the probability that the label will be given as 1."""
        return self.false_one + (1.0 - self.false_one - self.false_zero) * expit(latent)

    def conditional_variance(self, latent: Array) -> Array:
        """Return the variance of a label as given."""
        mean = self.mean(latent)
        return mean * (1.0 - mean)

    def probability_of_one(self, target: Array, mean: Array) -> Array:
        """Return ``q(z = 1)``, the probability that the true label is 1."""
        one, zero = self._log_rates(target)
        return expit(mean + one - zero)

    def sites(self, target: Array, mean: Array, variance: Array) -> Sites:
        """Return the bound with ``q(z)`` of the true label at its best.

        ``ln p(t | f) = ln(p(t | 1) e^f + p(t | 0)) - ln(1 + e^f)``: the first term is convex, and its tangent
        at the mean, of slope ``q(z = 1)``, bounds it; the second has the bound of Jaakkola and Jordan.
        """
        one, zero = self._log_rates(target)
        xp = namespace(mean)
        xi = xp.sqrt(mean**2 + variance)
        curvature = bound_curvature(xi)
        true = self.probability_of_one(target, mean)
        tangent = xp.logaddexp(one + mean, zero) - true * mean
        return Sites(
            precision=2.0 * curvature,
            shift=true - 0.5,
            constant=log_expit(xi) - 0.5 * xi + curvature * xi**2 + tangent,
            normaliser=xp.zeros_like(target),
        )
