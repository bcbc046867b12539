"""The most probable latent function under the soft insensitive loss (Chu, Keerthi & Ong 2001, section 3.2).

The objective (39) is piecewise quadratic. Writing ``f = K nu``, rows without loss have ``nu = 0``, rows
in a linear zone sit at their bound ``nu = +-C``, and those in a quadratic zone solve a linear system: a
semi-smooth Newton step guesses the zones, solves, and searches the line. The dual (41) certifies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import lapack

from rowtrust.contracts import Array, Indices
from rowtrust.svr.certificate import Point, dual_value, primal_value, relative_gap
from rowtrust.svr.interior import solve_interior
from rowtrust.svr.problem import SoftProblem

STALLED = 1e-14
"""Relative decrease of the objective below which a Newton step counts as none."""


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
    factor : (m, m)
        Lower Cholesky factor of ``K + 2 beta epsilon / C`` on those rows.
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
    factor: Array
    objective: float
    duality_gap: float
    n_iter: int


def solve_map(
    problem: SoftProblem, start: Array | None = None, tol: float = 1e-10, max_iter: int = 40
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
    return certified(problem, point, steps)


def newton_steps(problem: SoftProblem, point: Point, tol: float, max_iter: int) -> tuple[Point, int, bool]:
    """Take Newton steps until solved, stalled or out of patience; the last value tells whether solved."""
    value = primal_value(problem, point)
    for iteration in range(1, max_iter + 1):
        point, settled = newton_step(problem, point)
        if settled or relative_gap(problem, point) <= tol:
            return point, iteration, True
        before, value = value, primal_value(problem, point)
        if value > before - STALLED * abs(before):
            break
    return point, iteration, False


def initial_point(problem: SoftProblem, start: Array | None, from_residual: bool = False) -> Point:
    """Begin at ``start`` in its own zones, or those of its residuals; without one, all rows quadratic."""
    if start is None:
        zeros = np.zeros_like(problem.target)
        return Point(zeros, zeros, np.where(problem.target < 0, -1.0, 1.0))
    dual = np.clip(start, -1.0, 1.0) * problem.bound
    latent = problem.matrix.apply(dual)
    zone = zones_of(problem, problem.target - latent) if from_residual else dual_zones(problem, dual)
    return Point(dual, latent, zone)


def zones_of(problem: SoftProblem, residual: Array) -> Array:
    """Return the signed zone of each residual."""
    beyond = problem.noise.excess(residual) >= problem.noise.quadratic_width
    return np.copysign(problem.noise.in_quadratic_zone(residual) + 2.0 * beyond, residual)


def newton_step(problem: SoftProblem, point: Point) -> tuple[Point, bool]:
    """Solve for the zones of ``point`` and go there, or as far as the objective falls.

    The second value tells whether the full step was taken and confirmed its own zones: the solution.
    """
    target_dual = solve_in_zones(problem, point.zone)
    target_latent = problem.matrix.apply(target_dual)
    zone = zones_of(problem, problem.target - target_latent)
    if np.array_equal(zone, point.zone):
        return Point(target_dual, target_latent, zone), True
    step = line_search(problem, point, target_dual - point.dual, target_latent - point.latent)
    if step == 1.0:
        return Point(target_dual, target_latent, zone), False
    dual = point.dual + step * (target_dual - point.dual)
    latent = point.latent + step * (target_latent - point.latent)
    return Point(dual, latent, zones_of(problem, problem.target - latent)), False


def solve_in_zones(problem: SoftProblem, zone: Array) -> Array:
    """Return the ``nu`` at which the gradient of (39) vanishes if every row stays in its zone."""
    size = np.abs(zone)
    dual = np.where(size == 2.0, 0.5 * zone * problem.bound, 0.0)
    quadratic = np.flatnonzero(size == 1.0)
    if quadratic.size:
        pull = problem.target - problem.matrix.apply(dual)
        wanted = pull[quadratic] - zone[quadratic] * problem.noise.insensitive_width
        factor = problem.quadratic_factor(quadratic)
        dual[quadratic] = lapack.dpotrs(factor, wanted, lower=1)[0]
    return dual


def line_search(problem: SoftProblem, point: Point, direction: Array, change: Array) -> float:
    """Minimise the objective exactly along a line, between 0 and 1.

    Its slope is a rising, piecewise linear function of the step: Newton's rule between two brackets.
    """
    residual, bound, noise = problem.target - point.latent, problem.bound, problem.noise
    flat, tilt = float(point.dual @ change), float(direction @ change)
    low, high, step = 0.0, 1.0, 1.0
    for _ in range(50):
        shifted = residual - step * change
        slope = flat + step * tilt - float((bound * noise.derivative(shifted)) @ change)
        bend = tilt + float((bound * noise.curvature(shifted)) @ change**2)
        if step == 1.0 and slope <= 0.0:
            return 1.0
        low, high = (step, high) if slope < 0.0 else (low, step)
        guess = step - slope / bend if bend > 0.0 else -1.0
        following = guess if low < guess < high else 0.5 * (low + high)
        if abs(following - step) <= 1e-12 * step:
            break
        step = following
    return step


def certified(problem: SoftProblem, point: Point, n_iter: int) -> SoftSolution:
    """Put a solution strictly into the box, factor its quadratic zone and measure its duality gap."""
    bound = problem.bound
    dual = np.clip(point.dual, -bound, bound)
    point = replace(point, dual=dual, latent=problem.matrix.apply(dual))
    quadratic = np.flatnonzero(problem.noise.in_quadratic_zone(problem.target - point.latent))
    return SoftSolution(
        dual=dual,
        latent=point.latent,
        quadratic=quadratic,
        factor=problem.quadratic_factor(quadratic),
        objective=primal_value(problem, point),
        duality_gap=relative_gap(problem, point),
        n_iter=n_iter,
    )


def descend_dual(problem: SoftProblem, point: Point, tol: float, max_passes: int = 200) -> tuple[Point, int]:
    """Minimise the dual (41) by greedy coordinate descent, with a Newton jump where that is lower still."""
    bound = problem.bound
    dual = np.clip(point.dual, -bound, bound)
    point = replace(point, dual=dual, latent=problem.matrix.apply(dual))
    passes = 0
    while passes < max_passes and relative_gap(problem, point) > tol:
        point = newton_jump(problem, coordinate_pass(problem, point))
        passes += 1
    return point, passes


def coordinate_pass(problem: SoftProblem, point: Point) -> Point:
    """Move, n times, the one dual variable that gains most."""
    bound, width = problem.bound, problem.noise.insensitive_width
    dual, latent = point.dual.copy(), point.latent.copy()
    own_variance = problem.matrix.covariance.variance
    curvature = own_variance + problem.ridge
    for _ in range(len(dual)):
        pull = problem.target - latent + own_variance * dual
        best = np.copysign(np.maximum(np.abs(pull) - width, 0.0), pull) / curvature
        move = np.clip(best, -bound, bound) - dual
        row = int(np.argmax(curvature * move**2))
        if move[row] == 0.0:
            break
        dual[row] += move[row]
        latent += move[row] * problem.matrix.column(row)
    return Point(dual, problem.matrix.apply(dual), point.zone)


def newton_jump(problem: SoftProblem, point: Point, most: int = 20) -> Point:
    """Go to the minimum of the dual over the face of the box on which ``point`` lies.

    Wherever the way there leaves the box or changes a sign, the face loses that row and the way goes on.
    """
    for _ in range(most):
        goal = solve_in_zones(problem, dual_zones(problem, point.dual))
        step = largest_step(problem, point.dual, goal)
        dual = point.dual + step * (goal - point.dual)
        # Rounding must not leave a row beside the wall it has just reached.
        dual[np.abs(dual) <= 1e-14 * problem.bound] = 0.0
        moved = Point(dual, problem.matrix.apply(dual), point.zone)
        if dual_value(problem, moved) > dual_value(problem, point):
            break
        point = moved
        if step == 1.0:
            break
    return point


def largest_step(problem: SoftProblem, dual: Array, goal: Array) -> float:
    """Return how far towards ``goal``, up to 1, no dual variable changes sign or leaves its box."""
    ahead, size = goal * np.sign(dual), np.abs(dual)
    wall = np.where(ahead < 0.0, 0.0, problem.bound)
    crossing = (ahead < 0.0) | (ahead > problem.bound)
    if not crossing.any():
        return 1.0
    return float(np.min((wall - size)[crossing] / (ahead - size)[crossing]))


def dual_zones(problem: SoftProblem, dual: Array) -> Array:
    """Return the zones that dual variables imply: zero, inside the box, or at its bound."""
    at_bound = np.abs(dual) >= problem.bound * (1.0 - 1e-12)
    return np.sign(dual) * np.where(at_bound, 2.0, 1.0)
