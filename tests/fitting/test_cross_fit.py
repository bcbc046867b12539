"""Fits to the rows outside a fold: which rows are in it, and what the others say of them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from rowtrust.fitting import Budget, TrainingRows
from rowtrust.fitting.cross_fit import cross_fit, fold_numbers
from rowtrust.fitting.fits import fit_kernel
from rowtrust.fitting.rows import Centres
from rowtrust.kernels import Kernel

KERNEL = Kernel("rbf", 0.8)
TASKS = pytest.mark.parametrize("classes", [0, 2])


def one_fit(plan):
    return [fit_kernel(plan, KERNEL)]


def table(classes, n=90):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(n, 2)), 1)
    y = X[:, 0] + 0.5 * rng.normal(size=n)
    return X, (y > 0.5).astype(int) if classes else y


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_every_row_is_left_out_once(make_plan, classes):
    plan = make_plan(classes=classes)
    crossed = cross_fit(plan, one_fit)
    assert len(crossed.folds) == (plan.budget.class_folds if classes else plan.budget.number_folds)
    np.testing.assert_array_equal(np.sort(crossed.rows), np.arange(60))
    for fold in crossed.folds:
        kept = fold.plan.rows.index
        np.testing.assert_array_equal(np.sort(np.r_[kept, fold.inside]), np.arange(60))
        assert set(fold.plan.centres.positions) <= set(kept)
        assert len(np.unique(fold.plan.rows.y)) == (classes or len(kept))


def test_folds_are_even_in_every_class(plan_of):
    X = np.unique(table(2)[0], axis=0)
    y = (X[:, 0] > 0.7).astype(int)
    number, counts = fold_numbers(plan_of(X, y, 2))
    np.testing.assert_array_equal(counts, 1.0)
    for label in (0, 1):
        assert np.ptp(np.bincount(number[y == label])) <= 1


@TASKS
def test_copies_share_a_fold(plan_of, classes):
    X, y = table(classes)
    single, _ = fold_numbers(plan_of(X, y, classes))
    number, _ = fold_numbers(plan_of(np.vstack([X, X[::-1]]), np.r_[y, y[::-1]], classes))
    np.testing.assert_array_equal(number, np.r_[single, single[::-1]])
    contradicting, _ = fold_numbers(plan_of(np.vstack([X, X]), np.r_[y, 1 - y], classes))
    np.testing.assert_array_equal(contradicting[:90], contradicting[90:])


@TASKS
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_neither_order_nor_units_change_the_folds(plan_of, classes, is_sparse):
    X, y = table(classes)
    X = sparse.csr_array(np.where(np.abs(X) < 0.5, 0.0, X)) if is_sparse else X
    number, _ = fold_numbers(plan_of(X, y, classes))
    assert len(set(number)) == (3 if classes else 2)
    order = np.random.default_rng(1).permutation(90)
    np.testing.assert_array_equal(fold_numbers(plan_of(X[order], y[order], classes))[0], number[order])
    scaled = X * 2.0**20 if is_sparse else X * [1e-3, 2.0**20]
    np.testing.assert_array_equal(fold_numbers(plan_of(scaled, y, classes))[0], number)


def test_many_rows_are_thinned_out_and_rare_classes_less(plan_of):
    y = (np.arange(600) % 12 == 0).astype(int)
    X, small = (
        np.random.default_rng(0).normal(size=(600, 1)),
        Budget(held_out_rows=60, held_out_class_rows=20),
    )
    number, counts = fold_numbers(plan_of(X, y, 2, budget=small))
    kept = number >= 0
    assert 40 <= kept[y == 0].sum() <= 60
    assert 15 <= kept[y == 1].sum() <= 20
    assert counts[kept & (y == 1)].sum() / counts[kept].sum() == pytest.approx(y.mean(), rel=0.2)


def test_too_few_rows_or_a_class_that_a_fold_would_lack_cannot_be_left_out(make_plan, plan_of):
    assert cross_fit(make_plan(n=11), one_fit) is None
    assert cross_fit(make_plan(n=12), one_fit) is not None
    assert cross_fit(plan_of(make_plan().rows.X, (np.arange(60) == 7).astype(int), 2), one_fit) is None


def test_left_out_log_odds_are_those_of_a_fit_to_the_other_rows(make_plan):
    """Made here by hand: other rows, their own centres, MacKay's average over the posterior."""
    plan = make_plan(classes=2)
    crossed = cross_fit(plan, one_fit)
    found = crossed.log_odds()
    for fold in crossed.folds:
        kept = np.setdiff1d(np.arange(60), fold.inside)
        X, y, ones = plan.rows.X[kept], plan.rows.y[kept], np.ones(len(kept))
        alone = replace(
            plan,
            rows=TrainingRows(X, y, ones, ones, np.arange(len(y)), len(y)),
            centres=Centres(X, np.arange(len(y)), np.arange(len(y))),
            solver=fold.plan.solver,
        )
        (solution,) = fit_kernel(alone, KERNEL).solutions
        rest = rbf_kernel(plan.rows.X[fold.inside], X, 0.8)
        phi = np.column_stack([np.ones(len(fold.inside)), rest])[:, solution.state.columns]
        posterior = solution.posterior
        mean, variance = phi @ posterior.mean, ((phi @ posterior.root) ** 2).sum(axis=1)
        expected = mean / np.sqrt(1.0 + np.pi * variance / 8.0)
        own = found[np.isin(crossed.rows, fold.inside), 0]
        np.testing.assert_allclose(own, expected, rtol=1e-6, atol=1e-9)


def test_no_row_has_a_say_in_what_is_said_of_it(make_plan, plan_of):
    """Targets of one fold are changed beyond recognition, and what is said of its rows stays."""
    rows = make_plan().rows

    def crossed(y):
        kernels = [KERNEL, Kernel("laplacian", 0.5)]
        return cross_fit(plan_of(rows.X, y), lambda part: [fit_kernel(part, kernel) for kernel in kernels])

    inside = np.isin(np.arange(60), crossed(rows.y).folds[1].inside)
    plain, changed = crossed(rows.y), crossed(np.where(inside, 100.0 - rows.y, rows.y))
    first = inside[plain.rows]
    one, two = plain.numbers(), changed.numbers()
    np.testing.assert_array_equal(two.mean[first], one.mean[first])
    np.testing.assert_array_equal(two.variance[first], one.variance[first])
    assert np.abs(two.mean[~first] - one.mean[~first]).max() > 1.0
    np.testing.assert_array_equal(one.target, rows.y[plain.rows])
    assert np.sqrt(np.mean((one.mean - one.target[:, None]) ** 2)) < 0.5
