"""Regression: on standardised targets where the likelihood has a scale, reported in the user's units."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d

from rowtrust.contracts import Array
from rowtrust.estimators._machine import SparseBayesMachine
from rowtrust.estimators._validation import check_target_size, weighted_rows
from rowtrust.inference import AsGiven, Coding
from rowtrust.likelihoods import Gaussian, Likelihood
from rowtrust.numerics.statistics import location_and_scale
from rowtrust.predictive import PredictiveModel
from rowtrust.search import Average, FitPlan, TrainingRows
from rowtrust.search.fits import Reporter, known_factors
from rowtrust.weights import Unit, Weights


def overrides_variance(likelihood: Likelihood) -> bool:
    """Whether a likelihood says how targets vary around their mean."""
    return type(likelihood).conditional_variance is not Likelihood.conditional_variance


class BaseRegressor(RegressorMixin, SparseBayesMachine):  # type: ignore[misc]
    """Base of the regressors."""

    _robust_scale: ClassVar[bool] = False
    """Whether targets are scaled by their median deviation instead of their standard deviation."""

    def _validate_rows(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        X, y = self._validate_training(X, y, y_numeric=True, multi_output=True)
        y = column_or_1d(y, warn=True).astype(np.float64)
        rows = weighted_rows(X, y, sample_weight)
        check_target_size(rows.y)
        return rows

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
        return model.rescaled(plan.offset, plan.scale) if plan.likelihood.is_location_scale else model

    def _publish(self, plan: FitPlan, found: Average, model: PredictiveModel) -> None:
        super()._publish(plan, found, model)
        self.weight_precision_ = found.precision / plan.scale**2
        self.intercept_precision_ = found.bias_precision / plan.scale**2
        log_jacobian = float(found.best.engine.weight.sum()) * np.log(plan.scale)
        self.lower_bounds_ = self.lower_bounds_ - log_jacobian
        self.lower_bound_ = self.lower_bound_ - log_jacobian
        likelihood = model.likelihood
        self.noise_precision_ = likelihood.precision if isinstance(likelihood, Gaussian) else None
        self.noise_variance_ = (
            model.widening * float(likelihood.conditional_variance(np.zeros(1))[0])
            if likelihood.is_location_scale and overrides_variance(likelihood)
            else None
        )

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return the expected target of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether to return the standard deviation of the target too: that of the function and of
            the noise together. It grows away from the data, to that of the function over all of them.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
        std : ndarray of shape (n_samples,), only if ``return_std``
        """
        model, X = self._validated_model(X)
        if not return_std:
            return model.predict_mean(X)[:, 0]
        prediction = model.predict(X)
        return prediction.mean[:, 0], np.sqrt(prediction.variance[:, 0])
