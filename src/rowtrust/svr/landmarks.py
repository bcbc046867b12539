"""A sparse Gaussian process with the soft insensitive likelihood: for more rows than a matrix of them fits.

The function is determined by its values at m landmarks (the deterministic training conditional of Quinonero-
Candela & Rasmussen 2005): ``f = Phi w`` with ``w ~ N(0, 1)`` and ``Phi = K_nm L^-T``, ``K_mm = L L'``. The
objective (39) stays piecewise quadratic, in m unknowns: Newton steps that pass over the rows in blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import blas, lapack, solve_triangular
from sklearn.cluster import kmeans_plusplus

from rowtrust.contracts import Array, Indices
from rowtrust.inference.linear_algebra import stable_cholesky
from rowtrust.likelihoods.soft_insensitive import SoftInsensitive
from rowtrust.numerics.blocks import block_rows, row_blocks
from rowtrust.numerics.magnitudes import HALF_DIGITS
from rowtrust.svr.covariance import GaussianCovariance
from rowtrust.svr.evidence import StoppingRule, TrainingSet
from rowtrust.svr.hyperparameters import Choices
from rowtrust.svr.posterior import LandmarkPosterior, LeftOutTargets
from rowtrust.svr.problem import NOT_POSITIVE_DEFINITE, SoftLoss, lower_inverse, residual_zones
from rowtrust.svr.search import SearchResult, search_from_starts
from rowtrust.svr.solver import Line, line_search

MOST_STEPS = 50
"""Newton steps at most: a guard. Four to six were needed on 20000 rows."""

STILL = 1e-10
"""Relative gain in the objective below which the last step has been taken. Far below a nat."""

LEAST_REST = 1e-6
"""Share of a row's precision that the others must supply: a guard against rounding."""

STORED_NUMBERS = 2**27
"""Doubles of features that are kept between passes, 1 GiB; with more they are made anew in every pass."""

FEATURE_NUMBERS = 2**22
"""Doubles of one block of features, 32 MiB: products of blocks this size run at full speed."""


@dataclass(frozen=True)
class LandmarkProblem(SoftLoss):
    """The objective (39) with a function of m weights.

    Attributes
    ----------
    X, target, sample_weight
        Standardised rows.
    likelihood
        With a quadratic zone of positive width.
    covariance
        Prior covariance of f.
    chosen : (m,)
        Rows that are landmarks.
    """

    X: Array
    target: Array
    sample_weight: Array
    likelihood: SoftInsensitive
    covariance: GaussianCovariance
    chosen: Indices
    stored: dict[int, Array] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def factor(self) -> Array:
        """Lower Cholesky factor of the covariance between landmarks."""
        vectors = self.X[self.chosen]
        between = self.covariance(vectors, vectors)
        variance = self.covariance.variance
        diagonal = variance * np.eye(len(between))
        return stable_cholesky(
            lambda jitter: between + (HALF_DIGITS + jitter) * diagonal, NOT_POSITIVE_DEFINITE
        )[0]

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """Yield rows with their features ``Phi``, transposed; kept between passes where memory allows."""
        width = len(self.chosen)
        keeps = len(self.target) * width <= STORED_NUMBERS
        for block in row_blocks(len(self.target), block_rows(width, FEATURE_NUMBERS)):
            features = self.stored.get(block.start)
            if features is None:
                cross = self.covariance(self.X[self.chosen], self.X[block])
                features = solve_triangular(self.factor, cross, lower=True, overwrite_b=True)
                if keeps:
                    self.stored[block.start] = features
            yield block, features

    def latent(self, weights: Array) -> Array:
        """Return f at all rows."""
        found = np.empty(len(self.target))
        for block, features in self.blocks():
            found[block] = weights @ features
        return found

    def normal_equations(self, zone: Array) -> tuple[Array, Array]:
        """Return the lower triangle of the Hessian and the right-hand side if every row keeps its zone."""
        size = np.abs(zone)
        curvature = np.where(size == 1.0, 1.0 / self.ridge, 0.0)
        pull = np.where(size == 2.0, 0.5 * zone * self.bound, 0.0)
        pull += curvature * (self.target - zone * self.insensitive_width)
        hessian = np.asfortranarray(np.eye(len(self.chosen)))
        right = np.zeros(len(hessian))
        for block, features in self.blocks():
            scaled = np.asfortranarray(features * np.sqrt(curvature[block]))
            hessian = blas.dsyrk(1.0, scaled, 1.0, hessian, lower=1, overwrite_c=1)
            right += features @ pull[block]
        return hessian, right

    def objective(self, weights: Array, latent: Array) -> float:
        """Return ``S(f)`` (eq. 38)."""
        return float(self.bound @ self.loss(self.target - latent)) + 0.5 * float(weights @ weights)


