"""Which rows are wrong? Every row judged by what the others say of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted, column_or_1d

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.magnitudes import TINY, shown
from rowtrust.numerics.statistics import log_odds_of
from rowtrust.renamed import Renamed
from rowtrust.trust.folds import left_out_numbers, left_out_probabilities
from rowtrust.trust.labels import FEWEST_ROWS, LabelVerdict, judge_labels
from rowtrust.trust.lists import FALSE_SHARE, ListEnds, audit_table, list_ends, list_names
from rowtrust.trust.numbers import NumberJudge, learn_number_judge

JUDGED_ROWS = 20_000
"""Rows from which the noise of labels is learnt where others were predicted elsewhere. A limit on time."""

SHOWN_ROWS = 8
"""Flagged rows that are printed: with the summary and a last line they are ten lines."""

SHOWN_LENGTH = 30
"""Characters of a label in print; readability of a line alone."""


@dataclass(frozen=True, repr=False)
class Findings:
    """P(wrong) of each row, and lists of likely errors.

    Parameters
    ----------
    order : ndarray of int of shape (n,)
        Rows, the one that is most likely wrong first.
    p_wrong : ndarray of shape (n,)
        Probability of each row to be wrong.
    given, likely : ndarrays of shape (n,)
        The label or the target as given, and the one that the other rows suggest.
    agreement : ndarray of shape (n,)
        Probability of the label as given by the other rows; for numbers the standardised residual.
    prediction : ndarray, or tuple of two ndarrays
        Class probabilities, or mean and deviation, of each row by the others.
    reason : str, default=""
        Why no row can be judged, and what to do; empty if rows can be.
    false_share : float, default=0.2
        Share of the flagged rows that may be expected to be right.
    errors_interval : pair of floats, default=None
        A 90 % interval of the number of errors; None takes the spread of ``p_wrong``.
    noise : ndarray of shape (n_classes, n_classes), default=None
        Entry [k, j] is the probability that a row of class k was given the label j; None for numbers.

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
    >>> "likely errors" in findings.summary
    True
    >>> bool(flipped[findings.flagged].mean() > 0.5)
    True
    """

    order: Indices
    p_wrong: Array
    given: NDArray[Any]
    likely: NDArray[Any]
    agreement: Array
    prediction: Any
    reason: str = ""
    false_share: float = FALSE_SHARE
    errors_interval: tuple[float, float] | None = None
    noise: Array | None = None

    wrong, suspects = Renamed("p_wrong"), Renamed("flagged")

    @cached_property
    def list_ends(self) -> ListEnds:
        """From which P(wrong) on rows are likely errors, and from which they are worth a look."""
        return list_ends(self.p_wrong, self.false_share)

    @cached_property
    def flagged(self) -> Indices:
        """The likely errors, the likeliest first: as many rows as can be of which few are expected right."""
        return self.order[self.p_wrong[self.order] >= self.list_ends[0]]

    @cached_property
    def worth_a_look(self) -> Indices:
        """The rows worth a look, the flagged ones included.

        The list of the best expected F1, and rows whose label the others contradict.
        """
        listed = self.on_lists != ""
        return np.asarray(self.order[listed[self.order]])

    @cached_property
    def on_lists(self) -> NDArray[np.str_]:
        """The list on which each row is: "likely error", "worth a look", or ""."""
        against = self.likely != self.given if isinstance(self.prediction, np.ndarray) else False
        return list_names(self.p_wrong, self.list_ends, against)

    @property
    def trust(self) -> Array:
        """Trust in each row: one minus its probability to be wrong."""
        return np.asarray(1.0 - self.p_wrong)

    @property
    def expected_errors(self) -> float:
        """The expected number of wrong rows."""
        return float(self.p_wrong.sum())

    @property
    def expected_errors_interval(self) -> tuple[float, float]:
        """A 90 % interval of the number of wrong rows."""
        if self.errors_interval is not None:
            return self.errors_interval
        spread = float(np.sqrt(np.sum(self.p_wrong * (1.0 - self.p_wrong))))
        low, high = norm.interval(0.9, self.expected_errors, max(spread, TINY))
        return max(float(low), 0.0), min(float(high), float(len(self.p_wrong)))

    @property
    def share(self) -> float:
        """The expected share of wrong rows."""
        return float(self.p_wrong.mean())

    @property
    def missed(self) -> float:
        """How many wrong rows are expected among those that are not flagged."""
        return self.expected_errors - float(self.p_wrong[self.flagged].sum())

    @property
    def summary(self) -> str:
        """The findings in a few sentences: likely errors, rows worth a look, how many errors in total."""
        return " ".join(filter(None, [self.flagged_text, self.worth_a_look_text, self.expected_text]))

    @property
    def flagged_text(self) -> str:
        """How many rows are likely errors, in a sentence."""
        if self.reason:
            return f"Rows cannot be judged: {self.reason}"
        count, n_rows = len(self.flagged), len(self.p_wrong)
        if not count:
            rather = int(np.count_nonzero(self.p_wrong > 0.5))
            listed = f"no list of them would be {100.0 * (1.0 - self.false_share):.0f} % correct"
            more = f" {rather} row{'s have' if rather != 1 else ' has'} P(wrong) above 0.5, but {listed}."
            return f"None of {n_rows} rows is a likely error.{more if rather else ''}"
        right = round(float(np.sum(self.trust[self.flagged])))
        mistaken = f" (about {right} of them may be right)" if right else ""
        named = "is a likely error" if count == 1 else "are likely errors"
        return f"{count} of {n_rows} rows {named}{mistaken}."

    @property
    def worth_a_look_text(self) -> str:
        """How many other rows are worth a look, in a sentence; nothing where there are none."""
        count = len(self.worth_a_look) - len(self.flagged)
        named = f"{count} more {'is' if count == 1 else 'are'}"
        alone = f"{count} row{' is' if count == 1 else 's are'}"
        return f"{named if len(self.flagged) else alone} worth a look." if count else ""

    @property
    def expected_text(self) -> str:
        """How many errors are expected, in a sentence; nothing where less than one is."""
        count = round(self.expected_errors)
        low, high = (round(each) for each in self.expected_errors_interval)
        word = "error" if count == 1 else "errors"
        return f"We estimate {count} {word} in total (90 % interval {low} to {high})." if count else ""

    def __repr__(self) -> str:
        """Return the summary and the first flagged rows."""
        shown_rows = [
            f"  row {row}: given {in_short(self.given[row])}, likely {in_short(self.likely[row])}, "
            f"P(wrong) {self.p_wrong[row]:.2f}"
            for row in self.flagged[:SHOWN_ROWS]
        ]
        rest = len(self.flagged) - len(shown_rows)
        return "\n".join([self.summary, *shown_rows, *([f"  and {rest} more in .flagged"] if rest else [])])

    def to_frame(self, X: Any = None) -> Any:
        """Return a table, the row that is most likely wrong first, with the index of X.

        Parameters
        ----------
        X : array-like or DataFrame, default=None
            The rows; those of a frame keep the names of its index. None numbers them.

        Returns
        -------
        DataFrame, or structured array where pandas is not installed
            With the columns of ``audit``.
        """
        agreement = "probability" if isinstance(self.prediction, np.ndarray) else "residual"
        columns = {
            "given": self.given,
            "likely": self.likely,
            agreement: self.agreement,
            "p_wrong": self.p_wrong,
            "list": self.on_lists,
            "trust": self.trust,
        }
        return audit_table(X, self.order, **columns)


def in_short(value: Any) -> str:
    """Return a label or a number in few characters."""
    text = f"{value:.6g}" if isinstance(value, float | np.floating) else shown(value)
    return text if len(text) <= SHOWN_LENGTH else f"{text[: SHOWN_LENGTH - 1]}…"


def find_wrong_rows(
    estimator: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    probabilities: Any = None,
    predictions: Any = None,
    groups: Any = None,
    false_share: float = FALSE_SHARE,
) -> Findings:
    """Find wrong rows: compare each row with what a model of the other rows predicts.

    Parameters
    ----------
    estimator : classifier or regressor, or list of them, default=None
        An estimator of this library, or a pipeline that ends with one, fitted to these rows or not: it
        judges them itself. Any other is fitted again outside each of five folds; classifiers must have
        ``predict_proba``. None if there are ``probabilities`` or ``predictions``. Of several estimators
        P(wrong) is the mean: models of different kinds see different errors, and rank rows better together.
    X : array-like of shape (n_samples, n_features), default=None
        Inputs, prepared as the estimator wants them.
    y : array-like of shape (n_samples,), default=None
        Labels or targets as given.
    probabilities : array-like of shape (n_samples, n_classes), default=None
        Class probabilities of each row, from any model that has not seen the row; the columns in the order
        of the sorted labels.
    predictions : array-like of shape (n_samples,), or pair of them, default=None
        Predicted numbers of each row, from any model that has not seen the row; with their deviations if
        some rows are predicted better than others.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group stay in one fold; copies of a row do so in any case. Only for estimators that are
        fitted again.
    false_share : float, default=0.2
        Share of the flagged rows that may be expected to be right.

    Returns
    -------
    Findings
        ``flagged``, ``worth_a_look``, ``p_wrong`` (a probability per row), ``summary``, ``to_frame()`` and
        more.

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
    if sum(each is not None for each in (estimator, probabilities, predictions)) != 1 or y is None:
        raise TypeError(
            "give an estimator with X and y, or y with the probabilities or the predictions of a model that "
            "has not seen the rows: find_wrong_rows(y=y, probabilities=probabilities)."
        )
    if probabilities is not None:
        found = by_probabilities(np.asarray(probabilities, dtype=float), column_or_1d(y))
    elif predictions is not None:
        found = by_predictions(predictions, column_or_1d(y))
    elif isinstance(estimator, list | tuple) and len(estimator):
        found = averaged([by_estimator(each, X, y, groups) for each in estimator])
    else:
        found = by_estimator(estimator, X, y, groups)
    return replace(found, false_share=false_share)


