"""The evidence and its slopes: finite differences, repeated rows, the Gaussian limit."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from rowtrust.likelihoods.soft_insensitive import Huber, SoftInsensitive
from rowtrust.svr.covariance import CovarianceMatrix, GaussianCovariance
from rowtrust.svr.evidence import evidence_slopes, negative_log_evidence
from rowtrust.svr.problem import LEAF, SoftProblem, lower_inverse
from rowtrust.svr.solver import solve_map

STEP = 1e-5


def problem_at(logs, rows, beta):
    C, epsilon, *relevance, kernel_variance, bias_variance = np.exp(logs)
    X, y, weight = rows
    covariance = GaussianCovariance(np.array(relevance), kernel_variance, bias_variance)
    return SoftProblem(CovarianceMatrix(covariance, X), y, weight, SoftInsensitive(C, epsilon, beta))


def evidence_at(logs, rows, beta):
    problem = problem_at(logs, rows, beta)
    solution = solve_map(problem)
    return negative_log_evidence(problem, solution), solution.quadratic


@pytest.mark.parametrize("beta", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_slopes_match_finite_differences_while_no_row_changes_zone(seed, beta, random_rows):
    rows = random_rows(seed)
    generator = np.random.default_rng(100 + seed)
    logs = np.log([5, 0.2, 0.6, 0.3, 0.1, 1.3, 0.4]) + 0.3 * generator.standard_normal(7)
    problem = problem_at(logs, rows, beta)
    slopes = evidence_slopes(problem, solve_map(problem))
    analytic = np.concatenate(
        [[slopes.C, slopes.epsilon], slopes.relevance, [slopes.kernel_variance, slopes.bias_variance]]
    )
    checked = 0
    for position in range(7):
        step = STEP * np.eye(7)[position]
        (up, zone_up), (down, zone_down) = (
            evidence_at(logs + step, rows, beta),
            evidence_at(logs - step, rows, beta),
        )
        if np.array_equal(zone_up, zone_down):
            scale = max(1.0, abs(analytic[position]))
            assert analytic[position] == pytest.approx((up - down) / (2 * STEP), abs=1e-6 * scale)
            checked += 1
    assert checked >= 4


@pytest.mark.parametrize("seed", range(3))
def test_integer_weights_equal_repeated_rows(seed, random_rows):
    X, y, weight = random_rows(seed)
    logs = np.log([5, 0.2, 0.6, 0.3, 0.1, 1.3, 0.4])
    copies = weight.astype(int)
    repeated = np.repeat(X, copies, axis=0), np.repeat(y, copies), np.ones(copies.sum())
    assert evidence_at(logs, (X, y, weight), 0.3)[0] == pytest.approx(
        evidence_at(logs, repeated, 0.3)[0], rel=1e-9
    )


def test_a_wide_huber_zone_has_the_evidence_of_a_gaussian_process(random_rows):
    X, y, _ = random_rows(0)
    variance, epsilon = 0.04, 1e4
    covariance = GaussianCovariance(np.array([1.0, 0.25, 0.25]), 1.3, 0.4)
    problem = SoftProblem(
        CovarianceMatrix(covariance, X), y, np.ones(60), Huber(2 * epsilon / variance, epsilon)
    )
    kernel = 1.3 * RBF([1.0, 2.0, 2.0]) + ConstantKernel(0.4) + WhiteKernel(variance)
    reference = GaussianProcessRegressor(kernel, optimizer=None, alpha=0.0).fit(X, y)
    ours = -negative_log_evidence(problem, solve_map(problem))
    assert ours == pytest.approx(reference.log_marginal_likelihood_value_, abs=1e-6)


def test_without_a_row_in_a_quadratic_zone_only_loss_and_normaliser_remain(random_rows):
    """An insensitive zone wider than every target: no support, no determinant."""
    X, y, weight = random_rows(0)
    covariance = GaussianCovariance(np.ones(3))
    likelihood = SoftInsensitive(2.0, 4.0 * np.abs(y).max(), 0.3)
    problem = SoftProblem(CovarianceMatrix(covariance, X), y, weight, likelihood)
    solution = solve_map(problem)
    assert solution.quadratic.size == 0
    expected = weight.sum() * np.log(likelihood.normaliser)
    assert negative_log_evidence(problem, solution) == pytest.approx(expected)
    slopes = evidence_slopes(problem, solution)
    np.testing.assert_allclose([*slopes.relevance, slopes.kernel_variance, slopes.bias_variance], 0.0)


@pytest.mark.parametrize("size", [1, LEAF, LEAF + 1, 3 * LEAF])
def test_a_triangle_is_inverted_by_halves(size):
    generator = np.random.default_rng(size)
    factor = np.linalg.cholesky(np.cov(generator.normal(size=(size, 3 * size + 2))).reshape(size, size))
    matrix = factor @ factor.T
    lower = lower_inverse(np.asfortranarray(factor))
    np.testing.assert_allclose(lower, np.tril(np.linalg.inv(matrix)), atol=1e-8)
