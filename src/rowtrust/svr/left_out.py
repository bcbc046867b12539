"""What the other rows say of each, and the noise of new targets that follows from it.

The soft insensitive density is log-concave: one slope serves the tails of the noise and gross outliers, and
the evidence of a function that goes through all rows can be the highest. So the noise that is predicted is
the judge's, of held-out rows, and a function that says nothing of them is not believed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from rowtrust.contracts import Array
from rowtrust.numerics.statistics import weighted_median
from rowtrust.predictive import TargetNoise
from rowtrust.svr.problem import SoftProblem
from rowtrust.svr.solver import SoftSolution
from rowtrust.svr.zone_system import lower_inverse
from rowtrust.trust import learn_number_noise, log_deviation

MOST_FREEDOM = 0.5
"""Share of the rows that the learnt hyperparameters use up at most, for a factor of two at most. A guard."""

FAR = 3.0
"""Standard deviations up to which a distance counts: nearly all of a Gaussian's. Not studied."""


@dataclass(frozen=True)
class LeftOutTargets:
    """What others say of targets.

    Attributes
    ----------
    target, weight : (n,)
        The targets, and how many copies each stands for.
    mean, variance : (n,)
        Of the function there, by the others.
    noise_variance
        Of the likelihood.
    """

    target: Array
    weight: Array
    mean: Array
    variance: Array
    noise_variance: float

    @property
    def explained(self) -> float:
        """How much of the targets' variance the others explain."""
        return explained_share(self.target, self.target - self.mean, self.weight)

    @property
    def deviation(self) -> Array:
        """Deviation of the targets, by the others."""
        return np.sqrt(self.variance + self.noise_variance)

    @property
    def usual(self) -> float:
        """Median logarithm of these deviations."""
        return weighted_median(log_deviation(self.deviation), self.weight)

    def noise(self, now: LeftOutTargets, n_learnt: int) -> TargetNoise | None:
        """Return the noise of new targets of a model that knows all rows, and says ``now`` of each.

        What knew half of the rows is surer of less: halfway between lies the scale of errors. Where the
        hyperparameters knew the rows themselves, errors are larger by what that explained.
        """
        judge = learn_number_noise(self.target, self.mean, self.deviation, self.weight)
        if judge is None:
            return None
        freedom = min(n_learnt / float(self.weight.sum()), MOST_FREEDOM) if self is now else 0.0
        return TargetNoise.of(judge, 0.5 * (self.usual + now.usual + np.log(1.0 - freedom)))


def explained_share(target: Array, residual: Array, sample_weight: Array) -> float:
    """Return how much of the targets' variance the other rows explain; one where there is none.

    Zero is the median of standardised targets, and every distance counts up to ``FAR``: outliers are
    explained by nothing.
    """
    level = np.average(np.clip(target, -FAR, FAR), weights=sample_weight)
    before = float(sample_weight @ np.minimum((target - level) ** 2, FAR**2))
    after = float(sample_weight @ np.minimum(residual**2, FAR**2))
    return 1.0 - after / before if before > 0.0 else 1.0


def left_out_rows(problem: SoftProblem, solution: SoftSolution) -> tuple[Array, Array]:
    """Return residual and variance of f at each row without that row, while no other changes zone.

    A row in a quadratic zone is divided out of the Gaussian approximation (45); one in a linear zone takes
    its pull with it; one without loss says nothing.
    """
    rows, factor = solution.quadratic, problem.quadratic_factor(solution.quadratic)
    variance = np.full(len(problem.target), problem.matrix.covariance.variance)
    others = np.setdiff1d(np.arange(len(variance)), rows)
    if rows.size and others.size:
        spread = solve_triangular(factor, problem.matrix.cross(rows, others), lower=True)
        variance[others] -= np.einsum("ij,ij->j", spread, spread)
    residual = problem.target - solution.latent + variance * solution.dual
    if rows.size:
        precision = np.diagonal(lower_inverse(factor))
        flat = np.copysign(problem.insensitive_width, problem.target - solution.latent)[rows]
        residual[rows] = flat + solution.dual[rows] / precision
        variance[rows] = 1.0 / precision - problem.ridge[rows]
    return residual, np.maximum(variance, 0.0)
