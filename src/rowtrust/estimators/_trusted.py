"""Any estimator, fitted to rows as far as they are believed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_is_fitted,
)

from rowtrust.contracts import Array, Indices
from rowtrust.estimators._robust import RobustRVC, RobustRVR
from rowtrust.estimators._rows import checked_targets, label_numbers
from rowtrust.estimators._trusted_base import TrustedBase, documented
from rowtrust.numerics.magnitudes import shown
from rowtrust.numerics.statistics import class_probabilities
from rowtrust.trust import (
    Findings,
    HeldOutResiduals,
    LabelDoubt,
    LabelJudge,
    LabelVerdict,
    NumberDoubt,
    NumberJudge,
    as_given,
    inside,
    judge_labels,
    learn_number_judge,
    of_classes,
    of_numbers,
    within_fences,
)


@documented("classifier", "RobustRVC")
class TrustedClassifier(ClassifierMixin, TrustedBase):  # type: ignore[misc]
    """Any classifier, fitted as if the wrong labels had never been there.

    A judge estimates how likely each label is wrong. The classifier is fitted to every row with its given
    label, and once more with its likely label, each weighted by its probability. Two safeguards: a row loses
    trust only if neither the judge nor the classifier explains its label, and the weights are kept only if
    held-out labels become likelier by more than the noise of the comparison.

    If the classifier holds out rows itself (early stopping, a search), no row enters twice: distrusted labels
    count less. A classifier that takes no ``sample_weight`` is fitted without the flagged rows.

    {shared}
    noise_ : ndarray of shape (n_classes, n_classes)
        Entry [k, j] is the probability that a row of class k was given the label j.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    n_features_in_, feature_names_in_ : int and ndarray
        Inputs of the fit, where the estimator takes a table.

    See Also
    --------
    TrustedRegressor : The same for numbers.
    RobustRVC : The machine that judges, a classifier itself.
    find_wrong_rows : Which rows are wrong, by any model.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from rowtrust import TrustedClassifier
    >>> from rowtrust.datasets import flip_labels
    >>> X, y = make_moons(500, noise=0.15, random_state=0)
    >>> given, wrong = flip_labels(y, 0.2, random_state=1)  # a fifth of the labels are wrong
    >>> forest = RandomForestClassifier(50, random_state=0)
    >>> trusted = TrustedClassifier(forest).fit(X, given)
    >>> bool(trusted.score(X, y) > forest.fit(X, given).score(X, y) + 0.05)  # by the true labels
    True
    """

    def _unfitted(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return HistGradientBoostingClassifier(random_state=self.random_state)

    def _targets(self, y: NDArray[Any]) -> Indices:
        check_classification_targets(y)
        self.classes_, numbers = np.unique(y, return_inverse=True)
        return np.asarray(numbers)

    def _numbers(self, y: Any, n_rows: int) -> Indices:
        return label_numbers(y, self.classes_, n_rows)[0]

    def _given(self, target: Indices) -> NDArray[Any]:
        labels: NDArray[Any] = self.classes_[target]
        return labels

    def _machine_of(self) -> Any:
        return RobustRVC

    def _own_judge(self, target: Indices, weight: Array, prediction: Array) -> LabelJudge:
        return judge_labels(class_probabilities(inside(prediction)), target, weight)[1]

    def _own_findings(self, target: Indices, prediction: Array) -> Findings:
        return of_classes(
            self._own.verdict(inside(prediction), target), self._given(target), target, self.classes_
        )

    def _doubt(self, target: Indices, weight: Array, found: Findings) -> LabelDoubt:
        assert found.noise is not None
        return LabelDoubt(target, weight, found.p_wrong, found.prediction, found.noise)

    def _found(self, doubt: LabelDoubt) -> Findings:
        verdict = LabelVerdict(doubt.probability, doubt.p_wrong, np.zeros(2), doubt.noise)
        found = of_classes(verdict, self._given(doubt.target), doubt.target, self.classes_)
        return replace(found, errors_interval=None)

    def _remember(self, doubt: LabelDoubt, prediction: Array) -> None:
        self.noise_ = doubt.noise

    @available_if(lambda self: hasattr(self._asked(), "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows as the estimator takes them.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to one, columns follow ``classes_``.
        """
        check_is_fitted(self)
        return self._learner.by_class(self.estimator_, np.asarray(self.estimator_.predict_proba(X)))

    @available_if(lambda self: hasattr(self._asked(), "decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Array:
        """Return the decision function of the fitted estimator.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows as the estimator takes them.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Above zero for a class, below for the rest.
        """
        check_is_fitted(self)
        return np.asarray(self.estimator_.decision_function(X))


@documented("regressor", "RobustRVR")
class TrustedRegressor(RegressorMixin, TrustedBase):  # type: ignore[misc]
    """Any regressor, fitted as if the wrong targets had never been there.

    A judge estimates how likely each target is wrong, and each row is weighted by its trust. Two safeguards:
    a row loses trust only if neither the judge nor the regressor explains its target, and the weights are
    kept only if held-out errors fall by more than the noise of the comparison. A regressor without
    ``sample_weight`` is fitted without the flagged rows.

    {shared}
    noise_ : NumberJudge
        The noise of the held-out residuals: scale, growth with the level, tails and skewness.
    n_features_in_, feature_names_in_ : int and ndarray
        Inputs of the fit, where the estimator takes a table.

    See Also
    --------
    TrustedClassifier : The same for classes.
    RobustRVR : The machine that judges, a regressor itself.
    find_wrong_rows : Which rows are wrong, by any model.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from rowtrust import TrustedRegressor
    >>> X = np.linspace(-10, 10, 200)[:, None]
    >>> y = np.sinc(X[:, 0] / np.pi)
    >>> y[::20] += 3.0
    >>> trusted = TrustedRegressor(RandomForestRegressor(50, random_state=0)).fit(X, y)
    >>> bool((trusted.p_wrong_[::20] > 0.9).all())
    True
    >>> lower, upper = trusted.predict_interval(X, coverage=0.9)
    >>> bool((upper - lower).mean() < 0.5)  # the errors do not widen it
    True
    """

    def _unfitted(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        return HistGradientBoostingRegressor(random_state=self.random_state)

    def _targets(self, y: NDArray[Any]) -> Array:
        return checked_targets(y, len(y))

    def _numbers(self, y: Any, n_rows: int) -> Array:
        return checked_targets(y, n_rows)

    def _given(self, target: Array) -> Array:
        return target

    def _machine_of(self) -> Any:
        return RobustRVR

    def _own_prediction(self, X: Any, target: Array, weight: Array, folds: Any, before: Array) -> Array:
        return self._learner.left_out(X, as_given(within_fences(target), weight), folds)

    def _own_judge(self, target: Array, weight: Array, prediction: Array) -> NumberJudge:
        return learn_number_judge(target, prediction, np.ones(len(target)), weight)

    def _own_findings(self, target: Array, prediction: Array) -> Findings:
        return of_numbers(target, prediction, np.full(len(target), self._own.unit), self._own)

    def _doubt(self, target: Array, weight: Array, found: Findings) -> NumberDoubt:
        return NumberDoubt(target, weight, found.p_wrong, *found.prediction)

    def _found(self, doubt: NumberDoubt) -> Findings:
        return Findings(
            order=np.lexsort([-np.abs(doubt.target - doubt.mean), -doubt.p_wrong]),
            p_wrong=doubt.p_wrong,
            given=doubt.target,
            likely=doubt.mean,
            agreement=(doubt.target - doubt.mean) / doubt.deviation,
            prediction=(doubt.mean, doubt.deviation),
        )

    def _remember(self, doubt: NumberDoubt, prediction: Array) -> None:
        trust = 1.0 - doubt.p_wrong
        weight = doubt.weight * trust
        self.noise_ = learn_number_judge(doubt.target, prediction, np.ones(len(prediction)), weight)
        self._residuals = HeldOutResiduals.of(doubt.target, prediction, doubt.weight, trust, self.noise_)

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return the interval in which a new target lies with a given probability.

        By residuals of held-out rows, each counting by the trust in it, in units of a scale that may grow
        with the level of the prediction: wrong rows do not widen it.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows as the estimator takes them.
        coverage : float, default=0.9
            Probability of the interval, between 0 and 1.

        Returns
        -------
        lower : ndarray of shape (n_samples,)
            Where the intervals begin.
        upper : ndarray of shape (n_samples,)
            Where they end.
        """
        if not 0.0 < coverage < 1.0:
            raise ValueError(f"coverage must lie between 0 and 1, got {shown(coverage)}.")
        return self._residuals.interval(np.asarray(self.predict(X), dtype=float), coverage)
