"""Hyperparameters of Bayesian support vector regression by evidence.

Chu, Keerthi & Ong 2001, sections 3.3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.blocks import single_blas_thread
from rowtrust.predictive import TargetNoise
from rowtrust.svr.evidence import EvidenceObjective, StoppingRule, TrainingSet, climb, negative_log_evidence
from rowtrust.svr.hyperparameters import Choices, Hyperparameters
from rowtrust.svr.posterior import LeftOutTargets, Posterior, SoftPosterior, left_out_rows
from rowtrust.svr.space import SearchSpace

SCREENED_ROWS = 200
"""Rows on which starts are compared, if there are more. An evaluation takes about a millisecond there, and
the start with the highest evidence led to within 2 nats of the best of four, on all rows, on half A's five
tables of numbers (400 rows each) and 11 random functions. Relevances learnt from the sample as a start lost
12 and 25 nats on Boston and taxis."""

SCREENING_STEPS = 15
"""Quasi-Newton steps from each start on the sample. Ten were enough for the figures above."""


@dataclass(frozen=True)
class Screened:
    """A start, where a short climb on a sample led from it, and the negative log evidence there."""

    start: Array
    vector: Array
    value: float


def screen(rows: TrainingSet, space: SearchSpace, rule: StoppingRule) -> list[Screened]:
    """Climb a little from every designed start, with the widest quadratic zone; best evidence first."""
    short = replace(rule, max_iter=min(rule.max_iter, SCREENING_STEPS))
    found = []
    for start in space.designed_starts(len(rows)):
        objective = EvidenceObjective(rows, space, 1.0)
        vector = climb(objective, start, short)
        found.append(Screened(start, vector, objective.best_value))
    return sorted(found, key=lambda each: each.value)


def best_start(rows: TrainingSet, space: SearchSpace, rule: StoppingRule) -> Array:
    """Return the start of the main search.

    Where the sample is all there is, that is where the short climb led. Where it is not, the start itself:
    relevances learnt from few rows would lead astray.
    """
    if not space.free.any():
        return np.zeros(0)
    everything = len(rows) <= SCREENED_ROWS
    sample = rows if everything else rows.subset(SCREENED_ROWS)
    best = screen(sample, space, rule)[0]
    return best.vector if everything else best.start


SUBSET = 500
"""Rows on which a search begins when there are more than ``SUBSET_FROM``. On 1000 rows of Friedman's first
function it takes 2 s for the 14 s of scikit-learn's Gaussian process; not tuned further."""

SUBSET_FROM = 600
"""Rows from which a search begins on a subset: with fewer the subset would be nearly all. Not tuned."""

MANY_ROWS = 2000
"""Rows beyond which the climb with the widest zone sees the subset only; below it BLAS has one thread. A
limit on the cost, not tuned."""

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

MOST_LOST = 0.1
"""Nats of evidence a row that ``beta="auto"`` may lose, for sparseness, against ``beta = 1``. On 60 random
functions with Gaussian noise beta = 0.3 lost up to 0.7; on half A's tables the beta chosen loses 0.06 at
most."""

LEAST_EXPLAINED = 0.01
"""Share of the variance of held-out rows below which a function is no better than a constant. A convention:
it also finds kernels so short that they stand for the noise, and vary between rows as a constant does."""

BETA_GROWTH = 2.0
"""Factor by which beta rises. With 1.5 or 4 the errors on Boston and sinc differ by 2 % at most; the
evidence follows beta, 6 nats lower or higher on Boston."""


@dataclass(frozen=True)
class SearchResult:
    """Where one search ended: the model, its evidence, its posterior and its duality gap.

    ``explained`` is the share of the targets' deviation that the function explains of held-out rows: near
    zero, it is no better than a constant. ``noise`` is that of new targets; None: the likelihood's.
    ``left_out`` says from what both are known, until the end of the fit.
    """

    hyperparameters: Hyperparameters
    log_evidence: float
    posterior: Posterior
    duality_gap: float
    n_iter: int
    explained: float = 1.0
    noise: TargetNoise | None = None
    left_out: LeftOutTargets | None = None

    @property
    def is_constant(self) -> bool:
        """Whether the function is no better than a constant for held-out rows."""
        return self.explained < LEAST_EXPLAINED

    @property
    def noise_variance(self) -> float:
        """Variance of the noise of a clean row."""
        factor = 1.0 if self.noise is None else self.noise.factor
        return factor**2 * self.hyperparameters.noise_variance


