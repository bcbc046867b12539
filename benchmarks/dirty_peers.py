"""Classifiers beside the judge and the trusted learners, and cleanlab's recipe over each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.svm import SVC

Array = NDArray[Any]
Tuner = Callable[[Array, Array, int], Any]
"""From inputs, labels and a seed to an unfitted classifier, its settings chosen for these rows."""

TUNING_FOLDS, FOLDS = 3, 5
"""Folds that choose settings, and those of calibration and of cleanlab's recipe (its default)."""

PENALTIES = (0.1, 1.0, 10.0, 100.0)
"""The penalties ``C`` that a support vector machine may choose: a usual small grid."""

GAMMAS = (0.1, 1.0, 10.0)
"""The inverse widths it may choose, as multiples of scikit-learn's "scale"."""

STRENGTHS = np.logspace(-4, 4, 5)
"""The penalties of logistic regression: those of scikit-learn's ``LogisticRegressionCV(Cs=5)``."""

TREES = 200
"""Trees of a forest: more change little."""


class CalibratedSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A support vector machine with sigmoid probabilities, from as many folds as the rarest class allows.

    A class with a single row is left out: it can be in no fold and the rest at once.
    """

    def __init__(self, C: float = 1.0, gamma: float | str = "scale"):
        self.C = C
        self.gamma = gamma

    def fit(self, X: Array, y: Array) -> CalibratedSVC:
        """Fit the machine on all rows and the sigmoids on its out-of-fold values."""
        labels, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
        some = counts[codes] > 1
        folds = min(FOLDS, counts[counts > 1].min())
        machine = SVC(C=self.C, gamma=self.gamma)
        self.model_ = CalibratedClassifierCV(machine, ensemble=False, cv=folds).fit(X[some], y[some])
        self.classes_ = labels
        return self

    def predict_proba(self, X: Array) -> Array:
        """Return probabilities of all classes seen, zero for those left out."""
        return by_class(self.model_, X, self.classes_)

    def predict(self, X: Array) -> Array:
        """Return the most probable classes."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def tuned_svc(X: Array, y: Array, seed: int) -> Any:
    grid = {"C": PENALTIES, "gamma": [factor / (X.shape[1] * X.var()) for factor in GAMMAS]}
    folds = StratifiedKFold(TUNING_FOLDS, shuffle=True, random_state=seed)
    return CalibratedSVC(**GridSearchCV(SVC(), grid, cv=folds, refit=False).fit(X, y).best_params_)


def tuned_logistic(X: Array, y: Array, seed: int) -> Any:
    model = LogisticRegression(max_iter=1000)
    folds = StratifiedKFold(TUNING_FOLDS, shuffle=True, random_state=seed)
    search = GridSearchCV(model, {"C": STRENGTHS}, scoring="neg_log_loss", cv=folds, refit=False)
    return model.set_params(**search.fit(X, y).best_params_)


def forest(X: Array, y: Array, seed: int) -> Any:
    return RandomForestClassifier(TREES, random_state=seed)


def boosting(X: Array, y: Array, seed: int) -> Any:
    return HistGradientBoostingClassifier(random_state=seed)


PEERS: dict[str, Tuner] = {
    "SVC": tuned_svc,
    "forest": forest,
    "boosting": boosting,
    "logistic": tuned_logistic,
}


def by_class(model: Any, X: Array, labels: Array) -> Array:
    """Return a fitted model's probabilities, one column per label, zero where it has never seen one."""
    probability = np.zeros((len(X), len(labels)))
    probability[:, np.searchsorted(labels, model.classes_)] = model.predict_proba(X)
    return probability


def out_of_fold(model: Any, X: Array, y: Array, seed: int) -> Array:
    """Return each row's probabilities from a fit without its fold."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    result: Array = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    return result


def by_cleanlab(probability: Array, y: Array) -> tuple[Array, Array]:
    """Return how suspicious every row is, and which rows cleanlab's default filter names."""
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores

    probability = probability / probability.sum(axis=1, keepdims=True)
    score = 1.0 - get_label_quality_scores(y, probability, method="self_confidence")
    return score, np.asarray(find_label_issues(y, probability, n_jobs=1))
