"""The noise of a clean row: against fits that truly lack the row, and against noise that is known."""

from dataclasses import replace

import numpy as np
import pytest

from rowtrust.svr.covariance import CovarianceMatrix
from rowtrust.svr.posterior import FAR, LeftOutTargets, explained_share, left_out_rows
from rowtrust.svr.problem import SoftProblem, residual_zones
from rowtrust.svr.solver import solve_map


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


def said(residual, variance=0.0, copies=None):
    """Return what others say of targets of level zero."""
    ones = np.ones(len(residual))
    return LeftOutTargets(residual, ones if copies is None else copies, 0.0 * residual, variance * ones, 1.0)


def test_gaussian_residuals_leave_the_noise_as_it_is():
    residual = np.random.default_rng(0).normal(size=4000)
    plain = said(residual)
    assert plain.noise(plain, 0).factor == pytest.approx(1.0, rel=0.05)
    unsure = said(residual, 3.0)
    assert unsure.noise(unsure, 0).factor == pytest.approx(0.5, rel=0.05)


def test_gross_outliers_do_not_widen_the_noise_and_heavy_tails_do():
    generator = np.random.default_rng(0)
    residual = generator.normal(size=2000)
    residual[:200] += 30.0 * generator.choice([-1, 1], 200)
    dirty, heavy = said(residual), said(generator.standard_t(2.5, size=2000))
    assert dirty.noise(dirty, 0).factor == pytest.approx(1.0, rel=0.08)
    assert heavy.noise(heavy, 0).factor > 1.3


def test_copies_count_as_often_as_they_are_there():
    generator = np.random.default_rng(0)
    residual, copies = generator.normal(size=200), generator.integers(1, 4, 200)
    once, often = said(residual, copies=copies.astype(float)), said(np.repeat(residual, copies))
    assert once.noise(once, 0).factor == pytest.approx(often.noise(often, 0).factor, rel=1e-4)


def test_hyperparameters_that_knew_the_rows_widen_the_noise_and_those_of_halves_do_not():
    own = said(np.random.default_rng(0).normal(size=400))
    assert own.noise(own, 100).factor == pytest.approx(own.noise(own, 0).factor / np.sqrt(0.75))
    assert own.noise(own, 399).factor == pytest.approx(own.noise(own, 0).factor / np.sqrt(0.5))
    halves = replace(own, target=own.target + 0.0)
    assert halves.noise(own, 100) == own.noise(own, 0)


def test_the_scale_lies_halfway_between_halves_and_all_rows():
    halves, now = said(np.random.default_rng(0).normal(size=400), 3.0), said(np.zeros(400))
    assert halves.noise(now, 0).factor == pytest.approx(np.sqrt(2.0) * halves.noise(halves, 0).factor)


def test_few_rows_leave_the_likelihoods_noise():
    few = said(np.arange(11.0))
    assert few.noise(few, 0) is None


def test_the_explained_share_is_one_of_all_zero_of_nothing_and_not_an_outliers():
    generator = np.random.default_rng(0)
    target, weight = generator.normal(size=100), generator.integers(1, 4, 100).astype(float)
    assert explained_share(target, np.zeros(100), weight) == 1.0
    assert explained_share(target, target, weight) == pytest.approx(0.0, abs=0.05)
    assert explained_share(target, 1.5 * target, weight) < 0.0
    assert explained_share(np.zeros(100), np.zeros(100), weight) == 1.0
    half = explained_share(target, 0.5 * target, weight)
    assert half == pytest.approx(0.75, abs=0.01)
    before = weight @ target**2
    target[0] = 1e9
    residual = 0.5 * target
    residual[0] = 1e9
    # It counts as FAR before and after: what is explained is a smaller share of more.
    with_outlier = half * before / (before + weight[0] * FAR**2)
    assert explained_share(target, residual, weight) == pytest.approx(with_outlier, abs=0.02)
