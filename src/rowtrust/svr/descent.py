"""Coordinate descent on the dual (41): slow, but it converges where rounding spoils a Newton step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rowtrust.contracts import Array
from rowtrust.svr.certificate import Point, dual_value, relative_gap
from rowtrust.svr.problem import SoftProblem
from rowtrust.svr.zones import dual_zones, solve_in_zones

MAX_PASSES = 200
"""Passes over all rows at most. Taken over without a study: descent is the last resort, reached by one of
500 problems with Vapnik's loss and by none with the others on Boston and sinc, and that one took seven
passes."""

MAX_FACES = 20
"""Faces of the box that one Newton jump visits at most. Taken over without a study: it bounds the
factorisations of a pass, and descent goes on from wherever the jump ends."""

AT_ZERO = 1e-14
"""How close to zero, as a share of its bound, a dual variable is put there: rounding must not leave a row
beside the wall it has just reached."""


def descend_dual(
    problem: SoftProblem, point: Point, tol: float, max_passes: int = MAX_PASSES
) -> tuple[Point, int]:
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
    bound, width = problem.bound, problem.insensitive_width
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


def newton_jump(problem: SoftProblem, point: Point) -> Point:
    """Go to the minimum of the dual over the face of the box on which ``point`` lies.

    Wherever the way there leaves the box or changes a sign, the face loses that row and the way goes on.
    """
    for _ in range(MAX_FACES):
        goal = solve_in_zones(problem, dual_zones(problem, point.dual))
        step = largest_step(problem, point.dual, goal)
        dual = point.dual + step * (goal - point.dual)
        dual[np.abs(dual) <= AT_ZERO * problem.bound] = 0.0
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
