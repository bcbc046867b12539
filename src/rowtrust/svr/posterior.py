"""The posterior of the latent function, ready to predict, and what the other rows say of each."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.blocks import block_rows, row_blocks
from rowtrust.numerics.statistics import weighted_median
from rowtrust.predictive import TargetNoise
from rowtrust.svr.covariance import GaussianCovariance
from rowtrust.svr.problem import SoftProblem, lower_inverse
from rowtrust.svr.solver import SoftSolution
from rowtrust.trust import learn_number_noise, log_deviation


@dataclass(frozen=True)
class Posterior:
    """The posterior of f by way of a sum of covariances, ready to predict.

    Attributes
    ----------
    covariance
        Prior covariance of f.
    support : (k,)
        Training rows in the sum: with a dual variable that is not zero, or landmarks.
    vectors : (k, d)
        Their inputs.
    dual : (k,)
        Coefficients of the covariance with them.
    """

    covariance: GaussianCovariance
    support: Indices
    vectors: Array
    dual: Array

    def latent_moments(self, X: Array, with_variance: bool = True) -> tuple[Array, Array]:
        """Return mean and variance of f at the rows of ``X``; the prior's where none is asked for."""
        mean, variance = np.empty(len(X)), np.full(len(X), self.covariance.variance)
        for block in row_blocks(len(X), block_rows(len(self.support))):
            cross = self.covariance(X[block], self.vectors)
            mean[block] = cross @ self.dual
            if with_variance:
                variance[block] -= self.explained(cross)
        return mean, np.maximum(variance, 0.0)

    def latent_mean(self, X: Array) -> Array:
        """Return the most probable f at the rows of ``X``."""
        return self.latent_moments(X, with_variance=False)[0]

    @abstractmethod
    def explained(self, cross: Array) -> Array:
        """Return by how much data narrow the prior, from covariances with the vectors."""

    @abstractmethod
    def variance_root(self) -> tuple[Array, Indices]:
        """Return the R of ``|R k(x)|**2``, by which data narrow the prior, and the vectors of its columns."""


@dataclass(frozen=True)
class SoftPosterior(Posterior):
    """What of a solution a prediction needs: the support vectors, and those in a quadratic zone.

    Attributes
    ----------
    quadratic : (m,)
        Positions, among the support vectors, of those in a quadratic zone.
    factor : (m, m)
        Lower Cholesky factor of ``K + 2 beta epsilon / C`` on these.
    """

    quadratic: Indices
    factor: Array

    @classmethod
    def of(cls, problem: SoftProblem, solution: SoftSolution) -> SoftPosterior:
        """Keep what predictions need of a solution."""
        curved = np.zeros(len(solution.dual), dtype=bool)
        curved[solution.quadratic] = True
        support = np.flatnonzero((solution.dual != 0.0) | curved)
        return cls(
            covariance=problem.matrix.covariance,
            support=support,
            vectors=problem.matrix.X[support],
            dual=solution.dual[support],
            quadratic=np.flatnonzero(curved[support]),
            factor=problem.quadratic_factor(solution.quadratic),
        )

    def explained(self, cross: Array) -> Array:
        """Return by how much data narrow the prior, in the Gaussian approximation (45).

        Only rows in a quadratic zone have curvature, so only they do.
        """
        if not self.quadratic.size:
            return np.zeros(len(cross))
        spread = solve_triangular(self.factor, cross[:, self.quadratic].T, lower=True)
        return np.asarray(np.einsum("ij,ij->j", spread, spread))

    def variance_root(self) -> tuple[Array, Indices]:
        """Return the R of ``|R k(x)|**2``, by which data narrow the prior, and the vectors of its columns."""
        identity = np.eye(len(self.quadratic))
        root = solve_triangular(self.factor, identity, lower=True) if self.quadratic.size else identity
        return root, self.quadratic


@dataclass(frozen=True)
class LandmarkPosterior(Posterior):
    """The posterior of f by way of its values at landmarks.

    Attributes
    ----------
    root : (m, m)
        The variance of f at x is the prior's less ``|root k(x)|**2``.
    """

    root: Array

    def explained(self, cross: Array) -> Array:
        """Return by how much data narrow the prior."""
        return np.asarray(np.square(cross @ self.root.T).sum(axis=1))

    def variance_root(self) -> tuple[Array, Indices]:
        """Return ``root`` and the vectors that its columns belong to."""
        return self.root, np.arange(len(self.support))


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
