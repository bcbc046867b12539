"""The posterior of the latent function."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from rowtrust.likelihoods.soft_insensitive import Huber, SoftInsensitive
from rowtrust.svr.covariance import CovarianceMatrix, GaussianCovariance
from rowtrust.svr.posterior import SoftPosterior
from rowtrust.svr.problem import SoftProblem
from rowtrust.svr.solver import solve_map


@pytest.mark.parametrize("seed", range(3))
def test_at_the_training_rows_the_mean_is_the_solution(seed, random_problem):
    problem = random_problem(seed)
    solution = solve_map(problem)
    posterior = SoftPosterior.of(problem, solution)
    mean, variance = posterior.latent_moments(problem.matrix.X)
    np.testing.assert_allclose(mean, solution.latent, atol=1e-9)
    np.testing.assert_array_equal(posterior.latent_mean(problem.matrix.X), mean)
    assert (variance <= posterior.covariance.variance + 1e-12).all()
    assert (variance >= 0).all()
    np.testing.assert_array_equal(posterior.support[posterior.quadratic], solution.quadratic)


def test_far_away_the_prior_is_left(random_problem):
    problem = random_problem(0)
    posterior = SoftPosterior.of(problem, solve_map(problem))
    level = problem.matrix.covariance.bias_variance * posterior.dual.sum()
    mean, variance = posterior.latent_moments(np.full((1, 2), 1e3))
    assert mean[0] == pytest.approx(level)
    assert variance[0] > 0.5 * problem.matrix.covariance.kernel_variance


def test_a_wide_huber_zone_has_the_posterior_of_a_gaussian_process(random_rows):
    X, y, _ = random_rows(0)
    noise_variance, epsilon = 0.04, 1e4
    covariance = GaussianCovariance(np.array([1.0, 0.25, 0.25]), 1.3, 0.4)
    likelihood = Huber(2 * epsilon / noise_variance, epsilon)
    problem = SoftProblem(CovarianceMatrix(covariance, X), y, np.ones(60), likelihood)
    kernel = 1.3 * RBF([1.0, 2.0, 2.0]) + ConstantKernel(0.4)
    reference = GaussianProcessRegressor(kernel, optimizer=None, alpha=noise_variance).fit(X, y)
    mean, variance = SoftPosterior.of(problem, solve_map(problem)).latent_moments(X[:9] + 0.1)
    expected, deviation = reference.predict(X[:9] + 0.1, return_std=True)
    np.testing.assert_allclose(mean, expected, atol=1e-6)
    np.testing.assert_allclose(variance, deviation**2, atol=1e-6)


def test_without_support_the_prior_remains(random_rows):
    X, y, weight = random_rows(0)
    covariance = GaussianCovariance(np.ones(3), 1.3, 0.4)
    likelihood = SoftInsensitive(2.0, 4.0 * np.abs(y).max(), 0.3)
    problem = SoftProblem(CovarianceMatrix(covariance, X), y, weight, likelihood)
    posterior = SoftPosterior.of(problem, solve_map(problem))
    mean, variance = posterior.latent_moments(X)
    assert len(posterior.support) == 0
    np.testing.assert_array_equal(mean, 0.0)
    np.testing.assert_allclose(variance, 1.7)
