"""The most probable latent function under the soft insensitive loss (Chu, Keerthi & Ong 2001, section 3.2).

Three methods, each slower and surer than the one before; the dual (41) gives the certificate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import lapack

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.magnitudes import LAST_DIGITS
from rowtrust.svr.problem import (
    Point,
    SoftLoss,
    SoftProblem,
    ZoneSystem,
    dual_value,
    dual_zones,
    primal_value,
    quadratic_rows,
    relative_gap,
    residual_zones,
    solve_in_zones,
)

STALLED = 1e-14
"""Relative decrease of the objective below which a Newton step counts as none: some fifty times the
precision of a double, a guard against rounding. A tenth or a hundred times of it gives the same fits to
Boston and sinc."""

LINE_STEPS = 50
"""Steps of a line search at most: enough for bisection alone to reach ``LAST_DIGITS``."""

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
        if abs(following - step) <= LAST_DIGITS * step:
            break
        step = following
    return step


FRACTION = 0.995
"""Share of the way to the nearest wall that one step may go. The customary value of interior-point
methods (Wright 1997); nothing was tuned."""

LEAST_CENTRING = 0.05
"""Share of the complementarity that a step aims for at least, before Mehrotra's square. Taken over without a
study: it keeps a long step from aiming at the wall itself."""

SMALLEST_MULTIPLIER = 1e-8
"""Multiplier at the start where every target is zero: a guard, any positive number would do."""

COMPLEMENTARITY = 1e-9
"""Complementarity, relative to the size of the targets, at which the method ends. It only has to find the
zones; Newton steps polish what it returns."""

MAX_ITER = 60
"""Iterations at most: a guard. Fourteen are usual on Boston and sinc."""


@dataclass(frozen=True)
class Interior:
    """``alpha`` and ``alpha*`` stacked, shape (2, n), with the multipliers of their two walls.

    Attributes
    ----------
    inside
        ``alpha`` and ``alpha*``: distances to the lower walls.
    lower, upper
        Multipliers of the lower and the upper walls.
    slack
        Distances to the upper walls.
    """

    inside: Array
    lower: Array
    upper: Array
    slack: Array

    @property
    def dual(self) -> Array:
        """``nu = alpha - alpha*``."""
        return np.asarray(self.inside[0] - self.inside[1])

    @property
    def complementarity(self) -> float:
        """Mean product of a distance to a wall with that wall's multiplier."""
        return float(np.mean(self.inside * self.lower + self.slack * self.upper)) / 2.0

    def moved(self, direction: Interior, step: float) -> Interior:
        """Return the point one step along."""
        return Interior(
            *(here + step * there for here, there in zip(self.parts, direction.parts, strict=True))
        )

    @property
    def parts(self) -> tuple[Array, Array, Array, Array]:
        """All four arrays; each has to stay positive."""
        return self.inside, self.lower, self.upper, self.slack

    def longest_step(self, direction: Interior) -> float:
        """Return how far one can go, up to 1, before something turns negative."""
        ratios = [
            float(np.min(np.where(there < 0, -here / np.where(there < 0, there, -1.0), np.inf)))
            for here, there in zip(self.parts, direction.parts, strict=True)
        ]
        return min(1.0, *ratios)


def solve_interior(problem: SoftProblem, tol: float = COMPLEMENTARITY, max_iter: int = MAX_ITER) -> Array:
    """Return ``nu`` close to the solution of (41): all but the last digits."""
    point = centre(problem)
    scale = max(1.0, float(np.abs(problem.target) @ problem.bound) / len(problem.target))
    for _ in range(max_iter):
        if point.complementarity <= tol * scale:
            break
        point = predictor_corrector(problem, point)
    return point.dual


def centre(problem: SoftProblem) -> Interior:
    """Start in the middle of the box, with multipliers of the size of the targets."""
    half = np.broadcast_to(0.5 * problem.bound, (2, len(problem.bound)))
    multiplier = np.full_like(half, max(float(np.abs(problem.target).mean()), SMALLEST_MULTIPLIER))
    return Interior(half.copy(), multiplier, multiplier.copy(), half.copy())


@dataclass(frozen=True)
class NewtonSystem:
    """What both directions of one iteration share.

    Attributes
    ----------
    latent : (n,)
        ``K nu``.
    curvature : (2, n)
        Diagonal of the Hessian beside K, the multipliers eliminated.
    joint : (n,)
        Half the harmonic mean of the two curvatures: what is added to the diagonal of K.
    factor : (n, n)
        Lower Cholesky factor of ``K + diag(joint)``.
    """

    latent: Array
    curvature: Array
    joint: Array
    factor: Array

    @classmethod
    def at(cls, problem: SoftProblem, point: Interior) -> NewtonSystem:
        """Factor the system at a point."""
        curvature = problem.ridge + point.lower / point.inside + point.upper / point.slack
        joint = 1.0 / (1.0 / curvature).sum(axis=0)
        return cls(problem.matrix.apply(point.dual), curvature, joint, problem.shifted_factor(joint))


def predictor_corrector(problem: SoftProblem, point: Interior) -> Interior:
    """Aim for ``mu = 0``, see how far that goes, then aim for the ``mu`` it justifies (Mehrotra 1992)."""
    system = NewtonSystem.at(problem, point)
    reach = point.longest_step(newton_direction(problem, point, system, 0.0))
    goal = (1.0 - reach) ** 2 * max(1.0 - reach, LEAST_CENTRING) * point.complementarity
    direction = newton_direction(problem, point, system, goal)
    return point.moved(direction, min(1.0, FRACTION * point.longest_step(direction)))


def newton_direction(problem: SoftProblem, point: Interior, system: NewtonSystem, goal: float) -> Interior:
    """Return the Newton direction towards complementarity ``goal``, the multipliers eliminated."""
    curvature, pull = system.curvature, system.latent - problem.target
    gradient = np.stack([pull, -pull]) + problem.insensitive_width + problem.ridge * point.inside
    gradient += goal / point.slack - goal / point.inside
    wanted = (gradient[1] / curvature[1] - gradient[0] / curvature[0]) * system.joint
    change = problem.matrix.apply(lapack.dpotrs(system.factor, wanted, lower=1)[0])
    inside = -(gradient + np.stack([change, -change])) / curvature
    lower = (goal - point.lower * inside) / point.inside - point.lower
    upper = (goal + point.upper * inside) / point.slack - point.upper
    return Interior(inside, lower, upper, -inside)


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
