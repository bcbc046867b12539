"""Which rows are wrong? Every row judged by what the others say of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from rowtrust.auditing.out_of_fold import left_out_numbers, left_out_probabilities
from rowtrust.contracts import Array, Indices
from rowtrust.estimators._audit import audit_table
from rowtrust.estimators._bayesian_svr import BayesianSVR
from rowtrust.estimators._classifier import BaseClassifier
from rowtrust.estimators._machine import SparseBayesMachine
from rowtrust.estimators._targets import single_target_only
from rowtrust.estimators._validation import checked_targets, label_numbers
from rowtrust.label_noise import Verdict, appoint_judge
from rowtrust.likelihoods import SoftInsensitive
from rowtrust.numerics.accusations import FALSE_SHARE, HARD_TO_JUDGE, accused
from rowtrust.numerics.mixtures import AS_BOLD, SHARPNESS, number_mixture
from rowtrust.numerics.probabilities import log_odds_of
from rowtrust.numerics.shown import shown
from rowtrust.predictive import LeftOut, PredictiveModel
from rowtrust.predictive.left_out import LEAST_REST


@dataclass(frozen=True)
class Findings:
    """What the rest of the data say of each row.

    Parameters
    ----------
    order : ndarray of int of shape (n,)
        Rows, the most suspicious first.
    wrong : ndarray of shape (n,)
        Probability of each row to be wrong.
    given, likely : ndarrays of shape (n,)
        The label or the target as given, and the one that the other rows suggest.
    agreement : ndarray of shape (n,)
        Probability of the label as given by the other rows; for numbers the standardised residual.
    trust : ndarray of shape (n,)
        How far the model believes each row.
    prediction : ndarray, or tuple of two ndarrays
        Class probabilities, or mean and deviation, of each row by the others.
    false_share : float, default=0.2
        Share of the suspects that may be expected to be right.

    See Also
    --------
    find_wrong_rows : Finds them.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from rowtrust import RobustRVC, find_wrong_rows
    >>> from rowtrust.datasets import flip_labels
    >>> X, y = make_moons(200, noise=0.15, random_state=0)
    >>> given, flipped = flip_labels(y, 0.1, random_state=1)
    >>> findings = find_wrong_rows(RobustRVC(gamma=1.0), X, given)
    >>> "likely wrong" in findings.summary
    True
    >>> bool(flipped[findings.suspects].mean() > 0.5)
    True
    """

    order: Indices
    wrong: Array
    given: NDArray[Any]
    likely: NDArray[Any]
    agreement: Array
    trust: Array
    prediction: Any
    false_share: float = FALSE_SHARE

    @cached_property
    def suspects(self) -> Indices:
        """The rows to be called wrong, the most suspicious first: few of them are expected to be right."""
        return self.order[accused(self.wrong, self.false_share)[self.order]]

    @cached_property
    def hard(self) -> Indices:
        """Rows that are no suspects but hard to judge: wrong with a probability worth a look."""
        rest = self.order[~np.isin(self.order, self.suspects)]
        return rest[self.wrong[rest] >= HARD_TO_JUDGE]

    @property
    def share(self) -> float:
        """The expected share of wrong rows."""
        return float(self.wrong.mean())

    @property
    def missed(self) -> float:
        """How many wrong rows are expected among those that are no suspects."""
        return float(self.wrong.sum() - self.wrong[self.suspects].sum())

    @property
    def summary(self) -> str:
        """The findings in a few sentences: what is likely wrong, what is hard to judge, how many in all."""
        return " ".join([self.likely_wrong, *filter(None, [self.hard_to_judge, self.expected])])

    @property
    def likely_wrong(self) -> str:
        """How many rows are likely wrong, in a sentence."""
        count, n_rows = len(self.suspects), len(self.wrong)
        if not count:
            rather = int(np.count_nonzero(self.wrong > 0.5))
            sure = f"{1.0 - self.false_share:.0%} of the rows that are called so are to be wrong"
            doubt = f" {rather} {'is' if rather == 1 else 'are'} rather wrong than right, but {sure}."
            return f"None of {n_rows} rows is likely wrong.{doubt if rather else ''}"
        right = round(float(np.sum(1.0 - self.wrong[self.suspects])))
        mistaken = f"; about {right} of them may be right" if right else ""
        return f"{count} of {n_rows} rows {'is' if count == 1 else 'are'} likely wrong{mistaken}."

    @property
    def hard_to_judge(self) -> str:
        """How many other rows are hard to judge, in a sentence; nothing where there are none."""
        count = len(self.hard)
        more = " more" if len(self.suspects) else ""
        verb = " is" if count == 1 else "s are"
        return f"{count}{more} row{verb} hard to judge." if count else ""

    @property
    def expected(self) -> str:
        """How many wrong rows are expected in all, in a sentence; nothing where less than one is."""
        count = round(float(self.wrong.sum()))
        verb = "is" if count == 1 else "are"
        return f"In all about {count} ({self.share:.1%}) {verb} expected to be wrong." if count else ""

    def to_frame(self, X: Any = None) -> Any:
        """Return a table, the most suspicious row first, with the index of X.

        Parameters
        ----------
        X : array-like or DataFrame, default=None
            The rows; those of a frame keep the names of its index. None numbers them.

        Returns
        -------
        DataFrame, or structured array where pandas is not installed
            With the columns of ``audit``.
        """
        is_classes = isinstance(self.prediction, np.ndarray)
        given, agreement = ("label", "probability") if is_classes else ("target", "residual")
        columns = {
            given: self.given,
            "suggested": self.likely,
            agreement: self.agreement,
            "wrong": self.wrong,
            "suspect": accused(self.wrong, self.false_share),
            "trust": self.trust,
        }
        return audit_table(X, ranking=self.order, **columns)


def find_wrong_rows(estimator: Any, X: Any, y: Any, *, false_share: float = FALSE_SHARE) -> Findings:
    """Say which rows of a table are wrong, by what a model of the other rows says of each.

    Parameters
    ----------
    estimator : classifier or regressor
        An estimator of this library, fitted to these rows or not: its own audit answers. Any other one is
        fitted again to the rows outside each of five folds: classifiers must have ``predict_proba``.
    X : array-like of shape (n_samples, n_features)
        Inputs, prepared as the estimator wants them.
    y : array-like of shape (n_samples,)
        Labels or targets as given.
    false_share : float, default=0.2
        Share of the suspects that may be expected to be right.

    Returns
    -------
    Findings
        ``suspects``, ``wrong`` (a probability a row), ``summary``, ``to_frame()`` and more.

    Examples
    --------
    >>> from rowtrust import RobustRVC, find_wrong_rows
    >>> from rowtrust.datasets import flip_labels, make_ripley
    >>> X, y = make_ripley(400, random_state=0)
    >>> given, flipped = flip_labels(y, 0.1, random_state=0)
    >>> findings = find_wrong_rows(RobustRVC(), X, given)
    >>> bool(flipped[findings.order[:20]].mean() > 0.8)
    True
    """
    if not 0.0 < false_share < 1.0:
        raise ValueError(f"false_share must lie between 0 and 1, got {shown(false_share)}.")
    if not hasattr(estimator, "fit"):
        raise TypeError(
            f"{type(estimator).__name__} is no estimator. The model comes first: "
            "find_wrong_rows(RobustRVC(), X, y)."
        )
    if isinstance(estimator, SparseBayesMachine | BayesianSVR):
        found = audit_fit(fitted_to(estimator, X, y), X, y)
    elif is_classifier(estimator):
        found = audit_classifier(estimator, X, column_or_1d(y))
    elif is_regressor(estimator):
        found = audit_regressor(estimator, X, column_or_1d(y))
    else:
        raise TypeError(
            f"{type(estimator).__name__} is neither a classifier nor a regressor. The model comes first: "
            "find_wrong_rows(RobustRVC(), X, y)."
        )
    return replace(found, false_share=false_share)


def fitted_to(estimator: Any, X: Any, y: Any) -> Any:
    """Return the estimator if it is fitted, otherwise a clone fitted to these rows."""
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return clone(estimator).fit(X, y)
    return estimator


def audit_fit(estimator: Any, X: Any, y: Any) -> Findings:
    """Return what a fitted estimator of this library says of rows, those of its fit without themselves.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of this library.
    X : array-like of shape (n_samples, n_features)
        Rows of the fit, or others.
    y : array-like of shape (n_samples,)
        Their labels or targets as given.

    Returns
    -------
    Findings
        What is said of each row.

    Examples
    --------
    >>> from rowtrust import RobustRVR
    >>> from rowtrust.auditing import audit_fit
    >>> from rowtrust.datasets import make_sinc
    >>> X, y = make_sinc(100, random_state=0)
    >>> y[7] += 3.0
    >>> findings = audit_fit(RobustRVR(gamma=3.0).fit(X, y), X, y)
    >>> int(findings.order[0])
    7
    """
    if isinstance(estimator, BaseClassifier):
        _, rows = estimator._validated_model(X)
        label, given = label_numbers(y, estimator.classes_, rows.shape[0])
        return of_classes(*estimator._verdict(rows, label), given, label, estimator.classes_)
    if isinstance(estimator, SparseBayesMachine):
        single_target_only(estimator, "an audit")
        _, rows = estimator._validated_model(X)
    else:
        rows = validate_data(estimator, X, dtype=np.float64, reset=False)
    return audit_numbers(estimator, rows, checked_targets(y, rows.shape[0]))


def audit_classifier(estimator: Any, X: Any, y: NDArray[Any]) -> Findings:
    """Audit by any classifier, through its predictions of rows that it was not fitted to."""
    classes, label = np.unique(y, return_inverse=True)
    probability = left_out_probabilities(estimator, X, y, classes)
    log_odds = log_odds_of(probability)
    verdict = appoint_judge(log_odds, label, np.ones(len(label))).verdict(log_odds, label)
    return of_classes(verdict, 1.0 - verdict.wrong, y, label, classes)


def audit_regressor(estimator: Any, X: Any, y: Array) -> Findings:
    """Audit by any regressor, through its predictions of rows that it was not fitted to."""
    target = np.asarray(y, dtype=float)
    mean, deviation = left_out_numbers(estimator, X, target)
    return of_numbers(target, mean, deviation, None, SHARPNESS)


def of_classes(
    verdict: Verdict, trust: Array, given: NDArray[Any], label: Indices, classes: NDArray[Any]
) -> Findings:
    """Return the findings on labels."""
    believed = verdict.probability[np.arange(len(label)), label]
    return Findings(
        order=np.lexsort([believed, -verdict.wrong]),
        wrong=verdict.wrong,
        given=given,
        likely=classes[verdict.probability.argmax(axis=1)],
        agreement=believed,
        trust=trust,
        prediction=verdict.probability,
    )


def audit_numbers(estimator: Any, X: Array, y: Array) -> Findings:
    """Audit a regressor of this library."""
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
    return of_numbers(y, predicted.mean, np.sqrt(predicted.variance), left_out.trust, AS_BOLD)


def of_numbers(
    target: Array, mean: Array, deviation: Array, trust: Array | None, sharpness: Array
) -> Findings:
    """Return the findings on numbers; the trust is what the mixture says unless it is given."""
    found = number_mixture(target, mean, deviation, sharpness)
    return Findings(
        order=np.argsort(-found.surprise, kind="stable"),
        wrong=found.wrong,
        given=target,
        likely=mean,
        agreement=(target - mean) / deviation,
        trust=1.0 - found.wrong if trust is None else trust,
        prediction=(mean, deviation),
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
