"""The classifiers of Hwang & Jeong (2015), each with its own way to choose its settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from rowtrust.contracts import Array
from rowtrust.estimators import RVC, RobustRVC
from rowtrust.search.scores import width_score

FOLDS = 5
"""Of the cross-validation by which SVM and k-NN choose."""

AS_PUBLISHED: dict[str, Any] = {"kernel": "rbf", "scaling": None, "basis": None, "sparsity": 0.0}
"""The papers' relevance vector machines: a Gaussian kernel on every row, inputs as they are given, and no
column taken out of what the bound kept."""

MACHINES: dict[str, Any] = {
    "RVM": partial(RVC, **AS_PUBLISHED),
    "RRVM": partial(RobustRVC, label_noise="power", **AS_PUBLISHED),
}
"""Our own estimators, by the paper's names; the other classifiers are scikit-learn's."""


@dataclass(frozen=True)
class Grid:
    """What the methods choose from.

    Parameters
    ----------
    widths
        Squared kernel widths per input, for inputs of variance one: ``gamma`` is one over width times
        the number of inputs.
    penalties
        The SVM's C.
    neighbours
        Numbers of neighbours.
    """

    widths: tuple[float, ...]
    penalties: tuple[float, ...]
    neighbours: tuple[int, ...]

    def gammas(self, n_features: int) -> list[float]:
        """Return the inverse squared widths for so many inputs."""
        return [1.0 / (width * n_features) for width in self.widths]


GRIDS = {
    "full": Grid(
        tuple(0.05 * 2.0**step for step in range(8)),
        (0.1, 1.0, 10.0, 100.0, 1000.0),
        (1, 3, 5, 7, 9, 13, 17, 21, 29, 41),
    ),
    "quick": Grid((0.1, 0.4, 1.6, 6.4), (1.0, 30.0), (1, 5, 15, 31)),
}
"""Widths from a twentieth of an input's variance to six times it; quick is coarser."""


@dataclass(frozen=True)
class Fitted:
    """A fitted classifier and what it cost.

    Parameters
    ----------
    model
    selection_seconds
        Time to choose settings.
    training_seconds
        Time of the last fit.
    kept
        Share of the training rows with a coefficient other than zero; NaN where there are none.
    """

    model: Any
    selection_seconds: float
    training_seconds: float
    kept: float = np.nan


def select_width(estimator: Any, X: Array, y: NDArray[Any], gammas: Iterable[float]) -> Fitted:
    """Fit with every width and keep the one with the best bound.

    The bound pays for naming the columns it kept, half the logarithm of the number of ways to choose
    them: the bare bound takes too narrow a kernel on noisy data.

    Parameters
    ----------
    estimator
        A relevance vector machine with the parameter ``gamma``.
    X, y
        Training rows.
    gammas
        The inverse squared widths to try.

    Returns
    -------
    Fitted

    Examples
    --------
    >>> from rowtrust import RVC
    >>> from rowtrust.datasets import make_ripley
    >>> from papers.models import AS_PUBLISHED, select_width
    >>> X, y = make_ripley(100, random_state=0)
    >>> select_width(RVC(**AS_PUBLISHED, random_state=0), X, y, [0.01, 4.0, 400.0]).model.gamma_
    4.0
    """
    best: Any = None
    best_score, best_seconds, start = -np.inf, 0.0, perf_counter()
    for gamma in gammas:
        before = perf_counter()
        model = clone(estimator).set_params(gamma=gamma).fit(X, y)
        score = width_score(model.lower_bound_, len(y), len(model.relevance_))
        if best is None or score > best_score:
            best, best_score, best_seconds = model, score, perf_counter() - before
    total = perf_counter() - start
    return Fitted(best, total - best_seconds, best_seconds, len(best.relevance_) / len(y))


def averaged_widths(estimator: Any, X: Array, y: NDArray[Any]) -> Fitted:
    """Fit with widths averaged by their evidence; the training time is that of one fit at the best."""
    start = perf_counter()
    model = clone(estimator).set_params(gamma="evidence").fit(X, y)
    between = perf_counter()
    clone(estimator).set_params(gamma=model.gamma_).fit(X, y)
    kept = len(np.unique(model.relevance_)) / len(y)
    return Fitted(model, between - start, perf_counter() - between, kept)


def nearest(X: Array, y: NDArray[Any], grid: Grid, seed: int) -> Fitted:
    """Fit the nearest-neighbour rule."""
    start = perf_counter()
    return Fitted(KNeighborsClassifier(1).fit(X, y), np.nan, perf_counter() - start)


def neighbours(X: Array, y: NDArray[Any], grid: Grid, seed: int) -> Fitted:
    """Fit k nearest neighbours, k by cross-validation."""
    choices = {"n_neighbors": [k for k in grid.neighbours if k < len(y) * (1 - 1 / FOLDS)]}
    return searched(KNeighborsClassifier(), choices, X, y)


def support_vectors(X: Array, y: NDArray[Any], grid: Grid, seed: int) -> Fitted:
    """Fit an SVM, width and penalty by cross-validation, with Platt's probabilities."""
    choices = {"gamma": grid.gammas(X.shape[1]), "C": list(grid.penalties)}
    found = searched(SVC(), choices, X, y)
    model = CalibratedClassifierCV(clone(found.model), method="sigmoid", cv=FOLDS, ensemble=False).fit(X, y)
    return Fitted(model, found.selection_seconds, found.training_seconds, len(found.model.support_) / len(y))


def searched(estimator: Any, choices: dict[str, Any], X: Array, y: NDArray[Any]) -> Fitted:
    """Choose by cross-validated error and fit once more."""
    search = GridSearchCV(estimator, choices, cv=FOLDS, refit=True)
    start = perf_counter()
    search.fit(X, y)
    total = perf_counter() - start
    return Fitted(search.best_estimator_, total - search.refit_time_, search.refit_time_)


def relevance_vectors(X: Array, y: NDArray[Any], grid: Grid, seed: int) -> Fitted:
    """Fit a relevance vector machine, its width by the bound."""
    return averaged_widths(MACHINES["RVM"](random_state=seed), X, y)


def robust_relevance_vectors(X: Array, y: NDArray[Any], grid: Grid, seed: int) -> Fitted:
    """Fit a robust relevance vector machine, its width by the bound."""
    return averaged_widths(MACHINES["RRVM"](random_state=seed), X, y)


MODELS: dict[str, Callable[[Array, NDArray[Any], Grid, int], Fitted]] = {
    "1-NN": nearest,
    "k-NN": neighbours,
    "SVM": support_vectors,
    "RVM": relevance_vectors,
    "RRVM": robust_relevance_vectors,
}
"""How each classifier of the tables is fitted, by its name there."""


def scores(fitted: Fitted, X: Array, y: NDArray[Any]) -> dict[str, float]:
    """Return error and AUC in per cent, RMSE, share kept in per cent, and times."""
    probability = fitted.model.predict_proba(X)[:, 1]
    return {
        "ERR": 100.0 * float(np.mean((probability > 0.5) != y)),
        "AUC": 100.0 * float(roc_auc_score(y, probability)),
        "RMSE": float(np.sqrt(np.mean((probability - y) ** 2))),
        "kept": 100.0 * fitted.kept,
        "selection": fitted.selection_seconds,
        "training": fitted.training_seconds,
    }
