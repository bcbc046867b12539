"""Kernels weighed by rows that were left out."""

import numpy as np
import pytest
from scipy import stats

from rowtrust.kernels import Kernel
from rowtrust.search import fit_kernel
from rowtrust.search.left_out import (
    EVENNESS,
    LeftOutScores,
    can_be_stacked,
    fold_numbers,
    folds_of,
    left_out_scores,
    stacked_shares,
)
from rowtrust.weights import Gamma

RNG = np.random.default_rng(0)
N, M = 50, 3
TARGET = RNG.normal(size=N)
MEANS = TARGET[:, None] + RNG.normal(size=(N, M)) * [0.3, 1.0, 2.0]
VARIANCES = RNG.uniform(0.2, 2.0, (N, M))
COPIES = RNG.integers(1, 4, N).astype(float)
SHARES = np.array([0.5, 0.2, 0.3])


def scores(freedom=np.inf, means=MEANS, variances=VARIANCES):
    return LeftOutScores(TARGET, COPIES, means, variances, freedom)


def moments(shares):
    mean = MEANS @ shares
    return mean, VARIANCES @ shares + (MEANS - mean[:, None]) ** 2 @ shares


def test_the_average_is_judged_as_one_gaussian_of_the_mixtures_moments():
    mean, variance = moments(SHARES)
    expected = COPIES @ (stats.norm(mean, np.sqrt(variance)).logpdf(TARGET) + 0.5 * np.log(2 * np.pi))
    assert scores().of_average(SHARES)[0] == pytest.approx(expected)


def test_the_average_is_judged_as_one_students_t():
    """But for a constant of the degrees of freedom, which no share changes."""
    values = []
    for shares in (SHARES, SHARES[::-1]):
        mean, variance = moments(shares)
        values.append(COPIES @ stats.t(4.5, mean, np.sqrt(variance)).logpdf(TARGET))
    found = [scores(4.5).of_average(shares)[0] for shares in (SHARES, SHARES[::-1])]
    assert found[0] - found[1] == pytest.approx(values[0] - values[1])


@pytest.mark.parametrize("freedom", [np.inf, 1.0, 4.5, 60.0])
def test_the_gradient_is_that_of_finite_differences(freedom):
    step, each = 1e-6, scores(freedom)
    numeric = [
        (each.of_average(SHARES + step * unit)[0] - each.of_average(SHARES - step * unit)[0]) / (2 * step)
        for unit in np.eye(M)
    ]
    np.testing.assert_allclose(each.of_average(SHARES)[1], numeric, rtol=1e-6, atol=1e-6)


def test_many_degrees_of_freedom_are_a_gaussian():
    near, limit = scores(1e7).of_average(SHARES), scores().of_average(SHARES)
    assert near[0] == pytest.approx(limit[0], rel=1e-5)
    np.testing.assert_allclose(near[1], limit[1], rtol=1e-4)


@pytest.mark.parametrize("freedom", [np.inf, 3.0])
def test_shares_are_the_best_of_a_grid(freedom):
    means = TARGET[:, None] + np.random.default_rng(1).normal(size=(N, 2)) * [0.8, 1.0]
    two = scores(freedom, means, VARIANCES[:, :2])
    grid = np.linspace(0.001, 0.999, 999)
    values = [
        two.of_average(np.array([p, 1 - p]))[0] - EVENNESS * (p * np.log(p) + (1 - p) * np.log1p(-p))
        for p in grid
    ]
    best = grid[int(np.argmax(values))]
    assert 0.05 < best < 0.95  # otherwise the smaller share counts as negligible
    np.testing.assert_allclose(stacked_shares(two), [best, 1 - best], atol=2e-3)


def test_a_kernel_that_is_right_gets_most():
    means = TARGET[:, None] + RNG.normal(size=(N, M)) * [0.1, 1.0, 2.0]
    shares = stacked_shares(scores(means=means, variances=np.tile([0.01, 1.0, 4.0], (N, 1))))
    assert shares.sum() == pytest.approx(1.0)
    assert shares[0] > 0.9


def test_kernels_that_say_the_same_count_the_same():
    shares = stacked_shares(scores(means=MEANS[:, [0, 0, 0]], variances=VARIANCES[:, [0, 0, 0]]))
    np.testing.assert_allclose(shares, 1.0 / 3.0, atol=1e-6)


def test_copies_share_a_fold_and_the_order_of_rows_changes_nothing(plan_of):
    distinct = np.random.default_rng(1).normal(size=(40, 2))
    X = distinct[np.random.default_rng(2).integers(0, 40, 120)]
    fold = fold_numbers(plan_of(X, np.zeros(120)).rows)
    for row in np.unique(X, axis=0):
        assert len(np.unique(fold[(row == X).all(axis=1)])) == 1
    assert set(fold) == {0, 1}
    order = np.random.default_rng(3).permutation(120)
    np.testing.assert_array_equal(fold_numbers(plan_of(X[order], np.zeros(120)).rows), fold[order])


def test_few_rows_are_not_left_out(plan_of):
    few = plan_of(np.arange(11.0)[:, None], np.zeros(11))
    assert (fold_numbers(few.rows) == -1).all()
    assert folds_of(few) == []


def test_no_row_has_a_say_in_what_is_said_of_it(make_plan, plan_of):
    """Targets of one fold are changed beyond recognition, and what is said of its rows stays."""
    rows, kernels = make_plan().rows, [Kernel("rbf", 0.5), Kernel("laplacian", 0.5)]

    def scored(y):
        plan = plan_of(rows.X, y)
        folds = folds_of(plan)
        return left_out_scores(plan, folds, [[fit_kernel(f.plan, k) for k in kernels] for f in folds])

    inside = fold_numbers(rows) == 1
    one, two = scored(rows.y), scored(np.where(inside, 100.0 - rows.y, rows.y))
    first = np.isin(one.target, rows.y[inside])
    assert first.sum() == inside.sum()
    np.testing.assert_array_equal(two.mean[first], one.mean[first])
    np.testing.assert_array_equal(two.variance[first], one.variance[first])
    assert np.abs(two.mean[~first] - one.mean[~first]).max() > 1.0
    assert np.sqrt(np.mean((one.mean - one.target[:, None]) ** 2)) < 0.5


def test_only_a_learnt_noise_of_one_target_is_stacked(make_plan):
    assert can_be_stacked(make_plan())
    assert can_be_stacked(make_plan(weights=Gamma(1.0, learns=True)))
    assert not can_be_stacked(make_plan(classes=2))
    assert not can_be_stacked(make_plan(classes=3))
