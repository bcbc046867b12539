"""BayesianSVR: starts that find functions, answers that do not depend on units, honest bars, many rows."""

import warnings

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

from rowtrust import BayesianSVR
from rowtrust.contracts import LandmarksWarning
from rowtrust.svr import hyperparameters as settings_module
from rowtrust.svr.output import ConstantFitWarning


def explained(prediction, truth):
    return 1.0 - np.mean((prediction - truth) ** 2) / np.var(truth)


def waves(seed):
    """A random smooth function: waves along few or many inputs, slow or fast; noisy rows, clean test rows."""
    generator = np.random.default_rng(seed)
    d, n = int(generator.integers(1, 7)), int(generator.integers(60, 200))
    frequency = np.exp(generator.uniform(np.log(0.3), np.log(4.0)))
    phase, size = generator.uniform(0, 2 * np.pi, 5), generator.normal(size=5)
    directions = frequency * generator.normal(size=(5, d)) / np.sqrt(d)
    if seed % 2:
        directions[:, 2:] = 0.0

    def function(X):
        return np.sin(X @ directions.T + phase) @ size

    X, new = generator.uniform(-1.7, 1.7, (n, d)), generator.uniform(-1.7, 1.7, (300, d))
    truth = function(new)
    return X, function(X) + 0.1 * truth.std() * generator.normal(size=n), new, truth


@pytest.mark.parametrize("seed", range(3))
def test_a_plain_sine_of_two_inputs_is_no_constant(seed):
    generator = np.random.default_rng(seed)
    X, new = generator.uniform(-3, 3, (100, 2)), generator.uniform(-3, 3, (300, 2))
    y = np.sin(2 * X[:, 0]) * np.cos(2 * X[:, 1]) + 0.05 * generator.normal(size=100)
    machine = BayesianSVR().fit(X, y)
    assert explained(machine.predict(new), np.sin(2 * new[:, 0]) * np.cos(2 * new[:, 1])) > 0.7