def averaged(found: list[Findings]) -> Findings:
    """Return the mean of what several models find."""
    first, reasons = found[0], [each.reason for each in found]
    if all(reasons):
        return first
    found = [each for each in found if not each.reason]
    p_wrong = np.mean([each.p_wrong for each in found], axis=0)
    ends = np.mean([each.expected_errors_interval for each in found], axis=0)
    common = {
        "p_wrong": p_wrong,
        "order": np.argsort(-p_wrong, kind="stable"),
        "agreement": np.mean([each.agreement for each in found], axis=0),
        "errors_interval": (float(ends[0]), float(ends[1])),
    }
    if isinstance(first.prediction, np.ndarray):
        probability = np.mean([each.prediction for each in found], axis=0)
        likely = np.unique(first.given)[probability.argmax(axis=1)]
        noise = np.mean([np.asarray(each.noise) for each in found], axis=0)
        return replace(found[0], **common, prediction=probability, likely=likely, noise=noise)
    mean, deviation = (np.mean([each.prediction[part] for each in found], axis=0) for part in (0, 1))
    return replace(found[0], **common, prediction=(mean, deviation), likely=mean)


def by_estimator(estimator: Any, X: Any, y: Any, groups: Any) -> Findings:
    """Audit by an estimator: by its own audit if it has one, else by fits without each fold."""
    name = type(estimator).__name__
    if not hasattr(estimator, "fit"):
        raise TypeError(f"{name} is no estimator. The model comes first: find_wrong_rows(RobustRVC(), X, y).")
    if isinstance(estimator, Pipeline) and hasattr(estimator[-1], "judge_rows"):
        fitted = fitted_to(estimator, X, y)
        found: Findings = fitted[-1].judge_rows(X if len(fitted) == 1 else fitted[:-1].transform(X), y)
    elif hasattr(estimator, "judge_rows"):
        found = fitted_to(estimator, X, y).judge_rows(X, y)
    elif is_classifier(estimator):
        label = column_or_1d(y)
        found = by_probabilities(left_out_probabilities(estimator, X, label, groups), label)
    elif is_regressor(estimator):
        target = np.asarray(column_or_1d(y), dtype=float)
        found = of_numbers(target, *left_out_numbers(estimator, X, target, groups))
    else:
        raise TypeError(
            f"{name} is neither a classifier nor a regressor. The model comes first: "
            "find_wrong_rows(RobustRVC(), X, y)."
        )
    return found


