"""Which rows are wrong? Every row judged by the fitted model without it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from rowtrust.auditing.shares import AS_BOLD, Mixture, mixture
from rowtrust.contracts import Array, Indices
from rowtrust.estimators import RobustRVC, RobustRVR
from rowtrust.predictive import LeftOut, class_probabilities, leave_each_out
from rowtrust.weights import Unit

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


def left_out_rows(estimator: Any, X: Array, targets: Array) -> LeftOut:
    """Return what the other rows say of each, and the trust that the fit had in it."""
    model, trust = estimator.predictive_model_, getattr(estimator, "sample_trust_", None)
    if trust is None:
        return leave_each_out(model, X, targets)
    # Without learnt weights the trust is a membership, with which the row took part.
    copies = trust if isinstance(model.weights, Unit) else 1.0
    return replace(leave_each_out(model, X, targets, copies), trust=trust)


def audit_classes(estimator: Any, X: Array, y: NDArray[Any]) -> Findings:
    """Audit a classifier."""
    model, classes = estimator.predictive_model_, estimator.classes_
    label = np.searchsorted(classes, y)
    positive = [1] if len(classes) == 2 else np.arange(len(classes))
    left_out = left_out_rows(estimator, X, (label[:, None] == positive).astype(float))
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
    left_out = left_out_rows(estimator, X, y[:, None])
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
