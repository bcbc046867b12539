"""What a fitted model is worth on clean test rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    recall_score,
    roc_auc_score,
)

from benchmarks.problems import Problem


def accuracy(model: Any, problem: Problem) -> dict[str, float]:
    return {"accuracy": float(np.mean(model.predict(problem.X_test) == problem.y_test))}


def rmse(model: Any, problem: Problem) -> dict[str, float]:
    return {"RMSE": root_mean_square(model.predict(problem.X_test) - problem.y_test)}


def probabilities(model: Any, problem: Problem) -> dict[str, float]:
    """Return error, RMSE of the probabilities, trust in flipped and other rows, share of columns kept."""
    probability = model.predict_proba(problem.X_test)[:, 1]
    wrong = problem.wrong
    trust = model.sample_trust_
    return {
        "error": float(np.mean(model.predict(problem.X_test) != problem.y_test)),
        "RMSE": root_mean_square(probability - problem.y_test),
        "trust flipped": float(trust[wrong].mean()) if wrong.any() else np.nan,
        "trust others": float(trust[~wrong].mean()),
        "columns": len(model.relevance_) / len(problem.X),
    }


def rare_class(model: Any, problem: Problem) -> dict[str, float]:
    """Return scores in which the rare class counts as much as the common one."""
    label = model.predict(problem.X_test)
    ranking = model.decision_function(problem.X_test)
    recalls = recall_score(problem.y_test, label, average=None)
    return {
        "balanced accuracy": float(balanced_accuracy_score(problem.y_test, label)),
        "G-mean": float(np.sqrt(np.prod(recalls))),
        "AUC": float(roc_auc_score(problem.y_test, ranking)),
        "average precision": float(average_precision_score(problem.y_test, ranking)),
    }


def root_mean_square(values: Any) -> float:
    return float(np.sqrt(np.mean(np.square(values))))
