"""Hyperparameters of Bayesian support vector regression by evidence (Chu, Keerthi & Ong 2001, sec. 3.3, 4).

The evidence (46) jumps whenever a row changes zone, so a line search may end "abnormally" at any time.
That is no failure: the best point seen is kept, and the search goes on from there.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.linalg import LinAlgError
from scipy.optimize import minimize

from rowtrust.contracts import Array
from rowtrust.engines.threads import single_blas_thread
from rowtrust.likelihoods.soft_insensitive import SoftInsensitive
from rowtrust.svr.covariance import CovarianceMatrix, GaussianCovariance
from rowtrust.svr.evidence import evidence_slopes, negative_log_evidence
from rowtrust.svr.hyperparameters import Choices, Hyperparameters, SearchSpace
from rowtrust.svr.newton import SoftSolution, solve_map
from rowtrust.svr.posterior import SoftPosterior
from rowtrust.svr.problem import SoftProblem

SUBSET = 1000
"""Rows on which the search begins when there are more than twice as many."""

LAST_STEPS = 10
"""Steps on all rows after a search on a subset."""

TUBE = 1.0
"""Where epsilon starts after the first climb, in standard deviations of the noise."""

TAILS = np.linspace(1.0, 10.0, 181).tolist()
"""Values of C, times that standard deviation, among which the one that keeps it is chosen."""

SHRUNK = 0.5
"""Share of the rows in a quadratic zone below which beta is raised."""


@dataclass(frozen=True)
class TrainingSet:
    """Standardised rows: inputs, targets, and how many copies of itself each row stands for."""

    X: Array
    y: Array
    sample_weight: Array

    def __len__(self) -> int:
        return len(self.y)

    def subset(self, generator: np.random.Generator) -> TrainingSet:
        """Return ``SUBSET`` rows drawn at random."""
        rows = generator.choice(len(self), size=min(SUBSET, len(self)), replace=False)
        return TrainingSet(self.X[rows], self.y[rows], self.sample_weight[rows])


@dataclass(frozen=True)
class Candidate:
    """Where one search ended: the model, its evidence, its posterior and its certificate."""

    hyperparameters: Hyperparameters
    log_evidence: float
    posterior: SoftPosterior
    duality_gap: float
    n_iter: int

    @property
    def noise(self) -> SoftInsensitive:
        """The noise with the parameters found."""
        return noise_of(self.hyperparameters)


def noise_of(parameters: Hyperparameters) -> SoftInsensitive:
    """Return the noise of these hyperparameters."""
    return SoftInsensitive(parameters.C, parameters.epsilon, parameters.beta)


def problem_of(rows: TrainingSet, parameters: Hyperparameters, out: Array | None = None) -> SoftProblem:
    """Compose noise and prior over the rows; this is where the n x n matrix is made, in ``out`` if given."""
    covariance = GaussianCovariance(
        parameters.relevance, parameters.kernel_variance, parameters.bias_variance
    )
    matrix = CovarianceMatrix(covariance, rows.X, out)
    return SoftProblem(matrix, rows.y, rows.sample_weight, noise_of(parameters))


class EvidenceObjective:
    """Negative log evidence and its slopes over the free vector; remembers the best point seen.

    Each evaluation starts the MAP solver from the dual variables of the last one, and overwrites its
    matrix.
    """

    def __init__(self, rows: TrainingSet, space: SearchSpace, beta: float) -> None:
        self.rows, self.space, self.beta = rows, space, beta
        self.share: Array | None = None
        self.correlation: Array | None = None
        self.best_value = np.inf
        self.best_vector: Array | None = None
        self.best_quadratic = 0.0
        self.n_evaluations = 0

    @property
    def is_shrunk(self) -> bool:
        """Whether, at the best point, too few rows lie in a quadratic zone."""
        return self.best_quadratic < SHRUNK * float(self.rows.sample_weight.sum())

    def solve(self, vector: Array) -> tuple[SoftProblem, SoftSolution]:
        """Return the problem and its most probable function at a point of the space."""
        parameters = self.space.hyperparameters(vector, self.beta)
        problem = problem_of(self.rows, parameters, self.correlation)
        self.correlation = problem.matrix.correlation
        solution = solve_map(problem, self.share)
        self.share = problem.share(solution.dual)
        return problem, solution

    def __call__(self, vector: Array) -> tuple[float, Array]:
        """Return value and slopes at a point of the space."""
        self.n_evaluations += 1
        try:
            problem, solution = self.solve(vector)
        except LinAlgError:  # a corner of the space where rounding wins: turn back
            return 1e10, np.zeros_like(vector)
        value = negative_log_evidence(problem, solution)
        if value < self.best_value:
            self.best_value, self.best_vector = value, vector.copy()
            self.best_quadratic = float(self.rows.sample_weight[solution.quadratic].sum())
        return value, self.space.gradient(evidence_slopes(problem, solution))


@dataclass(frozen=True)
class Patience:
    """When a climb ends.

    Attributes
    ----------
    max_iter
        Quasi-Newton steps a round.
    tol
        Nats of evidence below which a round is the last.
    rounds
        Rounds, each from the best point seen.
    line_steps
        Evaluations along one line. Where the evidence jumps often, more would only be wasted.
    """

    max_iter: int
    tol: float
    rounds: int = 2
    line_steps: int = 20


def climb(objective: EvidenceObjective, start: Array, patience: Patience) -> Array:
    """Maximise the evidence by bounded quasi-Newton steps, again and again from the best point seen."""
    best, bounds = start, list(zip(objective.space.lower, objective.space.upper, strict=True))
    for _ in range(patience.rounds if len(start) else 0):
        before = objective.best_value
        options = {"maxiter": patience.max_iter, "maxcor": 20, "ftol": 1e-7, "maxls": patience.line_steps}
        minimize(objective, best, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        best = start if objective.best_vector is None else objective.best_vector
        if before - objective.best_value < patience.tol:
            break
    return best


def search(
    rows: TrainingSet, choices: Choices, start: Array, patience: Patience, subset: TrainingSet | None
) -> Candidate:
    """Climb from one start: with the widest quadratic zone first, then with the beta asked for.

    With ``beta = 1`` nearly every row has curvature, the evidence hardly jumps, and the relevances
    move freely; a smaller beta freezes them wherever they start. Its optimum is where to begin. Given
    a ``subset``, the first climb sees only that, and the second has little left to do.
    """
    space = SearchSpace(choices, rows.X.shape[1])
    widest = EvidenceObjective(rows if subset is None else subset, space, 1.0)
    with blas_threads(len(widest.rows)):
        vector = same_noise(space, climb(widest, start, patience))
    steps = patience.max_iter if subset is None else min(patience.max_iter, LAST_STEPS)
    patience = replace(patience, max_iter=steps, rounds=1, line_steps=6)
    with blas_threads(len(rows)):
        return settle(rows, space, vector, patience, widest.n_evaluations)


def same_noise(space: SearchSpace, widest: Array) -> Array:
    """Return a point of the user's beta with the noise variance that a climb with ``beta = 1`` found.

    Under Gaussian noise that climb widens epsilon without end, which is harmless at ``beta = 1`` but
    would put every row into the insensitive tube of a smaller one, where the evidence sees nothing.
    """
    if space.choices.beta == 1.0:
        return widest
    deviation = noise_of(space.hyperparameters(widest, 1.0)).variance ** 0.5
    epsilon = TUBE * deviation
    shapes = {C: SoftInsensitive(C / deviation, epsilon, space.choices.beta) for C in TAILS}
    tail = min(TAILS, key=lambda C: abs(shapes[C].variance - deviation**2))
    return space.with_noise(widest, tail / deviation, epsilon)


def settle(rows: TrainingSet, space: SearchSpace, start: Array, patience: Patience, spent: int) -> Candidate:
    """Climb with the user's beta, raised while too few rows keep any curvature, and solve there."""
    choices, beta = space.choices, space.choices.beta
    objective = EvidenceObjective(rows, space, beta)
    vector = start
    while True:
        if len(start):
            objective(start)
        may_rise = len(start) and not choices.beta_is_given and beta < 1.0
        if not (may_rise and objective.is_shrunk):
            vector = climb(objective, start, patience)
        spent += objective.n_evaluations
        if not (may_rise and objective.is_shrunk):
            return finished(objective, vector, spent)
        beta = min(1.0, 2.0 * beta)
        objective = EvidenceObjective(rows, space, beta)


