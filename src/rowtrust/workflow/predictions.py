"""What a model says of rows: class probabilities, or mean and deviation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from rowtrust.contracts import Array, Indices
from rowtrust.workflow.folds import Folds
from rowtrust.workflow.quality import interval_factor
from rowtrust.workflow.tables import Schema

Prediction: TypeAlias = Array | tuple[Array, Array]
"""Class probabilities of shape (n, classes), or mean and deviation of shape (n,) each."""

FOLDS = 3
"""Folds of cross-fitting: three fits a candidate. Taken over without a study; more take longer."""


def predict_rows(model: Any, X: Any, classes: NDArray[Any]) -> Prediction:
    """Return class probabilities in the order of ``classes``, or mean and deviation."""
    if not hasattr(model, "predict_proba"):
        mean, deviation = model.predict(X, return_std=True)
        return mean, deviation
    probability = np.zeros((len(X), len(classes)))
    probability[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(X)
    return probability


def fit_rows(model: Pipeline, X: Any, y: NDArray[Any], weights: Array | None) -> Pipeline:
    """Fit a pipeline to some rows, which count as much as their weights say, if there are any."""
    given = {} if weights is None else {f"{model.steps[-1][0]}__sample_weight": weights}
    return model.fit(X, y, **given)


def cross_fit(
    model: Pipeline,
    X: pd.DataFrame,
    y: NDArray[Any],
    folds: Folds,
    step: Callable[[], None],
    weights: Array | None = None,
) -> Prediction:
    """Return predictions of the rows of all folds, in order, each by a fit to what its fold allows.

    The last fit stays in ``model``. Rows count in the fits as much as their weights say.
    """
    parts = []
    for train, test in folds:
        step()
        fit_rows(model, X.iloc[train], y[train], None if weights is None else weights[train])
        parts.append((test, predict_rows(model, X.iloc[test], np.unique(y))))
    return in_row_order(parts)


def in_row_order(parts: list[tuple[Indices, Prediction]]) -> Prediction:
    """Put predictions of folds back into the order of the rows."""
    order = np.argsort(np.concatenate([rows for rows, _ in parts]))
    if isinstance(parts[0][1], tuple):
        mean, deviation = (np.concatenate([part[which] for _, part in parts])[order] for which in (0, 1))
        return mean, deviation
    return np.concatenate([part for _, part in parts])[order]


def prediction_table(model: Pipeline, schema: Schema, rows: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return the predictions of some rows as a table: with probabilities, or with intervals of ``level``."""
    prediction = predict_rows(model, schema.conform(rows), getattr(model, "classes_", np.empty(0)))
    if isinstance(prediction, tuple):
        mean, deviation = prediction
        half = interval_factor(model[-1], level) * deviation
        return pd.DataFrame({"prediction": mean, "lower": mean - half, "upper": mean + half})
    best = model.classes_[prediction.argmax(axis=1)]
    columns = {f"P({name})": prediction[:, place] for place, name in enumerate(model.classes_)}
    return pd.DataFrame({"prediction": best, **columns})
