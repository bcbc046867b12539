"""The Gaussian-process prior: values, derivatives, memory."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from rowtrust.svr.covariance import CovarianceMatrix, GaussianCovariance

STEP = 1e-5


@pytest.fixture
def covariance():
    return GaussianCovariance(np.array([1.0, 0.25, 4.0]), 1.3, 0.4)


def test_the_covariance_is_that_of_scikit_learn(covariance, random_rows):
    X, _, _ = random_rows(0)
    expected = (1.3 * RBF([1.0, 2.0, 0.5]) + ConstantKernel(0.4))(X, X[:20])
    np.testing.assert_allclose(covariance(X, X[:20]), expected, rtol=1e-12)
    assert covariance.variance == pytest.approx(1.7)


def test_an_input_of_no_relevance_does_not_matter(random_rows):
    X, _, _ = random_rows(0)
    other = X.copy()
    other[:, 2] += 1e3
    covariance = GaussianCovariance(np.array([1.0, 0.5, 0.0]))
    np.testing.assert_allclose(covariance(X, X), covariance(other, other), atol=1e-12)


def test_without_other_rows_there_is_nothing_to_compare(covariance, random_rows, recwarn):
    X, _, _ = random_rows(0)
    assert covariance(X, X[:0]).shape == (60, 0)
    assert not recwarn


def test_the_matrix_gives_products_columns_and_blocks_of_the_covariance(covariance, random_rows):
    X, y, _ = random_rows(0)
    matrix, dense = CovarianceMatrix(covariance, X), covariance(X, X)
    rows = np.array([3, 5, 40, 41])
    np.testing.assert_allclose(matrix.apply(y), dense @ y, rtol=1e-12)
    np.testing.assert_allclose(matrix.column(7), dense[:, 7], rtol=1e-12)
    np.testing.assert_allclose(matrix.block(rows), dense[np.ix_(rows, rows)], rtol=1e-12)
    assert len(matrix) == 60


def test_the_memory_of_an_earlier_matrix_is_used_again(covariance, random_rows):
    X, _, _ = random_rows(0)
    earlier = CovarianceMatrix(GaussianCovariance(np.ones(3)), X).correlation
    matrix = CovarianceMatrix(covariance, X, out=earlier)
    assert matrix.correlation is earlier
    np.testing.assert_array_equal(matrix.correlation, CovarianceMatrix(covariance, X).correlation)
    np.testing.assert_array_equal(np.diagonal(matrix.correlation), 1.0)


def test_covariance_slopes_match_finite_differences(random_rows):
    X, _, _ = random_rows(0)
    generator = np.random.default_rng(1)
    vector, rows = generator.standard_normal(60), np.sort(generator.choice(60, 25, replace=False))
    weights = generator.standard_normal((25, 25))
    weights = weights + weights.T
    logs = np.log([0.6, 0.3, 0.1, 1.3, 0.4])

    def matrix(logs):
        *relevance, kernel_variance, bias_variance = np.exp(logs)
        return CovarianceMatrix(GaussianCovariance(np.array(relevance), kernel_variance, bias_variance), X)

    def quadratic(logs):
        return vector @ matrix(logs).apply(vector)

    def trace(logs):
        return np.sum(weights * matrix(logs).block(rows))

    for function, slopes in (
        (quadratic, matrix(logs).quadratic_slopes(vector)),
        (trace, matrix(logs).trace_slopes(np.tril(weights), rows)),
    ):
        numeric = [
            (function(logs + step) - function(logs - step)) / (2 * STEP) for step in STEP * np.eye(len(logs))
        ]
        np.testing.assert_allclose(slopes, numeric, rtol=1e-6, atol=1e-7)
