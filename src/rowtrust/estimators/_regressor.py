"""Regression: on standardised targets where the likelihood has a scale, reported in the user's units."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from rowtrust.contracts import Array, Matrix
from rowtrust.estimators._dask import lazily
from rowtrust.estimators._devices import back_to
from rowtrust.estimators._intervals import TargetDistributionMixin
from rowtrust.estimators._machine import SparseBayesMachine
from rowtrust.estimators._targets import fit_each_target, forget_targets
from rowtrust.estimators._validation import check_target_size, weighted_rows
from rowtrust.inference import AsGiven, Coding
from rowtrust.likelihoods import Gaussian, Likelihood
from rowtrust.numerics.statistics import location_and_scale
from rowtrust.predictive import PredictiveModel
from rowtrust.predictive.distribution import Part, TargetDistribution
from rowtrust.predictive.missing import mean_spread
from rowtrust.search import Average, FitPlan, TrainingRows
from rowtrust.search.fits import Reporter, known_factors
from rowtrust.weights import Unit, Weights


def overrides_variance(likelihood: Likelihood) -> bool:
    """Whether a likelihood says how targets vary around their mean."""
    return type(likelihood).conditional_variance is not Likelihood.conditional_variance


class BaseRegressor(TargetDistributionMixin, RegressorMixin, SparseBayesMachine):  # type: ignore[misc]
    """Base of the regressors."""

    _robust_scale: ClassVar[bool] = False
    """Whether targets are scaled by their median deviation instead of their standard deviation."""

    def _validate_rows(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        X, y = self._validate_training(X, y, y_numeric=True, multi_output=True)
        rows = weighted_rows(X, np.asarray(y, dtype=np.float64), sample_weight)
        check_target_size(rows.y)
        self._likelihood().check_targets(rows.y)
        return rows

    def _fit_to(self, rows: TrainingRows, report: Reporter | None) -> None:
        if rows.y.ndim == 1:
            forget_targets(self)
            super()._fit_to(rows, report)
        else:
            fit_each_target(self, rows, report)

    def _likelihood(self) -> Likelihood:
        return Gaussian()

    def _weights(self) -> Weights:
        return Unit()

    def _codings(self) -> tuple[Coding, ...]:
        return (AsGiven(),)

    def _units(self, rows: TrainingRows) -> tuple[float, float]:
        """Return offset and scale of the targets; none where the likelihood has no scale."""
        if not self._likelihood().is_location_scale:
            return 0.0, 1.0
        factors = known_factors(self._weights(), rows)
        weight = rows.weight if factors is None else rows.weight * factors
        return location_and_scale(rows.y, weight, self._robust_scale)

    def _compose(self, rows: TrainingRows, report: Reporter | None = None) -> FitPlan:
        offset, scale = self._units(rows)
        plan = super()._compose(replace(rows, y=(rows.y - offset) / scale), report)
        return replace(plan, offset=offset, scale=scale)

    def _prior_mean(self, plan: FitPlan, weight: Array, latent: Array, variance: Array) -> Array:
        return np.asarray(np.average(latent, axis=0, weights=weight))

    def _finished(self, plan: FitPlan, found: Average) -> PredictiveModel:
        """Return the model in the user's units."""
        model = super()._finished(plan, found)
        if not plan.likelihood.is_location_scale:
            return model
        hidden = mean_spread(found.model.mean_at, plan.rows.X, plan.rows.weight, len(model.coefficients))
        return replace(model, hidden=hidden).rescaled(plan.offset, plan.scale)

    def _publish(self, plan: FitPlan, found: Average, model: PredictiveModel) -> None:
        super()._publish(plan, found, model)
        self.weight_precision_ = found.precision / plan.scale**2
        self.intercept_precision_ = found.bias_precision / plan.scale**2
        log_jacobian = found.count * np.log(plan.scale)
        self.lower_bounds_ = self.lower_bounds_ - log_jacobian
        self.lower_bound_ = self.lower_bound_ - log_jacobian
        likelihood = model.likelihood
        self.noise_precision_ = likelihood.precision if isinstance(likelihood, Gaussian) else None
        self.noise_variance_ = (
            model.widening * float(likelihood.conditional_variance(np.zeros(1))[0])
            if likelihood.is_location_scale and overrides_variance(likelihood)
            else None
        )

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
        models = [machine.predictive_model_ for machine in machines]
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
        _, X = machines[0]._validated_model(X)
        return machines, X

    def _distributions(self, X: Any) -> list[TargetDistribution]:
        machines, X = self._validated_machines(X)
        return [target_distribution(machine.predictive_model_, X) for machine in machines]

    def _shaped(self, columns: list[Array]) -> Array:
        return np.stack(columns, axis=1) if hasattr(self, "estimators_") else columns[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def target_distribution(model: PredictiveModel, X: Matrix) -> TargetDistribution:
    """Return what a model of one output says of new targets."""
    mean, variance = model.latent_moments(X)
    return TargetDistribution((Part.of(mean[:, 0], variance[:, 0], model.likelihood, model.weights),))