def gaussian_process(X, y, new):
    """Return what scikit-learn's Gaussian process with the same kernel predicts."""
    d = X.shape[1]
    kernel = ConstantKernel(1.0) * RBF(np.full(d, np.sqrt(d))) + ConstantKernel(0.1) + WhiteKernel(0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return GaussianProcessRegressor(kernel, normalize_y=True).fit(X, y).predict(new)


@pytest.mark.slow
def test_no_function_is_lost_that_a_gaussian_process_finds():
    found = 0
    for seed in range(6):
        X, y, new, truth = waves(seed)
        if explained(gaussian_process(X, y, new), truth) > 0.5:
            found += 1
            assert explained(BayesianSVR().fit(X, y).predict(new), truth) > 0.3, seed
    assert found >= 3


@pytest.mark.slow
def test_a_constant_is_said_aloud_and_nothing_else_is():
    generator = np.random.default_rng(1)
    X = generator.normal(size=(80, 2))
    noise, signal = generator.normal(size=80), np.sin(X[:, 0]) + 0.1 * generator.normal(size=80)
    with pytest.warns(ConstantFitWarning, match=r"constant, .* of y on X .* \(log evidence"):
        machine = BayesianSVR().fit(X, noise)
    assert np.ptp(machine.predict(X)) < 0.5
    with pytest.warns(ConstantFitWarning, match="output 1"):
        BayesianSVR().fit(X, np.column_stack([signal, noise]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        BayesianSVR().fit(X, signal)
        BayesianSVR().fit(X, np.full(80, 3.0))
        BayesianSVR(relevance=1e-9, kernel_variance=1e-6).fit(X, noise)


@pytest.fixture(scope="module")
def uneven():
    """Rows with unlike columns, repeated inputs and a skewed target, more than the screening sees."""
    generator = np.random.default_rng(5)
    X = np.column_stack([generator.normal(size=240), np.round(3 * generator.normal(size=240))])
    y = np.exp(np.sin(2 * X[:, 0]) + 0.2 * X[:, 1]) + 0.2 * generator.standard_t(3, 240)
    return X, y, X[::4] + 0.01, BayesianSVR().fit(X, y).predict(X[::4] + 0.01)


@pytest.mark.parametrize(("factor", "shift"), [(-2.5, 30.0)])
def test_sign_scale_and_shift_of_the_target_do_not_matter(factor, shift, uneven):
    X, y, new, expected = uneven
    found = BayesianSVR().fit(X, factor * y + shift).predict(new)
    np.testing.assert_allclose((found - shift) / factor, expected, atol=1e-3 * y.std())


def test_a_constant_column_does_not_matter_whatever_it_says_later(uneven):
    X, y, new, expected = uneven
    machine = BayesianSVR().fit(np.insert(X, 1, 7.0, axis=1), y)
    np.testing.assert_allclose(
        machine.predict(np.insert(new, 1, -1e3, axis=1)), expected, atol=1e-3 * y.std()
    )
    assert machine.feature_relevance_.shape == (3,)
    assert machine.feature_relevance_[1] == 0.0
    model = machine.predictive_model_.predict(np.insert(new, 1, -1e3, axis=1))
    np.testing.assert_allclose(model.mean[:, 0], expected, atol=1e-3 * y.std())


@pytest.mark.parametrize("units", [(1e3, 1e-3)])
def test_units_of_the_inputs_do_not_matter(units, uneven):
    X, y, new, expected = uneven
    found = BayesianSVR().fit(X * units + 5.0, y).predict(new * units + 5.0)
    np.testing.assert_allclose(found, expected, atol=1e-3 * y.std())


def spoilt(seed, share):
    generator = np.random.default_rng(seed)
    X, new = generator.uniform(-3, 3, (2, 200, 2))
    y, clean = (np.sin(Z[:, 0]) + 0.3 * Z[:, 1] + 0.2 * generator.normal(size=200) for Z in (X, new))
    rows = generator.choice(200, int(200 * share), replace=False)
    y[rows] += generator.choice([-1, 1], len(rows)) * generator.uniform(3, 9, len(rows)) * y.std()
    return X, y, new, clean


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.1])
def test_intervals_cover_clean_rows_with_and_without_outliers_in_training(share):
    inside = []
    for seed in range(4):
        X, y, new, clean = spoilt(seed, share)
        mean, std = BayesianSVR().fit(X, y).predict(new, return_std=True)
        inside.append([np.mean(np.abs(clean - mean) < width * std) for width in (0.674, 1.96)])
    half, most = np.mean(inside, axis=0)
    assert 0.4 < half < 0.65
    assert 0.92 < most < 0.985


def test_noise_that_was_given_is_noise_that_is_predicted():
    X, y, _, _ = spoilt(0, 0.1)
    machine = BayesianSVR(C=10.0, epsilon=0.1, beta=0.5).fit(X, y)
    assert machine.noise_variance_ == pytest.approx(machine.machines_[0].hyperparameters.noise_variance)


def test_where_few_rows_have_curvature_the_noise_is_right_too():
    X, y, _, _ = spoilt(0, 0.0)
    machine = BayesianSVR(loss="epsilon_insensitive").fit(X, y)
    assert 0.1 < machine.noise_variance_**0.5 < 0.3


@pytest.mark.slow
def test_landmarks_come_nearly_as_close_as_all_rows():
    generator = np.random.default_rng(0)
    X = generator.uniform(-3, 3, (700, 2))
    truth = np.sin(X[:, 0]) * np.cos(X[:, 1])
    y = truth + 0.2 * generator.normal(size=700)
    every, few = (BayesianSVR(basis=basis).fit(X[:500], y[:500]) for basis in (None, 80))
    assert every.n_landmarks_ is None
    assert few.n_landmarks_ == len(few.support_) <= 80
    np.testing.assert_array_equal(few.support_vectors_, X[few.support_])
    errors = [np.sqrt(np.mean((m.predict(X[500:]) - truth[500:]) ** 2)) for m in (every, few)]
    assert errors[1] < 1.2 * errors[0] + 0.01
    mean, std = few.predict(X[500:], return_std=True)
    assert 0.9 < np.mean(np.abs(y[500:] - mean) < 1.96 * std) < 0.99
    model = few.predictive_model_.predict(X[500:])
    np.testing.assert_allclose(model.mean[:, 0], mean, atol=1e-6)
    np.testing.assert_allclose(np.sqrt(model.variance[:, 0]), std, rtol=1e-3)
    assert few.duality_gap_ < 1e-10


@pytest.mark.slow
def test_many_rows_take_landmarks_unasked_and_say_so(monkeypatch):
    monkeypatch.setattr(settings_module, "EXACT_ROWS", 150)
    monkeypatch.setattr(settings_module, "LANDMARKS", 40)
    X, y, _, _ = spoilt(0, 0.0)
    with pytest.warns(LandmarksWarning, match=r"200 rows .* \d+ landmarks"):
        assert 0 < BayesianSVR().fit(X, y).n_landmarks_ <= 40
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert BayesianSVR(basis=30).fit(X, y).n_landmarks_ <= 30
        assert BayesianSVR(basis=500).fit(X, y).n_landmarks_ is None
    with pytest.raises(ValueError, match="basis"):
        BayesianSVR(basis=0).fit(X, y)
