"""Objective, dual and duality gap of the most probable function (Chu, Keerthi & Ong 2001, eq. 38 and 41)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array
from rowtrust.svr.problem import SoftProblem


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
    linear = problem.noise.insensitive_width * size - point.dual * problem.target
    return float(np.sum(linear + 0.5 * problem.ridge * size**2)) + 0.5 * float(point.dual @ point.latent)


def primal_value(problem: SoftProblem, point: Point) -> float:
    """Return ``S(f)`` (eq. 38)."""
    loss = problem.noise.loss(problem.target - point.latent)
    return float(problem.bound @ loss) + 0.5 * float(point.dual @ point.latent)


def duality_gap(problem: SoftProblem, point: Point) -> float:
    """Return how far the objective (39) lies above its lower bound from (41); infinite off the box.

    Row by row it is ``C l(delta) + (C l)*(nu) - nu delta``, never negative. With r the slope of the
    loss and rho the share of nu in its bound, both along the residual, that is a product in which
    nothing large cancels, however far an outlier lies.
    """
    noise, bound = problem.noise, problem.bound
    residual = problem.target - point.latent
    share = point.dual * np.sign(residual) / bound
    if np.any(np.abs(share) > 1.0 + 1e-12):
        return np.inf
    excess, half = noise.excess(residual), 0.5 * noise.quadratic_width
    slope = noise.slope(excess)
    gaps = (slope - share) * (excess - half * (slope + share))
    # A dual variable of the wrong sign pays the insensitive width on the other side too.
    gaps += 2.0 * noise.insensitive_width * np.maximum(-share, 0.0)
    return max(float(bound @ gaps), 0.0)


def relative_gap(problem: SoftProblem, point: Point) -> float:
    """Return the duality gap relative to the objective.

    A row's loss counts as one nat at most: beside a gross outlier anything would look small.
    """
    loss = problem.bound * problem.noise.loss(problem.target - point.latent)
    scale = float(np.minimum(loss, problem.sample_weight).sum()) + 0.5 * float(point.dual @ point.latent)
    return duality_gap(problem, point) / max(scale, np.finfo(float).tiny)