def search(
    rows: TrainingSet, choices: Choices, start: Array, rule: StoppingRule, subset: TrainingSet | None
) -> SearchResult:
    """Climb from one start: with the widest quadratic zone first, then with the beta asked for.

    With ``beta = 1`` nearly every row has curvature, the evidence hardly jumps, and the relevances
    move freely; a smaller beta freezes them wherever they start. Its optimum is where to begin. Given
    a ``subset``, the first climb sees only that, and what follows has little left to do.
    """
    space = SearchSpace(choices, rows.X.shape[1])
    spent = 0
    few = replace(rule, max_iter=min(rule.max_iter, LAST_STEPS))
    if subset is not None:
        sampled = EvidenceObjective(subset, space, 1.0)
        with blas_threads(len(subset)):
            start = climb(sampled, start, rule)
        spent += sampled.n_evaluations
    with blas_threads(len(rows)):
        widest = EvidenceObjective(rows, space, 1.0)
        if subset is None or len(rows) <= MANY_ROWS:
            start = climb(widest, start, rule if subset is None else few)
            spent += widest.n_evaluations
        last = replace(rule if subset is None else few, line_evaluations=LAST_LINE_EVALUATIONS)
        return refine(widest, start, last, spent)


def same_noise_variance(space: SearchSpace, widest: Array, beta: float) -> Array:
    """Return a point of another beta with the noise variance that a climb with ``beta = 1`` found.

    Under Gaussian noise that climb widens epsilon without end, which is harmless at ``beta = 1`` but
    would put every row into the insensitive zone of a smaller one, where the evidence sees nothing.
    """
    found = space.hyperparameters(widest, 1.0)
    variance = found.noise_variance
    deviation = variance**0.5
    shapes = [replace(found, C=tail / deviation, epsilon=TUBE * deviation, beta=beta) for tail in TAILS]
    nearest = min(shapes, key=lambda shape: abs(shape.noise_variance - variance))
    return space.with_likelihood(widest, nearest.C, nearest.epsilon)


def refine(widest: EvidenceObjective, start: Array, rule: StoppingRule, spent: int) -> SearchResult:
    """Climb with the user's beta, or with one that loses little by it, and solve there.

    Unless beta is given it is raised while too few rows keep any curvature, or while the evidence stays far
    below that of ``widest``, the objective of ``beta = 1`` with what it has seen. ``spent`` counts the
    evaluations made before.
    """
    rows, space, vector = widest.rows, widest.space, start
    betas = possible_betas(space.choices) if len(start) else [space.choices.beta]
    for beta in betas:
        # What the widest zone has seen is not forgotten: a second way up from another epsilon can only gain.
        objective = widest if beta == 1.0 else EvidenceObjective(rows, space, beta)
        seen, vector = objective.n_evaluations, same_noise_variance(space, start, beta)
        if len(start):
            objective(vector)
        if beta == betas[-1] or not falls_behind(objective, widest):
            vector = climb(objective, vector, rule)
        spent += objective.n_evaluations - seen
        if not falls_behind(objective, widest):
            break
    return result_at(objective, vector, spent)


def falls_behind(objective: EvidenceObjective, widest: EvidenceObjective) -> bool:
    """Tell whether a beta leaves too few rows with curvature, or loses too much evidence."""
    lost = objective.best_value - widest.best_value
    return objective.lacks_curvature or lost > MOST_LOST * float(widest.rows.sample_weight.sum())


def possible_betas(choices: Choices) -> list[float]:
    """Return the betas to try in turn: the user's alone, or from the default up to one."""
    betas = [choices.beta]
    while not choices.beta_is_given and betas[-1] < 1.0:
        betas.append(min(1.0, BETA_GROWTH * betas[-1]))
    return betas


