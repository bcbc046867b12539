"""Predictions of rows by models that were not fitted to them, for any estimator of scikit-learn's kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict

from rowtrust.contracts import Array
from rowtrust.numerics.statistics import NORMAL_CONSISTENT

FOLDS = 5
"""Folds, as cleanlab's users have them. A habit, not studied."""

LEAST_DEVIATION = 1e-6
"""Deviation of predicted numbers, as a share of the targets' own, where more than half of them are exact. A
guard against divisions by zero."""

MOST_CERTAIN = 1e-6
"""Probabilities of zero and one are moved so far inside: a forest whose trees all agree is not certain. Not
studied."""


def left_out_probabilities(estimator: Any, X: Any, y: NDArray[Any], classes: NDArray[Any]) -> Array:
    """Return class probabilities of every row, in the order of ``classes``, from fits without its fold."""
    if not hasattr(estimator, "predict_proba"):
        name = type(estimator).__name__
        raise TypeError(
            f"{name} has no predict_proba, without which no row can be judged. Wrap it: "
            f"CalibratedClassifierCV({name}(...))."
        )
    fewest = int(np.unique(y, return_counts=True)[1].min())
    if fewest < 2 or len(classes) < 2:
        raise ValueError(
            "to judge rows by the others there must be two classes, each with at least two rows. "
            f"The rarest of {len(classes)} classes has {fewest}."
        )
    folds = StratifiedKFold(min(FOLDS, fewest), shuffle=True, random_state=0)
    found = cross_val_predict(estimator, X, y, cv=folds, method="predict_proba")
    found = np.clip(np.asarray(found, dtype=float), MOST_CERTAIN, 1.0)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def left_out_numbers(estimator: Any, X: Any, target: Array) -> tuple[Array, Array]:
    """Return the mean of every row's target, from fits without its fold, and one deviation for all rows.

    The deviation is that of most residuals: outliers do not widen it.
    """
    folds = KFold(min(FOLDS, len(target)), shuffle=True, random_state=0)
    mean = np.asarray(cross_val_predict(estimator, X, target, cv=folds), dtype=float)
    residual = target - mean
    spread = NORMAL_CONSISTENT * float(np.median(np.abs(residual - np.median(residual))))
    least = LEAST_DEVIATION * float(np.std(target)) or 1.0
    return mean, np.full(len(target), max(spread, least))
