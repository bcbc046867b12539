"""Other models on the same rows: a baseline that looks at no input, and boosting."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from time import perf_counter
from typing import Any, Self, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.blocks import threads_for
from rowtrust.workflow.folds import row_folds
from rowtrust.workflow.predictions import Prediction, fit_rows, predict_rows
from rowtrust.workflow.quality.figures import paired_differences, quality_figures, row_losses
from rowtrust.workflow.quality.records import Reference
from rowtrust.workflow.records import Part
from rowtrust.workflow.splitting import sample

MOST_WORK = 20_000_000
"""Cells times classes that boosting is fitted to at most, so that it takes some seconds: fewer rows of many
columns or classes, all of usual tables. Chosen for time."""

FEWEST_ROWS = 1000
"""Rows that boosting is fitted to however many columns and classes they have. A guard."""

MANY_ROWS = 10_000
"""Rows from which a tenth of them chooses the rounds of boosting; scikit-learn's own number."""

ROUND_FOLDS = 3
"""Folds by which boosting of few rows chooses its rounds. As many as for the candidates; not studied."""

FEW_CLASSES = 3
"""Classes up to which these folds are worth their time: each round grows a tree a class."""

FEW_ROUNDS = 30
"""Rounds of boosting where there are too many classes for the rows to choose them: each grows a tree a class.
On synthetic rows of 60 classes, held-out rows asked for 29."""

MOST_CATEGORIES = 254
"""Categories of a column that boosting tells apart; scikit-learn's bins have one number for gaps."""

Predict: TypeAlias = Callable[[Pipeline], Prediction]
"""From an unfitted model to what it says of the judged rows, which it must not have seen."""


class MeanBaseline(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Looks at no input: the mean of the targets, and their deviation."""

    def fit(self, X: Any, y: Array, sample_weight: Array | None = None) -> MeanBaseline:
        """Learn the mean."""
        self.mean_ = float(np.average(y, weights=sample_weight))
        self.deviation_ = float(np.sqrt(np.average((y - self.mean_) ** 2, weights=sample_weight)))
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return the mean for every row, and the deviation if it is wanted."""
        mean = np.full(len(X), self.mean_)
        return (mean, np.full(len(X), self.deviation_)) if return_std else mean


class Boosted(BaseEstimator):  # type: ignore[misc]
    """Boosting with as many rounds as cross-validation asks for.

    Parameters
    ----------
    model
        Boosting, unfitted.
    """

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: Array, y: NDArray[Any], sample_weight: Array | None = None) -> Self:
        """Choose the number of rounds and fit."""
        with threads_for(len(y)):
            return self._fitted(X, y, sample_weight)

    def _fitted(self, X: Array, y: NDArray[Any], sample_weight: Array | None) -> Self:
        model, kept = clone(self.model), np.arange(len(y))
        if is_classifier(model) and model.early_stopping is True:
            kept = rows_of_repeated_classes(y)
            n_left = len(np.unique(y[kept]))
            if n_left < 2 or len(kept) * model.validation_fraction < n_left:
                kept = np.arange(len(y))
                model.set_params(early_stopping=False, max_iter=FEW_ROUNDS)
        else:
            model.set_params(max_iter=best_rounds(model, X, y, sample_weight))
        self.model_ = model.fit(X[kept], y[kept], None if sample_weight is None else sample_weight[kept])
        return self


