"""Families of kernels in one average."""

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from rowtrust.search import KernelChoice, families, search_kernel
from rowtrust.search.families import fits_of_families, sample_of, search_families, with_narrower
from rowtrust.search.left_out import folds_of, left_out_scores, stacked_shares
from rowtrust.search.scores import tempered_shares

AUTO = KernelChoice("auto", "evidence", None, 3, 1.0)


def friedman(n=90, seed=0):
    X, y = make_friedman1(n, n_features=6, noise=1.0, random_state=seed)
    return (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()


def test_every_family_is_fitted(plan_of):
    plan = plan_of(*friedman())
    kernels = [fit.kernel for fit in fits_of_families(plan)]
    assert [kernel.function for kernel in kernels[:3]] == ["rbf", "laplacian", "linear"]
    assert all(kernel.scales is None for kernel in kernels[:3])
    assert [kernel.function for kernel in kernels[3:]] == ["rbf", "rbf", "laplacian", "laplacian"]
    for kernel in kernels[3:]:
        np.testing.assert_array_equal(kernel.scales, kernels[3].scales)
        assert kernel.scales[5] < kernel.scales[:5].min()


def test_classes_are_weighed_by_evidence(plan_of):
    X, y = friedman()
    plan = plan_of(X, (y > 0).astype(int), 2)
    fits = search_families(plan)
    tried = with_narrower(plan, fits_of_families(plan), families.MOST_STEPS)
    expected = tempered_shares([fit.score for fit in tried])
    np.testing.assert_allclose([fit.share for fit in fits], expected[expected > 0.0], rtol=1e-6)


def test_numbers_are_weighed_by_rows_left_out(plan_of):
    plan = plan_of(*friedman())
    fits, folds = search_families(plan), folds_of(plan)
    expected = stacked_shares(left_out_scores(plan, folds, [fits_of_families(f.plan) for f in folds]))
    np.testing.assert_allclose([fit.share for fit in fits], expected[expected > 0.0], rtol=1e-6)


def test_a_line_is_left_to_the_linear_kernel(plan_of):
    X = np.random.default_rng(0).normal(size=(80, 3))
    y = X @ [1.0, -0.5, 0.2] + 0.05 * np.random.default_rng(1).normal(size=80)
    found = search_kernel(plan_of(X, y), AUTO)
    shares = {kernel.function: 0.0 for kernel, _ in found.shares}
    for kernel, share in found.shares:
        shares[kernel.function] += share
    assert max(shares, key=shares.get) == "linear"
    assert sum(shares.values()) == pytest.approx(1.0)
    np.testing.assert_allclose(found.model.latent_moments(X)[0][:, 0], X @ [1.0, -0.5, 0.2], atol=0.1)


def test_few_rows_are_their_own_sample(plan_of):
    plan = plan_of(*friedman())
    assert sample_of(plan) is plan


def test_a_sample_is_of_distinct_rows_whatever_their_order_and_of_every_class(plan_of, monkeypatch):
    monkeypatch.setattr(families, "ENOUGH_ROWS", 30)
    monkeypatch.setattr(families, "ENOUGH_OF_A_CLASS", 8)
    X, y = friedman(120)
    labels = (y > np.sort(y)[-10]).astype(int)
    whole, order = plan_of(X, labels, 2), np.random.default_rng(0).permutation(120)
    sample, again = sample_of(whole), sample_of(plan_of(X[order], labels[order], 2))
    np.testing.assert_array_equal(np.sort(order[again.rows.index]), sample.rows.index)
    assert 30 <= len(sample.rows.y) <= 38
    assert sample.rows.y.sum() >= 8
    twice = sample_of(plan_of(np.repeat(X, 2, axis=0), np.repeat(labels, 2), 2))
    np.testing.assert_array_equal(np.unique(twice.rows.index // 2), sample.rows.index)


@pytest.mark.parametrize("classes", [0, 2])
def test_what_a_sample_chose_is_fitted_to_all_rows(plan_of, monkeypatch, classes):
    monkeypatch.setattr(families, "ENOUGH_ROWS", 60)
    X, y = friedman(150)
    plan = plan_of(X, (y > 0).astype(int) if classes else y, classes)
    fits = search_families(plan)
    assert sum(fit.share for fit in fits) == pytest.approx(1.0)
    assert all(len(fit.latent) == 150 for fit in fits)
