"""The logistic likelihood through the bound of Jaakkola and Jordan (Hwang & Jeong 2015, section 3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rowtrust.contracts import Array, Sites
from rowtrust.likelihoods.base import Likelihood, Prediction
from rowtrust.numerics.array_api import expit, log_expit, namespace

NEARLY_ZERO = 1e-4
"""Below this the curvature is its Taylor series: the next term, ``xi**4 / 960``, is 1e-19 there. Any value
from 1e-7 to 1e-3 would do."""


def bound_curvature(xi: Array) -> Array:
    """Return ``lambda(xi) = tanh(xi/2) / (4 xi)`` (below eq. 5), which tends to 1/8 at zero."""
    xp = namespace(xi)
    small = xp.abs(xi) < NEARLY_ZERO
    safe = xp.where(small, 1.0, xi)
    curvature: Array = xp.where(small, 0.125 - xi**2 / 96.0, xp.tanh(safe / 2) / (4 * safe))
    return curvature


@dataclass(frozen=True)
class Logistic(Likelihood):
    """``P(t_i = 1) = sigma(f_i)`` for targets 0 and 1.

    See Also
    --------
    LabelChannel : The same where some labels are wrong.

    Notes
    -----
    Sites are the bound of Jaakkola and Jordan, as in Hwang & Jeong (2015), section 3.1.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.likelihoods import Logistic
    >>> Logistic().mean(np.array([0.0, np.log(3.0)]))
    array([0.5 , 0.75])
    >>> unsure = Logistic().predict_mean(np.array([3.0]), np.array([10.0]))
    >>> bool(unsure[0] < Logistic().mean(np.array([3.0]))[0])  # averaged over what is not known of f
    True
    """

    is_bound: ClassVar[bool] = True

    def log_density(self, target: Array, latent: Array) -> Array:
        """Return ``ln sigma(f)`` for target 1 and ``ln sigma(-f)`` for target 0."""
        return target * latent + log_expit(-latent)

    def mean(self, latent: Array) -> Array:
        """Return ``sigma(f)``."""
        return expit(latent)

    def check_targets(self, target: Array) -> None:
        """Raise ValueError for targets outside of 0 to 1: their density has no maximum."""
        if not ((target >= 0.0) & (target <= 1.0)).all():
            raise ValueError(
                f"{type(self).__name__} takes targets from 0 to 1; got {target.min():.3g} to "
                f"{target.max():.3g}. Use a likelihood of numbers, such as Gaussian()."
            )

    def conditional_variance(self, latent: Array) -> Array:
        """Return ``sigma(f) sigma(-f)``."""
        return expit(latent) * expit(-latent)

    def sites(self, target: Array, mean: Array, variance: Array) -> Sites:
        """Return the bound ``h`` at its tightest, ``xi_i**2 = E f_i**2`` (eq. 16)."""
        xp = namespace(mean)
        xi = xp.sqrt(mean**2 + variance)
        curvature = bound_curvature(xi)
        return Sites(
            precision=2.0 * curvature,
            shift=target - 0.5,
            constant=log_expit(xi) - 0.5 * xi + curvature * xi**2,
            normaliser=xp.zeros_like(target),
        )

    def log_odds(self, mean: Array, variance: Array) -> Array:
        """Return the log-odds of the averaged probability (MacKay 1992)."""
        return mean / self._widening(variance)

    def latent_of_log_odds(self, log_odds: Array, variance: Array) -> Array:
        """Return the latent mean whose averaged probability has these log-odds."""
        return log_odds * self._widening(variance)

    @staticmethod
    def _widening(variance: Array) -> Array:
        root: Array = namespace(variance).sqrt(1.0 + np.pi * variance / 8.0)
        return root

    def predict(self, mean: Array, variance: Array, widening: float = 1.0) -> Prediction:
        """Return the averaged probability, and the variance of a label."""
        probability = self.predict_mean(mean, variance)
        return Prediction(probability, probability * (1.0 - probability))

    def predict_mean(self, mean: Array, variance: Array) -> Array:
        """Return the averaged probability."""
        return expit(self.log_odds(mean, variance))