def fitted_to(estimator: Any, X: Any, y: Any) -> Any:
    """Return the estimator if it is fitted, otherwise a clone fitted to these rows."""
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return clone(estimator).fit(X, y)
    return estimator


def by_probabilities(probability: Array, y: NDArray[Any]) -> Findings:
    """Audit by class probabilities from a model that has not seen the rows."""
    classes, label = np.unique(y, return_inverse=True)
    if probability.shape != (len(y), len(classes)) or len(classes) < 2:
        raise ValueError(
            f"probabilities must have one row per label and one column per class, {(len(y), len(classes))}, "
            f"two classes at least; got shape {probability.shape}."
        )
    is_sound = np.isfinite(probability).all() and (probability >= 0.0).all()
    if not (is_sound and (probability.sum(axis=1) > 0.0).all()):
        raise ValueError("probabilities must be finite, zero or more, with a sum above zero in every row.")
    # n rows say no more than that one more may be of any class, even if all trees of a forest agree
    share = probability / probability.sum(axis=1, keepdims=True)
    inside = (len(share) * share + 1.0) / (len(share) + len(classes))
    some = np.random.RandomState(0).permutation(len(label))[:JUDGED_ROWS]
    _, judge = judge_labels(inside[some], label[some], np.ones(len(some)))
    judge = replace(judge, judged=np.bincount(label, minlength=len(classes)) >= FEWEST_ROWS)
    verdict = judge.verdict(log_odds_of(inside), label)
    return of_classes(verdict, y, label, classes)


