"""Gaussian noise with a learnt precision (Tipping 2001)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rowtrust.contracts import Array, Sites, Statistics


@dataclass(frozen=True)
class Gaussian:
    """``t_i = f_i + N(0, 1/(w_i precision))``: the sites are exact.

    Parameters
    ----------
    precision
        Inverse noise variance (Tipping's beta).
    ceiling
        Largest precision allowed. Noise-free targets would otherwise send it to infinity.
    """

    precision: float = 1.0
    ceiling: float = 1e6

    weight_exponent = 0.5

    def sites(self, target: Array, mean: Array, variance: Array) -> Sites:
        """Return the likelihood itself, which is a Gaussian site whatever the moments are."""
        return Sites(
            precision=np.full_like(target, self.precision),
            shift=self.precision * target,
            constant=-0.5 * self.precision * target**2,
            normaliser=np.full_like(target, 0.5 * np.log(self.precision / (2 * np.pi))),
        )

    def update(self, statistics: Statistics) -> tuple[Gaussian, Statistics]:
        """Set the precision to ``N / sum_i w_i E(t_i - f_i)**2``, which never lowers the bound."""
        smallest_loss = 0.5 * statistics.count * self.precision / self.ceiling
        ratio = 0.5 * statistics.count / max(statistics.loss, smallest_loss)
        return replace(self, precision=self.precision * ratio), statistics.rescaled(ratio)
