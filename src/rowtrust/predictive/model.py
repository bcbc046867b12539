"""The fitted model as one object: what predicts, what is saved, what is exported."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rowtrust.contracts import Array, Matrix
from rowtrust.engines.device import numbers_of_block
from rowtrust.kernels import Basis, ColumnScaling, JointBasis, function_spread, is_uncertain
from rowtrust.likelihoods import Likelihood, Prediction
from rowtrust.numerics.array_api import like, row_products, to_numpy
from rowtrust.numerics.blocks import block_rows, row_blocks
from rowtrust.numerics.statistics import class_probabilities
from rowtrust.predictive.distribution import Part, ShapedPart, TargetDistribution
from rowtrust.predictive.far_from_data import FarFromData
from rowtrust.predictive.noise import TargetNoise
from rowtrust.weights import Weights


@dataclass(frozen=True)
class PredictiveModel:
    """Gaussian latent functions, one per output, and the likelihood of targets around them.

    Attributes
    ----------
    basis
        The kernels, with one width per centre where they have a width, and the centres.
    coefficients : (n_outputs, 1 + k)
        Posterior means of intercept and coefficients.
    covariance : (n_outputs, 1 + k, 1 + k)
        Their posterior covariances; (1, 1 + k, 1 + k) where the outputs share one, and a variance.
    spread : (m, n_outputs, 1 + k)
        How far each of the m models that were averaged lies from the average, times the root of its share;
        None where that is no part of the variance.
    likelihood, weights
        Of a row, in the user's units.
    far
        What is known far from the data; None where the kernel alone decides.
    hidden : (n_outputs,)
        Variance of the latent functions over missing values, in the mean over training rows: it is a part of
        the noise. None where a row with missing values is as sure as another.
    narrowing : (n_outputs, m, 1 + k)
        Rows R by which data narrow a prior: ``|R phi|**2`` is taken off the variance of ``covariance``. As
        one form with it, the difference of large numbers would cost twice the digits. None: nothing.
    noise
        How new targets scatter, and by how much variances grow to hold; None: as the likelihood says. The
        variance of ``far`` is the one before it.
    """

    basis: Basis | JointBasis
    coefficients: Array
    covariance: Array
    likelihood: Likelihood
    weights: Weights
    far: FarFromData | None = None
    spread: Array | None = None
    hidden: Array | None = None
    narrowing: Array | None = None
    noise: TargetNoise | None = None

    @property
    def widening(self) -> float:
        """By how much the weights widen the noise of the likelihood, as a factor on its variance."""
        return 1.0 if self.noise is not None else self.weights.widening(self.likelihood.weight_exponent)

    @property
    def noise_variance(self) -> float:
        """Variance of the noise of a target at the median of the predictions."""
        factor = 1.0 if self.noise is None else self.noise.factor**2
        return factor * self.widening * float(self.likelihood.conditional_variance(np.zeros(1))[0])

    @property
    def prior_variance(self) -> Array | None:
        """Variance of the latent functions far from all data."""
        return None if self.far is None else self.far.variance * self.stretch(self.far.mean)

    def scattering(self, noise: TargetNoise | None) -> PredictiveModel:
        """Return the model with this noise, which leaves the prior as it is."""
        far = self.far
        if noise is not None and far is not None:
            far = replace(far, variance=far.variance / noise.stretch(far.mean))
        return replace(self, noise=noise, far=far)

    @property
    def total_covariance(self) -> Array:
        """Covariance of intercept and coefficients, the spread of averaged models included."""
        if self.spread is None:
            return self.covariance
        return np.asarray(self.covariance + np.einsum("goi,goj->oij", self.spread, self.spread))

    def latent_moments(self, X: Matrix, with_variance: bool = True) -> tuple[Array, Array]:
        """Return mean and variance of the latent functions, each of shape (n_samples, n_outputs).

        The variance is empty where it is not asked for.
        """
        mean, variance = self.fitted_moments(X, self.total_covariance if with_variance else None)
        variance = self.with_hidden(X, variance) if with_variance else variance
        if self.far is not None:
            mean, variance = self.far.moments(X, mean, variance)
        return mean, variance * self.stretch(mean) if with_variance else variance

    def stretch(self, mean: Array) -> Array | float:
        """Return what variances at these latent means are multiplied by."""
        return 1.0 if self.noise is None else self.noise.stretch(mean)

    def fitted_moments(self, X: Matrix, covariance: Array | None) -> tuple[Array, Array]:
        """Return the moments under coefficients of this covariance, wherever the data are."""
        n_rows, n_outputs = X.shape[0], len(self.coefficients)
        forms = np.empty((0, 0, 0)) if covariance is None else covariance
        mean, variance = np.empty((n_rows, n_outputs)), np.empty((n_rows, len(forms)))
        columns = np.arange(self.basis.n_columns)
        for rows in row_blocks(n_rows, block_rows(len(columns), numbers_of_block(X))):
            phi = self.basis.columns(X[rows, :], columns)
            mean[rows] = to_numpy(phi @ like(self.coefficients, phi).T)
            for output, form in enumerate(forms):
                square = row_products(phi @ like(form, phi), phi)
                if self.narrowing is not None:
                    taken = phi @ like(self.narrowing[output].T, phi)
                    square = square - row_products(taken, taken)
                variance[rows, output] = np.maximum(to_numpy(square), 0.0)
        return mean, variance

    def with_hidden(self, X: Matrix, variance: Array) -> Array:
        """Return the variance with that over missing values, as far as the noise has it not already."""
        if self.hidden is None or not (is_uncertain(X) or self.hidden.any()):
            return variance
        own = function_spread(self.mean_at, X, len(self.coefficients))
        return np.maximum(variance + own - self.hidden, 0.0)

    def mean_at(self, X: Matrix) -> Array:
        """Return the means of the fitted latent functions, wherever the data are."""
        return self.fitted_moments(X, None)[0]

    def log_odds(self, X: Matrix) -> Array:
        """Return the log-odds of each output's class against the rest, shape (n_samples, n_outputs).

        Where all classes are in one softmax they are of every class but the first, against the first.
        """
        return self.likelihood.log_odds(*self.latent_moments(X))

    @property
    def n_classes(self) -> int:
        """How many classes a model of classes has."""
        return max(2, len(self.coefficients))

    def probabilities(self, X: Matrix) -> Array:
        """Return class probabilities; rows sum to one."""
        return class_probabilities(self.log_odds(X), self.n_classes)

    def sharpened(self, slope: float) -> PredictiveModel:
        """Return the model with log-odds so many times as large.

        The means are multiplied and the covariance stays, so that the averaged log-odds are multiplied.
        """
        return replace(self, coefficients=slope * self.coefficients)

    def predict(self, X: Matrix) -> Prediction:
        """Return mean and variance of new targets, each of shape (n_samples, n_outputs)."""
        return self.with_noise(*self.latent_moments(X))

    def with_noise(self, mean: Array, variance: Array) -> Prediction:
        """Return mean and variance of new targets at latent moments."""
        said = self.likelihood.predict(mean, variance, self.widening)
        if self.noise is None:
            return said
        return Prediction(said.mean, variance + (said.variance - variance) * self.stretch(mean))

    def distribution(self, X: Matrix) -> TargetDistribution:
        """Return the distribution of new targets of the first output."""
        mean, variance = (each[:, [0]] for each in self.latent_moments(X))
        if self.noise is None:
            part = Part.of(mean[:, 0], variance[:, 0], self.likelihood, self.weights)
            return TargetDistribution((part,))
        said = self.with_noise(mean, variance)
        deviation = np.sqrt(said.variance[:, 0])
        return TargetDistribution((ShapedPart(1.0, said.mean[:, 0], deviation, self.noise),))

    def predict_mean(self, X: Matrix) -> Array:
        """Return the means of new targets, shape (n_samples, n_outputs)."""
        if self.likelihood.is_location_scale:
            return self.latent_moments(X, with_variance=False)[0]
        return self.likelihood.predict_mean(*self.latent_moments(X))

    def unscaled(self, scaling: ColumnScaling) -> PredictiveModel:
        """Return the model of inputs in the user's units, having been fitted to scaled ones."""
        far = None if self.far is None else self.far.unscaled(scaling)
        return replace(self, basis=scaling.basis(self.basis), far=far)

    def rescaled(self, offset: float, scale: float) -> PredictiveModel:
        """Return the model in the user's units, having been fitted to standardised targets."""
        coefficients = scale * self.coefficients
        coefficients[:, 0] = offset + coefficients[:, 0]
        return replace(
            self,
            coefficients=coefficients,
            covariance=scale**2 * self.covariance,
            spread=None if self.spread is None else scale * self.spread,
            hidden=None if self.hidden is None else scale**2 * self.hidden,
            narrowing=None if self.narrowing is None else scale * self.narrowing,
            likelihood=self.likelihood.rescaled(scale),
            far=None if self.far is None else self.far.rescaled(offset, scale),
        )