def left_out_of_landmarks(
    problem: LandmarkProblem, solution: LandmarkSolution, rows: Indices
) -> tuple[Array, Array]:
    """Return residual and variance of f at some rows, each without itself, while no row changes zone."""
    cross = problem.covariance(problem.X[problem.chosen], problem.X[rows])
    features = solve_triangular(problem.factor, cross, lower=True)
    known = np.square(features).sum(axis=0)
    spread = np.square(solve_triangular(solution.hessian_factor, features, lower=True)).sum(axis=0)
    unknown = np.maximum(problem.covariance.variance - known, 0.0)
    whole = (problem.target - solution.latent)[rows]
    zone = np.abs(residual_zones(problem, problem.target - solution.latent)[rows])
    rest = np.where(zone == 1.0, np.maximum(1.0 - spread / problem.ridge[rows], LEAST_REST), 1.0)
    pull = problem.bound[rows] * problem.slope(problem.target - solution.latent)[rows]
    return whole + spread * pull / rest, unknown + spread / rest


@dataclass(frozen=True)
class LandmarkSolution:
    """The most probable weights, f at the rows, and the Cholesky factor of the Hessian."""

    weights: Array
    latent: Array
    hessian_factor: Array
    objective: float


def solve_landmarks(problem: LandmarkProblem) -> LandmarkSolution:
    """Minimise the objective by semi-smooth Newton steps, beginning with every row in a quadratic zone."""
    weights, latent = np.zeros(len(problem.chosen)), np.zeros(len(problem.target))
    zone = np.where(problem.target < 0, -1.0, 1.0)
    value = problem.objective(weights, latent)
    for _ in range(MOST_STEPS):
        goal = newton_goal(problem, zone)[1]
        change = problem.latent(goal) - latent
        direction = goal - weights
        line = Line(problem.target - latent, change, float(weights @ direction), float(direction @ direction))
        step = line_search(problem, line)
        weights, latent = weights + step * direction, latent + step * change
        before, value = value, problem.objective(weights, latent)
        following = residual_zones(problem, problem.target - latent)
        settled = np.array_equal(following, zone) or before - value <= STILL * abs(before)
        zone = following
        if settled:
            break
    return LandmarkSolution(weights, latent, newton_goal(problem, zone)[0], value)


def newton_goal(problem: LandmarkProblem, zone: Array) -> tuple[Array, Array]:
    """Return the Cholesky factor of the Hessian, and the best weights if every row keeps its zone."""
    hessian, right = problem.normal_equations(zone)
    diagonal = np.diag(np.diagonal(hessian))
    factor = stable_cholesky(lambda jitter: hessian + jitter * diagonal, NOT_POSITIVE_DEFINITE)[0]
    return factor, lapack.dpotrs(factor, right, lower=1)[0]


def stationarity_gap(problem: LandmarkProblem, solution: LandmarkSolution) -> float:
    """Return the duality gap, relative to the objective.

    With the dual variables that the residuals imply, all of it is half the squared distance of the weights
    from ``Phi' nu``.
    """
    dual = problem.bound * problem.slope(problem.target - solution.latent)
    missing = solution.weights.copy()
    for block, features in problem.blocks():
        missing -= features @ dual[block]
    return 0.5 * float(missing @ missing) / max(solution.objective, np.finfo(float).tiny)


