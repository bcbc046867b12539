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

from papers.hwang.bound import printed_bound
from rowtrust.contracts import Array
from rowtrust.estimators import RVC, RobustRVC
from rowtrust.fitting.decide import width_score

FOLDS = 5
"""Of the cross-validation by which k-NN, SVM and RVM choose."""

AS_PUBLISHED: dict[str, Any] = {"kernel": "rbf", "scaling": None, "basis": None, "sparsity": 0.0}
"""The papers' relevance vector machines: a Gaussian kernel on every row, inputs as they are given, and no
column taken out of what the bound kept."""

MACHINES: dict[str, Any] = {
    "RVM": partial(RVC, **AS_PUBLISHED),
    "RRVM": partial(RobustRVC, label_noise="power", **AS_PUBLISHED),
}
"""The paper's machines by its names, as our estimators have them; the others are scikit-learn's."""

DEFAULTS: dict[str, Any] = {"RVC": RVC, "RobustRVC": RobustRVC}
"""Our estimators as they come: many kernels averaged, and labels that may be wrong as a channel."""

LITERAL = "RRVM, literal loop"
"""What the paper's own loop is called in the records."""

LITERAL_LOOP: dict[str, Any] = {"solver": "variational", "max_iter": 300, "tol": 1e-5}
"""The paper's loop and its threshold. It creeps: 300 steps are what can be waited for, and on 750 rows it has
not converged by then."""

SEEN = 0.01
"""Share of the largest coefficient below which one would not be seen: what can be counted where a loop keeps
every column."""


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
        The one that is scored.
    selection_seconds
        Time of everything that chose its settings; NaN where nothing was chosen, or where choosing is part of
        the fit.
    training_seconds
        Time of the fit of the model itself.
    width
        The squared kernel width per input that was chosen; NaN where there is none, or several.
    """

    model: Any
    selection_seconds: float
    training_seconds: float
    width: float = np.nan


Score = Callable[[Any, Array, NDArray[Any]], float]
"""How good a fitted model is, by itself and the rows it was fitted to; higher is better."""


def paid_bound(model: Any, X: Array, y: NDArray[Any]) -> float:
    """Return the bound less half the logarithm of the number of ways to choose the columns it kept.

    The bare bound takes too narrow a kernel on noisy data.
    """
    return width_score(model.lower_bound_, len(y), len(model.relevance_))


def own_bound(model: Any, X: Array, y: NDArray[Any]) -> float:
    """Return the bound that a model tells itself: with the literal loop that is (17)."""
    return float(model.lower_bound_)


def select_width(
    estimator: Any, X: Array, y: NDArray[Any], gammas: Iterable[float], score: Score = paid_bound
) -> Fitted:
    """Fit with every width and keep the one with the best score.

    Parameters
    ----------
    estimator
        A relevance vector machine with the parameter ``gamma``.
    X, y
        Training rows.
    gammas
        The inverse squared widths to try.
    score
        What is highest for the width to keep. The time it takes is time of choosing.

    Returns
    -------
    Fitted

    Examples
    --------
    >>> from rowtrust import RVC
    >>> from rowtrust.datasets import make_ripley
    >>> from papers.hwang.models import AS_PUBLISHED, select_width
    >>> X, y = make_ripley(100, random_state=0)
    >>> select_width(RVC(**AS_PUBLISHED, random_state=0), X, y, [0.01, 4.0, 400.0]).model.gamma_
    4.0
    """
    best: Any = None
    best_score, best_seconds, start = -np.inf, 0.0, perf_counter()
    for gamma in gammas:
        before = perf_counter()
        model = clone(estimator).set_params(gamma=gamma).fit(X, y)
        seconds = perf_counter() - before
        found = score(model, X, y)
        if best is None or found > best_score:
            best, best_score, best_seconds = model, found, seconds
    total = perf_counter() - start
    return Fitted(best, total - best_seconds, best_seconds, width_of(best.gamma_, X))


def width_of(gamma: float, X: Array) -> float:
    """Return the squared width per input, as grids have it."""
    return float(1.0 / (gamma * X.shape[1]))


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
    start = perf_counter()
    best = GridSearchCV(SVC(), choices, cv=FOLDS, refit=False).fit(X, y).best_params_
    between = perf_counter()
    model = CalibratedClassifierCV(SVC(**best), method="sigmoid", cv=FOLDS, ensemble=False).fit(X, y)
    return Fitted(model, between - start, perf_counter() - between, width_of(best["gamma"], X))


def searched(estimator: Any, choices: dict[str, Any], X: Array, y: NDArray[Any]) -> Fitted:
    """Choose by cross-validated error and fit once more."""
    search = GridSearchCV(estimator, choices, cv=FOLDS, refit=True)
    start = perf_counter()
    search.fit(X, y)
    total = perf_counter() - start
    width = width_of(search.best_params_["gamma"], X) if "gamma" in choices else np.nan
    return Fitted(search.best_estimator_, total - search.refit_time_, search.refit_time_, width)


def relevance_vectors(X: Array, y: NDArray[Any], grid: Grid, seed: int) -> Fitted:
    """Fit a relevance vector machine, one width by cross-validated error."""
    return searched(MACHINES["RVM"](random_state=seed), {"gamma": grid.gammas(X.shape[1])}, X, y)


def robust_relevance_vectors(X: Array, y: NDArray[Any], grid: Grid, seed: int) -> Fitted:
    """Fit a robust relevance vector machine, one width by the bound (17)."""
    return select_width(
        MACHINES["RRVM"](random_state=seed), X, y, grid.gammas(X.shape[1]), score=printed_bound
    )


def literal_loop(X: Array, y: NDArray[Any], grid: Grid, seed: int) -> Fitted:
    """Run the paper's own loop, one width by its bound (17)."""
    machine = MACHINES["RRVM"](random_state=seed, **LITERAL_LOOP)
    return select_width(machine, X, y, grid.gammas(X.shape[1]), score=own_bound)


