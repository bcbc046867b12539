"""One problem: bounds, ridge, and factors that survive rounding."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import LinAlgError

from rowtrust.svr.covariance import CovarianceMatrix, GaussianCovariance


def test_bound_and_ridge_are_those_of_the_likelihood(random_problem):
    problem = random_problem(0)
    likelihood = problem.likelihood
    np.testing.assert_allclose(problem.bound, likelihood.C * problem.sample_weight)
    np.testing.assert_allclose(
        problem.ridge * problem.sample_weight, 2 * likelihood.beta * likelihood.epsilon / likelihood.C
    )
    np.testing.assert_allclose(problem.share(problem.bound), 1.0)


def test_factors_are_those_of_the_covariance_with_a_diagonal(random_problem):
    problem = random_problem(0)
    rows = np.array([1, 4, 9, 30])
    covariance = problem.matrix.block(np.arange(40))
    for factor, expected in (
        (problem.quadratic_factor(rows), (covariance + np.diag(problem.ridge))[np.ix_(rows, rows)]),
        (problem.shifted_factor(problem.bound), covariance + np.diag(problem.bound)),
    ):
        np.testing.assert_allclose(factor @ factor.T, expected, rtol=1e-10)
        np.testing.assert_array_equal(factor, np.tril(factor))


def test_the_last_factor_is_remembered_and_no_rows_have_an_empty_one(random_problem):
    problem = random_problem(0)
    rows = np.arange(10)
    first = problem.quadratic_factor(rows)
    assert problem.quadratic_factor(rows.copy()) is first
    assert problem.quadratic_factor(np.arange(5)).shape == (5, 5)
    assert problem.quadratic_factor(np.arange(0)).shape == (0, 0)


def test_a_singular_covariance_is_factored_all_the_same(random_problem):
    problem = random_problem(0)
    equal = CovarianceMatrix(problem.matrix.covariance, np.zeros((40, 2)))
    factor = replace(problem, matrix=equal).shifted_factor(np.zeros(40))
    np.testing.assert_allclose(factor @ factor.T, equal.block(np.arange(40)), rtol=1e-6)


def test_a_covariance_that_is_not_finite_is_refused_with_a_cure(random_problem):
    problem = random_problem(0)
    covariance = GaussianCovariance(np.ones(2), np.nan)
    broken = replace(problem, matrix=CovarianceMatrix(covariance, problem.matrix.X))
    with pytest.raises(LinAlgError, match="fix the relevance"):
        broken.shifted_factor(np.ones(40))
