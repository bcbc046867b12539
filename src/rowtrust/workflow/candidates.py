"""The models that may be fitted, and the choice between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from rowtrust import estimators
from rowtrust.auditing import Mixture, mixture
from rowtrust.workflow.tables import InputError, Schema, pipeline

ORDER = ("robust", "plain", "svr", "fuzzy")
"""A model wins over one before it only by more than the noise of the comparison."""

FOLDS = 3
COMPARED_ROWS = 2000
"""Rows on which candidates are compared; more change little and cost much."""

SVR_ROWS = 1000
"""Bayesian support vector regression needs the n x n kernel many times."""

COMPARED_BASIS = 150
"""Landmarks of the candidates while they are compared; the chosen one is fitted again without them."""

MANY_ROWS = 5000
LANDMARKS = 500
"""Beyond many rows, basis functions stand on landmarks rather than on every row."""


@dataclass(frozen=True)
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
        Their evidence under a mixture of right and wrong rows.
    bound
        The model's own lower bound on its log evidence on the last fold, for the record.
    """

    name: str
    estimator: str
    prediction: Any
    mixture: Mixture
    bound: float | None

    @property
    def evidence_per_row(self) -> float:
        """Nats per row: how well rows are predicted by a model that has not seen them."""
        return self.mixture.log_evidence / len(self.mixture.wrong)


def kinds(task: str) -> dict[str, type[Any]]:
    """Return the estimators of a task by their short names."""
    if task == "classification":
        return {"robust": estimators.RobustRVC, "plain": estimators.RVC, "fuzzy": estimators.FuzzyRVC}
    return {
        "robust": estimators.RobustRVR,
        "plain": estimators.RVR,
        "svr": estimators.BayesianSVR,
        "fuzzy": estimators.FuzzyRVR,
    }


def build(name: str, task: str, n_rows: int, fast: bool, seed: int) -> Any:
    """Return an unfitted estimator, on landmarks where there are many rows."""
    known = kinds(task)
    if name not in known:
        raise InputError(f"--model {name} is for regression; for classes take robust, plain or fuzzy.")
    if name == "svr":
        return known[name](random_state=seed)
    basis = LANDMARKS if fast or n_rows > MANY_ROWS else None
    return known[name](basis=basis, random_state=seed)


def names_to_compare(task: str, n_rows: int) -> list[str]:
    """Return the candidates that are cheap enough for so many rows."""
    allowed = kinds(task)
    return [name for name in ORDER if name in allowed and (name != "svr" or n_rows <= SVR_ROWS)]


def compare(
    schema: Schema,
    X: pd.DataFrame,
    target: NDArray[Any],
    names: list[str],
    fast: bool,
    seed: int,
    step: Callable[[str], None],
) -> list[Candidate]:
    """Fit every candidate without each fold in turn and let it predict that fold."""
    found = []
    for name in names:
        estimator = build(name, schema.task, len(X), fast, seed)
        if name != "svr":
            estimator.set_params(basis=min(COMPARED_BASIS, len(X)))
        model = pipeline(schema, estimator)
        prediction, bound = cross_fitted(
            model, X, target, schema.task, seed, partial(step, f"comparing: {name}")
        )
        evidence = mixture(prediction, coded(target, schema))
        found.append(Candidate(name, type(estimator).__name__, prediction, evidence, bound))
    return found


def coded(target: NDArray[Any], schema: Schema) -> NDArray[Any]:
    """Return labels as numbers of the sorted classes; numbers as they are."""
    return np.unique(target, return_inverse=True)[1] if schema.task == "classification" else target


def cross_fitted(
    model: Pipeline, X: pd.DataFrame, target: NDArray[Any], task: str, seed: int, step: Callable[[], None]
) -> tuple[Any, float | None]:
    """Return predictions of every row by a fit without its fold, and the last fit's lower bound."""
    splitter = StratifiedKFold if task == "classification" else KFold
    parts = []
    for train, test in splitter(FOLDS, shuffle=True, random_state=seed).split(X, target):
        model.fit(X.iloc[train], target[train])
        parts.append((test, predicted(model, X.iloc[test], np.unique(target))))
        step()
    bound = getattr(model[-1], "lower_bound_", getattr(model[-1], "evidence_", None))
    return gathered(parts, len(X)), None if bound is None else float(bound)


def predicted(model: Pipeline, X: pd.DataFrame, classes: NDArray[Any]) -> Any:
    """Return class probabilities in the order of ``classes``, or mean and deviation."""
    if not hasattr(model, "predict_proba"):
        return model.predict(X, return_std=True)
    probability = np.zeros((len(X), len(classes)))
    probability[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(X)
    return probability


def gathered(parts: list[tuple[NDArray[np.intp], Any]], n_rows: int) -> Any:
    """Put predictions of folds back into the order of the rows."""
    order = np.argsort(np.concatenate([rows for rows, _ in parts]))
    if isinstance(parts[0][1], tuple):
        return tuple(np.concatenate([part[which] for _, part in parts])[order] for which in (0, 1))
    return np.concatenate([part for _, part in parts])[order]


def choose(candidates: list[Candidate]) -> Candidate:
    """Return the candidate of most evidence, or an earlier one within a standard error of it."""
    best = max(candidates, key=lambda each: each.mixture.log_evidence)
    for each in candidates:
        gain = best.mixture.row_evidence - each.mixture.row_evidence
        if gain.sum() <= gain.std() * np.sqrt(len(gain)):
            return each
    return best
