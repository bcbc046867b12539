"""A primal-dual interior-point method for the dual (41): slower than Newton, but indifferent to the start.

``alpha`` and ``alpha*`` stay strictly inside their boxes while the complementarity ``mu`` falls. Both
blocks share ``K``, so that one factorisation of ``K`` plus a diagonal serves a whole iteration.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from rowtrust.contracts import Array
from rowtrust.svr.problem import SoftProblem

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
