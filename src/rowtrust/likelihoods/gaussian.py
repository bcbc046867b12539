"""Gaussian noise with a learnt precision (Tipping 2001)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rowtrust.contracts import Array, Sites, Statistics
from rowtrust.likelihoods.base import Likelihood, Prediction
from rowtrust.numerics.array_api import namespace
from rowtrust.numerics.magnitudes import shown


@dataclass(frozen=True)
class Gaussian(Likelihood):
    """``t_i = f_i + N(0, 1/(w_i precision))``: the sites are exact.

    Parameters
    ----------
    precision : float, default=1.0
        Inverse noise variance (Tipping's beta).
    ceiling : float, default=1e6
        Largest precision allowed. Noise-free targets would otherwise send it to infinity; at the default
        the noise is a thousandth of the deviation of standardised targets.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.likelihoods import Gaussian
    >>> noise = Gaussian(precision=4.0)
    >>> noise.conditional_variance(np.zeros(2))
    array([0.25, 0.25])
    >>> noise.rescaled(10.0).precision  # of targets that were ten times larger
    0.04
    """

    precision: float = 1.0
    ceiling: float = 1e6

    def __post_init__(self) -> None:
        if not (np.isfinite(self.precision) and self.precision > 0):
            raise ValueError(f"precision must be a positive number, got {shown(self.precision)}.")

    weight_exponent: ClassVar[float] = 0.5
    is_bound: ClassVar[bool] = True
    is_location_scale: ClassVar[bool] = True
    learns: ClassVar[bool] = True

    def log_density(self, target: Array, latent: Array) -> Array:
        """Return the log density of a Gaussian around ``f``."""
        half_square = 0.5 * self.precision * (target - latent) ** 2
        return self._log_peak_density - half_square

    def mean(self, latent: Array) -> Array:
        """Return ``f`` itself."""
        return latent

    def conditional_variance(self, latent: Array) -> Array:
        """Return the variance of the noise."""
        variance: Array = namespace(latent).full_like(latent, 1.0 / self.precision)
        return variance

    def sites(self, target: Array, mean: Array, variance: Array) -> Sites:
        """Return the likelihood itself, which is a Gaussian site whatever the moments are."""
        xp = namespace(target)
        return Sites(
            precision=xp.full_like(target, self.precision),
            shift=self.precision * target,
            constant=-0.5 * self.precision * target**2,
            normaliser=xp.full_like(target, self._log_peak_density),
        )

    @property
    def _log_peak_density(self) -> float:
        return float(0.5 * np.log(self.precision / (2 * np.pi)))

    def update(self, statistics: Statistics) -> tuple[Gaussian, Statistics]:
        """Set the precision to ``N / sum_i w_i E(t_i - f_i)**2``, which never lowers the bound."""
        smallest_loss = 0.5 * statistics.count * self.precision / self.ceiling
        ratio = 0.5 * statistics.count / max(statistics.loss, smallest_loss)
        restated = replace(
            statistics,
            gram=ratio * statistics.gram,
            vector=ratio * statistics.vector,
            constant=ratio * statistics.constant,
            normaliser=statistics.normaliser + 0.5 * statistics.count * float(np.log(ratio)),
            loss=ratio * statistics.loss,
            curvature=None if statistics.curvature is None else ratio * statistics.curvature,
        )
        return replace(self, precision=self.precision * ratio), restated

    @property
    def coordinates(self) -> Array:
        """The logarithm of the precision."""
        return np.array([np.log(self.precision)])

    def moved_to(self, coordinates: Array) -> Gaussian:
        """Return the noise with this logarithm of its precision, or the ceiling."""
        smallest = np.finfo(float).tiny
        return replace(self, precision=float(np.clip(np.exp(coordinates[0]), smallest, self.ceiling)))

    @classmethod
    def average(cls, parts: Sequence[Likelihood], shares: Array) -> Gaussian:
        """Return the Gaussian with the average of the noise variances."""
        gaussians = [part for part in parts if isinstance(part, Gaussian)]
        variance = sum(share / part.precision for share, part in zip(shares, gaussians, strict=True))
        return replace(gaussians[0], precision=1.0 / float(variance))

    def rescaled(self, scale: float) -> Gaussian:
        """Return the noise of targets that were ``scale`` times larger."""
        return replace(self, precision=self.precision / scale**2)

    def predict(self, mean: Array, variance: Array, widening: float = 1.0) -> Prediction:
        """Return the latent mean, and the variances of function and noise together."""
        return Prediction(mean, variance + widening / self.precision)

    def predict_mean(self, mean: Array, variance: Array) -> Array:
        """Return the latent mean."""
        return mean
