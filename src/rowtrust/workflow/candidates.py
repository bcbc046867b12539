"""The models that may be fitted, and the choice between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from rowtrust import estimators
from rowtrust.contracts import Array
from rowtrust.estimators import budget
from rowtrust.trust import Mixture, mixture
from rowtrust.workflow.folds import folds_of, predicted_rows
from rowtrust.workflow.predictions import FOLDS, Prediction, cross_fit
from rowtrust.workflow.records import Part, Settings
from rowtrust.workflow.tables import InputError, Schema, pipeline

ORDER = ("robust", "plain", "svr", "fuzzy")
"""A model wins over one before it only by more than the noise of the comparison."""

TOGETHER = ("fuzzy", "svr")
"""Models that need all rows at once."""

CLASSIFIERS = {"robust": estimators.RobustRVC, "plain": estimators.RVC, "fuzzy": estimators.FuzzyRVC}
"""Estimators of classes by their short names."""

REGRESSORS = {
    "robust": estimators.RobustRVR,
    "plain": estimators.RVR,
    "svr": estimators.BayesianSVR,
    "fuzzy": estimators.FuzzyRVR,
}
"""Estimators of numbers by their short names."""


@dataclass(frozen=True, repr=False)
class Candidate:
    """A model and what it says of rows it has not seen.

    Attributes
    ----------
    name
        "robust", "plain", "fuzzy" or "svr".
    estimator
        Name of its class.
    prediction
        Class probabilities, or mean and deviation, of the compared rows.
    mixture
        Their log scores under a mixture of right and wrong rows.
    bound
        The model's own lower bound on the log marginal likelihood in the last fold, for the record.
    seconds
        How long its fits took.
    score
        Share of the classes that it named rightly, or its RMSE, on the compared rows.
    """

    name: str
    estimator: str
    prediction: Prediction
    mixture: Mixture
    bound: float | None
    seconds: float = 0.0
    score: float = float("nan")

    def __repr__(self) -> str:
        return f"<{self.estimator}: log score {self.log_score:.4g} nats per row, {self.seconds:.1f} s>"

    @property
    def log_score(self) -> float:
        """Nats per row: how well rows are predicted by a model that has not seen them."""
        return float(self.row_scores.mean())

    @property
    def row_scores(self) -> Array:
        """The log score of each row, in nats."""
        return self.mixture.row_scores


def estimators_of(task: str) -> dict[str, Any]:
    """Return the estimators of a task by their short names."""
    return CLASSIFIERS if task == "classification" else REGRESSORS


def build(name: str, task: str, fast: bool, seed: int) -> Any:
    """Return an unfitted estimator: the one that users get by its name, on fewer landmarks if it is fast."""
    known = estimators_of(task)
    if name not in known:
        raise InputError(f"--model {name} is for regression; for classes take robust, plain or fuzzy.")
    basis = budget().fast_landmarks if fast and name != "svr" else "auto"
    return known[name](basis=basis, random_state=seed)


def names_to_compare(task: str, n_rows: int) -> list[str]:
    """Return the candidates that are cheap enough for so many rows."""
    most = {"svr": budget().svr_rows, "fuzzy": budget().together_rows}
    return [name for name in ORDER if name in estimators_of(task) and n_rows <= most.get(name, n_rows)]


def compare(
    schema: Schema, rows: Part, names: list[str], settings: Settings, step: Callable[[str], None]
) -> list[Candidate]:
    """Fit every candidate without each fold in turn, or before it in time, and let it predict that fold."""
    target, is_classes = rows.y, schema.task == "classification"
    if is_classes:
        target = np.unique(rows.y, return_inverse=True)[1]
    folds = folds_of(rows, is_classes, FOLDS, settings.seed) if names else []
    found = []
    for name in names:
        estimator = build(name, schema.task, settings.fast, settings.seed)
        if name != "svr":
            estimator.set_params(basis=min(budget().compared_landmarks, len(rows.y)))
        on_fold, start = partial(step, f"comparing: {name}"), perf_counter()
        prediction = cross_fit(pipeline(schema, estimator), rows.X, rows.y, folds, on_fold, rows.weights)
        kind, seconds = type(estimator).__name__, perf_counter() - start
        true = target[predicted_rows(folds)]
        known = mixture(prediction, true), own_bound(estimator), seconds, score_of(prediction, true)
        found.append(Candidate(name, kind, prediction, *known))
    return found


def score_of(prediction: Prediction, target: Array) -> float:
    """Return the share of classes that are named rightly, or the RMSE."""
    if isinstance(prediction, tuple):
        return float(np.sqrt(np.mean((prediction[0] - target) ** 2)))
    return float(np.mean(prediction.argmax(axis=1) == target))


def own_bound(estimator: Any) -> float | None:
    """Return what a fitted model itself says of its log marginal likelihood, if it says anything."""
    bound = getattr(estimator, "lower_bound_", getattr(estimator, "evidence_", None))
    return None if bound is None else float(bound)


def lead(best: Candidate, other: Candidate) -> tuple[float, float]:
    """Return by how many nats over all rows a candidate leads another, and the standard error of that."""
    gain = best.row_scores - other.row_scores
    return float(gain.sum()), float(gain.std() * np.sqrt(len(gain)))


def choose(candidates: list[Candidate]) -> Candidate:
    """Return the candidate of the best log score, or an earlier one within a standard error of it."""
    best = max(candidates, key=lambda each: each.log_score)
    for each in candidates:
        gain, noise = lead(best, each)
        if gain <= noise:
            return each
    return best
