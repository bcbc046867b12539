"""Classification: one-vs-rest on shared centres, probabilities averaged over the posterior."""

import numpy as np
from scipy.special import expit, logit
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from rowtrust.estimators._machine import RelevanceVectorMachine
from rowtrust.estimators._rows import weighted_rows
from rowtrust.inference import Problem
from rowtrust.likelihoods import Logistic
from rowtrust.likelihoods.logistic import moderated
from rowtrust.priors import ARD
from rowtrust.search.widths import HASTE

SMALLEST_RATE = 1e-12
"""Rates of classes whose rows weigh next to nothing, so that their log-odds stay finite."""


class RelevanceVectorClassifier(ClassifierMixin, RelevanceVectorMachine):
    """Base of the classifiers: logistic noise."""

    _disagreement = False
    _gradual = False
    _haste = HASTE
    _parameter_constraints = {
        **RelevanceVectorMachine._parameter_constraints,
        "class_weight": [None, dict, StrOptions({"balanced"})],
    }

    def __init__(
        self,
        *,
        kernel="rbf",
        gamma="evidence",
        relevance=None,
        degree=3,
        coef0=1.0,
        basis=None,
        landmarks="stratified",
        class_weight=None,
        solver="working_set",
        max_iter=1000,
        tol=1e-3,
        random_state=None,
    ):
        super().__init__(
            kernel=kernel,
            gamma=gamma,
            relevance=relevance,
            degree=degree,
            coef0=coef0,
            basis=basis,
            landmarks=landmarks,
            solver=solver,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
        )
        self.class_weight = class_weight

    def _validate_rows(self, X, y, sample_weight):
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
        return rows.replace(y=numbers, weight=rows.weight * factor[numbers])

    def _compose_problems(self, rows, design, weights):
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return [
            Problem(design, (rows.y == label).astype(float), rows.weight, Logistic(), weights, ARD())
            for label in positive
        ]

    def _prior_mean(self, rows, weight, latent):
        """Return the latent means whose averaged probabilities are the class rates."""
        rate = np.bincount(rows.y, weights=weight, minlength=len(self.classes_)) / weight.sum()
        rate = np.clip(rate[1:] if len(rate) == 2 else rate, SMALLEST_RATE, 1.0 - SMALLEST_RATE)
        return logit(rate) * np.sqrt(1.0 + np.pi * self.prior_variance_ / 8.0)

    def decision_function(self, X):
        """Return the log-odds of each class against the rest, averaged over the posterior.

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, (n_samples, n_classes) otherwise
        """
        log_odds = moderated(*self._latent_moments(X))
        return log_odds[:, 0] if len(self.classes_) == 2 else log_odds

    def predict_proba(self, X):
        """Return class probabilities; rows sum to one, columns follow ``classes_``.

        The logistic function is averaged over the posterior of the latent function, so that a row on
        which the model is unsure gets a probability nearer to one half.
        """
        return self._probability(moderated(*self._latent_moments(X)))

    def _probability(self, log_odds):
        """Return class probabilities from the log-odds of each output."""
        if log_odds.shape[1] == 1:
            return np.column_stack([expit(-log_odds[:, 0]), expit(log_odds[:, 0])])
        one_vs_rest = expit(log_odds)
        total = one_vs_rest.sum(axis=1, keepdims=True)
        # Far from every class all outputs can underflow to zero: nobody knows, so nobody wins.
        uniform = np.full_like(one_vs_rest, 1.0 / len(self.classes_))
        return np.divide(one_vs_rest, total, out=uniform, where=total > 0)

    def predict_log_proba(self, X):
        """Return the logarithm of ``predict_proba``."""
        return np.log(self.predict_proba(X))

    def predict(self, X):
        """Return the most probable class of each row."""
        probability = self.predict_proba(X)
        return self.classes_[np.argmax(probability, axis=1)]
