"""What the experiments of Chu, Keerthi & Ong (2001) use of the library's inside: (46), and a climb of it."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from rowtrust.contracts import Array
from rowtrust.svr.evidence import (
    EvidenceObjective,
    StoppingRule,
    TrainingSet,
    climb,
    evidence_slopes,
    negative_log_evidence,
    problem_of,
)
from rowtrust.svr.hyperparameters import Choices, Hyperparameters
from rowtrust.svr.posterior import SoftPosterior
from rowtrust.svr.problem import SoftProblem
from rowtrust.svr.search import result_at
from rowtrust.svr.solver import SoftSolution, solve_map
from rowtrust.svr.space import SearchSpace

RULE = StoppingRule(max_iter=60, tol=0.1)
"""The estimator's own: at most so many steps, and an end where twelve evaluations gain less than this."""


@dataclass(frozen=True)
class Evaluated:
    """The model at given hyperparameters.

    Parameters
    ----------
    problem, solution
        The prior with the likelihood, and the most probable function.
    value
        ``-ln P(D | theta)`` by (46), with the constant ``n ln 2`` that the paper's tables leave out.
    """

    problem: SoftProblem
    solution: SoftSolution
    value: float

    @property
    def printed(self) -> float:
        """``-ln P`` as the paper's tables have it."""
        return self.value - len(self.problem.target) * float(np.log(2.0))

    def predict(self, X: Array) -> Array:
        """Return the most probable function at new inputs."""
        return SoftPosterior.of(self.problem, self.solution).latent_mean(X)


def theta(
    C: float,
    epsilon: float,
    relevance: Array,
    beta: float,
    kernel_variance: float = 1.0,
    bias_variance: float = 0.0,
) -> Hyperparameters:
    """Return hyperparameters; the covariance is the paper's (33) unless told otherwise."""
    return Hyperparameters(C, epsilon, beta, np.asarray(relevance, float), kernel_variance, bias_variance)


def evaluated(X: Array, y: Array, at: Hyperparameters) -> Evaluated:
    """Solve (39) and evaluate (46) for inputs and targets as they are."""
    problem = problem_of(TrainingSet(X, y, np.ones(len(y))), at)
    solution = solve_map(problem)
    return Evaluated(problem, solution, negative_log_evidence(problem, solution))


def unit_seconds(X: Array, y: Array, at: Hyperparameters) -> float:
    """Return the seconds of one evaluation of the evidence and all its slopes, from nothing."""
    start = perf_counter()
    found = evaluated(X, y, at)
    evidence_slopes(found.problem, found.solution)
    return perf_counter() - start


class OneStart:
    """Bayesian SVR as in section 4: one climb of (46), at the beta asked for, from a random start.

    The estimator does more: it chooses among designed starts and climbs with beta = 1 first.

    Parameters
    ----------
    beta
        As in the paper.
    random_state
        Draws the start: C, epsilon and one relevance for all inputs, from the paper's intervals.
    """

    def __init__(self, beta: float, random_state: int) -> None:
        self.beta = beta
        self.random_state = random_state

    def fit(self, X: Array, y: Array) -> OneStart:
        """Learn from rows that are normalised already."""
        choices = Choices(None, None, self.beta, None, kernel_variance=1.0, bias_variance=0.0)
        space = SearchSpace(choices, X.shape[1])
        objective = EvidenceObjective(TrainingSet(X, y, np.ones(len(y))), space, self.beta)
        start = space.random_start(np.random.default_rng(self.random_state))
        vector = climb(objective, start, RULE)
        self.result = result_at(objective, vector, objective.n_evaluations)
        found = self.result.hyperparameters
        self.C_, self.epsilon_, self.beta_ = found.C, found.epsilon, found.beta
        self.kernel_variance_, self.bias_variance_ = found.kernel_variance, found.bias_variance
        self.feature_relevance_ = found.relevance
        self.evidence_, self.n_iter_ = self.result.log_evidence, objective.n_evaluations
        return self

    def predict(self, X: Array) -> Array:
        """Return the most probable function."""
        return self.result.posterior.latent_mean(X)
