"""The latent functions of a fitted machine: near the data those of the fit, far from them the prior's."""

from abc import abstractmethod

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from rowtrust.estimators._learning import is_object
from rowtrust.kernels import Basis, Kernel
from rowtrust.numerics.blocks import block_rows, row_blocks
from rowtrust.predictive.anchors import Anchors, choose_anchors
from rowtrust.predictive.far_from_data import Surroundings

WITH_A_WIDTH = ("rbf", "laplacian")
"""Kernels whose width the evidence can choose, and of which each centre may have its own."""


class LatentMixin:
    """Moments of the latent functions from the fitted attributes."""

    _gradual = True
    """Whether the variance grows with what the data leave unexplained, however near they are."""

    def _keep_surroundings(self, rows):
        """Remember where the data are, and what is known of the functions where they are not."""
        self.prior_mean_ = self.prior_variance_ = self.anchors_ = self.anchor_whitener_ = None
        self.anchor_gamma_ = self.anchor_slack_ = self.anchor_reach_ = None
        anchors = self._choose_anchors(rows)
        if anchors is None:
            return
        latent, _ = self._fitted_moments(rows.X, with_variance=False)
        weight = rows.weight * self.sample_trust_[rows.index]
        centred = latent - np.average(latent, axis=0, weights=weight)
        self.prior_variance_ = np.average(centred**2, axis=0, weights=weight)
        self.prior_mean_ = self._prior_mean(rows, weight, latent)
        self.anchors_, self.anchor_whitener_ = anchors.rows, anchors.whitener
        self.anchor_gamma_ = float(anchors.kernel.gamma)
        self.anchor_slack_, self.anchor_reach_ = anchors.slack, anchors.reach

    def _choose_anchors(self, rows):
        """Choose anchors for the mean width; None if the kernel does not depend on distance alone."""
        by_distance = (
            self.kernel_.is_stationary() if is_object(self.kernel_) else self.kernel_ in WITH_A_WIDTH
        )
        if not by_distance:
            return None
        gammas, shares = (np.array(part) for part in zip(*self.gamma_share_.items(), strict=True))
        mean_gamma = float(np.exp(shares @ np.log(gammas)))
        return choose_anchors(rows.X, self._kernel(mean_gamma), explain=self._gradual)

    @abstractmethod
    def _prior_mean(self, rows, weight, latent):
        """Return the mean of each latent function where nothing is known of the inputs."""

    def _latent_moments(self, X, with_variance=True):
        """Return mean and variance of the latent functions, each of shape (n_samples, n_outputs)."""
        check_is_fitted(self)
        storage = False if is_object(self.kernel_) else "csr"
        X = validate_data(self, X, accept_sparse=storage, dtype=np.float64, reset=False)
        moments = self._fitted_moments(X, with_variance)
        return moments if self.anchors_ is None else self._surroundings().moments(X, *moments)

    def _surroundings(self):
        """Return what the fit remembers of where its data are."""
        anchors = Anchors(
            self._kernel(self.anchor_gamma_),
            self.anchors_,
            self.anchor_whitener_,
            self.anchor_slack_,
            self.anchor_reach_,
        )
        return Surroundings(anchors, self.prior_mean_, self.prior_variance_, self._gradual)

    def _fitted_moments(self, X, with_variance=True):
        """Return the moments under the posterior of the coefficients alone."""
        gamma = self.relevance_gamma_ if self.kernel_ in WITH_A_WIDTH else self.gamma_
        centres = self.relevance_ if self.kernel_ == "precomputed" else self.relevance_vectors_
        basis = Basis(self._kernel(gamma), centres)
        mean = np.empty((X.shape[0], len(self.intercept_)))
        variance = np.empty_like(mean) if with_variance else None
        coefficients = np.column_stack([self.intercept_, self.dual_coef_])
        columns = np.arange(basis.n_columns)
        for rows in row_blocks(X.shape[0], block_rows(len(columns))):
            phi = basis.columns(X[rows], columns)
            mean[rows] = phi @ coefficients.T
            for output, covariance in enumerate(self.covariance_ if with_variance else ()):
                variance[rows, output] = np.maximum(np.einsum("ij,ij->i", phi @ covariance, phi), 0.0)
        return mean, variance

    def _kernel(self, gamma):
        """Return the fitted kernel at a width, or at one per relevance vector."""
        relevance = self.feature_relevance_
        scales = None if relevance is None else np.sqrt(relevance / 2.0)
        return Kernel(self.kernel_, gamma, self.degree, self.coef0, scales)