def landmark_evidence(problem: LandmarkProblem, solution: LandmarkSolution) -> float:
    """Return ``-ln P(D | theta)`` of the sparse model by Laplace's method (eq. 46)."""
    count = float(problem.sample_weight.sum())
    half_log_determinant = float(np.log(np.diagonal(solution.hessian_factor)).sum())
    normaliser = count * float(np.log(problem.likelihood.normaliser))
    return solution.objective + half_log_determinant + normaliser


def landmark_posterior(problem: LandmarkProblem, solution: LandmarkSolution) -> LandmarkPosterior:
    """Keep what predictions need: with A the inverse Hessian, ``1 - A = R R'`` and ``root = R' L^-1``."""
    factor, inverse = problem.factor, lower_inverse(solution.hessian_factor)
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    values, directions = np.linalg.eigh(np.eye(len(inverse)) - inverse)
    half = directions * np.sqrt(np.maximum(values, 0.0))
    return LandmarkPosterior(
        covariance=problem.covariance,
        support=problem.chosen,
        vectors=problem.X[problem.chosen],
        dual=solve_triangular(factor, solution.weights, lower=True, trans="T"),
        root=solve_triangular(factor, half, lower=True, trans="T").T,
    )


SAMPLED_ROWS = 1500
"""Rows from which the hyperparameters are learnt: a fit of some seconds. Not tuned."""

CANDIDATES = 10_000
"""Rows among which landmarks are chosen, drawn at random where there are more: a limit on the cost."""

JUDGED_ROWS = 5000
"""Rows from which the noise of a clean row is taken: enough for a 95 % quantile to two digits."""


def search_with_landmarks(
    n_landmarks: int, rows: TrainingSet, choices: Choices, rule: StoppingRule, *others: Any
) -> list[SearchResult]:
    """Search on a sample, then solve for all rows with landmarks; best evidence of all rows first."""
    sampled = search_from_starts(rows.subset(SAMPLED_ROWS), choices, rule, *others)
    found = [over_all_rows(rows, result, n_landmarks) for result in sampled]
    return sorted(found, key=lambda result: -result.log_evidence)


def over_all_rows(rows: TrainingSet, sampled: SearchResult, n_landmarks: int) -> SearchResult:
    """Solve for all rows with the hyperparameters of a sample."""
    found = sampled.hyperparameters
    covariance = GaussianCovariance(found.relevance, found.kernel_variance, found.bias_variance)
    chosen = choose_landmarks(rows.X * np.sqrt(found.relevance), n_landmarks)
    problem = LandmarkProblem(rows.X, rows.y, rows.sample_weight, found.likelihood, covariance, chosen)
    solution = solve_landmarks(problem)
    judged = fixed_sample(len(rows), JUDGED_ROWS)
    residual, variance = left_out_of_landmarks(problem, solution, judged)
    target, weight = rows.y[judged], rows.sample_weight[judged]
    left_out = LeftOutTargets(target, weight, target - residual, variance, found.noise_variance)
    return replace(
        sampled,
        log_evidence=-landmark_evidence(problem, solution),
        posterior=landmark_posterior(problem, solution),
        duality_gap=stationarity_gap(problem, solution),
        explained=left_out.explained,
        left_out=left_out,
    )


def choose_landmarks(scaled: Array, size: int) -> Indices:
    """Return rows spread over inputs whose scales are the learnt ones, in order."""
    candidates = fixed_sample(len(scaled), max(CANDIDATES, 2 * size))
    _, chosen = kmeans_plusplus(scaled[candidates], min(size, len(candidates)), random_state=0)
    return np.sort(candidates[np.unique(chosen)])


def fixed_sample(n_rows: int, size: int) -> Indices:
    """Return ``size`` of so many rows, drawn at random, but always the same."""
    return np.sort(np.random.default_rng(0).permutation(n_rows)[:size])