def finished(objective: EvidenceObjective, vector: Array, spent: int) -> Candidate:
    """Solve at the end of a search and keep what predictions need."""
    problem, solution = objective.solve(vector)
    return Candidate(
        hyperparameters=objective.space.hyperparameters(vector, objective.beta),
        log_evidence=-negative_log_evidence(problem, solution),
        posterior=SoftPosterior.of(problem, solution),
        duality_gap=solution.duality_gap,
        n_iter=max(1, spent),
    )


def blas_threads(n_rows: int) -> AbstractContextManager[Any]:
    """Limit BLAS to one thread unless the factorisations are large enough to share."""
    return single_blas_thread() if n_rows < 2 * SUBSET else nullcontext()


def candidates_by_evidence(
    rows: TrainingSet,
    choices: Choices,
    n_restarts: int,
    patience: Patience,
    generator: np.random.Generator,
    n_jobs: int | None,
) -> list[Candidate]:
    """Search from ``n_restarts`` more random starts than the first, side by side; best evidence first."""
    space = SearchSpace(choices, rows.X.shape[1])
    starts = [space.first_start()]
    if len(starts[0]):
        starts += [space.random_start(generator) for _ in range(n_restarts)]
    subset = rows.subset(generator) if len(rows) > 2 * SUBSET else None
    found = Parallel(n_jobs=n_jobs)(
        delayed(search)(rows, choices, start, patience, subset) for start in starts
    )
    return sorted(found, key=lambda candidate: -candidate.log_evidence)


def mixture_weights(candidates: list[Candidate]) -> Array:
    """Return the share of each candidate in a mixture: its evidence over the sum of all."""
    logs = np.array([candidate.log_evidence for candidate in candidates])
    shares = np.exp(logs - logs.max())
    return np.asarray(shares / shares.sum())