def result_at(objective: EvidenceObjective, vector: Array, spent: int) -> SearchResult:
    """Solve at the end of a search and keep what predictions need."""
    problem, solution = objective.solve(vector)
    found = objective.space.hyperparameters(vector, objective.beta)
    weight = objective.rows.sample_weight
    residual, variance = left_out_rows(problem, solution)
    target, noise = problem.target, found.noise_variance
    left_out = LeftOutTargets(target, weight, target - residual, variance, noise)
    return SearchResult(
        hyperparameters=found,
        log_evidence=-negative_log_evidence(problem, solution),
        posterior=SoftPosterior.of(problem, solution),
        duality_gap=solution.duality_gap,
        n_iter=max(1, spent),
        explained=left_out.explained,
        left_out=left_out,
    )


def blas_threads(n_rows: int) -> AbstractContextManager[Any]:
    """Limit BLAS to one thread unless the factorisations are large enough to share."""
    return single_blas_thread() if n_rows <= MANY_ROWS else nullcontext()


def search_from_starts(
    rows: TrainingSet,
    choices: Choices,
    rule: StoppingRule,
    n_jobs: int | None = None,
    random_starts: Callable[[SearchSpace], list[Array]] = lambda space: [],
) -> list[SearchResult]:
    """Search from the best of the designed starts and from random ones, side by side; best evidence first.

    Should even the best be a constant, every designed start is followed to its end before that is believed.
    """
    space = SearchSpace(choices, rows.X.shape[1])
    subset = rows.subset(SUBSET) if len(rows) > SUBSET_FROM else None
    with single_blas_thread():
        starts = [best_start(rows, space, rule)]
    if len(starts[0]):
        starts += random_starts(space)

    def from_each(starts: list[Array]) -> list[SearchResult]:
        jobs = (delayed(search)(rows, choices, start, rule, subset) for start in starts)
        return sorted(Parallel(n_jobs=n_jobs)(jobs), key=lambda result: -result.log_evidence)

    found = from_each(starts)
    if found[0].is_constant and len(starts[0]):
        found = [from_each(space.designed_starts(len(rows)))[0], *found]
        found = sorted(found, key=lambda result: -result.log_evidence)[: len(starts)]
    return found


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
    n_jobs: int | None,
) -> list[SearchResult]:
    """Return the results with the noise of new targets; a constant in their place if they know no more."""
    group = numbered_groups(rows.X)
    held = None
    if group[-1] + 1 >= FEWEST_ROWS and len(rows) <= SUBSET_FROM:
        held = from_halves(rows, group % 2 == 0, choices, rule, n_jobs)
        explained = max(each.explained for each in results)
        if choices.learns_function and held.explained < LEAST_EXPLAINED and explained < SURELY_EXPLAINED:
            constant = choices.constant(rows.X.shape[1])
            results, held = search_from_starts(rows, constant, rule) * len(results), None
    return [with_noise(result, held, choices.learns_noise) for result in results]


def with_noise(result: SearchResult, held: LeftOutTargets | None, learns: bool) -> SearchResult:
    """Return a result with the noise of new targets, and without what it came from."""
    own = result.left_out
    assert own is not None
    n_learnt = len(result.hyperparameters.relevance) + 4
    noise = (held or own).noise(own, n_learnt) if learns else None
    return replace(result, noise=noise, left_out=None)


def from_halves(
    rows: TrainingSet, first: Indices, choices: Choices, rule: StoppingRule, n_jobs: int | None
) -> LeftOutTargets:
    """Return what searches over either half say of the other."""
    mean, variance, noise = np.empty((3, len(rows)))
    for inside in (first, ~first):
        few = TrainingSet(rows.X[~inside], rows.y[~inside], rows.sample_weight[~inside])
        best = search_from_starts(few, choices, rule, n_jobs)[0]
        mean[inside], variance[inside] = best.posterior.latent_moments(rows.X[inside])
        noise[inside] = best.hyperparameters.noise_variance
    return LeftOutTargets(rows.y, rows.sample_weight, mean, variance + noise, 0.0)


def numbered_groups(X: Array) -> Indices:
    """Return a number for each row, equal for copies, which are beside each other."""
    return np.cumsum(np.append(0, (np.diff(X, axis=0) != 0.0).any(axis=1))).astype(np.intp)
