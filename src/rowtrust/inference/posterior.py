"""The posterior of the coefficients: the one Cholesky factorisation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite

import numpy as np
from scipy.linalg import LinAlgError, lapack

from rowtrust.contracts import Array
from rowtrust.inference.linear_algebra import stable_cholesky
from rowtrust.numerics.array_api import double, like, squared_lengths

INDEFINITE = (
    "The posterior precision is not positive definite. The kernel columns are not finite or differ by too "
    "many orders of magnitude: scale the inputs, or use another kernel."
)
"""What to say when no jitter helps, with the cure."""


@dataclass(frozen=True)
class Posterior:
    """``q(beta) = N(mean, root root')``.

    Attributes
    ----------
    mean : (k,)
    root : (k, k)
        A square root of the covariance, so that variances are sums of squares, never negative.
    log_determinant
        ``ln |G + A|``, of the inverse covariance.
    """

    mean: Array
    root: Array
    log_determinant: float

    @cached_property
    def variance(self) -> Array:
        """Marginal variances of the coefficients."""
        return np.asarray(np.einsum("ij,ij->i", self.root, self.root))

    @property
    def covariance(self) -> Array:
        """Covariance of the coefficients."""
        return np.asarray(self.root @ self.root.T)

    def latent_moments(self, phi: Array) -> tuple[Array, Array]:
        """Return mean and variance of ``f = phi beta`` for each row of ``phi``."""
        spread = phi @ like(self.root, phi)
        return double(phi @ like(self.mean, phi)), double(squared_lengths(spread))


def first_posterior(size: int, certain: bool) -> Posterior:
    """Return what a solver begins with: ``f = 0``, or a function of about unit variance around it.

    Sites that bound the likelihood are best made at ``f = 0``. Those by quadrature see no curvature there
    where a density has a kink or straight tails.
    """
    if certain:
        return Posterior(np.zeros(size), np.zeros((size, size)), 0.0)
    return Posterior(np.zeros(size), np.eye(size) / np.sqrt(size), size * float(np.log(size)))


def solve_posterior(gram: Array, vector: Array, precision: Array) -> Posterior:
    """Return the posterior with covariance ``(G + A)^-1`` and mean ``(G + A)^-1 g`` (Hwang eq. 10-11)."""
    inverse_covariance = gram.copy()
    inverse_covariance.flat[:: len(precision) + 1] += precision
    factor, failed = lapack.dpotrf(inverse_covariance, lower=1, clean=1, overwrite_a=1)
    log_diagonal = float("nan") if failed else float(np.log(factor.diagonal()).sum())
    if not isfinite(log_diagonal):
        return _stable_posterior(gram, vector, precision)
    inverse_factor, _ = lapack.dtrtri(factor, lower=1, overwrite_c=1)
    root = inverse_factor.T
    return Posterior(root @ (vector @ root), root, 2.0 * log_diagonal)


def _stable_posterior(gram: Array, vector: Array, precision: Array) -> Posterior:
    """Return the posterior where rounding stopped the factorisation: scaled, with what jitter it takes."""
    scale = 1.0 / np.sqrt(gram.diagonal() + precision)
    inverse_covariance = gram * scale
    inverse_covariance *= scale[:, None]
    inverse_covariance.flat[:: len(scale) + 1] = 1.0
    factor, log_diagonal = stable_cholesky(
        lambda jitter: inverse_covariance + jitter * np.eye(len(scale)) if jitter else inverse_covariance,
        INDEFINITE,
    )
    inverse_factor, _ = lapack.dtrtri(factor, lower=1)
    root = scale[:, None] * inverse_factor.T
    log_determinant = 2.0 * (log_diagonal - float(np.log(scale).sum()))
    if not isfinite(log_determinant):
        raise LinAlgError(INDEFINITE)
    return Posterior(root @ (vector @ root), root, log_determinant)


def site_log_evidence(log_scale: float, vector: Array, precision: Array, posterior: Posterior) -> float:
    """Return ``ln Z = c + g'mu/2 + sum ln alpha / 2 - ln|G + A| / 2`` of weighted Gaussian sites."""
    fit = 0.5 * float(vector @ posterior.mean)
    volume = 0.5 * (float(np.log(precision).sum()) - posterior.log_determinant)
    return log_scale + fit + volume


def expected_quadratic(gram: Array, posterior: Posterior) -> float:
    """Return ``E beta' G beta``."""
    spread = float(np.sum((gram @ posterior.root) * posterior.root))
    return float(posterior.mean @ gram @ posterior.mean) + spread
