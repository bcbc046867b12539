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

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.engines.kinds import is_dask
from rowtrust.estimators._audit import audit_table
from rowtrust.estimators._dask import lazily, lazy_audit
from rowtrust.estimators._devices import back_to
from rowtrust.estimators._machine import SparseBayesMachine
from rowtrust.estimators._validation import label_numbers, weighted_rows
from rowtrust.inference import Coding, OneAgainstRest
from rowtrust.label_noise import Judge, LabelNoise, Verdict, appoint_judge, no_noise, probability_of_given
from rowtrust.label_noise.matrix import is_noise, true_shares
from rowtrust.likelihoods import Likelihood, Logistic
from rowtrust.numerics.accusations import accused
from rowtrust.numerics.array_api import namespace, to_numpy
from rowtrust.numerics.shown import shown
from rowtrust.predictive import PredictiveModel, leave_each_out
from rowtrust.search import Average, FitPlan, KernelFit, TrainingRows, average, fits_of, projected
from rowtrust.search.labels import channels, class_shift, fits_with_noise
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
        kernel: Any = "auto",
        gamma: Any = "evidence",
        scaling: Any = "robust",
        length_scales: Any = None,
        degree: float = 3,
        coef0: float = 1.0,
        basis: Any = "auto",
        landmarks: str = "stratified",
        sparsity: float = 1e-2,
        class_weight: Any = None,
        missing: str | None = "expected",
        solver: str = "working_set",
        max_iter: int = 1000,
        tol: float = 2e-3,
        kernel_dtype: str = "float64",
        n_jobs: Any = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            kernel=kernel,
            gamma=gamma,
            scaling=scaling,
            length_scales=length_scales,
            degree=degree,
            coef0=coef0,
            basis=basis,
            landmarks=landmarks,
            sparsity=sparsity,
            missing=missing,
            solver=solver,
            max_iter=max_iter,
            tol=tol,
            kernel_dtype=kernel_dtype,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.class_weight = class_weight

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

    def _label_noise(self, plan: FitPlan, fits: list[KernelFit]) -> LabelNoise:
        """Return what is believed of the labels, having seen fits to them as they are."""
        return LabelNoise.known(no_noise(len(self.classes_)))

    def _searched(self, plan: FitPlan) -> Average:
        """Find the kernel, and how far labels and probabilities are to be believed."""
        choice = self._kernel_choice()
        fits = fits_of(plan, choice)
        noise = self._label_noise(plan, fits)
        found = average(plan, fits_with_noise(plan, fits, noise.matrix), choice.disagreement)
        if is_noise(noise.matrix):
            likelihoods = tuple(channels(plan, noise.matrix))
            model = replace(found.model, likelihood=plan.likelihood)  # of true labels
            found = replace(found, model=model, likelihoods=likelihoods)
        self._noise, self._class_shift = noise, class_shift(plan.rows, len(self.classes_))
        return projected(plan, found, self.sparsity)

    def _searched_plainly(self, plan: FitPlan) -> Average:
        """Find the kernel, labels taken as they are given."""
        self._noise = LabelNoise.known(no_noise(len(self.classes_)))
        self._class_shift = class_shift(plan.rows, len(self.classes_))
        return super()._searched(plan)

    def _completed(self, plan: FitPlan, found: Average) -> Average:
        """Appoint the judge of labels, and make the log-odds honest."""
        found, slope = self._with_judge(plan, found), self._noise.slope
        return replace(found, model=found.model.sharpened(slope), latent=slope * found.latent)

    def _with_judge(self, plan: FitPlan, found: Average) -> Average:
        """Appoint the judge of labels; behind a channel trust in a row is what it says of it."""
        rows = plan.rows
        log_odds = self._noise.slope * self._left_out_log_odds(plan, found) - self._class_shift
        self._judge = self._known_judge() or appoint_judge(log_odds, rows.y, rows.copies)
        if not is_noise(self._noise.matrix):
            return found
        return replace(found, trust=1.0 - self._judge.verdict(log_odds, rows.y).wrong)

    def _left_out_log_odds(self, plan: FitPlan, found: Average) -> Array:
        """Return what the other rows say of each row of a plan, class weights and slope not undone."""
        rows, part = plan.rows, plan.rows.part * found.best.known
        left_out = leave_each_out(found.model, rows.X, self._targets(rows.y), part, found.likelihoods)
        return found.model.likelihood.log_odds(left_out.mean, left_out.variance)

    def _known_judge(self) -> Judge | None:
        """Return the judge where the noise was stated, None where it is to be learnt."""
        return None

    def _targets(self, label: Indices) -> Array:
        """Return each output's targets, shape (n, n_outputs)."""
        return np.column_stack([coding(label) for coding in self._codings()])

    def _publish(self, plan: FitPlan, found: Average, model: PredictiveModel) -> None:
        super()._publish(plan, found, model)
        self.label_noise_, self.label_noise_interval_ = self._noise.matrix, self._noise.interval
        self.calibration_slope_ = self._noise.slope

    def _prior_mean(self, plan: FitPlan, weight: Array, latent: Array, variance: Array) -> Array:
        """Return the latent means whose averaged probabilities are the class rates."""
        noisy = is_noise(self._noise.matrix)  # then doubt of single rows is no reason to count them less
        weight = plan.rows.weight if noisy else weight
        given = np.bincount(plan.rows.y, weights=weight, minlength=len(self.classes_)) / weight.sum()
        rate = true_shares(self._noise.matrix, given) if noisy else given
        rate = np.clip(rate[1:] if len(rate) == 2 else rate, SMALLEST_RATE, 1.0 - SMALLEST_RATE)
        return plan.likelihood.latent_of_log_odds(logit(rate), variance)

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
        model, rows = self._validated_model(X)
        log_odds = model.log_odds(rows)
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
        model, rows = self._validated_model(X)
        return back_to(X, model.probabilities(rows))

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
        return back_to(X, probability_of_given(to_numpy(self.predict_proba(X)), self.label_noise_))

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
        """Return the mean log probability of the labels, in nats a row: minus the log loss.

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
        """Say which rows are likely to have a wrong label, the most suspicious first.

        A row of the fit is judged by the model without it: its own say is divided out of the posterior. How
        many labels of the fit are wrong, and in which classes, is judged anew for that: who asks for wrong
        rows expects some, while ``label_noise_`` hedges. Noise that was stated is taken as stated.

        Of dask collections (y may name a column of a dataframe) it is a dask dataframe, computed when it is
        asked for: partition by partition, suspects chosen within each, in the order of the rows, and all of
        them judged by the model as it is. Rows of an array are numbered; in each partition anew if dask does
        not know how many are in it.

        Parameters
        ----------
        X, y : array-like of shape (n_samples, n_features) and (n_samples,)
            Rows of the fit, or others, and their labels as given.

        Returns
        -------
        DataFrame, or structured array where pandas is not installed
            Of ``label`` as given, the ``suggested`` label, the ``probability`` of the given label by the
            other rows, the probability that the row is ``wrong``, whether it is a ``suspect`` (of the
            suspects one in five is expected to be right), and the ``trust`` in the row (as
            ``sample_trust_``). The index (the field ``row``) is that of X.
        """
        if is_dask(X):
            return lazy_audit(self, X, y)
        X, y = to_numpy(X), to_numpy(y)
        _, rows = self._validated_model(X)
        label, given = label_numbers(y, self.classes_, rows.shape[0])
        verdict, trust = self._verdict(rows, label)
        believed = verdict.probability[np.arange(len(label)), label]
        return audit_table(
            X,
            ranking=np.lexsort([believed, -verdict.wrong]),
            label=given,
            suggested=self.classes_[np.argmax(verdict.probability, axis=1)],
            probability=believed,
            wrong=verdict.wrong,
            suspect=accused(verdict.wrong),
            trust=trust,
        )

    def _row_trust(self, X: Matrix, y: Any) -> Array:
        model: PredictiveModel = self.predictive_model_
        if not is_noise(self.label_noise_):
            if isinstance(model.weights, Unit):
                return np.ones(len(y))
            fitted = model.sharpened(1.0 / self.calibration_slope_)
            return self._fit_rows.left_out(fitted, X, self._targets(y), np.full(len(y), -1)).trust
        log_odds = model.likelihood.log_odds(*model.fitted_moments(X, model.covariance))
        return 1.0 - self._judge.verdict(log_odds - self._class_shift, y).wrong

    def _verdict(self, X: Matrix, label: Indices) -> tuple[Verdict, Array]:
        """Return what is to be said of labels, rows of the fit judged without themselves, and the trust."""
        model: PredictiveModel = self.predictive_model_
        slope = self.calibration_slope_
        positions = self._fit_rows.positions(X, label)
        fitted = model.sharpened(1.0 / slope)
        left_out = self._fit_rows.left_out(fitted, X, self._targets(label), positions)
        log_odds = slope * model.likelihood.log_odds(left_out.mean, left_out.variance)
        log_odds = np.where(positions[:, None] >= 0, log_odds, model.log_odds(X))
        verdict = self._judge.verdict(log_odds - self._class_shift, label)
        trusted = (positions >= 0) | (not is_noise(self.label_noise_))
        return verdict, np.where(trusted, left_out.trust, 1.0 - verdict.wrong)
