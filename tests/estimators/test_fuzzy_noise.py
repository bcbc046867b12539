"""Fuzzy machines: honest error bars, one membership for all widths, trust of at most one."""

import numpy as np
import pytest

from rowtrust import RVR, FuzzyRVC, FuzzyRVR


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


@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize("membership", ["residual", "time_linear"])
def test_trust_is_at_most_one_and_the_membership_itself(membership, normalise):
    X, y = sine(80, 0)
    both = [
        FuzzyRVR(gamma=0.5, membership=membership, normalise_membership=each).fit(X, y).expected_weight_
        for each in (normalise, False)
    ]
    assert both[0].max() <= 1.0
    np.testing.assert_allclose(both[0], both[1], rtol=1e-12)


def test_trust_of_classes_is_the_membership():
    X, y = sine(80, 0)
    given = np.linspace(0.2, 0.9, 80)
    model = FuzzyRVC(gamma=0.5, membership=given).fit(X, (y > 0).astype(int))
    np.testing.assert_allclose(model.expected_weight_, given, rtol=1e-12)


def test_a_common_factor_on_normalised_memberships_says_nothing():
    X, y = sine(80, 0)
    given = np.random.default_rng(0).uniform(0.3, 0.6, 80)
    one, two = (FuzzyRVR(membership=factor * given).fit(X, y) for factor in (1.0, 0.5))
    np.testing.assert_allclose(one.predict(X), two.predict(X), rtol=1e-9)
    assert one.lower_bound_ == pytest.approx(two.lower_bound_)


def test_all_widths_see_the_same_memberships():
    X, y = sine(60, 0)
    model = FuzzyRVR(kernel="rbf").fit(X, y)
    again = FuzzyRVR(kernel="rbf", membership=model.expected_weight_).fit(X, y)
    np.testing.assert_allclose(model.predict(X), again.predict(X), atol=1e-8)
