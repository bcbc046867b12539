"""The variance of a function over missing values."""

import numpy as np
import pytest

from rowtrust import RVC, RVR, RobustRVR
from rowtrust.kernels.missing import DRAWS, function_spread, latin_normals, mean_spread


def steep(X):
    return np.column_stack([np.sin(2.0 * X[:, 0]) * X[:, 1], X[:, 0] + 3.0 * X[:, 1]])


def test_draws_are_standard():
    draws = latin_normals(7)
    assert draws.shape == (DRAWS, 7)
    np.testing.assert_allclose(draws.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(draws.std(axis=0), 1.0)


def test_it_is_the_variance_over_many_draws():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 2)) + 1j * generator.choice([0.0, 0.4], size=(200, 2))
    found = function_spread(steep, X, 2)
    many = [steep(X.real + X.imag * generator.normal(size=2)) for _ in range(4000)]
    expected = np.var(many, axis=0)
    known = (X.imag == 0.0).all(axis=1)
    assert (found[known] == 0.0).all()
    ratio = found[~known].sum(axis=0) / expected[~known].sum(axis=0)
    np.testing.assert_allclose(ratio, 1.0, atol=0.2)
    one = (X.imag[:, 0] == 0.0) & (X.imag[:, 1] > 0.0)
    np.testing.assert_allclose(found[one, 1], 9.0 * 0.16)  # a line, along one missing value
    weight = np.arange(200.0)
    np.testing.assert_allclose(mean_spread(steep, X, weight, 2), weight @ found / weight.sum())
    assert (mean_spread(steep, X.real, weight, 2) == 0.0).all()


def rows(n, seed):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, 3))
    return X, np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.1 * generator.normal(size=n)


def holed(X, share, seed):
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


@pytest.mark.parametrize("kind", [RVR, pytest.param(RobustRVR, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("fit_share", "test_share"), [(0.0, 0.3), (0.3, 0.3), (0.3, 0.0)])
def test_intervals_have_room_for_missing_values(kind, fit_share, test_share):
    (X, y), (new, truth) = rows(300, 0), rows(1000, 1)
    model = kind(gamma=0.3).fit(holed(X, fit_share, 2), y)
    new = holed(new, test_share, 3)
    lower, upper = model.predict_interval(new, 0.9)
    inside = (lower < truth) & (truth < upper)
    assert inside.mean() > 0.85
    if test_share and not fit_share:
        many = np.isnan(new[:, :2]).any(axis=1)
        assert (upper - lower)[many].min() > 3 * np.median((upper - lower)[~many])
        assert inside[many].mean() > 0.8


def test_units_of_the_targets_do_not_matter():
    X, y = rows(150, 0)
    X = holed(X, 0.2, 1)
    small, large = RVR(gamma=0.3).fit(X, y), RVR(gamma=0.3).fit(X, 100.0 * y)
    deviations = [model.predict(X, return_std=True)[1] for model in (small, large)]
    np.testing.assert_allclose(deviations[1], 100.0 * deviations[0], rtol=1e-3)
    np.testing.assert_allclose(
        large.predictive_model_.hidden, 1e4 * small.predictive_model_.hidden, rtol=1e-3
    )


def test_an_audit_does_not_accuse_rows_for_their_holes():
    X, y = rows(300, 0)
    model = RobustRVR(gamma=0.3).fit(X, y)
    new, truth = rows(300, 5)
    new = holed(new, 0.3, 6)
    audit = model.audit(new, truth)
    assert np.abs(audit["residual"]).mean() < 1.2
    assert (audit["list"] == "likely error").mean() < 0.05


def test_classes_are_left_alone():
    X, y = rows(100, 0)
    assert RVC(gamma=0.3).fit(holed(X, 0.2, 1), y > 0).predictive_model_.hidden is None
