"""Bayesian support vector regression with the soft insensitive loss (Chu, Keerthi & Ong 2001)."""

from __future__ import annotations

from dataclasses import fields
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from rowtrust.contracts import Array
from rowtrust.engines import lazily
from rowtrust.estimators._callbacks import all_or_nothing
from rowtrust.estimators._machine import keep
from rowtrust.estimators._regressor import TargetDistributionMixin
from rowtrust.estimators._rows import check_target_size, checked_targets, validated, weighted_rows
from rowtrust.numerics.magnitudes import shown
from rowtrust.predictive import TargetDistribution
from rowtrust.svr.hyperparameters import Settings
from rowtrust.svr.output import (
    OutputMachine,
    check_size,
    fit_outputs,
    left_out,
    predictive_model,
    warn_of_constants,
    warn_of_gap,
    warn_of_landmarks,
)
from rowtrust.trust import Findings, of_numbers


class BayesianSVR(TargetDistributionMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Support vector regression that learns its hyperparameters, with error bars.

    A Gaussian-process prior with a Gaussian kernel and one relevance per input, and noise from the
    soft insensitive loss, which contains Huber's, Vapnik's epsilon-insensitive and the absolute loss.
    Every hyperparameter is learnt by maximising the evidence, without cross-validation, or fixed to a
    number. The search begins at short and at long scales, and the evidence chooses; should it prefer a
    constant after all, a ``ConstantFitWarning`` says so. Inputs and targets are standardised inside; all
    parameters and results are in the units of the data, and neither units, nor the sign of y, nor a constant
    input changes a prediction. Training needs the n x n kernel matrix, or landmarks (``basis``).

    Parameters
    ----------
    loss : {"soft_insensitive", "huber", "laplace", "epsilon_insensitive"}, default="soft_insensitive"
        "huber" is the soft insensitive loss with ``beta=1``, "epsilon_insensitive" its limit
        ``beta -> 0`` and "laplace" its limit ``epsilon -> 0``. The limits are approached, not taken:
        the evidence needs rows in a quadratic zone.
    C : "evidence" or float, default="evidence"
        Slope of the loss: the largest pull a single row can have. In one over the units of y.
    epsilon : "evidence" or float, default="evidence"
        Where the tails of the loss would meet zero, in units of y. Not for ``loss="laplace"``.
    beta : "auto" or float, default="auto"
        Share of ``epsilon``, in (0, 1], over which the loss bends; only for
        ``loss="soft_insensitive"``. It is not learnt: it decides how many rows have curvature, and
        with that sparseness and cost, but hardly the result. "auto" takes 0.3 and doubles it as long
        as less than half of the rows are in a quadratic zone, or the evidence lies more than 0.1 nats per
        row below that of 1.
    relevance : "evidence", float or array-like of shape (n_features,), default="evidence"
        ARD weight of each input in the kernel (the paper's ``w``): one over a squared length.
    kernel_variance : "evidence" or float, default="evidence"
        Prior variance of the function around its level.
    bias_variance : "evidence" or float, default="evidence"
        Prior variance of the function's level around the median of y.
    n_restarts : int, default=0
        Searches from random starts beside the one that a screening of short and long scales chose. The
        evidence has many local maxima.
    combine : {"best", "mixture"}, default="best"
        Whether the search with the highest evidence predicts, or the evidence-weighted mixture of all.
        Fitted attributes always describe the best.
    max_iter : int, default=60
        Quasi-Newton steps of a climb.
    tol : float, default=0.1
        Nats of evidence that a dozen evaluations must gain, or a climb ends.
    n_jobs : int or None, default=None
        Searches side by side.
    basis : "auto", int or None, default="auto"
        How many landmarks stand for the rows: a sparse Gaussian process with the same likelihood, whose
        hyperparameters are learnt from a sample of 1500 rows. None: every row stands for itself. "auto":
        every row up to 3000 distinct ones, 1000 landmarks beyond, which a ``LandmarksWarning`` says.
    random_state : int, RandomState instance or None, default=None
        Of the random starts. Samples of rows are always the same.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Positions of the support vectors among the training rows, of any output; of the landmarks where they
        stand for the rows.
    support_vectors_ : ndarray of shape (n_support, n_features)
        Their inputs.
    dual_coef_ : ndarray of shape (n_outputs, n_support)
        Between ``-C_`` and ``C_`` times the row's weight, of landmarks any number. The prediction is their
        sum over the covariance with the support vectors, plus ``intercept_``.
    intercept_ : ndarray of shape (n_outputs,)
        Median of y, around which the function varies.
    C_, epsilon_, beta_, kernel_variance_, bias_variance_ : float, or ndarray of shape (n_outputs,)
        The hyperparameters in use.
    noise_variance_ : float, or ndarray of shape (n_outputs,)
        Variance of the noise of a clean row: such that 95 % intervals would cover 95 % of new ones, as the
        training rows that are no outliers, each judged by the others, have it. That of the likelihood where
        its parameters are fixed, rows are fewer than 50, or fewer than a fifth are in a quadratic zone.
    feature_relevance_ : ndarray of shape (n_features,) or (n_outputs, n_features)
        The ARD weights in use. An input of no use is sent towards zero; a constant one has none.
    evidence_ : float, or ndarray of shape (n_outputs,)
        Log evidence of the model (Laplace's approximation, eq. 46).
    duality_gap_ : float, or ndarray of shape (n_outputs,)
        Relative duality gap of the solution: how far from the optimum it can be at most.
    n_iter_ : int
        Evaluations of the evidence in the longest search.
    n_landmarks_ : int or None
        Landmarks that stand for the rows; None where every row stands for itself.
    predictive_model_ : PredictiveModel or None
        The model as one object, from which it is exported and audited; None for several outputs and for
        ``combine="mixture"``.
    n_features_in_ : int
        Inputs of the fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where X had names.

    See Also
    --------
    RVR : Sparse, and for more rows.
    RobustRVR : Where some targets may be grossly wrong.
    rowtrust.likelihoods.SoftInsensitive : The loss and its noise.

    References
    ----------
    W. Chu, S. S. Keerthi and C. J. Ong (2001). A unified loss function in Bayesian framework for
    support vector regression. ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust import BayesianSVR
    >>> generator = np.random.default_rng(0)
    >>> X = np.sort(generator.uniform(-10, 10, (60, 1)), axis=0)
    >>> y = np.sinc(X[:, 0] / np.pi) + 0.1 * generator.standard_normal(60)
    >>> machine = BayesianSVR().fit(X, y)
    >>> mean, std = machine.predict([[0.0]], return_std=True)
    >>> bool(abs(mean[0] - 1.0) < 2 * std[0])
    True
    """

    _learnt = StrOptions({"evidence"})
    _parameter_constraints: dict[str, list[Any]] = {
        "loss": [StrOptions({"soft_insensitive", "huber", "laplace", "epsilon_insensitive"})],
        "C": [_learnt, Interval(Real, 0, None, closed="neither")],
        "epsilon": [_learnt, Interval(Real, 0, None, closed="neither")],
        "beta": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="right")],
        "relevance": [_learnt, Interval(Real, 0, None, closed="left"), "array-like"],
        "kernel_variance": [_learnt, Interval(Real, 0, None, closed="neither")],
        "bias_variance": [_learnt, Interval(Real, 0, None, closed="left")],
        "n_restarts": [Interval(Integral, 0, None, closed="left")],
        "combine": [StrOptions({"best", "mixture"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "n_jobs": [Integral, None],
        "basis": [None, StrOptions({"auto"}), Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        loss: str = "soft_insensitive",
        C: str | float = "evidence",
        epsilon: str | float = "evidence",
        beta: str | float = "auto",
        relevance: Any = "evidence",
        kernel_variance: str | float = "evidence",
        bias_variance: str | float = "evidence",
        n_restarts: int = 0,
        combine: str = "best",
        max_iter: int = 60,
        tol: float = 0.1,
        n_jobs: int | None = None,
        basis: str | int | None = "auto",
        random_state: Any = None,
    ) -> None:
        keep(self, locals())

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BayesianSVR:
        """Learn from rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Several outputs get one machine each, with its own kernel.
        sample_weight : array-like of shape (n_samples,), default=None
            How many copies of it each row counts as. An integer weight equals repeated rows.

        Returns
        -------
        BayesianSVR
            The estimator itself, fitted.
        """
        self._validate_params()
        X, y = validated(self, X, y, multi_output=True, y_numeric=True, dtype=np.float64)
        rows = weighted_rows(X, np.asarray(y, dtype=np.float64), sample_weight, fewest=1)
        for target in rows.y.reshape(len(rows.y), -1).T:
            check_target_size(target)
        if self.basis is None:
            check_size(len(rows.X))
        generator = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        targets = rows.y.reshape(len(rows.y), -1)
        self.machines_ = fit_outputs(rows.X, targets, rows.weight, self._settings(), generator)
        self._single, self._is_mixture = y.ndim == 1, self.combine == "mixture"
        self._publish(X, rows.index)
        warn_of_gap(float(np.max(self.duality_gap_)))
        warn_of_constants(self.machines_)
        if self.basis == "auto" and self.n_landmarks_ is not None:
            warn_of_landmarks(len(rows.X), self.n_landmarks_)
        return self

    def _settings(self) -> Settings:
        """Return what the search needs to know of the parameters."""
        return Settings(**{field.name: getattr(self, field.name) for field in fields(Settings)})

    def _publish(self, X: Array, index: Any) -> None:
        """Set the fitted attributes from the machines; ``index`` has the positions in X of fitted rows."""
        machines = self.machines_
        used = np.unique(np.concatenate([machine.support for machine in machines]))
        self.support_ = index[used]
        self.support_vectors_ = X[self.support_]
        self.dual_coef_ = dual_coefficients(machines, used)
        self.intercept_ = np.array([machine.units.target_offset for machine in machines])
        for name in ("C", "epsilon", "beta", "kernel_variance", "bias_variance"):
            values = [getattr(machine.hyperparameters, name) for machine in machines]
            setattr(self, f"{name}_", self._per_output(values))
        self.feature_relevance_ = self._per_output([m.hyperparameters.relevance for m in machines])
        self.noise_variance_ = self._per_output([machine.noise_variance for machine in machines])
        self.evidence_ = self._per_output([machine.log_evidence for machine in machines])
        self.duality_gap_ = self._per_output([machine.duality_gap for machine in machines])
        numbers = [machine.n_landmarks for machine in machines if machine.n_landmarks is not None]
        self.n_landmarks_ = max(numbers, default=None)
        self.n_iter_ = max(machine.n_iter for machine in machines)
        is_one_model = self._single and self.combine == "best"
        self.predictive_model_ = predictive_model(machines[0]) if is_one_model else None

    def _per_output(self, values: list[Any]) -> Any:
        return values[0] if self._single else np.array(values)

    @lazily
    def predict(self, X: Any, return_std: bool | str = False) -> Array | tuple[Array, ...]:
        """Return the most probable value of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to predict.
        return_std : bool, "function" or "parts", default=False
            True: the standard deviation of a new target too, function and noise together.
            "function": that of the function alone. "parts": those of the function and of the noise,
            one after the other; their squares add up to the square of the first.

        Returns
        -------
        mean : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            The most probable values.
        std : ndarray of the same shape
            If ``return_std`` is True or "function".
        function_std, noise_std : ndarrays of the same shape
            If ``return_std="parts"``.
        """
        check_is_fitted(self, "machines_")
        if return_std not in (False, True, "function", "parts"):
            raise ValueError(
                f'return_std must be False, True, "function" or "parts", got {shown(return_std)}.'
            )
        X = validated(self, X, reset=False, dtype=np.float64)
        mixed = self._is_mixture
        if return_std is False:
            return self._shaped([machine.mean(X, mixed) for machine in self.machines_])
        moments = [machine.moments(X, mixed) for machine in self.machines_]
        mean, function, noise = (self._shaped(part) for part in zip(*moments, strict=True))
        if return_std == "parts":
            return mean, np.sqrt(function), np.sqrt(noise)
        return mean, np.sqrt(function if return_std == "function" else function + noise)

    def _distributions(self, X: Any) -> list[TargetDistribution]:
        check_is_fitted(self, "machines_")
        X = validated(self, X, reset=False, dtype=np.float64)
        return [TargetDistribution(tuple(machine.parts(X, self._is_mixture))) for machine in self.machines_]

    def judge_rows(self, X: Any, y: Any) -> Findings:
        """Judge each row by what the other rows predict for it.

        Parameters
        ----------
        X, y : array-like of shape (n_samples, n_features) and (n_samples,)
            Rows of the fit, and their targets as given.

        Returns
        -------
        Findings
            What :func:`rowtrust.find_wrong_rows` returns.
        """
        check_is_fitted(self, "machines_")
        model = self.predictive_model_
        if model is None:
            raise ValueError('this BayesianSVR is no single model: audit one output, with combine="best".')
        rows = validated(self, X, dtype=np.float64, reset=False)
        target = checked_targets(y, rows.shape[0])
        predicted = model.likelihood.predict(*left_out(model, rows, target))
        return of_numbers(target, predicted.mean, np.sqrt(predicted.variance))

    def _shaped(self, columns: Any) -> Array:
        return np.asarray(columns[0] if self._single else np.stack(columns, axis=1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def dual_coefficients(machines: list[OutputMachine], used: Any) -> Array:
    """Return the dual variables of the rows ``used`` for each output, zero where they support nothing."""
    coefficients = np.zeros((len(machines), len(used)))
    for row, machine in zip(coefficients, machines, strict=True):
        row[np.searchsorted(used, machine.support)] = machine.dual
    return coefficients
