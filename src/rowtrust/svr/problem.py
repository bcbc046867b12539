"""What Bayesian support vector regression has to solve at one value of its hyperparameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.linalg import lapack

from rowtrust.contracts import Array, Indices
from rowtrust.inference.linear_algebra import stable_cholesky
from rowtrust.likelihoods.soft_insensitive import SoftInsensitive
from rowtrust.svr.covariance import CovarianceMatrix
from rowtrust.svr.zone_system import ZoneSystem

MOST_BORDERED = 0.1
"""Share of the rows of a factored zone that may differ before another is factored anew. A solve for one row
costs six over n of a factorisation, so that a sixth would be the break-even; the slopes need products of
the same size again."""

NOT_POSITIVE_DEFINITE = (
    "The covariance of the rows is not positive definite even with a nudge. The inputs or a "
    "relevance are not finite: scale the inputs, or fix the relevance to a number."
)
"""What to say when a factorisation fails for good, with the cure."""


class SoftLoss:
    """Targets, how many rows each row stands for, and the likelihood: everything but the prior.

    Everything the solvers ask of the likelihood they ask here.
    """

    target: Array
    sample_weight: Array
    likelihood: SoftInsensitive

    @cached_property
    def insensitive_width(self) -> float:
        """Half-width ``(1 - beta) epsilon`` of the zone without loss."""
        return self.likelihood.insensitive_width

    @cached_property
    def quadratic_width(self) -> float:
        """Width ``2 beta epsilon`` of each quadratic zone."""
        return self.likelihood.quadratic_width

    @cached_property
    def bound(self) -> Array:
        """Largest ``|nu|`` of each row: ``C`` times its weight."""
        return self.likelihood.C * self.sample_weight

    @cached_property
    def ridge(self) -> Array:
        """Inverse curvature of each row's loss in the quadratic zone: ``2 beta epsilon / C``."""
        return self.quadratic_width / self.bound

    def share(self, dual: Array) -> Array:
        """Return dual variables as shares of their bounds, from which a similar problem can start."""
        return dual / self.bound

    def loss(self, residual: Array) -> Array:
        """Return ``l(delta)`` of each row (eq. 8)."""
        return self.likelihood.loss(residual)

    def slope(self, residual: Array) -> Array:
        """Return ``l'(delta)`` of each row, between -1 and 1 (eq. 9): the share of nu at the solution."""
        return self.likelihood.derivative(residual)


@dataclass(frozen=True)
class SoftProblem(SoftLoss):
    """What is to be solved: prior, targets, how many rows each row stands for, and the likelihood.

    Attributes
    ----------
    matrix
        Prior covariance of f at the n rows.
    target : (n,)
    sample_weight : (n,)
        Positive; an integer weight equals a repeated row.
    likelihood
        With a quadratic zone of positive width.
    """

    matrix: CovarianceMatrix
    target: Array
    sample_weight: Array
    likelihood: SoftInsensitive
    last_system: list[ZoneSystem] = field(default_factory=list, init=False, repr=False, compare=False)

    def quadratic_factor(self, rows: Indices) -> Array:
        """Return the lower Cholesky factor of ``K + 2 beta epsilon / C`` on some rows.

        The last one is remembered: a solver that has converged asks for it once more.
        """
        for known in self.last_system:
            if known.is_exact and np.array_equal(known.rows, rows):
                return known.factor
        factor = self._factor(rows, self.ridge[rows])
        self.last_system[:] = [ZoneSystem.of_base(rows, factor)]
        return factor

    def zone_system(self, rows: Indices) -> ZoneSystem:
        """Return the linear system of a quadratic zone, from the last zone's factor where they are alike."""
        for known in self.last_system:
            if np.array_equal(known.rows, rows):
                return known
            bordered = self._bordered(known, rows)
            if bordered is not None:
                self.last_system[:] = [bordered]
                return bordered
        return ZoneSystem.of_base(rows, self.quadratic_factor(rows))

    def _bordered(self, known: ZoneSystem, rows: Indices) -> ZoneSystem | None:
        """Return the system of ``rows`` from another's factor; None where too many rows differ."""
        removed = np.flatnonzero(~np.isin(known.base, rows, assume_unique=True))
        added = rows[~np.isin(rows, known.base, assume_unique=True)]
        if len(removed) + len(added) > MOST_BORDERED * len(known.base):
            return None
        count = len(removed)
        border = np.zeros((len(known.base), count + len(added)), order="F")
        border[removed, np.arange(count)] = 1.0
        border[:, count:] = self.matrix.cross(known.base, added)
        solved = lapack.dpotrs(known.factor, border, lower=1)[0]
        schur = -(border.T @ solved)
        schur[count:, count:] += self.matrix.cross(added, added)
        schur[range(count, len(schur)), range(count, len(schur))] += self.ridge[added]
        return ZoneSystem(rows, known.base, known.factor, removed, added, solved, 0.5 * (schur + schur.T))

    def shifted_factor(self, diagonal: Array) -> Array:
        """Return the lower Cholesky factor of ``K`` plus a diagonal, on all rows."""
        return self._factor(np.arange(len(diagonal)), diagonal)

    def _factor(self, rows: Indices, diagonal: Array) -> Array:
        if not len(rows):
            return np.zeros((0, 0))

        def build(jitter: float) -> Array:
            block = self.matrix.block(rows)
            np.einsum("ii->i", block)[:] += diagonal + jitter * self.matrix.covariance.variance
            # The block is symmetric: its transpose is column-major, so LAPACK can work in place.
            return block.T

        return stable_cholesky(build, NOT_POSITIVE_DEFINITE, overwrite=True)[0]
