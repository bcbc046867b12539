"""Classification: one against the rest on shared centres, probabilities averaged over the posterior."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from rowtrust.contracts import Array
from rowtrust.estimators._machine import SparseBayesMachine
from rowtrust.estimators._validation import weighted_rows
from rowtrust.inference import Coding, OneAgainstRest
from rowtrust.likelihoods import Likelihood, Logistic
from rowtrust.search import FitPlan, TrainingRows
from rowtrust.weights import Unit, Weights

SMALLEST_RATE = 1e-12
"""Rates of classes whose rows weigh next to nothing, so that their log-odds stay finite. A guard: log-odds of
28."""


class BaseClassifier(ClassifierMixin, SparseBayesMachine):  # type: ignore[misc]
    """Base of the classifiers."""

    _disagreement = False
    _gradual = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SparseBayesMachine._parameter_constraints,
        "class_weight": [None, dict, StrOptions({"balanced"})],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: Any = "evidence",
        length_scales: Any = None,
        degree: float = 3,
        coef0: float = 1.0,
        basis: Any = None,
        landmarks: str = "stratified",
        class_weight: Any = None,
        solver: str = "working_set",
        max_iter: int = 1000,
        tol: float = 2e-3,
        n_jobs: Any = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            kernel=kernel,
            gamma=gamma,
            length_scales=length_scales,
            degree=degree,
            coef0=coef0,
            basis=basis,
            landmarks=landmarks,
            solver=solver,
            max_iter=max_iter,
            tol=tol,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.class_weight = class_weight

    def _validate_rows(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        if self._likelihood().is_location_scale:
            raise ValueError(
                f"{type(self._likelihood()).__name__} is a likelihood of numbers; a classifier needs one of "
                "the labels 0 and 1, such as Logistic()."
            )
        X, y = self._validate_training(X, y)
        check_classification_targets(y)
        rows = weighted_rows(X, y, sample_weight)
        self.classes_, numbers = np.unique(rows.y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs rows of at least two classes; all rows of positive "
                f"weight are of class {self.classes_[0]!r}."
            )
        factor = compute_class_weight(
            self.class_weight, classes=self.classes_, y=rows.y, sample_weight=rows.weight
        )
        if not (np.isfinite(factor).all() and (factor > 0).all()):
            raise ValueError(
                f"class_weight must be finite and above zero for every class; got {self.class_weight!r}. "
                "Leave rows that are not to count out, or give them sample_weight=0."
            )
        return replace(rows, y=numbers, weight=rows.weight * factor[numbers])

    def _likelihood(self) -> Likelihood:
        return Logistic()

    def _weights(self) -> Weights:
        return Unit()

    def _codings(self) -> tuple[Coding, ...]:
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return tuple(OneAgainstRest(label) for label in positive)

    def _prior_mean(self, plan: FitPlan, weight: Array, latent: Array, variance: Array) -> Array:
        """Return the latent means whose averaged probabilities are the class rates."""
        rate = np.bincount(plan.rows.y, weights=weight, minlength=len(self.classes_)) / weight.sum()
        rate = np.clip(rate[1:] if len(rate) == 2 else rate, SMALLEST_RATE, 1.0 - SMALLEST_RATE)
        return plan.likelihood.latent_of_log_odds(logit(rate), variance)

    def decision_function(self, X: Any) -> Array:
        """Return the log-odds of each class against the rest, averaged over the posterior.

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, (n_samples, n_classes) otherwise
        """
        model, X = self._validated_model(X)
        log_odds = model.log_odds(X)
        return log_odds[:, 0] if len(self.classes_) == 2 else log_odds

    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities; rows sum to one, columns follow ``classes_``.

        The likelihood is averaged over the posterior of the latent function, so that a row on
        which the model is unsure gets a probability nearer to one half.
        """
        model, X = self._validated_model(X)
        return model.probabilities(X)

    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithm of ``predict_proba``."""
        return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row."""
        probability = self.predict_proba(X)
        labels: NDArray[Any] = self.classes_[np.argmax(probability, axis=1)]
        return labels
