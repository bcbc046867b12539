"""Sensors that move together: what matters is in their small differences, and must be found."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rowtrust import RVC, RVR, RobustRVC, RobustRVR
from rowtrust.io import load, save

RNG = np.random.default_rng(0)
HIDDEN = RNG.uniform(size=(400, 2))
TOGETHER = RNG.integers(1, 10, (400, 1)) / 9
SENSORS = TOGETHER ** RNG.uniform(0.5, 3.0, 14) * (1.0 + HIDDEN @ (0.02 * RNG.normal(size=(2, 14))))
X, NEW, Y, TRUTH = SENSORS[:200], SENSORS[200:], HIDDEN[:200, 0], HIDDEN[200:, 0]


def error(model):
    return np.sqrt(np.mean((model.predict(NEW) - TRUTH) ** 2)) / TRUTH.std()


@pytest.fixture(scope="module")
def model():
    return RVR().fit(X, Y)


def test_numbers_are_no_constant(model):
    assert error(model) < 0.1
    assert any(kernel.metric is not None and kernel.metric.ndim == 2 for kernel, _ in model.fitted_.kernels)
    assert model.feature_relevance_.shape == (14,)


def test_outliers_do_not_hide_it():
    given, wrong = Y.copy(), RNG.permutation(200)[:20]
    given[wrong] += RNG.choice([-2.0, 2.0], 20)
    assert error(RobustRVR().fit(X, given)) < 0.2


@pytest.mark.parametrize("kind", [RVC, RobustRVC])
def test_classes_are_those_of_logistic_regression(kind):
    linear = make_pipeline(StandardScaler(), LogisticRegression(C=1e6, max_iter=2000)).fit(X, Y > 0.5)
    wrong = np.mean(kind().fit(X, Y > 0.5).predict(NEW) != (TRUTH > 0.5))
    assert wrong <= np.mean(linear.predict(NEW) != (TRUTH > 0.5)) + 0.02


def test_units_and_the_order_of_rows_change_nothing(model):
    units, order = 2.0 ** RNG.integers(-9, 9, 14), RNG.permutation(200)
    other = RVR().fit(X[order] * units, Y[order])
    np.testing.assert_allclose(other.predict(NEW * units), model.predict(NEW), rtol=1e-5, atol=1e-6)


def test_missing_values_are_at_their_means(model):
    rows = NEW.copy()
    rows[:50, 3] = np.nan
    mean, deviation = RVR().fit(X, Y).predict(rows, return_std=True)
    assert np.isfinite(mean).all()
    assert (deviation > 0.0).all()
    np.testing.assert_allclose(mean[50:], model.predict(NEW[50:]), rtol=1e-9)


def test_a_file_gives_it_back(model, tmp_path):
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict(NEW, return_std=True), model.predict(NEW, return_std=True))


def test_a_spectrum_with_fewer_rows_than_channels():
    axis, amounts = np.linspace(0.0, 1.0, 200), RNG.uniform(size=(90, 3))
    peaks = np.exp(-0.5 * ((axis - [[0.3], [0.5], [0.6]]) / 0.08) ** 2)
    rows = amounts @ peaks + RNG.normal(size=(90, 1)) + 0.002 * RNG.normal(size=(90, 200))
    found = RVR().fit(rows[:50], amounts[:50, 0]).predict(rows[50:])
    assert np.sqrt(np.mean((found - amounts[50:, 0]) ** 2)) < 0.01


def test_several_classes_are_found_too():
    classes = np.digitize(Y, [0.33, 0.66])
    assert RVC().fit(X, classes).score(NEW, np.digitize(TRUTH, [0.33, 0.66])) > 0.9
