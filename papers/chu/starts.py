"""Several starts of one search (Chu, Keerthi & Ong 2001, section 5): where they end, and their mixture."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import softmax

from papers.datasets import load
from papers.experiments import Record
from rowtrust.contracts import Array
from rowtrust.datasets import make_friedman, make_robot_arm, make_sinc
from rowtrust.estimators import BayesianSVR
from rowtrust.svr.evidence import EvidenceObjective, StoppingRule, TrainingSet, climb
from rowtrust.svr.hyperparameters import Choices
from rowtrust.svr.posterior import SoftPosterior
from rowtrust.svr.space import SearchSpace

ROWS = 120
"""Rows to learn from, in all problems: only the number of inputs differs."""

TEST_ROWS = 300
"""Rows to test on."""

PROBLEMS = {"sinc": 1, "robot arm": 2, "Friedman": 10, "Boston": 13}
"""Problems, and how many inputs each has: with C and epsilon, two hyperparameters more."""

BETA = 0.3
"""The paper's."""

APART = 1.0
"""Nats between two ends of the search that make them different."""


def rows_of(problem: str, seed: int, data: str | None) -> tuple[Array, Array]:
    """Return the rows of a problem, those to learn from first."""
    total = ROWS + TEST_ROWS
    if problem == "sinc":
        return make_sinc(total, noise=0.1, random_state=seed)
    if problem == "robot arm":
        X, Y = make_robot_arm(total, random_state=seed)
        return X, Y[:, 0]
    if problem == "Friedman":
        return make_friedman(1, total, random_state=seed)
    X, y = load("boston", data)
    order = np.random.default_rng(seed).permutation(len(y))[:total]
    return X[order], y[order]


def starts_once(seed: int, data: str | None, *, problem: str, restarts: int, way: str) -> Record:
    """Search from several random starts; measure the best by evidence, the mixture, and the plain average.

    The prior's variance is one and its level zero, as in the paper, on normalised rows.
    """
    X, y = rows_of(problem, seed, data)
    X = (X - X[:ROWS].mean(axis=0)) / np.maximum(X[:ROWS].std(axis=0), 1e-12)
    y = (y - y[:ROWS].mean()) / y[:ROWS].std()
    searches = paper_searches if way == "paper" else library_searches
    evidence, each = searches(X[:ROWS], y[:ROWS], X[ROWS:], restarts, seed)
    order = np.argsort(-evidence)
    evidence, each, target = evidence[order], each[order], y[ROWS:]
    gaps = np.abs(evidence[:, None] - evidence)[np.triu_indices(len(evidence), 1)]
    return {
        "ends": (evidence[0] - evidence).tolist(),
        "apart": float(np.mean(gaps > APART)),
        "errors": np.mean((each - target) ** 2, axis=1).tolist(),
        "best": float(np.mean((each[0] - target) ** 2)),
        "mixture": float(np.mean((softmax(evidence) @ each - target) ** 2)),
        "average": float(np.mean((each.mean(axis=0) - target) ** 2)),
    }


def paper_searches(X: Array, y: Array, new: Array, restarts: int, seed: int) -> tuple[Array, Array]:
    """Climb the evidence at the paper's beta from its random starts; return evidences and predictions."""
    choices = Choices(None, None, BETA, None, kernel_variance=1.0, bias_variance=0.0)
    space = SearchSpace(choices, X.shape[1])
    generator = np.random.default_rng(seed)
    evidence, predicted = [], []
    for _ in range(1 + restarts):
        objective = EvidenceObjective(TrainingSet(X, y, np.ones(len(y))), space, BETA)
        vector = climb(objective, space.random_start(generator), StoppingRule(max_iter=60, tol=0.1))
        problem, solution = objective.solve(vector)
        evidence.append(-objective.best_value)
        predicted.append(SoftPosterior.of(problem, solution).latent_mean(new))
    return np.array(evidence), np.array(predicted)


def library_searches(X: Array, y: Array, new: Array, restarts: int, seed: int) -> tuple[Array, Array]:
    """Search as the estimator does, with restarts; return evidences and predictions."""
    prior: dict[str, Any] = {"kernel_variance": 1.0, "bias_variance": 0.0}
    machine = BayesianSVR(beta=BETA, n_restarts=restarts, random_state=seed, **prior).fit(X, y)
    (found,) = machine.machines_
    inputs, units = found.units.inputs(new), found.units
    evidence = np.array([result.log_evidence for result in found.results])
    each = np.array([result.posterior.latent_mean(inputs) for result in found.results])
    return evidence, units.target_offset + units.target_scale * each
