"""Error bars grow away from the data; probabilities tend to the class rates."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.gaussian_process.kernels import RBF, DotProduct
from sklearn.metrics import accuracy_score

from rowtrust import RVC, RVR, FuzzyRVC, FuzzyRVR, RobustRVC, RobustRVR, SparseBayesRegressor
from rowtrust.datasets import flip_labels, make_sinc
from rowtrust.weights import Gamma

CLASSIFIERS = (RVC, RobustRVC, FuzzyRVC)
REGRESSORS = (RVR, RobustRVR, FuzzyRVR)
EACH = [
    RVR,
    RobustRVR,
    *(pytest.param(each, marks=pytest.mark.slow) for each in REGRESSORS if each not in (RVR, RobustRVR)),
]
X, LABELS = make_moons(300, noise=0.2, random_state=0)


def sinc(seed=0):
    return make_sinc(100, noise=0.1, random_state=seed)


def latent_deviation(model, X):
    return np.sqrt(model.predictive_model_.latent_moments(np.asarray(X))[1][:, 0])


@pytest.mark.parametrize("estimator", [RVR])
@pytest.mark.parametrize("options", [{}, {"gamma": 0.1}, {"kernel": "laplacian"}])
def test_deviation_returns_to_the_priors(estimator, options):
    """At five widths from the nearest row it is at least 0.8 of the prior's."""
    inputs, targets = sinc()
    model = estimator(**options).fit(inputs, targets)
    rate = model.gamma_ / model.scale_[0] ** (1 if options.get("kernel") == "laplacian" else 2)
    width = 2.5 / rate if options.get("kernel") == "laplacian" else 1.0 / np.sqrt(2.0 * rate)
    far = np.array([[inputs.min() - 5 * width], [inputs.max() + 5 * width]])
    assert (latent_deviation(model, far) >= 0.8 * np.sqrt(model.prior_variance_)).all()
    within = latent_deviation(model, inputs)
    assert np.median(within) < 0.3 * np.sqrt(model.prior_variance_[0])


@pytest.mark.parametrize("estimator", EACH)
def test_far_predictions_are_the_average_with_the_spread_of_the_function(estimator):
    inputs, targets = sinc()
    model = estimator().fit(inputs, 100.0 + 10.0 * targets)
    mean, deviation = model.predict([[1e6]], return_std=True)
    function = model.predict(inputs)
    assert mean[0] == pytest.approx(function.mean(), abs=0.3 * function.std())
    assert deviation[0] == pytest.approx(function.std(), rel=0.4)


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_far_probabilities_are_the_class_rates(estimator):
    kept = np.r_[np.flatnonzero(LABELS == 0)[:40], np.flatnonzero(LABELS == 1)]
    model = estimator().fit(X[kept], LABELS[kept])
    far = np.array([[50.0, 0.0], [-50.0, 0.0], [0.0, 50.0], [3.0, -80.0]])
    rate = np.average(LABELS[kept], weights=getattr(model, "expected_weight_", None))
    if estimator is RobustRVC:  # rows in doubt count fully, and the noise is taken out of the rates
        given = LABELS[kept].mean()
        rate = (given - model.noise_[0, 1]) / (model.noise_[1, 1] - model.noise_[0, 1])
    np.testing.assert_allclose(model.predict_proba(far)[:, 1], rate, atol=1e-6)
    if estimator is not FuzzyRVC:  # whose memberships make the classes weigh the same
        assert abs(rate - LABELS[kept].mean()) < 0.1


def test_far_probabilities_are_the_class_rates_of_the_rows_that_power_weights_keep():
    kept = np.r_[np.flatnonzero(LABELS == 0)[:40], np.flatnonzero(LABELS == 1)]
    model = RobustRVC(label_noise="power").fit(X[kept], LABELS[kept])
    rate = np.average(LABELS[kept], weights=model.expected_weight_)
    np.testing.assert_allclose(model.predict_proba([[50.0, 0.0]])[:, 1], rate, atol=1e-6)


def test_far_probabilities_follow_class_weights():
    kept = np.r_[np.flatnonzero(LABELS == 0)[:40], np.flatnonzero(LABELS == 1)]
    model = RVC(class_weight="balanced").fit(X[kept], LABELS[kept])
    np.testing.assert_allclose(model.predict_proba([[50.0, 0.0]]), 0.5, atol=1e-6)


def test_far_probabilities_of_three_classes():
    inputs, labels = load_iris(return_X_y=True)
    model = RVC().fit(inputs[20:], labels[20:])
    rates = np.bincount(labels[20:]) / 130
    np.testing.assert_allclose(model.predict_proba(inputs[:2] + 100.0), [rates, rates], atol=1e-6)


@pytest.mark.parametrize("estimator", [RobustRVC, RVR])
@pytest.mark.parametrize("signal", [1.0, 0.0])
def test_at_the_data_the_fit_alone_speaks(estimator, signal):
    """Also where there is nothing but noise to fit, and the prior knows more than the fit."""
    noise = np.random.default_rng(0).normal(size=60)
    targets = signal * LABELS[:60] + noise
    model = estimator().fit(X[:60], targets > 0.5 if estimator in CLASSIFIERS else targets)
    fitted, returned = (
        model.predictive_model_.fitted_moments(X[:60], model.covariance_),
        model.predictive_model_.latent_moments(X[:60]),
    )
    np.testing.assert_allclose(fitted[0], returned[0], rtol=1e-12)
    stretch = model.predictive_model_.stretch(fitted[0])  # by what rows left out say of deviations
    np.testing.assert_allclose(fitted[1] * stretch, returned[1], rtol=1e-12)


