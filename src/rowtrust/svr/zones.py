"""The zones of the soft insensitive loss: which rows have no loss, curvature, or a slope that is full.

The objective (39) is piecewise quadratic. Writing ``f = K nu``, rows without loss have ``nu = 0``, rows in a
linear zone sit at their bound ``nu = +-C``, and those in a quadratic zone solve a linear system.
A zone is 0 (no loss), +-1 (quadratic) or +-2 (linear); the sign is that of the residual.
"""

from __future__ import annotations

import numpy as np

from rowtrust.contracts import Array, Indices
from rowtrust.svr.problem import SoftLoss, SoftProblem

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
