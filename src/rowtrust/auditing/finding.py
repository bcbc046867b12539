"""Which rows are wrong? Every row judged by the fitted model without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from rowtrust.auditing.shares import AS_BOLD, Mixture, mixture
from rowtrust.contracts import Array, Indices
from rowtrust.estimators import RobustRVC, RobustRVR
from rowtrust.likelihoods import SoftInsensitive
from rowtrust.predictive import LeftOut, PredictiveModel, class_probabilities
from rowtrust.predictive.left_out import LEAST_REST

MANY_ROWS, LANDMARKS = 5000, 500
"""Rows beyond which the model that audits stands on landmarks, and how many: the time grows with their
number. Taken over without a study of what more would find."""


@dataclass(frozen=True)
class Findings:
    """What the rest of the data say of each row.

    Attributes
    ----------
    order
        Rows, the most suspicious first.
    mixture
        The estimated share of wrong rows, and each row's probability to be wrong.
    likely
        The label or the target that the other rows suggest.
    agreement
        Probability of the label as given under the other rows; for numbers the standardised residual.
    trust
        Expected weight of the row in the fit.
    prediction
        Class probabilities, or mean and deviation, of each row under the others.
    """

    order: Indices
    mixture: Mixture
    likely: NDArray[Any]
    agreement: Array
    trust: Array
    prediction: Any

    @property
    def suspects(self) -> Indices:
        """The rows before the proposed cut: the head of the ranking, as many as the estimated share says."""
        return self.order[: round(self.mixture.share * len(self.order))]


def find_wrong_rows(X: Array, y: NDArray[Any], *, task: str = "classification", seed: int = 0) -> Findings:
    """Rank the rows of a table by how much the other rows contradict their target.

    A robust model is fitted, and its audit returned.

    Parameters
    ----------
    X : (n, d)
        Inputs, scaled so that a unit means about the same in every column.
    y : (n,)
        Labels, or numbers if ``task="regression"``.
    task
        "classification" or "regression".
    seed
        Of the landmarks.

    Examples
    --------
    >>> from rowtrust.auditing import find_wrong_rows
    >>> from rowtrust.datasets import flip_labels, make_ripley
    >>> X, y = make_ripley(400, random_state=0)
    >>> given, flipped = flip_labels(y, 0.1, random_state=0)
    >>> findings = find_wrong_rows(X, given)
    >>> bool(flipped[findings.order[:20]].mean() > 0.8)
    True
    """
    build = RobustRVR if task == "regression" else RobustRVC
    basis = LANDMARKS if len(y) > MANY_ROWS else None
    return audit_fit(build(basis=basis, random_state=seed).fit(X, y), X, y)


def audit_fit(estimator: Any, X: Array, y: NDArray[Any]) -> Findings:
    """Return what a fitted estimator of this library says of the rows it was fitted to."""
    return audit_classes(estimator, X, y) if is_classifier(estimator) else audit_numbers(estimator, X, y)


def audit_classes(estimator: Any, X: Array, y: NDArray[Any]) -> Findings:
    """Audit a classifier."""
    model, classes = estimator.predictive_model_, estimator.classes_
    label = np.searchsorted(classes, y)
    positive = [1] if len(classes) == 2 else np.arange(len(classes))
    left_out = estimator._judged(X, label, (label[:, None] == positive).astype(float))
    probability = class_probabilities(model.likelihood.log_odds(left_out.mean, left_out.variance))
    found = mixture(probability, label, AS_BOLD)
    return Findings(
        order=np.argsort(-found.surprise, kind="stable"),
        mixture=found,
        likely=classes[probability.argmax(axis=1)],
        agreement=probability[np.arange(len(label)), label],
        trust=left_out.trust,
        prediction=probability,
    )


def audit_numbers(estimator: Any, X: Array, y: Array) -> Findings:
    """Audit a regressor."""
    model = estimator.predictive_model_
    if model is None:
        raise ValueError(
            f"this {type(estimator).__name__} is no single model: audit one output, fitted with "
            'combine="best".'
        )
    left_out = (
        estimator._judged(X, y, y[:, None]) if hasattr(estimator, "_judged") else left_out_of_svr(model, X, y)
    )
    predicted = model.likelihood.predict(left_out.mean[:, 0], left_out.variance[:, 0])
    deviation = np.sqrt(predicted.variance)
    found = mixture((predicted.mean, deviation), y, AS_BOLD)
    return Findings(
        order=np.argsort(-found.surprise, kind="stable"),
        mixture=found,
        likely=predicted.mean,
        agreement=(y - predicted.mean) / deviation,
        trust=left_out.trust,
        prediction=(predicted.mean, deviation),
    )


def left_out_of_svr(model: PredictiveModel, X: Array, y: Array) -> LeftOut:
    """Return what the other rows say of each under Bayesian support vector regression.

    Its posterior is Laplace's: a row has the curvature of its loss at the most probable function, none
    outside the quadratic zones, and pulls with the slope of its loss. Every row counts once.
    """
    likelihood = model.likelihood
    if not isinstance(likelihood, SoftInsensitive):
        raise TypeError(f"expected the likelihood of BayesianSVR, got {type(likelihood).__name__}.")
    mean, variance = model.fitted_moments(X, model.covariance)
    residual = y[:, None] - mean
    pull = likelihood.C * likelihood.derivative(residual)
    rest = np.maximum(1.0 - likelihood.C * likelihood.curvature(residual) * variance, LEAST_REST)
    return LeftOut(mean - variance * pull / rest, variance / rest, np.ones(len(y)))
