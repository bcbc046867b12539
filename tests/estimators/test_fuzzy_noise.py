"""Fuzzy machines: honest error bars, one membership for all widths, trust of at most one."""

import numpy as np
import pytest

from rowtrust import RVR, FuzzyRVC, FuzzyRVR
from rowtrust.estimators._memberships import missing_noise
from rowtrust.memberships import ClassCentre, Residual


def sine(n, seed, noise=0.3):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, (n, 1))
    return X, np.sin(2 * X[:, 0]) + noise * rng.normal(size=n)


@pytest.mark.parametrize("normalise", [True, False])
def test_95_percent_intervals_cover_95_percent(normalise):
    covered = []
    for seed in range(5):
        X_new, y_new = sine(2000, seed + 100)
        mean, deviation = (
            FuzzyRVR(gamma=0.5, normalise_membership=normalise)
            .fit(*sine(200, seed))
            .predict(X_new, return_std=True)
        )
        covered.append(np.mean(np.abs(y_new - mean) < 1.96 * deviation))
    assert 0.93 < np.mean(covered) < 0.97


def test_the_noise_of_new_rows_is_that_of_the_plain_machine():
    X, y = sine(400, 0)
    plain, fuzzy = RVR(gamma=0.5).fit(X, y), FuzzyRVR(gamma=0.5).fit(X, y)
    assert fuzzy.noise_variance_ == pytest.approx(plain.noise_variance_, rel=0.15)
    assert fuzzy.noise_variance_ == pytest.approx(1.0 / fuzzy.noise_precision_)


def test_memberships_that_know_no_errors_miss_no_noise():
    residual, ones = np.abs(np.random.default_rng(0).normal(size=100)), np.ones(100)
    assert missing_noise(ClassCentre("input"), residual, ones, ones) == 1.0


@pytest.mark.parametrize("n", [100, 1000, 10000])
def test_the_noise_that_gaussian_rows_miss_is_found_again(n):
    error = np.abs(np.random.default_rng(n).normal(size=n))
    membership = 1.0 - error / (1.001 * error.max())
    found = np.sqrt(np.average(error**2, weights=membership))
    factor = missing_noise(Residual(), error / found, np.ones(n), membership)
    assert found**2 * factor == pytest.approx(1.0, rel=5.0 / np.sqrt(n))


def test_one_far_outlier_does_not_widen_the_noise():
    error = np.abs(np.random.default_rng(0).normal(size=1000))
    error[0] = 1e6
    membership = 1.0 - error / (1.001 * error.max())
    factor = missing_noise(Residual(), error, np.ones(1000), membership)
    assert factor == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize("membership", ["residual", "time_linear"])
def test_trust_is_at_most_one_and_the_membership_itself(membership, normalise):
    X, y = sine(80, 0)
    both = [
        FuzzyRVR(gamma=0.5, membership=membership, normalise_membership=each).fit(X, y).sample_trust_
        for each in (normalise, False)
    ]
    assert both[0].max() <= 1.0
    np.testing.assert_allclose(both[0], both[1], rtol=1e-12)


def test_trust_of_classes_is_the_membership():
    X, y = sine(80, 0)
    given = np.linspace(0.2, 0.9, 80)
    model = FuzzyRVC(gamma=0.5, membership=given).fit(X, (y > 0).astype(int))
    np.testing.assert_allclose(model.sample_trust_, given, rtol=1e-12)


def test_a_common_factor_on_normalised_memberships_says_nothing():
    X, y = sine(80, 0)
    given = np.random.default_rng(0).uniform(0.3, 0.6, 80)
    one, two = (FuzzyRVR(membership=factor * given).fit(X, y) for factor in (1.0, 0.5))
    np.testing.assert_allclose(one.predict(X), two.predict(X), rtol=1e-9)
    assert one.lower_bound_ == pytest.approx(two.lower_bound_)


def test_all_widths_see_the_same_memberships(monkeypatch):
    X, y = sine(60, 0)
    model = FuzzyRVR()
    rows = model._validate_rows(X, y, None)
    plan = model._compose(rows)
    assert plan.weights.membership.shape == (60,)
    again = FuzzyRVR(membership=plan.weights.membership / plan.weights.whole).fit(X, y)
    np.testing.assert_allclose(model.fit(X, y).predict(X), again.predict(X), atol=1e-8)
