"""Automatic relevance determination: one Gaussian prior, with its own precision, per coefficient."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from rowtrust.contracts import Array
from rowtrust.numerics.magnitudes import TINY
from rowtrust.priors.base import Prior


@dataclass(frozen=True)
class ARD(Prior):
    """``beta_j ~ N(0, 1/alpha_j)``, ``alpha_j ~ Gamma(shape, rate)`` (Hwang's a and b).

    The defaults are the paper's. The variational solver uses the Gamma posterior of ``alpha`` (eq. 12-13);
    the working-set solver its stationary point as ``shape, rate -> 0``, which is known in closed form
    (Tipping & Faul 2003).

    Parameters
    ----------
    shape : float, default=1e-5
        Shape of the Gamma prior of every precision.
    rate : float, default=1e-5
        Its rate.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.priors import ARD
    >>> large, none = ARD().expected_precision(np.array([1.0, 0.0]))
    >>> bool(none > 1e4 * large)  # a coefficient that is nearly zero is pulled to zero
    True
    """

    shape: float = 1e-5
    rate: float = 1e-5

    def expected_precision(self, second_moment: Array) -> Array:
        """Return ``E alpha_j`` given ``E beta_j**2`` (eq. 12-13)."""
        return (self.shape + 0.5) / (self.rate + 0.5 * second_moment)

    def bound(self, second_moment: Array) -> float:
        """Return ``E ln p(beta|alpha) + E ln p(alpha) - E ln q(alpha)`` at that ``q(alpha)``."""
        shape = self.shape + 0.5
        rate = self.rate + 0.5 * second_moment
        constant = (
            self.shape * np.log(self.rate) - gammaln(self.shape) + gammaln(shape) - 0.5 * np.log(2 * np.pi)
        )
        return float(np.sum(constant - shape * np.log(rate)))

    def best_precision(
        self, precision: Array, sparsity: Array, quality: Array, lower: Array | float, upper: Array | float
    ) -> tuple[Array, Array]:
        """Return the precisions that maximise the evidence column by column, and the gains in nats."""
        best = np.maximum(np.minimum(optimal_precision(sparsity, quality), upper), lower)
        after, before = log_evidence_share(np.array([best, precision]), sparsity, quality)
        return best, after - before


def optimal_precision(sparsity: Array, quality: Array) -> Array:
    """Return the ``alpha_j`` that maximises the evidence alone: ``s**2 / (q**2 - s)``, or infinity."""
    surplus = quality**2 - sparsity
    optimum = np.full(len(surplus), np.inf)
    np.divide(sparsity**2, surplus, out=optimum, where=surplus > 0.0)
    return np.asarray(np.maximum(optimum, TINY))


def log_evidence_share(precision: Array, sparsity: Array, quality: Array) -> Array:
    """Return what column j adds to the log evidence: ``l(alpha)``, zero at ``alpha = inf``."""
    variance = 1.0 / np.maximum(precision, TINY)  # in which a column that is out is a plain zero
    explained = variance * sparsity
    fitted = quality**2 * variance
    fitted /= 1.0 + explained
    fitted -= np.log1p(explained)
    fitted *= 0.5
    return np.asarray(fitted)
