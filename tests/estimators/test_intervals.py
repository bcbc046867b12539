"""Intervals and log scores of the estimators."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.metrics import log_loss

import rowtrust
from rowtrust import RVC, RVR, BayesianSVR, FuzzyRVR, RobustRVC, RobustRVR, SparseBayesRegressor
from rowtrust.likelihoods import Laplace

REGRESSORS = [RVR, RobustRVR, FuzzyRVR, SparseBayesRegressor, BayesianSVR]


def rows(n, seed, outliers=0):
    generator = np.random.default_rng(seed)
    X = generator.uniform(-3, 3, (n, 1))
    y = np.sin(2 * X[:, 0]) + 0.2 * generator.normal(size=n)
    y[:outliers] += 4.0
    return X, y


SLOW = [FuzzyRVR, SparseBayesRegressor]


@pytest.fixture(
    scope="module",
    params=[pytest.param(each, marks=[pytest.mark.slow] * (each in SLOW)) for each in REGRESSORS],
)
def model(request):
    return request.param(random_state=0).fit(*rows(120, 0))


def test_intervals_are_nested_around_the_median(model):
    X, _ = rows(50, 1)
    mean = model.predict(X)
    narrow, wide = model.predict_interval(X, 0.5), model.predict_interval(X, 0.99)
    assert (wide[0] < narrow[0]).all()
    assert (narrow[0] < mean).all()
    assert (mean < narrow[1]).all()
    assert (narrow[1] < wide[1]).all()


def test_new_targets_lie_in_the_interval_as_often_as_it_says(model):
    X, y = rows(4000, 2)
    error = 0.1 if isinstance(model, FuzzyRVR) else 0.07  # rows that fit badly count less: too sure
    for coverage in (0.5, 0.9):
        lower, upper = model.predict_interval(X, coverage)
        assert np.mean((lower < y) & (y < upper)) == pytest.approx(coverage, abs=error)


def test_ninety_five_percent_is_about_two_deviations(model):
    X, _ = rows(50, 1)
    lower, upper = model.predict_interval(X, 0.95)
    _, deviation = model.predict(X, return_std=True)
    np.testing.assert_allclose((upper - lower) / (2 * 1.96 * deviation), 1.0, atol=0.05)


def test_the_log_score_is_the_mean_log_density(model):
    X, y = rows(200, 3)
    scores = model.log_score_samples(X, y)
    assert scores.shape == (200,)
    assert model.log_score(X, y) == pytest.approx(scores.mean())
    weight = np.arange(200.0)
    assert model.log_score(X, y, sample_weight=weight) == pytest.approx(weight @ scores / weight.sum())
    # The density is one: it sums to one over targets, and the interval has its mass.
    grid = np.linspace(-6, 6, 6001)
    density = np.exp(model.log_score_samples(np.repeat(X[:1], 6001, axis=0), grid))
    assert density.sum() * 12 / 6000 == pytest.approx(1.0, abs=2e-3)
    lower, upper = model.predict_interval(X[:1], 0.8)
    within = (grid > lower[0]) & (grid < upper[0])
    assert density[within].sum() * 12 / 6000 == pytest.approx(0.8, abs=5e-3)


def test_the_density_has_the_shape_of_the_noise():
    """Beside a Gaussian of the same mean and deviation."""
    X, _ = rows(700, 0)
    y = np.sin(2 * X[:, 0]) + 0.2 * np.exp(np.random.default_rng(1).normal(size=700))
    model = RVR(gamma=1.0).fit(X[:200], y[:200])
    mean, deviation = model.predict(X[200:], return_std=True)
    gaussian = -0.5 * ((y[200:] - mean) / deviation) ** 2 - np.log(deviation * np.sqrt(2 * np.pi))
    assert model.log_score(X[200:], y[200:]) > gaussian.mean() + 0.1


@pytest.mark.parametrize("kind", [RobustRVR, BayesianSVR])
def test_intervals_cover_clean_rows_where_a_tenth_of_the_training_rows_is_wrong(kind):
    model = kind(random_state=0).fit(*rows(200, 0, outliers=20))
    X, y = rows(4000, 2)
    low, high = model.predict_interval(X, 0.95)
    assert np.mean((low < y) & (y < high)) == pytest.approx(0.95, abs=0.035)


def test_heavy_tails_widen_high_coverage_only():
    model = RobustRVR(gamma=1.0, random_state=0).fit(*rows(200, 0, outliers=20))
    X, _ = rows(50, 1)
    _, deviation = model.predict(X, return_std=True)
    widths = [np.subtract(*model.predict_interval(X, coverage)[::-1]) for coverage in (0.5, 0.99)]
    assert (widths[0] < 2 * 0.674 * deviation).all()
    assert (widths[1] > 2 * 2.576 * deviation).all()


def test_a_mixture_of_searches_has_the_interval_of_the_mixture():
    X, y = rows(60, 0)
    model = BayesianSVR(n_restarts=2, combine="mixture", random_state=0).fit(X, y)
    lower, upper = model.predict_interval(X, 0.9)
    found = model._distributions(X)[0]
    assert len(found.parts) == 3
    np.testing.assert_allclose(found.cdf(upper) - found.cdf(lower), 0.9, atol=1e-6)
    np.testing.assert_allclose(sum(part.share for part in found.parts), 1.0)


def test_units_of_the_targets_do_not_matter():
    X, y = rows(120, 0)
    for kind in (RVR, BayesianSVR):
        small, large = kind(random_state=0).fit(X, y), kind(random_state=0).fit(X, 1000.0 * y + 5e4)
        for one, other in zip(small.predict_interval(X), large.predict_interval(X), strict=True):
            np.testing.assert_allclose(1000.0 * one + 5e4, other, atol=5.0)
        assert large.log_score(X, 1000.0 * y + 5e4) == pytest.approx(
            small.log_score(X, y) - np.log(1000), abs=0.02
        )


@pytest.mark.parametrize("coverage", [0.0, 1.0, -0.5, 95])
def test_wrong_coverage_is_refused(coverage):
    model = RVR(gamma=1.0).fit(*rows(40, 0))
    with pytest.raises(ValueError, match="coverage must lie between 0 and 1"):
        model.predict_interval([[0.0]], coverage)


def test_parts_of_the_users_own():
    X, y = rows(120, 0)
    model = SparseBayesRegressor(likelihood=Laplace(5.0), gamma=1.0).fit(X, y)
    lower, upper = model.predict_interval(X)
    assert np.mean((lower < y) & (y < upper)) == pytest.approx(0.9, abs=0.09)


@pytest.mark.parametrize("kind", [RVC, RobustRVC, rowtrust.FuzzyRVC])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_classifiers_log_score_is_minus_the_log_loss(kind, n_classes):
    X, y = make_moons(90, noise=0.2, random_state=0)
    label = np.array(["b", "a", "c"])[np.where(X[:, 0] > 1.2, n_classes - 1, y)]
    model = kind(random_state=0, gamma=1.0).fit(X, label)
    expected = log_loss(label, model.predict_proba(X), labels=model.classes_)
    assert model.log_score(X, label) == pytest.approx(-expected)
    weight = np.arange(90.0)
    expected = log_loss(label, model.predict_proba(X), labels=model.classes_, sample_weight=weight)
    assert model.log_score(X, label, sample_weight=weight) == pytest.approx(-expected)
    assert (model.log_score_samples(X, label) <= 0.0).all()
    with pytest.raises(ValueError, match="not in the fit"):
        model.log_score_samples(X, np.full(90, "z"))
