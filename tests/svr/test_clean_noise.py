"""The noise of a clean row: against fits that truly lack the row, and against noise that is known."""

import numpy as np
import pytest

from rowtrust.svr.clean_noise import (
    LEAST_ROWS,
    explained_share,
    left_out_rows,
    weighted_quantile,
    widening,
)
from rowtrust.svr.covariance import CovarianceMatrix
from rowtrust.svr.problem import SoftProblem
from rowtrust.svr.solver import solve_map
from rowtrust.svr.zones import residual_zones


def without(problem, row):
    rest = np.delete(np.arange(len(problem.target)), row)
    matrix = CovarianceMatrix(problem.matrix.covariance, problem.matrix.X[rest])
    return SoftProblem(matrix, problem.target[rest], problem.sample_weight[rest], problem.likelihood)


def test_rows_left_out_are_predicted_as_by_fits_without_them(random_problem):
    """Exactly, where no other row changes its zone for it."""
    kinds = set()
    for seed in range(6):
        problem = random_problem(seed)
        solution = solve_map(problem)
        zones = residual_zones(problem, problem.target - solution.latent)
        residual, variance = left_out_rows(problem, solution)
        scale = problem.matrix.covariance.variance
        for row in range(40):
            smaller = without(problem, row)
            truth = solve_map(smaller)
            if not np.array_equal(
                residual_zones(smaller, smaller.target - truth.latent), np.delete(zones, row)
            ):
                continue
            cross = problem.matrix.covariance(problem.matrix.X[[row]], smaller.matrix.X)[0]
            spread = np.linalg.solve(smaller.quadratic_factor(truth.quadratic), cross[truth.quadratic])
            assert residual[row] == pytest.approx(problem.target[row] - cross @ truth.dual, abs=1e-6)
            assert variance[row] == pytest.approx(scale - spread @ spread, abs=1e-6)
            kinds.add(abs(zones[row]))
    assert kinds == {0.0, 1.0, 2.0}


def test_gaussian_residuals_leave_the_noise_as_it_is():
    residual = np.random.default_rng(0).normal(size=20000)
    assert widening(1.0, residual, np.zeros(20000), np.ones(20000)) == pytest.approx(1.0, rel=0.05)
    doubt = np.full(20000, 0.36)
    assert widening(1.0, residual, doubt, np.ones(20000)) == pytest.approx(0.64, rel=0.08)


def test_gross_outliers_do_not_widen_the_noise_and_heavy_tails_do():
    generator = np.random.default_rng(0)
    residual = generator.normal(size=20000)
    residual[:2000] += 30.0 * generator.choice([-1, 1], 2000)
    assert 0.9 < widening(1.0, residual, np.zeros(20000), np.ones(20000)) < 1.1
    heavy = generator.laplace(size=20000)
    assert widening(1.0, heavy, np.zeros(20000), np.ones(20000)) > 2.0


def test_integer_weights_equal_repeated_rows():
    generator = np.random.default_rng(0)
    residual, variance = generator.normal(size=200), generator.uniform(0, 0.3, 200)
    copies = generator.integers(1, 4, 200)
    once = widening(2.0, residual, variance, copies.astype(float))
    often = widening(2.0, np.repeat(residual, copies), np.repeat(variance, copies), np.ones(copies.sum()))
    assert once == often


def test_hyperparameters_that_were_learnt_and_few_rows_widen_the_noise():
    residual, nothing = np.random.default_rng(0).normal(size=400), np.zeros(400)
    few = widening(1.0, residual, nothing, np.ones(400), 4)
    assert few > 1.01 * widening(1.0, residual, nothing, np.ones(400))
    assert widening(1.0, residual, nothing, np.ones(400), 100) == pytest.approx(few * 0.99 / 0.75)
    assert widening(1.0, residual, nothing, np.ones(400), 399) == pytest.approx(few * 0.99 / 0.5)
    assert widening(1.0, np.tile(residual, 10), np.zeros(4000), np.ones(4000), 40) < few


def test_few_rows_leave_the_likelihoods_noise():
    few = np.full(LEAST_ROWS - 1, 100.0)
    assert widening(1.0, few, np.zeros(len(few)), np.ones(len(few))) == 1.0
    assert widening(1.0, 0 * few, np.ones(len(few)), 2 * np.ones(len(few))) > 0.0


def test_the_explained_share_is_one_of_all_zero_of_nothing_and_not_an_outliers():
    generator = np.random.default_rng(0)
    target, weight = generator.normal(size=100), generator.integers(1, 4, 100).astype(float)
    assert explained_share(target, np.zeros(100), weight) == 1.0
    assert explained_share(target, target, weight) == 0.0
    assert explained_share(target, 1.1 * target, weight) < 0.0
    assert explained_share(np.zeros(100), np.zeros(100), weight) == 1.0
    half = explained_share(target, 0.5 * target, weight)
    assert half == pytest.approx(0.5, abs=0.01)
    target[0] = 1e9
    residual = 0.5 * target
    residual[0] = 1e9
    assert explained_share(target, residual, weight) == pytest.approx(half, abs=0.05)


def test_a_weighted_quantile_counts_copies():
    values, weight = np.array([3.0, 1.0, 2.0]), np.array([1.0, 6.0, 3.0])
    assert [weighted_quantile(values, weight, share) for share in (0.5, 0.8, 0.95)] == [1.0, 2.0, 3.0]
