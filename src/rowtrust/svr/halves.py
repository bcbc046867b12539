"""Held-out rows have a say: each half of them is predicted by a search over the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rowtrust.contracts import Array, Indices
from rowtrust.svr.hyperparameters import Choices
from rowtrust.svr.left_out import LeftOutTargets
from rowtrust.svr.objective import StoppingRule, TrainingSet
from rowtrust.svr.search import LEAST_EXPLAINED, SUBSET_FROM, SearchResult, search_from_starts

FEWEST_ROWS = 12
"""Distinct rows below which there are no halves. As for the folds of the sparse machines."""

SURELY_EXPLAINED = 0.3
"""Share of the variance of rows, each left out of the fit with hyperparameters that knew it, above which a
function is believed although halves do not find it. In twenty draws of pure noise it was 0.2 at most."""


def judged(
    results: list[SearchResult],
    rows: TrainingSet,
    choices: Choices,
    rule: StoppingRule,
    generator: np.random.Generator,
    n_jobs: int | None,
) -> list[SearchResult]:
    """Return the results with the noise of new targets; a constant in their place if they know no more."""
    group = numbered_groups(rows.X)
    held = None
    if group[-1] + 1 >= FEWEST_ROWS and len(rows) <= SUBSET_FROM:
        held = from_halves(rows, group % 2 == 0, choices, rule, generator, n_jobs)
        explained = max(each.explained for each in results)
        if choices.learns_function and held.explained < LEAST_EXPLAINED and explained < SURELY_EXPLAINED:
            results, held = [a_constant(rows, choices, rule)] * len(results), None
    return [with_noise(result, held, choices.learns_noise) for result in results]


def a_constant(rows: TrainingSet, choices: Choices, rule: StoppingRule) -> SearchResult:
    """Return the model of a level and its noise."""
    return search_from_starts(
        rows, choices.constant(rows.X.shape[1]), 0, rule, np.random.default_rng(0), None
    )[0]


def with_noise(result: SearchResult, held: LeftOutTargets | None, learns: bool) -> SearchResult:
    """Return a result with the noise of new targets, and without what it came from."""
    own = result.left_out
    assert own is not None
    n_learnt = len(result.hyperparameters.relevance) + 4
    noise = (held or own).noise(own, n_learnt) if learns else None
    return replace(result, noise=noise, left_out=None)


def from_halves(
    rows: TrainingSet,
    first: Indices,
    choices: Choices,
    rule: StoppingRule,
    generator: np.random.Generator,
    n_jobs: int | None,
) -> LeftOutTargets:
    """Return what searches over either half say of the other."""
    mean, variance, noise = np.empty((3, len(rows)))
    for inside in (first, ~first):
        few = TrainingSet(rows.X[~inside], rows.y[~inside], rows.sample_weight[~inside])
        best = search_from_starts(few, choices, 0, rule, generator, n_jobs)[0]
        mean[inside], variance[inside] = best.posterior.latent_moments(rows.X[inside])
        noise[inside] = best.hyperparameters.noise_variance
    return LeftOutTargets(rows.y, rows.sample_weight, mean, variance + noise, 0.0)


def numbered_groups(X: Array) -> Indices:
    """Return a number for each row, equal for copies, which are beside each other."""
    return np.cumsum(np.append(0, (np.diff(X, axis=0) != 0.0).any(axis=1))).astype(np.intp)
