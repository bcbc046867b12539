"""The posterior of the coefficients: the one Cholesky factorisation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite

import numpy as np
from scipy.linalg import LinAlgError, lapack

from rowtrust.contracts import Array
from rowtrust.inference.linear_algebra import stable_cholesky
from rowtrust.numerics.array_api import like, squared_lengths

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
        Of several outputs that share the covariance: (k, n_outputs).
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
        if self.mean.ndim == 1:
            return phi @ like(self.mean, phi), squared_lengths(spread)
        # outputs one below the other: sums over them are sums of long vectors then
        return (like(self.mean.T, phi) @ phi.T).T, squared_lengths(spread)


def first_posterior(size: int, certain: bool, outputs: tuple[int, ...] = ()) -> Posterior:
    """Return what a solver begins with: ``f = 0``, or a function of about unit variance around it.

    ``outputs`` is the shape of a row's targets. Sites that bound the likelihood are best made at ``f = 0``.
    Those by quadrature see no curvature there where a density has a kink or straight tails.
    """
    if certain:
        return Posterior(np.zeros((size, *outputs)), np.zeros((size, size)), 0.0)
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
    return Posterior(root @ (vector.T @ root).T, root, 2.0 * log_diagonal)


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
    return Posterior(root @ (vector.T @ root).T, root, log_determinant)


def n_contrasts(vector: Array) -> float:
    """Return for how many contrasts of several classes the evidence pays.

    The bound bends by 1/2 in each of the K - 1 contrasts, but the likelihood of a row by no more than
    1 - 1/K in all of them together, as if it bent by 1/2 in 2 (K - 1) / K of them and not in the others. In
    those the posterior is the prior, and they cost nothing. Of two classes that is the bound itself; of more
    what is maximised, which still no step lowers, is above the bound, and may be above the evidence. On half
    A's tables of several classes all K - 1 give a log loss of 0.405 for 0.349 (two splits), and 0.6 times as
    many 0.328 for 0.336 with half as many coefficients more (three).
    """
    return 1.0 if vector.ndim == 1 else 2.0 * (vector.shape[1] - 1) / vector.shape[1]


def site_log_evidence(log_scale: float, vector: Array, precision: Array, posterior: Posterior) -> float:
    """Return ``ln Z = c + g'mu/2 + sum ln alpha / 2 - ln|G + A| / 2`` of weighted Gaussian sites."""
    fit = 0.5 * float(np.vdot(vector, posterior.mean))
    volume = 0.5 * n_contrasts(vector) * (float(np.log(precision).sum()) - posterior.log_determinant)
    return log_scale + fit + volume


def expected_quadratic(gram: Array, posterior: Posterior) -> float:
    """Return ``E beta' G beta``."""
    spread = float(np.sum((gram @ posterior.root) * posterior.root))
    return float(posterior.mean @ gram @ posterior.mean) + spread
