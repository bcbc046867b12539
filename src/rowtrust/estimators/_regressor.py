"""Regression: Gaussian noise on standardised targets, everything reported in the user's units."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d

from rowtrust.estimators._machine import RelevanceVectorMachine
from rowtrust.estimators._rows import standardise, weighted_rows
from rowtrust.inference import Problem
from rowtrust.likelihoods import Gaussian
from rowtrust.priors import ARD


class RelevanceVectorRegressor(RegressorMixin, RelevanceVectorMachine):
    """Base of the regressors: Gaussian noise."""

    _robust_scale = False
    """Whether targets are scaled by their median deviation instead of their standard deviation."""

    def _validate_rows(self, X, y, sample_weight):
        X, y = self._validate_training(X, y, y_numeric=True, multi_output=True)
        y = column_or_1d(y, warn=True).astype(np.float64)
        return weighted_rows(X, y, sample_weight)

    def _standardise(self, rows):
        return standardise(rows, self._robust_scale)

    def _compose_problems(self, rows, design, weights):
        standard, _, _ = self._standardise(rows)
        return [Problem(design, standard.y, rows.weight, Gaussian(), weights, ARD())]

    def _keep(self, rows, fits):
        super()._keep(rows, fits)
        _, offset, scale = self._standardise(rows)
        state = fits[0].states[0]
        count = state.weights.learn(np.zeros(len(rows.y)), state.noise.weight_exponent, slice(None)).count
        log_jacobian = float(rows.weight @ count) * np.log(scale)
        noise_variance = sum(fit.share / fit.states[0].noise.precision for fit in fits)
        self.intercept_ = offset + scale * self.intercept_
        self.dual_coef_ = scale * self.dual_coef_
        self.covariance_ = scale**2 * self.covariance_
        self.weight_precision_ = self.weight_precision_ / scale**2
        self.noise_precision_ = 1.0 / (noise_variance * scale**2)
        self.noise_variance_ = self._interval_factor() / self.noise_precision_
        if self.anchors_ is not None:
            self.prior_mean_ = offset + scale * self.prior_mean_
            self.prior_variance_ = scale**2 * self.prior_variance_
        self.lower_bounds_ = self.lower_bounds_ - log_jacobian
        self.lower_bound_ = self.lower_bound_ - log_jacobian

    def _prior_mean(self, rows, weight, latent):
        return np.average(latent, axis=0, weights=weight)

    def _interval_factor(self):
        """Return by how much the noise is wider, in variance, than a Gaussian of its precision."""
        return 1.0

    def predict(self, X, return_std=False):
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
        mean, variance = self._latent_moments(X, with_variance=return_std)
        if not return_std:
            return mean[:, 0]
        return mean[:, 0], np.sqrt(variance[:, 0] + self.noise_variance_)
