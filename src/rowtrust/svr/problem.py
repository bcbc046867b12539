"""What Bayesian support vector regression has to solve at one value of its hyperparameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.linalg import blas, lapack

from rowtrust.contracts import Array, Indices
from rowtrust.inference.linear_algebra import stable_cholesky
from rowtrust.likelihoods.soft_insensitive import SoftInsensitive
from rowtrust.numerics.magnitudes import LAST_DIGITS
from rowtrust.svr.covariance import CovarianceMatrix

LEAF = 96
"""Size up to which a triangle is inverted in one go. Of 32 to 256, 96 and 128 are the fastest at 481 and 1000
rows: the inverse of the triangle takes as long as its Cholesky factorisation."""


@dataclass(frozen=True)
class ZoneSystem:
    """``K + 2 beta epsilon / C`` on the rows M of a zone, by way of the rows B of another.

    With R the rows of B that are not in M, A those of M that are not in B, and P the matrix on B, the
    bordered matrix ``[[P, W], [W', T]]`` with ``W = [e_R, K_BA]`` forces the unknowns of R to zero.

    Attributes
    ----------
    rows : (m,)
        M, in order.
    base : (b,)
        B, in order.
    factor : (b, b)
        Lower Cholesky factor of P.
    removed : (r,)
        Positions of R in B.
    added : (a,)
        A, in order.
    solved : (b, r + a)
        ``P^-1 W``.
    schur : (r + a, r + a)
        ``T - W' P^-1 W``: symmetric, indefinite.
    """

    rows: Indices
    base: Indices
    factor: Array
    removed: Indices
    added: Indices
    solved: Array
    schur: Array

    @classmethod
    def of_base(cls, rows: Indices, factor: Array) -> ZoneSystem:
        """Return the system of a zone whose own factor is known."""
        none, width = np.zeros(0, dtype=np.intp), np.zeros((len(rows), 0))
        return cls(rows, rows, factor, none, none, width, np.zeros((0, 0)))

    @property
    def is_exact(self) -> bool:
        """Whether the factor is that of the zone itself."""
        return not len(self.schur)

    def solve(self, wanted: Array) -> Array:
        """Return the solution for a right-hand side on M."""
        if self.is_exact:
            return np.asarray(lapack.dpotrs(self.factor, wanted, lower=1)[0])
        in_base, on_base = self._in_base, np.zeros(len(self.base))
        kept = np.isin(self.base, self.rows, assume_unique=True)
        on_base[kept] = wanted[in_base]
        first = lapack.dpotrs(self.factor, on_base, lower=1)[0]
        border = np.concatenate([-first[self.removed], wanted[~in_base] - self.solved_added.T @ on_base])
        multiplier = np.linalg.solve(self.schur, border)
        found = np.empty(len(self.rows))
        found[in_base] = (first - self.solved @ multiplier)[kept]
        found[~in_base] = multiplier[len(self.removed) :]
        return found

    @property
    def _in_base(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return np.isin(self.rows, self.base, assume_unique=True)

    @property
    def solved_added(self) -> Array:
        """``P^-1 K_BA``."""
        return self.solved[:, len(self.removed) :]

    def half_log_determinant(self) -> float:
        """Return half the logarithm of the determinant on M."""
        half = float(np.log(np.diagonal(self.factor)).sum())
        return half if self.is_exact else half + 0.5 * float(np.linalg.slogdet(self.schur)[1])

    def inverse(self) -> tuple[Array, Indices]:
        """Return the lower triangle of the inverse on B and A, zero in the rows of R, and these rows."""
        inverse = lower_inverse(self.factor)
        if self.is_exact:
            return inverse, self.rows
        size, more = len(self.base), len(self.added)
        weighted = np.linalg.solve(self.schur, self.solved.T)
        # Twice a product of halves keeps the update symmetric; only the lower triangle is touched.
        left, right = np.asfortranarray(self.solved), np.asfortranarray(weighted.T)
        inverse = blas.dsyr2k(0.5, left, right, 1.0, inverse, lower=1, overwrite_c=1)
        inverse[self.removed, :] = 0.0
        inverse[:, self.removed] = 0.0
        if not more:
            return np.asarray(inverse), self.base
        grown = np.zeros((size + more, size + more), order="F")
        grown[:size, :size] = inverse
        grown[size:, :size] = -weighted[len(self.removed) :]
        grown[size:, self.removed] = 0.0
        own = np.linalg.inv(self.schur)[len(self.removed) :, len(self.removed) :]
        grown[size:, size:] = np.tril(own)
        return grown, np.concatenate([self.base, self.added])


def lower_inverse(factor: Array) -> Array:
    """Return the lower triangle of ``(factor factor')^-1``, the rest zero."""
    if not len(factor):
        return factor
    inverse = np.array(factor, order="F")
    _invert_triangle(inverse, 0, len(factor))
    return np.asarray(lapack.dlauum(inverse, lower=1, overwrite_c=1)[0])


def _invert_triangle(triangle: Array, start: int, stop: int) -> None:
    """Invert a lower triangle in its own memory, by halves: nearly all work is products of triangles.

    LAPACK's own dtrtri takes twice as long at 481 rows.
    """
    if stop - start <= LEAF:
        block = triangle[start:stop, start:stop]
        block[:] = lapack.dtrtri(block, lower=1)[0]
        return
    half = (start + stop) // 2
    _invert_triangle(triangle, start, half)
    _invert_triangle(triangle, half, stop)
    below = triangle[half:stop, start:half]
    across = blas.dtrmm(-1.0, triangle[start:half, start:half], below, side=1, lower=1)
    below[:] = blas.dtrmm(1.0, triangle[half:stop, half:stop], across, lower=1, overwrite_b=1)


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


AT_BOUND = 1e-12
"""How close to its bound, as a share of it, a dual variable counts as being there. A guard against rounding;
a row taken for bound by mistake is freed by its residual in the next Newton step."""


def residual_zones(problem: SoftLoss, residual: Array) -> Array:
    """Return the zone of each residual: the slope of the loss is 0, between, or 1 there."""
    slope = np.abs(problem.slope(residual))
    # Without an insensitive zone the two quadratic zones are one, and zero lies in its middle.
    has_loss = (slope > 0.0) | (problem.insensitive_width == 0.0)
    return np.asarray(np.copysign(1.0 * has_loss + (slope == 1.0), residual))


def dual_zones(problem: SoftProblem, dual: Array) -> Array:
    """Return the zones that dual variables imply: zero, inside the box, or at its bound."""
    at_bound = np.abs(dual) >= problem.bound * (1.0 - AT_BOUND)
    return np.sign(dual) * np.where(at_bound, 2.0, 1.0)


def quadratic_rows(zone: Array) -> Indices:
    """Return the rows in a quadratic zone: the set M of section 3.3."""
    return np.flatnonzero(np.abs(zone) == 1.0)


def solve_in_zones(problem: SoftProblem, zone: Array) -> Array:
    """Return the ``nu`` at which the gradient of (39) vanishes if every row stays in its zone."""
    dual = np.where(np.abs(zone) == 2.0, 0.5 * zone * problem.bound, 0.0)
    quadratic = quadratic_rows(zone)
    if quadratic.size:
        pull = problem.target - problem.matrix.apply(dual)
        wanted = pull[quadratic] - zone[quadratic] * problem.insensitive_width
        dual[quadratic] = problem.zone_system(quadratic).solve(wanted)
    return dual


LARGEST_LOSS = 1.0
"""Nats that the loss of a row may add to the scale of the relative gap. A convention, not tuned: a row at
the edge of the linear zone has a loss of this order, and one gross outlier must not hide a gap elsewhere."""


@dataclass(frozen=True)
class Point:
    """A trial solution: ``nu``, the latent function ``K nu``, and the signed zone of each row.

    A zone is 0 (no loss), +-1 (quadratic) or +-2 (linear); the sign is that of the residual.
    """

    dual: Array
    latent: Array
    zone: Array


def dual_value(problem: SoftProblem, point: Point) -> float:
    """Return ``W`` of the dual problem (41), with ``alpha - alpha* = nu`` and one of them zero."""
    size = np.abs(point.dual)
    linear = problem.insensitive_width * size - point.dual * problem.target
    return float(np.sum(linear + 0.5 * problem.ridge * size**2)) + 0.5 * float(point.dual @ point.latent)


def primal_value(problem: SoftProblem, point: Point) -> float:
    """Return ``S(f)`` (eq. 38)."""
    loss = problem.loss(problem.target - point.latent)
    return float(problem.bound @ loss) + 0.5 * float(point.dual @ point.latent)


def duality_gap(problem: SoftProblem, point: Point) -> float:
    """Return how far the objective (39) lies above its lower bound from (41); infinite off the box.

    Row by row it is ``C l(delta) + (C l)*(nu) - nu delta``, never negative. With r the slope of the
    loss and rho the share of nu in its bound, both along the residual, that is a product in which
    nothing large cancels, however far an outlier lies.
    """
    residual = problem.target - point.latent
    share = problem.share(point.dual) * np.sign(residual)
    if np.any(np.abs(share) > 1.0 + LAST_DIGITS):
        return np.inf
    excess, half = np.abs(residual) - problem.insensitive_width, 0.5 * problem.quadratic_width
    slope = np.abs(problem.slope(residual))
    gaps = (slope - share) * (excess - half * (slope + share))
    # A dual variable of the wrong sign pays the insensitive width on the other side too.
    gaps += 2.0 * problem.insensitive_width * np.maximum(-share, 0.0)
    return max(float(problem.bound @ gaps), 0.0)


def relative_gap(problem: SoftProblem, point: Point) -> float:
    """Return the duality gap relative to the objective.

    A row's loss counts as ``LARGEST_LOSS`` at most: beside a gross outlier anything would look small.
    """
    loss = problem.bound * problem.loss(problem.target - point.latent)
    scale = float(np.minimum(loss, LARGEST_LOSS * problem.sample_weight).sum())
    scale += 0.5 * float(point.dual @ point.latent)
    gap = duality_gap(problem, point)
    if gap == 0.0:
        return 0.0
    return gap / scale if scale > gap * np.finfo(float).tiny else np.inf
