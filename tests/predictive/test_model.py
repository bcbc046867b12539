"""The fitted model as one object: moments against dense algebra, predictions against its likelihood."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import expit

from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import Gaussian, Likelihood, Logistic
from rowtrust.numerics.statistics import class_probabilities
from rowtrust.predictive import FarFromData, PredictiveModel, choose_anchors, model
from rowtrust.weights import Gamma, Unit

RNG = np.random.default_rng(0)
CENTRES = RNG.normal(size=(5, 2))
X = RNG.normal(size=(33, 2))


def make_model(n_outputs=1, likelihood=None, weights=None, **more):
    rng = np.random.default_rng(n_outputs)
    roots = rng.normal(size=(n_outputs, 6, 6))
    gamma = np.array([0.2, 0.2, 0.5, 0.5, 1.0])
    return PredictiveModel(
        basis=Basis(Kernel("rbf", gamma), CENTRES),
        coefficients=rng.normal(size=(n_outputs, 6)),
        covariance=0.1 * roots @ roots.transpose(0, 2, 1),
        likelihood=likelihood or Gaussian(4.0),
        weights=weights or Unit(),
        **more,
    )


def dense_phi(fitted):
    distance = ((X[:, None] - CENTRES) ** 2).sum(axis=2)
    return np.column_stack([np.ones(len(X)), np.exp(-fitted.basis.kernel.gamma * distance)])


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_latent_moments_are_those_of_a_linear_map(n_outputs):
    fitted = make_model(n_outputs)
    phi = dense_phi(fitted)
    mean, variance = fitted.latent_moments(X)
    np.testing.assert_allclose(mean, phi @ fitted.coefficients.T, rtol=1e-10)
    exact = np.column_stack([np.diag(phi @ each @ phi.T) for each in fitted.covariance])
    np.testing.assert_allclose(variance, exact, rtol=1e-9)


def test_the_blocks_do_not_matter(monkeypatch):
    fitted = make_model(3)
    whole = fitted.latent_moments(X)
    monkeypatch.setattr(model, "block_rows", lambda *_: 4)
    for one, two in zip(whole, fitted.latent_moments(X), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-10)


def test_a_variance_that_nobody_asked_for_is_empty():
    mean, variance = make_model(2).latent_moments(X, with_variance=False)
    np.testing.assert_array_equal(mean, make_model(2).latent_moments(X)[0])
    assert variance.size == 0


def test_a_variance_is_never_negative():
    """A covariance may have lost its positive eigenvalues to rounding."""
    fitted = make_model()
    assert (replace(fitted, covariance=-1e-18 * fitted.covariance).latent_moments(X)[1] >= 0.0).all()


def test_the_spread_of_averaged_models_is_a_part_of_the_variance():
    spread = RNG.normal(size=(4, 2, 6))
    fitted = make_model(2, spread=spread)
    phi = dense_phi(fitted)
    plain = replace(fitted, spread=None).latent_moments(X)[1]
    more = np.column_stack([((phi @ spread[:, output].T) ** 2).sum(axis=1) for output in range(2)])
    np.testing.assert_allclose(fitted.latent_moments(X)[1], plain + more, rtol=1e-9)


def test_far_from_the_data_the_prior_is_left():
    anchors = choose_anchors(X, Kernel("rbf", 0.5))
    far = FarFromData(anchors, np.array([3.0]), np.array([2.0]), True)
    fitted = make_model(far=far)
    away = np.full((2, 2), 1e3)
    np.testing.assert_allclose(fitted.latent_moments(away)[0], 3.0)
    np.testing.assert_allclose(fitted.latent_moments(away)[1], 2.0)
    near = fitted.latent_moments(X)
    for one, two in zip(near, replace(fitted, far=None).latent_moments(X), strict=True):
        np.testing.assert_allclose(one, two)


@pytest.mark.parametrize("weights", [Unit(), Gamma(1.3)], ids=repr)
def test_predictions_are_the_likelihoods_with_the_noise_as_wide_as_the_weights_make_it(weights):
    fitted = make_model(weights=weights)
    mean, variance = fitted.latent_moments(X)
    found = fitted.predict(X)
    assert fitted.widening == weights.widening(0.5)
    np.testing.assert_array_equal(found.mean, mean)
    np.testing.assert_allclose(found.variance, variance + weights.widening(0.5) / 4.0)
    np.testing.assert_array_equal(fitted.predict_mean(X), mean)


def test_means_of_other_likelihoods_are_averaged_over_the_latent_function():
    class Poisson(Likelihood):
        def log_density(self, target, latent):
            return target * latent - np.exp(latent)

        def mean(self, latent):
            return np.exp(latent)

    fitted = make_model(likelihood=Poisson())
    mean, variance = fitted.latent_moments(X)
    np.testing.assert_allclose(fitted.predict_mean(X), np.exp(mean + 0.5 * variance), rtol=1e-6)


def test_probabilities_are_those_of_the_log_odds():
    two, three = make_model(1, Logistic()), make_model(3, Logistic())
    odds = two.log_odds(X)
    np.testing.assert_allclose(two.probabilities(X), np.column_stack([expit(-odds), expit(odds)]))
    against_rest = expit(three.log_odds(X))
    np.testing.assert_allclose(
        three.probabilities(X), against_rest / against_rest.sum(axis=1, keepdims=True), rtol=1e-12
    )


def test_where_every_class_underflows_nobody_wins():
    np.testing.assert_array_equal(class_probabilities(np.full((1, 4), -1e4)), np.full((1, 4), 0.25))
    np.testing.assert_array_equal(class_probabilities(np.array([[-1e4], [1e4]])), [[1.0, 0.0], [0.0, 1.0]])


@pytest.mark.parametrize(("offset", "scale"), [(0.0, 1.0), (-3.0, 20.0), (1e6, 1e-3)])
def test_rescaling_puts_every_prediction_into_the_users_units(offset, scale):
    anchors = choose_anchors(X, Kernel("rbf", 0.5))
    far = FarFromData(anchors, np.array([0.3]), np.array([2.0]), True)
    fitted = make_model(weights=Gamma(1.3), far=far, spread=RNG.normal(size=(3, 1, 6)))
    rows = np.concatenate([X, X + 3.0, X + 1e3])
    before = fitted.coefficients.copy()
    standard, users = fitted.predict(rows), fitted.rescaled(offset, scale).predict(rows)
    np.testing.assert_allclose(users.mean, offset + scale * standard.mean, rtol=1e-9)
    np.testing.assert_allclose(users.variance, scale**2 * standard.variance, rtol=1e-7)
    np.testing.assert_array_equal(fitted.coefficients, before)


def test_sparse_rows_give_the_same():
    dense = make_model(likelihood=Logistic())
    kernel = replace(dense.basis.kernel, gamma=0.4)
    dense = replace(dense, basis=Basis(kernel, CENTRES))
    sparse = replace(dense, basis=Basis(kernel, csr_array(CENTRES)))
    np.testing.assert_allclose(sparse.probabilities(csr_array(X)), dense.probabilities(X), rtol=1e-9)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_a_sharper_model_has_larger_log_odds_and_the_same_variance(n_outputs):
    fitted = make_model(n_outputs, Logistic())
    sharp = fitted.sharpened(1.7)
    np.testing.assert_allclose(sharp.log_odds(X), 1.7 * fitted.log_odds(X), rtol=1e-12)
    np.testing.assert_array_equal(sharp.latent_moments(X)[1], fitted.latent_moments(X)[1])
    np.testing.assert_allclose(sharp.sharpened(1.0 / 1.7).log_odds(X), fitted.log_odds(X), rtol=1e-12)
