"""The posterior of the latent function under the soft insensitive loss, ready to predict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.blocks import block_rows, row_blocks
from rowtrust.svr.covariance import GaussianCovariance
from rowtrust.svr.problem import SoftProblem
from rowtrust.svr.solver import SoftSolution


@dataclass(frozen=True)
class SoftPosterior:
    """What of a solution a prediction needs: the support vectors, and those in a quadratic zone.

    Attributes
    ----------
    covariance
        Prior covariance of f.
    support : (k,)
        Training rows with a dual variable that is not zero.
    vectors : (k, d)
        Their inputs.
    dual : (k,)
        Their dual variables.
    quadratic : (m,)
        Positions, among the support vectors, of those in a quadratic zone.
    factor : (m, m)
        Lower Cholesky factor of ``K + 2 beta epsilon / C`` on these.
    """

    covariance: GaussianCovariance
    support: Indices
    vectors: Array
    dual: Array
    quadratic: Indices
    factor: Array

    @classmethod
    def of(cls, problem: SoftProblem, solution: SoftSolution) -> SoftPosterior:
        """Keep what predictions need of a solution."""
        curved = np.zeros(len(solution.dual), dtype=bool)
        curved[solution.quadratic] = True
        support = np.flatnonzero((solution.dual != 0.0) | curved)
        return cls(
            covariance=problem.matrix.covariance,
            support=support,
            vectors=problem.matrix.X[support],
            dual=solution.dual[support],
            quadratic=np.flatnonzero(curved[support]),
            factor=problem.quadratic_factor(solution.quadratic),
        )

    def latent_mean(self, X: Array) -> Array:
        """Return the most probable f at the rows of ``X``: ``k' nu``."""
        mean = np.empty(len(X))
        for block in row_blocks(len(X), block_rows(len(self.support))):
            mean[block] = self.covariance(X[block], self.vectors) @ self.dual
        return mean

    def latent_moments(self, X: Array) -> tuple[Array, Array]:
        """Return mean and variance of f at the rows of ``X``.

        The variance is that of the Gaussian approximation (45): only rows in a quadratic zone have
        curvature, so only they narrow the prior.
        """
        mean, variance = np.empty(len(X)), np.full(len(X), self.covariance.variance)
        for block in row_blocks(len(X), block_rows(len(self.support))):
            cross = self.covariance(X[block], self.vectors)
            mean[block] = cross @ self.dual
            if self.quadratic.size:
                spread = solve_triangular(self.factor, cross[:, self.quadratic].T, lower=True)
                variance[block] -= np.einsum("ij,ij->j", spread, spread)
        return mean, np.maximum(variance, 0.0)

    def variance_root(self) -> tuple[Array, Indices]:
        """Return the R of ``|R k(x)|**2``, by which data narrow the prior, and the vectors of its columns."""
        identity = np.eye(len(self.quadratic))
        root = solve_triangular(self.factor, identity, lower=True) if self.quadratic.size else identity
        return root, self.quadratic
