"""Many rows: hyperparameters from a sample of them, then landmarks that stand for all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.cluster import kmeans_plusplus

from rowtrust.contracts import Array, Indices
from rowtrust.svr.covariance import GaussianCovariance
from rowtrust.svr.hyperparameters import Choices
from rowtrust.svr.landmarks import (
    LandmarkProblem,
    landmark_evidence,
    landmark_posterior,
    left_out_of_landmarks,
    solve_landmarks,
    stationarity_gap,
)
from rowtrust.svr.left_out import LeftOutTargets
from rowtrust.svr.objective import StoppingRule, TrainingSet
from rowtrust.svr.search import SearchResult, search_from_starts

SAMPLED_ROWS = 1500
"""Rows from which the hyperparameters are learnt: a fit of some seconds. Not tuned."""

CANDIDATES = 10_000
"""Rows among which landmarks are chosen, drawn at random where there are more: a limit on the cost."""

JUDGED_ROWS = 5000
"""Rows from which the noise of a clean row is taken: enough for a 95 % quantile to two digits."""


def search_with_landmarks(
    rows: TrainingSet,
    choices: Choices,
    n_restarts: int,
    rule: StoppingRule,
    generator: np.random.Generator,
    n_jobs: int | None,
    n_landmarks: int,
) -> list[SearchResult]:
    """Search on a sample, then solve for all rows with landmarks; best evidence of all rows first."""
    sample = rows.subset(SAMPLED_ROWS)
    sampled = search_from_starts(sample, choices, n_restarts, rule, generator, n_jobs)
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
