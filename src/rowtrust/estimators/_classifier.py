"""Classification: two classes, one softmax of several, or one against the rest where that has no softmax."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from rowtrust.contracts import Array
from rowtrust.engines import back_to, is_dask, lazily, lazy_audit
from rowtrust.estimators._machine import SparseBayesMachine
from rowtrust.estimators._rows import label_numbers, weighted_rows
from rowtrust.fitting import Fitted, Plan, TrainingRows
from rowtrust.inference import Coding, EachClass, OneAgainstRest
from rowtrust.likelihoods import Likelihood, Logistic, Softmax
from rowtrust.numerics.array_api import namespace, to_numpy
from rowtrust.numerics.magnitudes import shown
from rowtrust.numerics.statistics import odds_against_rest
from rowtrust.renamed import Renamed
from rowtrust.trust import Findings, of_classes, probability_of_given
from rowtrust.weights import Fixed, Unit, Weights


class BaseClassifier(ClassifierMixin, SparseBayesMachine):  # type: ignore[misc]
    """Base of the classifiers."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SparseBayesMachine._parameter_constraints,
        "class_weight": [None, dict, StrOptions({"balanced"})],
    }
    class_weight: Any

    label_noise_, label_noise_interval_ = Renamed("noise_"), Renamed("noise_interval_")

    def _validate_rows(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        self._check_likelihood()
        X, y = self._validate_training(X, y)
        check_classification_targets(y)
        rows = weighted_rows(X, y, sample_weight)
        self.classes_, numbers = np.unique(rows.y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs rows of at least two classes; all rows of positive "
                f"weight are of class {self.classes_.tolist()[0]!r}."
            )
        factor = compute_class_weight(
            self.class_weight, classes=self.classes_, y=rows.y, sample_weight=rows.weight
        )
        if not (np.isfinite(factor).all() and (factor > 0).all()):
            raise ValueError(
                "class_weight must be finite and above zero for every class; got "
                f"{shown(self.class_weight)}. Leave rows that are not to count out, or give them "
                "sample_weight=0."
            )
        return replace(rows, y=numbers, weight=rows.weight * factor[numbers])

    def _check_likelihood(self) -> None:
        if self._likelihood().is_location_scale:
            raise ValueError(
                f"{type(self._likelihood()).__name__} is a likelihood of numbers; a classifier needs one of "
                "the labels 0 and 1, such as Logistic()."
            )

    def _likelihood(self) -> Likelihood:
        return Logistic()

    def _weights(self) -> Weights:
        return Unit()

    def _codings(self) -> tuple[Coding, ...]:
        positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return tuple(OneAgainstRest(label) for label in positive)

    def _plan(self, report: Any = None) -> Plan:
        plan = replace(super()._plan(report), disagreement=False)
        shares = type(plan.weights) in (Unit, Fixed) and not plan.solver.is_reference
        if len(self.classes_) > 2 and type(plan.likelihood) is Logistic and shares:
            return replace(plan, likelihood=Softmax(), codings=(EachClass(len(self.classes_)),))
        return plan

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert fitted.labels is not None
        noise = fitted.labels.noise
        self.noise_, self.noise_interval_ = noise.matrix, noise.interval
        self.calibration_slope_ = noise.slope

    @lazily
    def decision_function(self, X: Any) -> Array:
        """Return the log-odds of each class against the rest, averaged over the posterior.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, (n_samples, n_classes) otherwise
            Above zero for the class, below for the rest.
        """
        rows = self._validated(X)
        log_odds = odds_against_rest(self.fitted_.model.log_odds(rows), len(self.classes_))
        return back_to(X, log_odds[:, 0] if len(self.classes_) == 2 else log_odds)

    @lazily
    def predict_proba(self, X: Any) -> Array:
        """Return class probabilities.

        The likelihood is averaged over the posterior of the latent function, so that a row on
        which the model is unsure gets a probability nearer to one half.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to one, columns follow ``classes_``.
        """
        rows = self._validated(X)
        return back_to(X, self.fitted_.model.probabilities(rows))

    @lazily
    def predict_given_proba(self, X: Any) -> Array:
        """Return the probabilities of the labels as they would be given, noise included.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Rows sum to one, columns follow ``classes_``.
        """
        return back_to(X, probability_of_given(to_numpy(self.predict_proba(X)), self.noise_))

    @lazily
    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithm of ``predict_proba``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Minus infinity where a probability is zero.
        """
        probability = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            logarithm: Array = namespace(probability).log(probability)
        return logarithm

    @lazily
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict. Of dask arrays and dataframes all predictions are lazy: arrays of arrays, and of
            dataframes series, or arrays where there are several columns.

        Returns
        -------
        ndarray of shape (n_samples,)
            One of ``classes_`` each.
        """
        probability: Array = to_numpy(self.predict_proba(X))
        labels: NDArray[Any] = back_to(X, self.classes_[np.argmax(probability, axis=1)])
        return labels

    def log_score_samples(self, X: Any, y: Any) -> Array:
        """Return the log probability of each row's label, in nats.

        Parameters
        ----------
        X, y : array-like of shape (n_samples, n_features) and (n_samples,)
            Rows, and their labels.

        Returns
        -------
        ndarray of shape (n_samples,)
            At most zero; minus infinity where a label was thought impossible.
        """
        probability: Array = to_numpy(self.predict_proba(X))
        label, _ = label_numbers(to_numpy(y), self.classes_, len(probability))
        return np.log(probability[np.arange(len(label)), label])

    def log_score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the mean log probability of the labels, in nats per row: minus the log loss.

        Parameters
        ----------
        X, y, sample_weight : array-like of shape (n_samples, n_features), (n_samples,) and (n_samples,)
            Rows, their labels, and how much each counts; None: once.

        Returns
        -------
        float
            The higher the better.
        """
        return float(np.average(self.log_score_samples(X, y), weights=sample_weight))

    # audit --------------------------------------------------------------------------------------

    def audit(self, X: Any, y: Any) -> Any:
        """Return the rows with their P(wrong), the most likely wrong labels first.

        A row of the fit is judged by the model without it: its own contribution is removed. The audit
        estimates again how many labels are wrong, and in which classes, since ``noise_`` is cautious. Rates
        that you gave are kept.

        For dask collections (y may name a column of a dataframe) the result is a lazy dask dataframe in the
        order of the rows; the model judges all rows as it is. Partitions are judged where they are, and the
        lists are of all rows. Rows of an array are numbered, in each partition anew if dask does not know
        their number.

        Parameters
        ----------
        X, y : array-like of shape (n_samples, n_features) and (n_samples,)
            Rows of the fit, or others, and their labels as given.

        Returns
        -------
        DataFrame, or structured array where pandas is not installed
            Of the label as ``given``, the ``likely`` one, the ``probability`` of the given label by the other
            rows, the probability ``p_wrong`` that the row is wrong, the ``list`` on which it is ("likely
            error", of which one in five is expected to be right, "worth a look" or ""), and the ``trust`` in
            the row, one minus ``p_wrong``. The index (the field ``row``) is that of X.
        """
        if is_dask(X):
            return lazy_audit(self, X, y)
        return self.judge_rows(X, y).to_frame(X)

    def judge_rows(self, X: Any, y: Any) -> Findings:
        """Judge each row by what the other rows predict for it.

        Parameters
        ----------
        X, y : array-like of shape (n_samples, n_features) and (n_samples,)
            Rows of the fit, or others, and their labels as given.

        Returns
        -------
        Findings
            What :func:`rowtrust.find_wrong_rows` returns.
        """
        X, y = to_numpy(X), to_numpy(y)
        rows = self._validated(X)
        label, given = label_numbers(y, self.classes_, rows.shape[0])
        labels = self.fitted_.labels
        assert labels is not None
        verdict = labels.judge.verdict(self.fitted_.log_odds(rows, label), label)
        return of_classes(verdict, given, label, self.classes_)