class BoostedClasses(ClassifierMixin, Boosted):  # type: ignore[misc]
    """Boosting of classes."""

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, sorted."""
        return np.asarray(self.model_.classes_)

    def predict_proba(self, X: Array) -> Array:
        """Return the probabilities of the classes."""
        return np.asarray(self.model_.predict_proba(X))

    def predict(self, X: Array) -> NDArray[Any]:
        """Return the most probable classes."""
        return np.asarray(self.model_.predict(X))


class BoostedNumbers(RegressorMixin, Boosted):  # type: ignore[misc]
    """Boosting of numbers; its deviations are not known."""

    def predict(self, X: Array, return_std: bool = False) -> Any:
        """Return the prediction of every row, and NaN for its deviation if that is wanted."""
        mean = np.asarray(self.model_.predict(X))
        return (mean, np.full(len(mean), np.nan)) if return_std else mean


def rows_of_repeated_classes(y: NDArray[Any]) -> Indices:
    """Return the rows of classes that have several: a single row cannot be both learnt and left out."""
    place, counts = np.unique(y, return_inverse=True, return_counts=True)[1:]
    return np.flatnonzero(counts[place] > 1)


def best_rounds(model: Any, X: Array, y: NDArray[Any], weights: Array | None = None) -> int:
    """Return how many rounds of boosting predict held-out rows best, by log loss or squared error."""
    most, classes = int(model.max_iter), is_classifier(model)
    if model.early_stopping is True or len(y) < ROUND_FOLDS or (classes and rarest(y) < ROUND_FOLDS):
        return most
    losses = np.zeros(most)
    counts = np.ones(len(y)) if weights is None else weights
    for train, test in row_folds(y, classes, ROUND_FOLDS, 0):
        fitted = clone(model).fit(X[train], y[train], counts[train])
        if classes:
            label = np.searchsorted(fitted.classes_, y[test])
            losses += [
                row_losses(each, label)[0] @ counts[test] for each in fitted.staged_predict_proba(X[test])
            ]
        else:
            losses += [(each - y[test]) ** 2 @ counts[test] for each in fitted.staged_predict(X[test])]
    return int(losses.argmin()) + 1


def references(
    judged: Part,
    prediction: Prediction,
    classes: NDArray[Any],
    estimator: Any,
    seed: int,
    fitted_rows: Part,
    predict: Predict,
    note: str = "",
) -> tuple[list[Reference], list[str]]:
    """Return a baseline and boosting by the figures of the model, and why one is missing.

    Parameters
    ----------
    judged, prediction
        The rows that judge the model, and what it says of them.
    classes
        Sorted; empty for numbers.
    estimator
        Of the model.
    seed
        Of every random choice.
    fitted_rows
        The rows that are fitted, to see what columns they have.
    predict
        Fits a model to them, or to all folds but one, and predicts the judged rows.
    note
        What is special about the rows.
    """
    is_classes = len(classes) > 0
    found, missing = [], []
    does = "guesses the commonest class, whatever the inputs" if is_classes else "always predicts the mean"
    for name, explanation, model in [
        ("baseline", does, baseline(is_classes)),
        (
            "boosting",
            "many small trees, their number chosen by held-out rows (HistGradientBoosting)",
            boosting(fitted_rows, is_classes, seed),
        ),
    ]:
        try:
            start = perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs = predict(model)
            seconds = perf_counter() - start
            figures = quality_figures(theirs, judged.y, classes, model[-1], seed, judged.groups)
            differences = paired_differences(theirs, prediction, judged.y, classes, seed, judged.groups)
        except Exception as error:  # whatever ails a reference must not end the study of the model
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            missing.append(f"The comparison with {name} is missing, as it could not be fitted: {reason}")
            continue
        special = note if name == "boosting" else ""
        found.append(Reference(name, explanation, figures, differences, special, seconds))
    return found, missing


def baseline(is_classes: bool) -> Pipeline:
    """Return the baseline, unfitted."""
    return Pipeline([("model", DummyClassifier(strategy="prior") if is_classes else MeanBaseline())])


def boosting(rows: Part, is_classes: bool, seed: int) -> Pipeline:
    """Return boosting with scikit-learn's settings, unfitted; it takes gaps and categories as they are.

    Its number of rounds is chosen, as by default it is far too sure of few rows: a weak reference would
    make the model look better than it is.
    """
    X = rows.X
    numbers = [name for name in X.columns if pd.api.types.is_numeric_dtype(X[name])]
    words = [name for name in X.columns if name not in numbers]
    encoder = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=MOST_CATEGORIES
    )
    parts = [
        ("numbers", FunctionTransformer(as_floats), numbers),
        ("words", Pipeline([("words", FunctionTransformer(as_words)), ("encode", encoder)]), words),
    ]
    parts = [part for part in parts if part[2]]
    settings: dict[str, Any] = {
        "categorical_features": list(range(len(numbers), X.shape[1])) or None,
        "random_state": seed,
        "early_stopping": ends_early(rows.y, is_classes),
    }
    if is_classes:
        model: Any = BoostedClasses(HistGradientBoostingClassifier(**settings))
    else:
        model = BoostedNumbers(HistGradientBoostingRegressor(**settings))
    return Pipeline([("prepare", ColumnTransformer(parts)), ("model", model)])


def ends_early(y: NDArray[Any], is_classes: bool) -> bool:
    """Whether boosting chooses its rounds by a tenth of the rows: of many rows, or of many classes."""
    return len(y) > MANY_ROWS or (is_classes and len(np.unique(y)) > FEW_CLASSES)


def rarest(label: NDArray[Any]) -> int:
    """Return how many rows the rarest class has."""
    return int(np.unique(label, return_counts=True)[1].min())


def as_floats(table: pd.DataFrame) -> Array:
    """Return columns of numbers or of truth values as numbers, with NaN for gaps."""
    return np.asarray(table.astype(float))


def as_words(table: pd.DataFrame) -> NDArray[Any]:
    """Return columns as words, gaps among them."""
    return np.asarray(table.astype(str).astype(object))


def fitted_and_judged(train: Part, X: pd.DataFrame, classes: NDArray[Any], seed: int) -> tuple[Predict, Part]:
    """Return how a reference is fitted and asked about other rows, and the rows it is fitted to."""
    most = MOST_WORK // max(1, X.shape[1] * max(1, len(classes)))
    rows = sample(train, max(most, FEWEST_ROWS), seed, len(classes) > 0)

    def predict(model: Pipeline) -> Prediction:
        return predict_rows(fit_rows(model, rows.X, rows.y, rows.weights), X, classes)

    return predict, rows


def note_of_rows(n_rows: int, n_fitted: int) -> str:
    """Say that boosting was fitted to fewer rows than the model; nothing if it was not."""
    return "" if n_rows >= n_fitted else f"fitted to {n_rows} of the model's {n_fitted} rows"