def by_default(X: Array, y: NDArray[Any], grid: Grid, seed: int, *, name: str) -> Fitted:
    """Fit one of our estimators as it comes: to choose is part of its fit."""
    start = perf_counter()
    return Fitted(DEFAULTS[name](random_state=seed).fit(X, y), np.nan, perf_counter() - start)


Fit = Callable[[Array, NDArray[Any], Grid, int], Fitted]
"""Fits one classifier: training rows, grid and seed."""

MODELS: dict[str, Fit] = {
    "1-NN": nearest,
    "k-NN": neighbours,
    "SVM": support_vectors,
    "RVM": relevance_vectors,
    "RRVM": robust_relevance_vectors,
    "RVC": partial(by_default, name="RVC"),
    "RobustRVC": partial(by_default, name="RobustRVC"),
}
"""How each classifier is fitted: the paper's five by its rules, then ours by their defaults."""


def scores(fitted: Fitted, X: Array, y: NDArray[Any], n_training: int) -> dict[str, float]:
    """Return error and AUC in per cent, RMSE, shares kept in per cent of the training rows, and times."""
    probability = fitted.model.predict_proba(X)[:, 1]
    return {
        "ERR": 100.0 * float(np.mean((probability > 0.5) != y)),
        "AUC": 100.0 * float(roc_auc_score(y, probability)),
        "RMSE": float(np.sqrt(np.mean((probability - y) ** 2))),
        **{name: 100.0 * count / n_training for name, count in counts(fitted.model).items()},
        "selection": fitted.selection_seconds,
        "training": fitted.training_seconds,
        "width": fitted.width,
    }


def counts(model: Any) -> dict[str, float]:
    """Return how many coefficients are not zero, how many rows have one, and how many can be seen.

    A row that is kept at several widths has several coefficients. NaN for models without any.
    """
    if isinstance(model, CalibratedClassifierCV):
        model = model.calibrated_classifiers_[0].estimator
    if not hasattr(model, "dual_coef_"):
        return dict.fromkeys(("kept", "kept rows", "kept 1 %"), np.nan)
    size = np.abs(model.dual_coef_[0])
    rows = model.support_ if isinstance(model, SVC) else model.relevance_
    return {
        "kept": int(np.count_nonzero(size)),
        "kept rows": len(np.unique(rows[size > 0])),
        "kept 1 %": int(np.count_nonzero(size > SEEN * size.max(initial=0.0))),
    }
