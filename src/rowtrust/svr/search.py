"""Hyperparameters of Bayesian support vector regression by evidence.

Chu, Keerthi & Ong 2001, sections 3.3 and 4.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from rowtrust.contracts import Array
from rowtrust.inference.threads import single_blas_thread
from rowtrust.svr.evidence import negative_log_evidence
from rowtrust.svr.hyperparameters import Choices, Hyperparameters
from rowtrust.svr.objective import EvidenceObjective, StoppingRule, TrainingSet, climb
from rowtrust.svr.posterior import SoftPosterior
from rowtrust.svr.space import SearchSpace

SUBSET = 1000
"""Rows on which the search begins when there are more than twice as many; with fewer than twice as many BLAS
has one thread. Half of it fits 2200 rows of Friedman's first function with an error of 0.172 instead of
0.169, and sooner."""

LAST_STEPS = 10
"""Steps on all rows after a search on a subset. Half or twice as many give the same fit to 2200 rows of
Friedman's first function. A limit on the cost with more rows, not tuned."""

LAST_LINE_EVALUATIONS = 6
"""Evaluations along one line of the last climb. With a small beta the evidence jumps often, and long line
searches are wasted: three or twelve differ by less than half a nat on Boston and sinc."""

TUBE = 1.0
"""Where epsilon begins after the first climb, in standard deviations of the noise. Half or twice of it lost
26 and 9 nats on Boston and gained 0.4 on sinc; the errors rose by 2 and 20 % on Boston and fell by 1 or 2
% on sinc."""

TAILS = np.linspace(1.0, 10.0, 181).tolist()
"""Values of C, times that standard deviation, among which the one that keeps the variance is chosen. Half or
twice the range changes nothing: the one chosen lies well inside."""

BETA_GROWTH = 2.0
"""Factor by which beta rises. With 1.5 or 4 the errors on Boston and sinc differ by 2 % at most; the
evidence follows beta, 6 nats lower or higher on Boston."""


@dataclass(frozen=True)
class SearchResult:
    """Where one search ended: the model, its evidence, its posterior and its duality gap."""

    hyperparameters: Hyperparameters
    log_evidence: float
    posterior: SoftPosterior
    duality_gap: float
    n_iter: int


def search(
    rows: TrainingSet, choices: Choices, start: Array, rule: StoppingRule, subset: TrainingSet | None
) -> SearchResult:
    """Climb from one start: with the widest quadratic zone first, then with the beta asked for.

    With ``beta = 1`` nearly every row has curvature, the evidence hardly jumps, and the relevances
    move freely; a smaller beta freezes them wherever they start. Its optimum is where to begin. Given
    a ``subset``, the first climb sees only that, and the second has little left to do.
    """
    space = SearchSpace(choices, rows.X.shape[1])
    widest = EvidenceObjective(rows if subset is None else subset, space, 1.0)
    with blas_threads(len(widest.rows)):
        vector = same_noise_variance(space, climb(widest, start, rule))
    steps = rule.max_iter if subset is None else min(rule.max_iter, LAST_STEPS)
    rule = replace(rule, max_iter=steps, rounds=1, line_evaluations=LAST_LINE_EVALUATIONS)
    with blas_threads(len(rows)):
        return refine(rows, space, vector, rule, widest.n_evaluations)


def same_noise_variance(space: SearchSpace, widest: Array) -> Array:
    """Return a point of the user's beta with the noise variance that a climb with ``beta = 1`` found.

    Under Gaussian noise that climb widens epsilon without end, which is harmless at ``beta = 1`` but
    would put every row into the insensitive zone of a smaller one, where the evidence sees nothing.
    """
    beta = space.choices.beta
    if beta == 1.0:
        return widest
    found = space.hyperparameters(widest, 1.0)
    variance = found.noise_variance
    deviation = variance**0.5
    shapes = [replace(found, C=tail / deviation, epsilon=TUBE * deviation, beta=beta) for tail in TAILS]
    nearest = min(shapes, key=lambda shape: abs(shape.noise_variance - variance))
    return space.with_likelihood(widest, nearest.C, nearest.epsilon)


def refine(
    rows: TrainingSet, space: SearchSpace, start: Array, rule: StoppingRule, spent: int
) -> SearchResult:
    """Climb with the user's beta, raised while too few rows keep any curvature, and solve there.

    ``spent`` counts the evaluations made before.
    """
    vector = start
    betas = possible_betas(space.choices) if len(start) else [space.choices.beta]
    for beta in betas:
        objective = EvidenceObjective(rows, space, beta)
        if len(start):
            objective(start)
        if beta == betas[-1] or not objective.lacks_curvature:
            vector = climb(objective, start, rule)
        spent += objective.n_evaluations
        if not objective.lacks_curvature:
            break
    return result_at(objective, vector, spent)


def possible_betas(choices: Choices) -> list[float]:
    """Return the betas to try in turn: the user's alone, or from the default up to one."""
    betas = [choices.beta]
    while not choices.beta_is_given and betas[-1] < 1.0:
        betas.append(min(1.0, BETA_GROWTH * betas[-1]))
    return betas


def result_at(objective: EvidenceObjective, vector: Array, spent: int) -> SearchResult:
    """Solve at the end of a search and keep what predictions need."""
    problem, solution = objective.solve(vector)
    return SearchResult(
        hyperparameters=objective.space.hyperparameters(vector, objective.beta),
        log_evidence=-negative_log_evidence(problem, solution),
        posterior=SoftPosterior.of(problem, solution),
        duality_gap=solution.duality_gap,
        n_iter=max(1, spent),
    )


def blas_threads(n_rows: int) -> AbstractContextManager[Any]:
    """Limit BLAS to one thread unless the factorisations are large enough to share."""
    return single_blas_thread() if n_rows < 2 * SUBSET else nullcontext()


def search_from_starts(
    rows: TrainingSet,
    choices: Choices,
    n_restarts: int,
    rule: StoppingRule,
    generator: np.random.Generator,
    n_jobs: int | None,
) -> list[SearchResult]:
    """Search from ``n_restarts`` more random starts than the first, side by side; best evidence first."""
    space = SearchSpace(choices, rows.X.shape[1])
    starts = [space.first_start()]
    if len(starts[0]):
        starts += [space.random_start(generator) for _ in range(n_restarts)]
    subset = rows.subset(SUBSET, generator) if len(rows) > 2 * SUBSET else None
    found = Parallel(n_jobs=n_jobs)(delayed(search)(rows, choices, start, rule, subset) for start in starts)
    return sorted(found, key=lambda result: -result.log_evidence)
