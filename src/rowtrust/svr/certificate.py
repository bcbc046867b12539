"""Objective, dual and duality gap of the most probable function (Chu, Keerthi & Ong 2001, eq. 38 and 41)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array
from rowtrust.svr.problem import SoftProblem

BOX_ROUNDING = 1e-12
"""How far a dual variable may exceed its bound, as a share of it, and still count as inside the box. A
guard against rounding: some thousand times the precision of a double, far below any gap that is asked for."""

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
    if np.any(np.abs(share) > 1.0 + BOX_ROUNDING):
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
