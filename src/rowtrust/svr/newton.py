"""Semi-smooth Newton steps on the objective (39): guess the zones, solve, search the line.

Chu, Keerthi & Ong 2001, section 3.2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array
from rowtrust.svr.certificate import Point, primal_value, relative_gap
from rowtrust.svr.problem import SoftLoss, SoftProblem
from rowtrust.svr.zones import quadratic_rows, residual_zones, solve_in_zones

STALLED = 1e-14
"""Relative decrease of the objective below which a Newton step counts as none: some fifty times the
precision of a double, a guard against rounding. A tenth or a hundred times of it gives the same fits to
Boston and sinc."""

LINE_STEPS = 50
"""Steps of a line search at most: enough for bisection alone to reach ``LINE_TOLERANCE``."""

LINE_TOLERANCE = 1e-12
"""Relative change of the step at which a line search ends: a guard against rounding. With 1e-14 or 1e-8 the
evidence on Boston is the same to 0.02 nats."""

LEVEL = 0.1
"""Share of the first slope below which a falling line counts as level: the next Newton step turns anyway."""


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
    step = line_search(problem, line_to(problem, point, goal, goal_latent))
    if step == 1.0:
        return Point(goal, goal_latent, zone), False
    dual = point.dual + step * (goal - point.dual)
    latent = point.latent + step * (goal_latent - point.latent)
    return Point(dual, latent, residual_zones(problem, problem.target - latent)), False


def line_to(problem: SoftProblem, point: Point, goal: Array, goal_latent: Array) -> Line:
    """Return the straight way from a point to other dual variables."""
    change = goal_latent - point.latent
    first, bend = float(point.dual @ change), float((goal - point.dual) @ change)
    return Line(problem.target - point.latent, change, first, bend)


@dataclass(frozen=True)
class Line:
    """A way through function values: the residuals at its beginning, and the change of f along all of it.

    ``first`` and ``bend`` are slope and curvature, along the line, of the prior's half square norm of f.
    """

    residual: Array
    change: Array
    first: float
    bend: float

    def slopes(self, loss: SoftLoss, step: float) -> tuple[float, float]:
        """Return first and second derivative of the objective: eq. 9 and 10 at the rows."""
        residual = self.residual - step * self.change
        slope = self.first + step * self.bend
        slope -= float((loss.bound * loss.slope(residual)) @ self.change)
        curved = quadratic_rows(residual_zones(loss, residual))
        return slope, self.bend + float(np.sum(self.change[curved] ** 2 / loss.ridge[curved]))


def line_search(loss: SoftLoss, line: Line) -> float:
    """Minimise the objective along a line, between 0 and 1, to where it is nearly level.

    Its slope is a rising, piecewise linear function of the step: Newton's rule between two brackets.
    """
    low, high, step = 0.0, 1.0, 1.0
    level = LEVEL * line.slopes(loss, 0.0)[0]
    for _ in range(LINE_STEPS):
        slope, bend = line.slopes(loss, step)
        if slope <= 0.0 and (step == 1.0 or slope >= level):
            return step
        low, high = (step, high) if slope < 0.0 else (low, step)
        guess = step - slope / bend if bend > 0.0 else -1.0
        following = guess if low < guess < high else 0.5 * (low + high)
        if abs(following - step) <= LINE_TOLERANCE * step:
            break
        step = following
    return step
