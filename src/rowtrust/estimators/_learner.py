"""Any estimator as trust needs it: fitted to weighted rows, and asked about rows it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.special import expit, softmax
from sklearn._config import config_context
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.blocks import threads_for
from rowtrust.trust import RowsToFit

STOPS_EARLY = 10_000
"""Rows from which scikit-learn's boosting holds some out where it may choose: its own number."""


@dataclass(frozen=True)
class Learner:
    """An unfitted estimator, and the classes in order; None: it predicts numbers.

    Targets are numbers of classes here, and become the user's labels where the estimator is fitted.
    """

    estimator: Any
    classes: NDArray[Any] | None

    @property
    def takes_weight(self) -> bool:
        """Whether rows may count for more and less."""
        return weight_name(self.estimator) is not None

    def fit(self, X: Any, rows: RowsToFit) -> Any:
        """Return the estimator fitted to rows; without weights where all count once."""
        rows = rows.only(rows.weight > 0.0)
        whole = len(rows.place) == n_rows(X) and bool((np.diff(rows.place) == 1).all())
        X = X if whole else _safe_indexing(X, rows.place)
        y = rows.target if self.classes is None else self.classes[rows.target]
        name = weight_name(self.estimator)
        weights = {} if name is None or (rows.weight == 1.0).all() else {name: rows.weight}
        # nobody has to request our weights
        with config_context(enable_metadata_routing=False), threads_for(len(rows.place)):
            return clone(self.estimator).fit(X, y, **weights)

    def refuse_empty_classes(self, target: Any, weight: Array) -> None:
        """Refuse classes all rows of which have weight zero."""
        if self.classes is None:
            return
        counts = np.bincount(target, weight, len(self.classes))
        if (counts == 0.0).any():
            raise ValueError(
                f"all rows of class {self.classes[counts == 0.0].tolist()[0]!r} have sample weight zero. "
                "Leave these rows out."
            )

    def predict(self, fitted: Any, X: Any) -> Array:
        """Return numbers, or probabilities of all classes."""
        if self.classes is None:
            return np.asarray(fitted.predict(X), dtype=float).reshape(-1)
        if hasattr(fitted, "predict_proba"):
            probability = np.asarray(fitted.predict_proba(X), dtype=float)
        elif hasattr(fitted, "decision_function"):
            value = np.asarray(fitted.decision_function(X), dtype=float)
            probability = softmax(value, axis=1) if value.ndim == 2 else np.c_[expit(-value), expit(value)]
        else:
            name = type(fitted).__name__
            raise TypeError(
                f"{name} has neither predict_proba nor decision_function, so it cannot judge labels. "
                f"Wrap it: CalibratedClassifierCV({name}(...))."
            )
        return self.by_class(fitted, probability)

    def by_class(self, fitted: Any, values: Array) -> Array:
        """Return one column per class, zero for those that a fit has not seen."""
        assert self.classes is not None
        found = np.zeros((len(values), len(self.classes)))
        found[:, np.searchsorted(self.classes, fitted.classes_)] = values
        return found

    def left_out(self, X: Any, rows: RowsToFit, folds: list[tuple[Indices, Indices]]) -> Array:
        """Return what fits to the rows outside of each fold say of those inside."""
        size = () if self.classes is None else (len(self.classes),)
        found = np.empty((n_rows(X), *size))
        for outside, within in folds:
            part = rows.among(outside)
            seen = np.unique(part.target[part.weight > 0.0])
            if self.classes is not None and len(seen) == 1:  # a fit to one class is no fit
                found[within] = np.arange(len(self.classes)) == seen[0]
                continue
            found[within] = self.predict(self.fit(X, part), _safe_indexing(X, within))
        return found

    def may_see_copies(self, count: int) -> bool:
        """Whether a row may stand in the fit twice: not where the estimator holds out some rows itself."""
        for name, value in self.estimator.get_params(deep=True).items():
            last = name.rsplit("__", 1)[-1]
            is_on = value is True or (value == "auto" and 2 * count > STOPS_EARLY)
            if (last == "early_stopping" and is_on) or (last == "cv" and value != "prefit"):
                return False
        holds = self.estimator.get_params(deep=False)
        return "early_stopping" in holds or holds.get("n_iter_no_change") is None


def weight_name(estimator: Any) -> str | None:
    """Return by what name an estimator's ``fit`` takes weights, None if it does not."""
    if isinstance(estimator, Pipeline):
        inner = weight_name(estimator[-1])
        return inner and f"{estimator.steps[-1][0]}__{inner}"
    if hasattr(estimator, "param_grid") or hasattr(estimator, "param_distributions"):
        return weight_name(estimator.estimator)
    return "sample_weight" if has_fit_parameter(estimator, "sample_weight") else None


def n_rows(X: Any) -> int:
    """Return how many rows there are."""
    return int(X.shape[0])


def indexable_rows(X: Any) -> Any:
    """Return rows of which some can be taken: frames and arrays as they are."""
    if issparse(X):
        return X.tocsr()
    return X if hasattr(X, "shape") else np.asarray(X)
