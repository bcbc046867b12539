"""The most probable latent function under the soft insensitive loss (Chu, Keerthi & Ong 2001, section 3.2).

Three methods, each slower and surer than the one before; the dual (41) gives the certificate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rowtrust.contracts import Array, Indices
from rowtrust.svr.certificate import Point, primal_value, relative_gap
from rowtrust.svr.descent import descend_dual
from rowtrust.svr.interior import solve_interior
from rowtrust.svr.newton import newton_steps
from rowtrust.svr.problem import SoftProblem
from rowtrust.svr.zone_system import ZoneSystem
from rowtrust.svr.zones import dual_zones, quadratic_rows, residual_zones

GAP_TOLERANCE = 1e-10
"""Relative duality gap at which a problem counts as solved. A hundredth of it gives the same fits to Boston
and sinc; a hundred times as much moves the evidence of Vapnik's loss by 3 nats. Steps that confirm their
own zones end near 1e-25 whatever it is."""

NEWTON_STEPS = 40
"""Newton steps in a row before another start is made. From the solution of a similar problem the median is
two; one problem in a hundred needs another start on Boston and sinc, one in 25 with Vapnik's loss. Half
or twice as many lead to the same fits."""


@dataclass(frozen=True)
class SoftSolution:
    """The most probable latent function.

    Attributes
    ----------
    dual : (n,)
        ``nu = alpha - alpha*`` of the dual (41); zero for rows that support nothing.
    latent : (n,)
        ``f = K nu`` at the rows.
    quadratic : (m,)
        Rows in a quadratic zone.
    system
        The linear system of those rows.
    objective
        ``S(f)`` (eq. 38).
    duality_gap
        Objective minus its lower bound from the dual, relative to the objective (``relative_gap``).
    n_iter
        Newton steps and descent passes taken.
    """

    dual: Array
    latent: Array
    quadratic: Indices
    system: ZoneSystem
    objective: float
    duality_gap: float
    n_iter: int


def solve_map(
    problem: SoftProblem,
    start: Array | None = None,
    tol: float = GAP_TOLERANCE,
    max_iter: int = NEWTON_STEPS,
) -> SoftSolution:
    """Minimise ``S(f)`` (eq. 39).

    Newton steps first, which take a handful from a good start; should they stall, Newton steps from
    an interior-point solution; should rounding spoil even those, coordinate descent on the dual,
    which always converges.

    Parameters
    ----------
    problem
        What is to be solved.
    start : (n,)
        Dual variables to start from, as shares of their bounds: those of a similar problem.
    tol
        Relative duality gap at which to stop.
    max_iter
        Newton steps in a row before another start is made.
    """
    point, steps, solved = newton_steps(problem, initial_point(problem, start), tol, max_iter)
    if not solved:
        interior = initial_point(problem, problem.share(solve_interior(problem)), from_residual=True)
        point, more, solved = newton_steps(problem, interior, tol, max_iter)
        steps += more
    if not solved:
        point, more = descend_dual(problem, point, tol)
        steps += more
    return solution_at(problem, point, steps)


def initial_point(problem: SoftProblem, start: Array | None, from_residual: bool = False) -> Point:
    """Begin at ``start`` in its own zones, or those of its residuals; without one, all rows quadratic."""
    if start is None:
        zeros = np.zeros_like(problem.target)
        return Point(zeros, zeros, np.where(problem.target < 0, -1.0, 1.0))
    dual = np.clip(start, -1.0, 1.0) * problem.bound
    latent = problem.matrix.apply(dual)
    zone = residual_zones(problem, problem.target - latent) if from_residual else dual_zones(problem, dual)
    return Point(dual, latent, zone)


def solution_at(problem: SoftProblem, point: Point, n_iter: int) -> SoftSolution:
    """Put a solution strictly into the box, with the system of its quadratic zone and its duality gap."""
    bound = problem.bound
    dual = np.clip(point.dual, -bound, bound)
    point = replace(point, dual=dual, latent=problem.matrix.apply(dual))
    quadratic = quadratic_rows(residual_zones(problem, problem.target - point.latent))
    return SoftSolution(
        dual=dual,
        latent=point.latent,
        quadratic=quadratic,
        system=problem.zone_system(quadratic),
        objective=primal_value(problem, point),
        duality_gap=relative_gap(problem, point),
        n_iter=n_iter,
    )
