"""What Bayesian support vector regression has to solve at one value of its hyperparameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.linalg import LinAlgError, lapack

from rowtrust.contracts import Array, Indices
from rowtrust.likelihoods.soft_insensitive import SoftInsensitive
from rowtrust.svr.covariance import CovarianceMatrix


@dataclass(frozen=True)
class SoftProblem:
    """What is to be solved: the prior at the rows, the targets, how many rows each stands for, the noise.

    Attributes
    ----------
    matrix
        Prior covariance of f at the n rows.
    target : (n,)
    sample_weight : (n,)
        Positive; an integer weight equals a repeated row.
    noise
        With a quadratic zone of positive width.
    """

    matrix: CovarianceMatrix
    target: Array
    sample_weight: Array
    noise: SoftInsensitive
    remembered: list[tuple[Indices, Array]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    @cached_property
    def bound(self) -> Array:
        """Largest ``|nu|`` of each row: ``C`` times its weight."""
        return self.noise.C * self.sample_weight

    @cached_property
    def ridge(self) -> Array:
        """Inverse curvature of each row's loss in the quadratic zone: ``2 beta epsilon / C``."""
        return self.noise.quadratic_width / self.bound

    def share(self, dual: Array) -> Array:
        """Return dual variables as shares of their bounds, from which a similar problem can start."""
        return dual / self.bound

    def quadratic_factor(self, rows: Indices) -> Array:
        """Return the lower Cholesky factor of ``K + 2 beta epsilon / C`` on some rows.

        The last one is remembered: a solver that has settled asks for it once more.
        """
        for known, factor in self.remembered:
            if np.array_equal(known, rows):
                return factor
        factor = self._factor(rows, self.ridge[rows])
        self.remembered[:] = [(rows, factor)]
        return factor

    def shifted_factor(self, diagonal: Array) -> Array:
        """Return the lower Cholesky factor of ``K`` plus a diagonal, on all rows."""
        return self._factor(np.arange(len(diagonal)), diagonal)

    def _factor(self, rows: Indices, diagonal: Array) -> Array:
        if not len(rows):
            return np.zeros((0, 0))
        for jitter in (0.0, 1e-13, 1e-11, 1e-9):
            block = self.matrix.block(rows)
            np.einsum("ii->i", block)[:] += diagonal + jitter * self.matrix.covariance.variance
            # The block is symmetric: its transpose is column-major, so LAPACK can work in place.
            factor, failed = lapack.dpotrf(block.T, lower=1, clean=1, overwrite_a=1)
            if not failed:
                return np.asarray(factor)
        raise LinAlgError(
            "The covariance of the rows is not positive definite even with a nudge. The inputs or a "
            "relevance are not finite: scale the inputs, or fix the relevance to a number."
        )