def test_classes_of_next_to_no_weight_have_finite_probabilities():
    model = RVC(class_weight={0: 1e-17, 1: 1.0}).fit(X, LABELS)
    assert np.isfinite(model.predict_proba(np.vstack([X, X + 100.0]))).all()


def test_a_second_fit_leaves_nothing_of_the_first():
    model = RVR().fit(X, X[:, 0])
    model.set_params(kernel="linear").fit(X, X[:, 0])
    assert model.prior_mean_ is model.prior_variance_ is None


def test_many_rows_in_turn_from_two_places():
    """Rows that were not among those the anchors were drawn from are no further from the data."""
    generator = np.random.default_rng(0)
    inputs = generator.normal(size=(20_500, 2))
    inputs[1::2] += 30.0
    labels = (inputs[:, 0] > np.where(inputs[:, 0] > 15, 30.0, 0.0)).astype(int)
    model = RVC(gamma=0.5, basis=60, tol=0.1, random_state=0).fit(inputs, labels)
    np.testing.assert_array_equal(
        model.predictive_model_.fitted_moments(inputs, model.covariance_)[0],
        model.predictive_model_.latent_moments(inputs)[0],
    )


def test_kernel_objects_know_where_the_data_are():
    inputs, targets = sinc()
    model = RVR(kernel=2.0 * RBF(2.0)).fit(inputs, targets)
    assert latent_deviation(model, [[1e4]])[0] == pytest.approx(np.sqrt(model.prior_variance_[0]))
    assert RVR(kernel=DotProduct(), gamma="scale").fit(inputs, targets).prior_mean_ is None


@pytest.mark.parametrize("kernel", ["linear", "polynomial"])
def test_kernels_without_a_width_know_of_no_place(kernel):
    """Their own variance grows without end."""
    model = RVR(kernel=kernel, degree=2).fit(X, X[:, 0] + 0.1 * X[:, 1] ** 2)
    assert model.prior_mean_ is None
    assert latent_deviation(model, 100.0 + X[:1]) > 3 * latent_deviation(model, X).max()


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [RVR, RobustRVR])
def test_intervals_hold_what_they_promise(estimator):
    """The 95 % interval of fresh targets, averaged over six fits.

    Not of FuzzyRVR: its noise is that of a row of full membership.
    """
    inside = []
    for seed in range(6):
        model = clone(estimator(kernel="rbf")).fit(*sinc(seed))
        new, targets = make_sinc(500, noise=0.1, random_state=1000 + seed)
        mean, deviation = model.predict(new, return_std=True)
        inside.append(np.mean(np.abs(targets - mean) < 1.96 * deviation))
    assert 0.93 <= np.mean(inside) <= 0.97


def test_rows_left_out_say_how_wide_the_noise_is_whatever_tails_are_assumed():
    inputs, targets = sinc()
    light, heavy = (
        SparseBayesRegressor(gamma=0.1, weights=Gamma(trust)).fit(inputs, targets) for trust in (50.0, 1.0)
    )
    assert heavy.noise_precision_ > 1.5 * light.noise_precision_
    assert heavy.noise_variance_ == pytest.approx(light.noise_variance_, rel=0.25)


def function_with_a_gap(seed):
    """Rows of a smooth function on either side of a gap of a quarter of the range, and clean rows in it."""
    generator = np.random.default_rng(seed)
    wave, phase = generator.uniform(1.0, 2.0, 3), generator.uniform(0.0, 6.0, 3)
    inputs, new = generator.uniform(-3.0, 3.0, (160, 1)), np.linspace(-0.7, 0.7, 60)[:, None]
    inputs = inputs[np.abs(inputs[:, 0]) > 0.75]
    level, truth = (np.sin(each * wave + phase).sum(axis=1) for each in (inputs, new))
    return inputs, level + 0.05 * generator.normal(size=len(level)), new, truth


def test_in_a_gap_between_data_intervals_hold():
    inside = []
    for seed in range(4):
        inputs, targets, new, truth = function_with_a_gap(seed)
        low, high = RVR().fit(inputs, targets).predict_interval(new, 0.95)
        inside.append(np.mean((low < truth) & (truth < high)))
    assert np.mean(inside) > 0.88


def test_disagreement_about_size_is_no_doubt_about_the_class():
    """Widths that are sure of the same class, to different degrees, leave the average sure."""
    inputs = np.r_[np.linspace(-3, -1, 60), np.linspace(1, 3, 60)][:, None]
    labels = (inputs[:, 0] > 0).astype(int)
    dirty, _ = flip_labels(labels, 0.02, random_state=0)
    model = RVC().fit(inputs, dirty)
    probability = model.predict_proba(inputs)[np.arange(120), labels]
    assert probability.mean() > 0.95
    assert accuracy_score(labels, model.predict(inputs)) == 1.0