def by_predictions(predictions: Any, y: NDArray[Any]) -> Findings:
    """Audit by predicted numbers, or by these and their deviations."""
    target = np.asarray(y, dtype=float)
    mean, deviation = predictions if isinstance(predictions, tuple) else (predictions, np.ones(len(target)))
    mean, deviation = np.asarray(mean, dtype=float), np.asarray(deviation, dtype=float)
    parts = np.array([target, *np.broadcast_arrays(mean, deviation)]) if mean.shape == target.shape else None
    if parts is None or parts.shape[1:] != target.shape or not np.isfinite(parts).all() or parts[2].min() < 0:
        raise ValueError(
            f"predictions must be {len(target)} finite numbers, one per target, or a pair of them and of "
            "their deviations, which are not negative."
        )
    return of_numbers(target, mean, np.maximum(parts[2], TINY))


def of_classes(verdict: LabelVerdict, given: NDArray[Any], label: Indices, classes: NDArray[Any]) -> Findings:
    """Return the findings on labels."""
    believed = verdict.probability[np.arange(len(label)), label]
    return Findings(
        order=np.lexsort([believed, -verdict.wrong]),
        p_wrong=verdict.wrong,
        given=given,
        likely=classes[verdict.probability.argmax(axis=1)],
        agreement=believed,
        prediction=verdict.probability,
        reason=verdict.reason,
        errors_interval=(float(verdict.errors[0]), float(verdict.errors[1])),
        noise=verdict.noise,
    )


def of_numbers(
    target: Array,
    mean: Array,
    deviation: Array,
    judge: NumberJudge | None = None,
) -> Findings:
    """Return the findings on numbers, by a judge who is learnt from them unless there is one."""
    judge = learn_number_judge(target, mean, deviation) if judge is None else judge
    verdict = judge.verdict(target, mean, deviation)
    return Findings(
        order=np.argsort(-verdict.surprise, kind="stable"),
        p_wrong=verdict.wrong,
        given=target,
        likely=mean,
        agreement=(target - mean) / deviation,
        prediction=(mean, deviation),
        reason=verdict.reason,
    )
