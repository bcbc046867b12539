"""What trusted estimators share: judge the rows, fit to what is believed, keep that if it helps."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import _safe_indexing, check_random_state, gen_batches, get_tags
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from rowtrust.contracts import Array, Indices
from rowtrust.estimators._callbacks import all_or_nothing
from rowtrust.estimators._encoding import JudgeInputs, RowContents, is_table
from rowtrust.estimators._learner import Learner, indexable_rows, n_rows
from rowtrust.estimators._machine import budget, forget_fit
from rowtrust.kernels import content_keys, numbered, row_keys
from rowtrust.trust import (
    FEWEST_ROWS,
    Findings,
    RowsToFit,
    as_given,
    averaged,
    dealt_folds,
    fitted_to,
    without_flagged,
)

Doubt: TypeAlias = Any
"""``NumberDoubt`` or ``LabelDoubt``: a subclass makes one of them."""

Judge: TypeAlias = Any
"""Likewise ``NumberJudge`` or ``LabelJudge``."""

FEWEST_ERRORS = 0.5
"""Expected errors below which the likeliest number is none, and the plain fit is not questioned."""

SHARED = """Parameters
    ----------
    estimator : {kind} or None, default=None
        What to fit: an estimator, a pipeline or a search. None: ``HistGradientBoosting{Kind}()``.
    judge : {{"rowtrust", "own", "both"}} or estimator, default="rowtrust"
        Who says which rows are wrong. "rowtrust": a :class:`{machine}`, which gives every category an input
        of its own and takes missing values as they are. "own": the estimator's own predictions of held-out
        rows, which may be no table, such as texts. "both": the mean of both. Or a judge of your own
        settings, such as ``{machine}(n_jobs=2)``; one that is fitted to these rows is asked as it is.
    random_state : int, RandomState instance or None, default=None
        Of the judge, of the sample that judges many rows, and of the default estimator.

    Attributes
    ----------
    estimator_ : object
        The fitted estimator.
    uses_trust_ : bool
        Whether it was fitted to rows as far as they are believed. False: doubt did not help by more than the
        noise of the comparison, and this is the plain fit.
    p_wrong_ : ndarray of shape (n_samples,)
        Probability of each training row to be wrong.
    sample_trust_ : ndarray of shape (n_samples,)
        How far each training row is believed: one minus that; 0 for rows of sample weight 0."""
"""What the docstrings of both share."""

BATCH = 50_000
"""Rows that are judged at a time where there are many: bounds the memory of kernels, changes no figure."""


def documented(kind: str, machine: str) -> Callable[[type], type]:
    """Return what completes the docstring of one of both with what they share."""

    def completed(which: type) -> type:
        shared = SHARED.format(kind=kind, Kind=kind.capitalize(), machine=machine)
        which.__doc__ = which.__doc__ and which.__doc__.replace("{shared}", shared)
        return which

    return completed


class TrustedBase(MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Base of both: judge the rows, fit the estimator to what is believed, keep that if it helps."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [None, HasMethods(["fit"])],
        "judge": [StrOptions({"rowtrust", "own", "both"}), HasMethods(["fit", "judge_rows"])],
        "random_state": ["random_state"],
    }
    estimator: Any
    judge: Any
    random_state: Any
    _own: Judge
    _guard: Judge

    def __init__(self, estimator: Any = None, *, judge: Any = "rowtrust", random_state: Any = None) -> None:
        self.estimator = estimator
        self.judge = judge
        self.random_state = random_state

    @all_or_nothing
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Any:
        """Judge the rows, and fit the estimator to them, weighted by their trust.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows as the estimator takes them. The judge gives every category of a frame an input of its own.
        y : array-like of shape (n_samples,)
            Labels or targets as given.
        sample_weight : array-like of shape (n_samples,), default=None
            How many copies of it each row counts as.
        groups : array-like of shape (n_samples,), default=None
            Rows of one group stay in one fold; copies of a row do so in any case.

        Returns
        -------
        object
            The estimator itself, fitted.
        """
        self._validate_params()
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        forget_fit(self)
        X, y = indexable_rows(X), column_or_1d(y, warn=True)
        check_consistent_length(X, y, groups)
        target = self._targets(y)
        weight: Array = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
        self._learner = Learner(self._unfitted(), getattr(self, "classes_", None))
        self._learner.refuse_empty_classes(target, weight)
        warn_of_tiny_weights(weight)
        if sample_weight is not None and not self._learner.takes_weight:
            raise ValueError(f"{type(self._learner.estimator).__name__} takes no sample_weight.")
        few = self._sample(target)
        some = [each if few is None else _safe_indexing(each, few) for each in (X, target, weight)]
        plain = self._learner.fit(some[0], as_given(*some[1:]))  # refuses what the estimator refuses
        validate_data(self, X, skip_check_array=True)
        by_content = self._judge_is("own") and not is_table(X)
        self._inputs = RowContents() if by_content else JudgeInputs().fit(some[0])
        groups = groups if few is None or groups is None else _safe_indexing(groups, few)
        doubt, fitted = self._decided(plain, some[0], some[1], some[2], groups)
        if few is not None:
            doubt = self._of_all(fitted, X, target, weight, few, doubt)
            fitted = self._learner.fit(X, self._rows(doubt) if self.uses_trust_ else as_given(target, weight))
        self.estimator_ = fitted
        self._publish(X, doubt)
        return self

    def _asked(self) -> Any:
        """Return the estimator that says what can be asked: the fitted one as soon as there is one."""
        return self.estimator_ if hasattr(self, "estimator_") else self._unfitted()

    # judge ------------------------------------------------------------------------------------------

    def _decided(self, plain: Any, X: Any, target: Any, weight: Array, groups: Any) -> tuple[Doubt, Any]:
        """Return how far rows are doubted, and the fit that predicts held-out rows best."""
        learner, self.uses_trust_, self._guard = self._learner, False, None
        self._machine = self._fitted_judge(X, target, weight)
        folds = self._folds(X, target, weight, groups)
        before = after = learner.left_out(X, as_given(target, weight), folds)
        own = before if self._judge_is("rowtrust") else self._own_prediction(X, target, weight, folds, before)
        self._own = None if self._judge_is("rowtrust") else self._own_judge(target, weight, own)
        doubt = self._doubt(target, weight, self._findings(X, target, own))
        if weight @ doubt.p_wrong >= FEWEST_ERRORS:
            after = learner.left_out(X, self._rows(doubt), folds)
            self._guard = doubt.guard(after)
            doubt = doubt.guarded(self._guard, after)
            self.uses_trust_ = doubt.helps(before, after)
        self._remember(doubt, after if self.uses_trust_ else before)
        return doubt, learner.fit(X, self._rows(doubt)) if self.uses_trust_ else plain

    def _folds(self, X: Any, target: Any, weight: Array, groups: Any) -> list[tuple[Indices, Indices]]:
        """Return folds that the content of the rows decides: copies of a row are a weight, in any order."""
        key, counted = np.zeros(len(target), dtype=np.intp), np.flatnonzero(weight > 0.0)
        key[counted] = numbered(content_keys(self._inputs.transform(_safe_indexing(X, counted))))
        label = np.zeros(len(target), dtype=np.intp) if self._learner.classes is None else target
        return dealt_folds(X, label, weight, key, groups)

    def _own_prediction(self, X: Any, target: Any, weight: Array, folds: Any, before: Array) -> Array:
        """Return the held-out predictions by which the estimator judges rows itself."""
        return before

    def _judge_is(self, name: str) -> bool:
        """Whether the judge is the one of a name; an estimator judges as "rowtrust" does."""
        return (self.judge if isinstance(self.judge, str) else "rowtrust") == name

    def _fitted_judge(self, X: Any, target: Any, weight: Array) -> Any:
        """Return the machine that judges rows, fitted to these; None where the estimator does so alone."""
        if self._judge_is("own"):
            return None
        rows, y = self._inputs.transform(X), self._given(target)
        if not isinstance(self.judge, str):
            return fitted_to(self.judge, rows, y)
        return self._machine_of()(random_state=self.random_state).fit(rows, y, weight)

    def _findings(self, X: Any, target: Any, prediction: Array) -> Findings:
        """Return what the judges say of rows, of which the estimator's own predictions have not seen them."""
        found = []
        if self._machine is not None:
            found.append(self._machine.judge_rows(self._inputs.transform(X), self._given(target)))
        if self._own is not None:
            found.append(self._own_findings(target, prediction))
        return found[0] if len(found) == 1 else averaged(found)

    def _rows(self, doubt: Doubt) -> RowsToFit:
        """Return the rows to fit, as far as the estimator can be told of doubt."""
        learner = self._learner
        if learner.takes_weight:
            rows: RowsToFit = doubt.rows(copies=learner.may_see_copies(len(doubt.target)))
            left = learner.classes is None or set(doubt.target[doubt.weight > 0.0]) <= set(
                rows.target[rows.weight > 0.0]
            )
            return rows if left else as_given(doubt.target, doubt.weight)  # no class is doubted away
        return without_flagged(doubt.target, doubt.p_wrong, doubt.weight, learner.classes is not None)

    # many rows --------------------------------------------------------------------------------------

    def _sample(self, target: Any) -> Indices | None:
        """Return the rows that decide where there are many: two of every class at least."""
        size = budget().sample_rows
        if len(target) <= budget().together_rows:
            return None
        order = check_random_state(self.random_state or 0).permutation(len(target))
        if self._learner.classes is None:
            return np.sort(order[:size])
        by_class = order[np.argsort(target[order], kind="stable")]
        first = np.searchsorted(target[by_class], np.arange(len(self._learner.classes)))
        second = np.minimum(first + 1, len(order) - 1)
        return np.unique(np.concatenate([order[:size], by_class[first], by_class[second]]))

    def _of_all(self, fitted: Any, X: Any, target: Any, weight: Array, few: Indices, known: Doubt) -> Doubt:
        """Return how far all rows are doubted: those outside of the sample by what was fitted to it."""
        parts = []
        for rows in gen_batches(len(target), BATCH):
            part = _safe_indexing(X, rows)
            parts.append(self._fresh(fitted, part, target[rows], weight[rows]))
        by_row = {name: np.concatenate([getattr(part, name) for part in parts]) for name in row_fields(known)}
        for name, values in by_row.items():
            values[few] = getattr(known, name)
        return replace(known, target=target, weight=weight, **by_row)

    def _fresh(self, fitted: Any, X: Any, target: Any, weight: Array) -> Doubt:
        """Return how far rows are doubted that a fit has not seen."""
        prediction = self._learner.predict(fitted, X)
        doubt = self._doubt(target, weight, self._findings(X, target, prediction))
        return doubt if self._guard is None else doubt.guarded(self._guard, prediction)

    # publish ----------------------------------------------------------------------------------------

    def _publish(self, X: Any, doubt: Doubt) -> None:
        """Set what is known of the rows, and how they are known again."""
        self.p_wrong_ = doubt.p_wrong
        self.sample_trust_ = np.where(doubt.weight > 0.0, 1.0 - doubt.p_wrong, 0.0)
        self._doubted = doubt
        self._keys, self._first = np.unique(self._keys_of(X, doubt.target), return_index=True)

    def _keys_of(self, X: Any, target: Any) -> Any:
        """Return a number for each row with its target, by which it is known again."""
        return row_keys(self._inputs.transform(X), target)

    def audit(self, X: Any, y: Any) -> Any:
        """Say which rows are likely to be wrong, the most suspicious first.

        Parameters
        ----------
        X, y : array-like of shape (n_samples, n_features) and (n_samples,)
            Rows of the fit, or others, and their labels or targets as given.

        Returns
        -------
        DataFrame, or structured array where pandas is not installed
            As the audit of :class:`RobustRVC` and :class:`RobustRVR`.
        """
        return self.judge_rows(X, y).to_frame(X)

    def judge_rows(self, X: Any, y: Any) -> Findings:
        """Judge each row by what the other rows predict for it.

        Parameters
        ----------
        X, y : array-like of shape (n_samples, n_features) and (n_samples,)
            Rows of the fit, or others, and their labels or targets as given.

        Returns
        -------
        Findings
            What :func:`rowtrust.find_wrong_rows` returns.
        """
        check_is_fitted(self)
        X = indexable_rows(X)
        target = self._numbers(y, n_rows(X))
        doubt, keys = self._fresh(self.estimator_, X, target, np.ones(len(target))), self._keys_of(X, target)
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        seen = self._keys[place] == keys
        for name in row_fields(doubt):
            getattr(doubt, name)[seen] = getattr(self._doubted, name)[self._first[place[seen]]]
        return self._found(doubt)

    # predict ----------------------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """Return what the fitted estimator predicts.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows as the estimator takes them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels, or numbers.
        """
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(X))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self._unfitted())
        tags.input_tags = inner.input_tags
        return tags

    @abstractmethod
    def _unfitted(self) -> Any:
        """Return the estimator to fit."""

    @abstractmethod
    def _targets(self, y: NDArray[Any]) -> Any:
        """Return numbers of classes, or numbers."""

    @abstractmethod
    def _numbers(self, y: Any, n_rows: int) -> Any:
        """Return the same of targets after the fit."""

    @abstractmethod
    def _given(self, target: Any) -> Any:
        """Return targets as the user gave them."""

    @abstractmethod
    def _machine_of(self) -> Any:
        """Return the class of the machine that judges."""

    @abstractmethod
    def _own_judge(self, target: Any, weight: Array, prediction: Array) -> Judge:
        """Return what judges rows by the estimator's own held-out predictions alone."""

    @abstractmethod
    def _own_findings(self, target: Any, prediction: Array) -> Findings:
        """Return what it finds."""

    @abstractmethod
    def _doubt(self, target: Any, weight: Array, found: Findings) -> Any:
        """Return how far rows are doubted."""

    @abstractmethod
    def _remember(self, doubt: Any, prediction: Array) -> None:
        """Keep what is known of the noise, from held-out predictions."""

    @abstractmethod
    def _found(self, doubt: Any) -> Findings:
        """Return the same as findings."""


def warn_of_tiny_weights(weight: Array) -> None:
    """Warn if the weights are too small to find errors."""
    if weight.sum() < FEWEST_ROWS <= len(weight):
        warnings.warn(
            f"the sample weights sum to {weight.sum():.3g}. They count copies, and errors cannot be found in "
            f"fewer than {FEWEST_ROWS} rows: this is the plain fit. If weights only compare rows, divide "
            "them by their mean.",
            UserWarning,
            stacklevel=4,
        )


def row_fields(doubt: Doubt) -> list[str]:
    """Return the names of what is said of every row."""
    return [name for name in vars(doubt) if name not in ("target", "weight", "noise")]
