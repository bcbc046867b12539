"""Doubt or trust: left-out rows decide, an outlier counts no more than it could be worth."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from rowtrust import RobustRVR
from rowtrust.kernels import Kernel, row_groups
from rowtrust.search import rivals
from rowtrust.search.choice import search_kernel
from rowtrust.search.left_out import WORST
from rowtrust.search.rivals import better_of, few_rows, left_out_residuals, left_out_squares, nearly
from rowtrust.weights import Unit

KERNEL = Kernel("rbf", 0.5)


def wave(n=120, seed=0, outliers=0.0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-4, 4, (n, 1))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=n)
    bad = rng.random(n) < outliers
    y[bad] += rng.choice([-1, 1], bad.sum()) * rng.uniform(3, 9, bad.sum())
    return X, y, bad


def plans(X, y):
    machine = RobustRVR(gamma=0.5)
    plan = machine._compose(machine._validate_rows(X, y, None))
    return plan, replace(plan, weights=Unit()), lambda each: search_kernel(each, machine._kernel_choice())


def test_residuals_of_left_out_rows_are_those_of_fits_without_them():
    X, y, _ = wave(60)
    _, plan, _ = plans(X, y)
    residual = left_out_residuals(plan, KERNEL)
    fitted = plan.rows.y - residual
    assert np.sqrt(np.mean(residual**2)) < 0.5 * plan.rows.y.std()
    changed = replace(plan, rows=replace(plan.rows, y=plan.rows.y + np.where(np.arange(60) == 7, 5.0, 0.0)))
    moved = changed.rows.y - left_out_residuals(changed, KERNEL)
    assert moved[7] == pytest.approx(fitted[7], abs=1e-12), "a row has no say in what is said of it"


def test_near_copies_are_one_row():
    X = np.random.default_rng(0).normal(size=(30, 2))
    X[1] = X[0]
    rounded = nearly(X, X.var(axis=0))
    assert (rounded[0] == rounded[1]).all()
    assert len(np.unique(rounded, axis=0)) == 29
    np.testing.assert_array_equal(nearly(1000.0 * X, 1e6 * X.var(axis=0)), rounded)
    np.testing.assert_array_equal(nearly(-X, X.var(axis=0)), -rounded)
    assert np.isfinite(nearly(np.ones((3, 1)), np.zeros(1))).all()


def test_sparse_rows_are_copies_where_dense_ones_are():
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[:, 1:] = np.where(X[:, 1:] > 0.3, X[:, 1:], 0.0)
    X[5] = X[4] + 1e-9
    dense, sparse = nearly(X - X.mean(axis=0), X.var(axis=0)), nearly(csr_array(X), X.var(axis=0))
    np.testing.assert_array_equal(row_groups(sparse), row_groups(dense))
    assert row_groups(dense)[4] == row_groups(dense)[5]


def test_an_outlier_counts_no_more_than_the_worst():
    X, y, _ = wave(60)
    y[5] = 100.0
    _, plan, _ = plans(X, y)
    larger = replace(plan, rows=replace(plan.rows, y=np.where(np.arange(60) == 5, 1e3, plan.rows.y)))
    assert np.abs(left_out_residuals(larger, KERNEL)).max() > WORST
    assert left_out_squares(larger, KERNEL).max() <= WORST**2


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_outliers_are_doubted(seed):
    X, y, bad = wave(outliers=0.1, seed=seed)
    _, lost = better_of(*plans(X, y))
    assert not lost
    model = RobustRVR(gamma=0.5).fit(X, y)
    assert model.trust_prior_ <= 10.0
    assert model.sample_trust_[bad].max() < 0.2


def test_a_steep_part_of_a_clean_function_is_not_doubted():
    """A fit that doubts its rows errs more."""
    errors = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, X_new = rng.uniform(-2, 2, (120, 2)), rng.uniform(-2, 2, (500, 2))
        y, y_new = (np.exp(2.0 * each[:, 0]) + each[:, 1] for each in (X, X_new))
        models = [RobustRVR(kernel="rbf", trust_prior=prior).fit(X, y) for prior in ("learnt", 2.0)]
        np.testing.assert_allclose(models[0].sample_trust_, 1.0)
        assert models[1].sample_trust_.min() < 0.5
        errors.append([np.sqrt(np.mean((each.predict(X_new) - y_new) ** 2)) for each in models])
    chosen, doubting = np.mean(errors, axis=0)
    assert chosen < 0.8 * doubting


def test_many_rows_are_decided_by_some(monkeypatch):
    X, y, _ = wave(90)
    sizes = []
    plan, rival, search = plans(X, y)

    def counted(each):
        sizes.append(len(each.rows.y))
        return search(each)

    monkeypatch.setattr(rivals, "MOST_ROWS", 50)
    found, _ = better_of(plan, rival, counted)
    assert sizes[-1] == 90, "the model is of all rows"
    assert set(sizes[:-1]) == {50}
    assert len(found.latent) == 90


def test_rows_that_decide_are_spread_over_all():
    assert few_rows(rivals.MOST_ROWS) is None
    rows = few_rows(10 * rivals.MOST_ROWS)
    assert len(np.unique(rows)) == rivals.MOST_ROWS
    assert rows[0] == 0
    assert rows[-1] == 10 * rivals.MOST_ROWS - 1


def test_a_prior_that_is_given_is_kept():
    X, y, _ = wave(60)
    assert RobustRVR(gamma=0.5, trust_prior=3.0).fit(X, y).trust_prior_ == 3.0
