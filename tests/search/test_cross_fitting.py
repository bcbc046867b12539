"""Fits to the rows outside a fold: which rows are in it, and what the others say of them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from rowtrust.inference import WorkingSet
from rowtrust.kernels import Kernel, distinct_rows
from rowtrust.likelihoods import LabelChannel
from rowtrust.search import Centres, TrainingRows, cross_fitting, fit_kernel
from rowtrust.search.cross_fitting import FOLDS, LOOSENESS, cross_fit, fold_numbers

KERNEL = Kernel("rbf", 0.8)


def rows_of(X, y):
    return TrainingRows(X, y, np.ones(len(y)), np.ones(len(y)), np.arange(len(y)), len(y))


def table(n=90, seed=0):
    generator = np.random.default_rng(seed)
    X = np.round(generator.normal(size=(n, 2)), 1)
    return X, (X[:, 0] + 0.5 * generator.normal(size=n) > 0.5).astype(int)


@pytest.fixture
def plan(make_plan):
    """A plan whose centres know which rows they are."""
    return make_plan(classes=2, index=100 + np.arange(60))


@pytest.mark.parametrize("classes", [2, 3])
def test_every_row_is_left_out_once(make_plan, classes):
    crossed = cross_fit(make_plan(classes=classes, index=100 + np.arange(60)), KERNEL)
    assert len(crossed.folds) == FOLDS
    left_out = np.concatenate([fold.left_out for fold in crossed.folds])
    np.testing.assert_array_equal(np.sort(left_out), np.arange(60))
    for fold in crossed.folds:
        kept = fold.plan.rows.index - 100
        np.testing.assert_array_equal(np.sort(np.r_[kept, fold.left_out]), np.arange(60))
        assert set(fold.plan.centres.positions) <= set(fold.plan.rows.index)
        assert len(np.unique(fold.plan.rows.y)) == classes
    assert crossed.log_odds().shape == (60, 1 if classes == 2 else 3)


def test_folds_are_even_in_every_class():
    X, y = table()
    number, _ = fold_numbers(rows_of(np.unique(X, axis=0), np.zeros(len(np.unique(X, axis=0)), dtype=int)))
    assert np.ptp(np.bincount(number)) <= 1
    distinct = distinct_rows(X)
    number, counts = fold_numbers(rows_of(X[distinct], y[distinct]))
    np.testing.assert_array_equal(counts, 1.0)
    for label in (0, 1):
        assert np.ptp(np.bincount(number[y[distinct] == label])) <= 1


def test_copies_share_a_fold():
    X, y = table()
    number, _ = fold_numbers(rows_of(np.vstack([X, X[::-1]]), np.r_[y, y[::-1]]))
    np.testing.assert_array_equal(number[:90], number[90:][::-1])
    contradicting, _ = fold_numbers(rows_of(np.vstack([X, X]), np.r_[y, 1 - y]))
    np.testing.assert_array_equal(contradicting[:90], contradicting[90:])
    single, _ = fold_numbers(rows_of(X, y))
    np.testing.assert_array_equal(number[:90], single)


def test_neither_order_nor_units_change_the_folds():
    X, y = table()
    number, _ = fold_numbers(rows_of(X, y))
    order = np.random.default_rng(1).permutation(90)
    np.testing.assert_array_equal(fold_numbers(rows_of(X[order], y[order]))[0], number[order])
    np.testing.assert_array_equal(fold_numbers(rows_of(X * [1e-3, 2.0**20] + 0.0, y))[0], number)


def test_sparse_rows_share_folds_with_their_copies_in_any_order():
    X, y = table()
    stored = sparse.csr_array(np.where(np.abs(X) < 0.5, 0.0, X))
    number, _ = fold_numbers(rows_of(stored, y))
    order = np.random.default_rng(1).permutation(90)
    np.testing.assert_array_equal(fold_numbers(rows_of(stored[order], y[order]))[0], number[order])
    assert set(number) == set(range(FOLDS))


def test_many_rows_are_thinned_out_and_rare_classes_less(monkeypatch):
    monkeypatch.setattr(cross_fitting, "MOST_ROWS", 60)
    monkeypatch.setattr(cross_fitting, "FEWEST_ROWS", 20)
    y = (np.arange(600) % 12 == 0).astype(int)
    number, counts = fold_numbers(rows_of(np.random.default_rng(0).normal(size=(600, 1)), y))
    kept = number >= 0
    assert 40 <= kept[y == 0].sum() <= 60
    assert 15 <= kept[y == 1].sum() <= 20
    assert counts[kept & (y == 1)].sum() / counts[kept].sum() == pytest.approx(y.mean(), rel=0.2)


def test_a_class_that_a_fold_would_lack_cannot_be_crossed(plan):
    y = np.zeros(60, dtype=int)
    y[7] = 1
    assert cross_fit(replace(plan, rows=replace(plan.rows, y=y)), KERNEL) is None


def test_left_out_log_odds_are_those_of_a_fit_to_the_other_rows(plan):
    """Made here by hand: other rows, their own centres, MacKay's average over the posterior."""
    crossed = cross_fit(plan, KERNEL)
    found, rows = crossed.log_odds(), plan.rows
    number, _ = fold_numbers(rows)
    for fold in range(FOLDS):
        kept, out = np.flatnonzero(number != fold), np.flatnonzero(number == fold)
        X, y = rows.X[kept], rows.y[kept]
        alone = replace(
            plan,
            rows=TrainingRows(X, y, np.ones(len(y)), np.ones(len(y)), np.arange(len(y)), len(y)),
            centres=Centres(X, np.arange(len(y)), np.arange(len(y))),
            solver=WorkingSet(tol=LOOSENESS * plan.solver.tol),
        )
        (solution,) = fit_kernel(alone, KERNEL).solutions
        phi = np.column_stack([np.ones(len(out)), rbf_kernel(rows.X[out], X, 0.8)])[:, solution.state.columns]
        posterior = solution.posterior
        mean, variance = phi @ posterior.mean, ((phi @ posterior.root) ** 2).sum(axis=1)
        expected = mean / np.sqrt(1.0 + np.pi * variance / 8.0)
        np.testing.assert_allclose(found[out, 0], expected, rtol=1e-6, atol=1e-9)


def test_fits_go_on_with_another_likelihood_and_the_same_columns(plan):
    crossed = cross_fit(plan, KERNEL)
    noisy = [LabelChannel(0.1, 0.3)]
    for fold in crossed.folds:
        (before,), (after,) = fold.solutions, fold.resumed(noisy)
        assert set(after.state.columns) <= set(before.state.columns)
        assert after.state.likelihood == noisy[0]
    plain, other = crossed.log_odds(), crossed.log_odds(noisy)
    assert np.abs(plain - other).max() > 0.05
    np.testing.assert_array_equal(crossed.log_odds(), plain)
