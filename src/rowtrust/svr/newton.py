"""Semi-smooth Newton steps on the objective (39): guess the zones, solve, search the line.

Chu, Keerthi & Ong 2001, section 3.2.
"""

from __future__ import annotations

import numpy as np

from rowtrust.contracts import Array
from rowtrust.svr.certificate import Point, primal_value, relative_gap
from rowtrust.svr.problem import SoftProblem
from rowtrust.svr.zones import quadratic_rows, residual_zones, solve_in_zones

STALLED = 1e-14
"""Relative decrease of the objective below which a Newton step counts as none: some fifty times the
precision of a double, a guard against rounding. A tenth or a hundred times of it gives the same fits to
Boston and sinc."""

LINE_STEPS = 50
"""Steps of a line search at most: enough for bisection alone to reach ``LINE_TOLERANCE``. The median is 5 on
Boston and sinc (14 with Vapnik's loss); one search in a hundred takes all."""

LINE_TOLERANCE = 1e-12
"""Relative change of the step at which a line search ends: a guard against rounding. With 1e-14 or 1e-8 the
evidence on Boston is the same to 0.02 nats."""


def newton_steps(problem: SoftProblem, point: Point, tol: float, max_iter: int) -> tuple[Point, int, bool]:
    """Take Newton steps until solved, stalled or out of steps; the last value tells whether solved."""
    value = primal_value(problem, point)
    for iteration in range(1, max_iter + 1):
        point, confirmed = newton_step(problem, point)
        if confirmed or relative_gap(problem, point) <= tol:
            return point, iteration, True
        before, value = value, primal_value(problem, point)
        if value > before - STALLED * abs(before):
            break
    return point, iteration, False


def newton_step(problem: SoftProblem, point: Point) -> tuple[Point, bool]:
    """Solve for the zones of ``point`` and go there, or as far as the objective falls.

    The second value tells whether the full step was taken and confirmed its own zones: the solution.
    """
    goal = solve_in_zones(problem, point.zone)
    goal_latent = problem.matrix.apply(goal)
    zone = residual_zones(problem, problem.target - goal_latent)
    if np.array_equal(zone, point.zone):
        return Point(goal, goal_latent, zone), True
    step = line_search(problem, point, goal - point.dual, goal_latent - point.latent)
    if step == 1.0:
        return Point(goal, goal_latent, zone), False
    dual = point.dual + step * (goal - point.dual)
    latent = point.latent + step * (goal_latent - point.latent)
    return Point(dual, latent, residual_zones(problem, problem.target - latent)), False


def line_search(problem: SoftProblem, point: Point, direction: Array, change: Array) -> float:
    """Minimise the objective exactly along a line, between 0 and 1.

    Its slope is a rising, piecewise linear function of the step: Newton's rule between two brackets.
    """
    low, high, step = 0.0, 1.0, 1.0
    for _ in range(LINE_STEPS):
        slope, bend = line_slopes(problem, point, direction, change, step)
        if step == 1.0 and slope <= 0.0:
            return 1.0
        low, high = (step, high) if slope < 0.0 else (low, step)
        guess = step - slope / bend if bend > 0.0 else -1.0
        following = guess if low < guess < high else 0.5 * (low + high)
        if abs(following - step) <= LINE_TOLERANCE * step:
            break
        step = following
    return step


def line_slopes(
    problem: SoftProblem, point: Point, direction: Array, change: Array, step: float
) -> tuple[float, float]:
    """Return first and second derivative of the objective along a line: eq. 9 and 10 at the rows."""
    residual = problem.target - point.latent - step * change
    tilt = float(direction @ change)
    slope = float(point.dual @ change) + step * tilt
    slope -= float((problem.bound * problem.slope(residual)) @ change)
    curved = quadratic_rows(residual_zones(problem, residual))
    return slope, tilt + float(np.sum(change[curved] ** 2 / problem.ridge[curved]))
