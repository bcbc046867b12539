"""Regression: on standardised targets where the likelihood has a scale, reported in the user's units."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin, clone
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from rowtrust.contracts import Array, Matrix
from rowtrust.engines import back_to, lazily
from rowtrust.estimators._machine import SparseBayesMachine
from rowtrust.estimators._rows import check_target_size, checked_targets, weighted_rows
from rowtrust.fitting import Fitted, TrainingRows
from rowtrust.inference import AsGiven, Coding
from rowtrust.likelihoods import Gaussian, Likelihood
from rowtrust.numerics.array_api import to_numpy
from rowtrust.numerics.magnitudes import shown
from rowtrust.predictive import TargetDistribution
from rowtrust.trust import Findings, of_numbers
from rowtrust.weights import Unit, Weights

PER_TARGET = ("gamma_", "noise_precision_", "noise_variance_", "lower_bound_", "trust_prior_")
"""Numbers of a machine that are published as one array over targets."""


class TargetDistributionMixin:
    """Intervals and log scores from the distribution of new targets."""

    @abstractmethod
    def _distributions(self, X: Any) -> list[TargetDistribution]:
        """Return the distribution of new targets at some rows, one per target."""

    @abstractmethod
    def _shaped(self, columns: list[Array]) -> Array:
        """Return one array a target as the targets of the fit were shaped."""

    @lazily
    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return the interval in which a new target lies with a given probability.

        The interval leaves as much below it as above it, by the distribution of function and noise
        together: tails that are heavier than a Gaussian's make it wider at high coverage.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.
        coverage : float, default=0.9
            Probability of the interval, between 0 and 1.

        Returns
        -------
        lower : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Where the intervals begin.
        upper : ndarray of the same shape
            Where they end.

        Examples
        --------
        >>> from rowtrust import RobustRVR
        >>> from rowtrust.datasets import make_sinc
        >>> X, y = make_sinc(100, random_state=0)
        >>> lower, upper = RobustRVR(gamma=3.0).fit(X, y).predict_interval(X, coverage=0.9)
        >>> bool(0.8 < ((lower < y) & (y < upper)).mean() <= 1.0)
        True
        """
        if not 0.0 < coverage < 1.0:
            raise ValueError(f"coverage must lie between 0 and 1, got {shown(coverage)}.")
        found = self._distributions(X)
        tails = 0.5 * (1.0 - coverage), 0.5 * (1.0 + coverage)
        lower, upper = (self._shaped([each.quantile(level) for each in found]) for level in tails)
        return lower, upper

    def log_score_samples(self, X: Any, y: Any) -> Array:
        """Return the log density of each row's target under the prediction, summed over several targets.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Their targets.

        Returns
        -------
        ndarray of shape (n_samples,)
            In nats: low for a target that the model did not expect.
        """
        found = self._distributions(X)
        targets = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        targets = targets.reshape(len(targets), -1)
        shape = (len(found[0].parts[0].mean), len(found))
        if targets.shape != shape:
            raise ValueError(
                f"y has shape {targets.shape} where {shape} was expected: one row per row of X, and one "
                "column per target of the fit."
            )
        pairs = zip(found, targets.T, strict=True)
        return np.asarray(np.sum([each.log_density(column) for each, column in pairs], axis=0))

    def log_score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the mean log density of the targets under the prediction, in nats per row: higher is better.

        Unlike :meth:`score` it asks for honest error bars too.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Their targets.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts; None: once.

        Returns
        -------
        float
            The mean over rows. It depends on the units of the targets.
        """
        return float(np.average(self.log_score_samples(X, y), weights=sample_weight))


class BaseRegressor(TargetDistributionMixin, RegressorMixin, SparseBayesMachine):  # type: ignore[misc]
    """Base of the regressors."""

    def _validate_rows(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        X, y = self._validate_training(X, y, y_numeric=True, multi_output=True)
        rows = weighted_rows(X, np.asarray(y, dtype=np.float64), sample_weight)
        check_target_size(rows.y)
        self._likelihood().check_targets(rows.y)
        return rows

    def _fit_rows(self, rows: TrainingRows, report: Any) -> None:
        if rows.y.ndim == 1:
            super()._fit_rows(rows, report)
        else:
            self._fit_each_target(rows, report)

    def _fit_each_target(self, rows: TrainingRows, report: Any) -> None:
        """Fit a machine to every column of the targets, as if each were fitted alone."""
        machines = []
        for number, column in enumerate(rows.y.T):
            machine = clone(self)
            for name in ("n_features_in_", "feature_names_in_"):
                if hasattr(self, name):
                    setattr(machine, name, getattr(self, name))
            machine._fit_rows(replace(rows, y=np.ascontiguousarray(column)), prefixed(report, number))
            machines.append(machine)
        self.estimators_ = machines
        self.intercept_ = np.concatenate([machine.intercept_ for machine in machines])
        self.relevance_ = np.unique(np.concatenate([machine.relevance_ for machine in machines]))
        for name in ("sample_trust_", "expected_weight_"):
            if hasattr(machines[0], name):
                setattr(self, name, np.min([getattr(machine, name) for machine in machines], axis=0))
        self.n_iter_ = max(machine.n_iter_ for machine in machines)
        for name in PER_TARGET:
            values = [getattr(machine, name, None) for machine in machines]
            if None not in values:
                setattr(self, name, np.array(values, dtype=float))

    def _likelihood(self) -> Likelihood:
        return Gaussian()

    def _weights(self) -> Weights:
        return Unit()

    def _codings(self) -> tuple[Coding, ...]:
        return (AsGiven(),)

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        likelihood = fitted.model.likelihood
        self.noise_precision_ = likelihood.precision if isinstance(likelihood, Gaussian) else None
        self.noise_variance_ = None
        if likelihood.is_location_scale and fitted.numbers is not None:
            self.noise_variance_ = fitted.model.noise_variance

    @lazily
    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return the expected target of each row.

        Of dask arrays and dataframes predictions are lazy: arrays of arrays, series of dataframes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to predict.
        return_std : bool, default=False
            Whether to return the standard deviation of the target too: that of the function and of
            the noise together. It grows away from the data, to that of the function over all of them.

        Returns
        -------
        mean : ndarray of shape (n_samples,) or (n_samples, n_targets)
            The expected targets; two axes if the targets of the fit had two.
        std : ndarray of the same shape
            Their standard deviations; only if ``return_std``.

        Examples
        --------
        >>> from rowtrust import RVR
        >>> from rowtrust.datasets import make_sinc
        >>> X, y = make_sinc(100, random_state=0)
        >>> mean, std = RVR(gamma=3.0).fit(X, y).predict([[0.0], [100.0]], return_std=True)
        >>> bool(std[1] > std[0])  # far from the data it knows less
        True
        """
        machines, rows = self._validated_machines(X)
        models = [machine.fitted_.model for machine in machines]
        if not return_std:
            return back_to(X, self._shaped([model.predict_mean(rows)[:, 0] for model in models]))
        predictions = [model.predict(rows) for model in models]
        mean = self._shaped([each.mean[:, 0] for each in predictions])
        deviation = np.sqrt(self._shaped([each.variance[:, 0] for each in predictions]))
        return back_to(X, mean), back_to(X, deviation)

    def _validated_machines(self, X: Any) -> tuple[list[Any], Matrix]:
        """Return one fitted machine a target, and rows that they can predict."""
        check_is_fitted(self)
        machines = getattr(self, "estimators_", [self])
        return machines, machines[0]._validated(X)

    def _distributions(self, X: Any) -> list[TargetDistribution]:
        machines, X = self._validated_machines(X)
        return [machine.fitted_.model.distribution(X) for machine in machines]

    def _shaped(self, columns: list[Array]) -> Array:
        return np.stack(columns, axis=1) if hasattr(self, "estimators_") else columns[0]

    def judge_rows(self, X: Any, y: Any) -> Findings:
        """Judge each row by what the other rows predict for it.

        Parameters
        ----------
        X, y : array-like of shape (n_samples, n_features) and (n_samples,)
            Rows of the fit, or others, and their targets as given.

        Returns
        -------
        Findings
            What :func:`rowtrust.find_wrong_rows` returns.
        """
        check_is_fitted(self)
        self._single_target_only("an audit")
        X, y = to_numpy(X), to_numpy(y)
        rows = self._validated(X)
        target = checked_targets(y, rows.shape[0])
        predicted = self.fitted_.model.with_noise(*self.fitted_.moments(rows, target))
        return of_numbers(target, predicted.mean, np.sqrt(predicted.variance), self.fitted_.numbers)

    def _single_target_only(self, what: str) -> None:
        """Refuse a fit to several targets, and say what to do."""
        if hasattr(self, "estimators_"):
            raise ValueError(
                f"{what} takes one target at a time; this {type(self).__name__} was fitted to a table of "
                f"{len(self.estimators_)}. Use estimators_[k], and the k-th column of y."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def prefixed(report: Any, number: int) -> Any:
    """Return a reporter whose tasks name the target."""
    return None if report is None else lambda name: report(f"target {number}, {name}")
