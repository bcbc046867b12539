"""Error bars grow away from the data; probabilities tend to the class rates."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.gaussian_process.kernels import RBF, DotProduct
from sklearn.metrics import accuracy_score

from rowtrust import RVC, RVR, FuzzyRVC, FuzzyRVR, RobustRVC, RobustRVR
from rowtrust.datasets import flip_labels, make_sinc
from rowtrust.estimators import _validation
from rowtrust.kernels import landmarks

CLASSIFIERS = (RVC, RobustRVC, FuzzyRVC)
REGRESSORS = (RVR, RobustRVR, FuzzyRVR)
X, LABELS = make_moons(300, noise=0.2, random_state=0)


def sinc(seed=0):
    return make_sinc(100, noise=0.1, random_state=seed)


def latent_deviation(model, X):
    return np.sqrt(model.predictive_model_.latent_moments(np.asarray(X))[1][:, 0])


@pytest.mark.parametrize("estimator", REGRESSORS)
@pytest.mark.parametrize(
    "options", [{}, {"gamma": 0.1}, {"length_scales": "learnt"}, {"kernel": "laplacian"}]
)
def test_deviation_returns_to_the_priors(estimator, options):
    """At five widths from the nearest row it is at least 0.8 of the prior's."""
    inputs, targets = sinc()
    model = estimator(**options).fit(inputs, targets)
    exponent = model.anchor_gamma_ * (
        1.0 if model.feature_relevance_ is None else model.feature_relevance_[0] / 2
    )
    width = 1.0 / np.sqrt(2.0 * exponent) if model.kernel == "rbf" else 12.5 / exponent / 5
    far = np.array([[inputs.min() - 5 * width], [inputs.max() + 5 * width]])
    assert (latent_deviation(model, far) >= 0.8 * np.sqrt(model.prior_variance_)).all()
    within = latent_deviation(model, inputs)
    assert np.median(within) < 0.3 * np.sqrt(model.prior_variance_[0])


@pytest.mark.parametrize("estimator", REGRESSORS)
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
    rate = np.average(LABELS[kept], weights=model.sample_trust_)
    if estimator is RobustRVC:  # rows in doubt count fully, and the noise is taken out of the rates
        given = LABELS[kept].mean()
        rate = (given - model.label_noise_[0, 1]) / (model.label_noise_[1, 1] - model.label_noise_[0, 1])
    np.testing.assert_allclose(model.predict_proba(far)[:, 1], rate, atol=1e-6)
    if estimator is not FuzzyRVC:  # whose memberships make the classes weigh the same
        assert abs(rate - LABELS[kept].mean()) < 0.1


def test_far_probabilities_are_the_class_rates_of_the_rows_that_power_weights_trust():
    kept = np.r_[np.flatnonzero(LABELS == 0)[:40], np.flatnonzero(LABELS == 1)]
    model = RobustRVC(label_noise="power").fit(X[kept], LABELS[kept])
    rate = np.average(LABELS[kept], weights=model.sample_trust_)
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


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, *REGRESSORS])
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
    np.testing.assert_allclose(fitted[1], returned[1], rtol=1e-12)


def test_classes_of_next_to_no_weight_have_finite_probabilities():
    model = RVC(class_weight={0: 1e-17, 1: 1.0}).fit(X, LABELS)
    assert np.isfinite(model.predict_proba(np.vstack([X, X + 100.0]))).all()


def test_a_second_fit_leaves_nothing_of_the_first():
    model = RVR().fit(X, X[:, 0])
    model.set_params(kernel="linear").fit(X, X[:, 0])
    assert model.anchors_ is model.anchor_whitener_ is model.prior_mean_ is model.anchor_gamma_ is None


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
    assert RVR(kernel=DotProduct(), gamma="scale").fit(inputs, targets).anchors_ is None


@pytest.mark.parametrize("kernel", ["linear", "polynomial"])
def test_kernels_without_a_width_know_of_no_place(kernel):
    """Their own variance grows without end."""
    model = RVR(kernel=kernel, degree=2).fit(X, X[:, 0] + 0.1 * X[:, 1] ** 2)
    assert model.anchors_ is None
    assert latent_deviation(model, 100.0 + X[:1]) > 3 * latent_deviation(model, X).max()


@pytest.mark.parametrize("estimator", [RVR, RobustRVR])
def test_intervals_hold_what_they_promise(estimator):
    """The 95 % interval of fresh targets, averaged over twenty fits.

    Not of FuzzyRVR: its noise is that of a row of full membership.
    """
    inside = []
    for seed in range(20):
        model = clone(estimator()).fit(*sinc(seed))
        new, targets = make_sinc(500, noise=0.1, random_state=1000 + seed)
        mean, deviation = model.predict(new, return_std=True)
        inside.append(np.mean(np.abs(targets - mean) < 1.96 * deviation))
    assert 0.93 <= np.mean(inside) <= 0.97


def test_robust_intervals_widen_with_the_tails_of_the_noise():
    inputs, targets = sinc()
    light, heavy = (RobustRVR(gamma=0.1, trust_prior=trust).fit(inputs, targets) for trust in (50.0, 1.0))
    assert light.noise_variance_ == pytest.approx(1.0 / light.noise_precision_, rel=0.05)
    # Student's t with two degrees of freedom has 95 % within 4.303 scales.
    assert heavy.noise_variance_ * heavy.noise_precision_ == pytest.approx((4.3027 / 1.95996) ** 2, rel=1e-4)


def test_disagreement_about_size_is_no_doubt_about_the_class():
    """Widths that are sure of the same class, to different degrees, leave the average sure."""
    inputs = np.r_[np.linspace(-3, -1, 60), np.linspace(1, 3, 60)][:, None]
    labels = (inputs[:, 0] > 0).astype(int)
    dirty, _ = flip_labels(labels, 0.02, random_state=0)
    model = RVC().fit(inputs, dirty)
    probability = model.predict_proba(inputs)[np.arange(120), labels]
    assert probability.mean() > 0.95
    assert accuracy_score(labels, model.predict(inputs)) == 1.0


def test_landmarks_are_drawn_once_a_fit(monkeypatch):
    """Widths that are compared, and rounds of learning, stand on the same centres."""
    seen = []

    def watched(X, strata, candidates, *options):
        seen.append(len(candidates))
        return landmarks(X, strata, candidates, *options)

    monkeypatch.setattr(_validation, "landmarks", watched)
    RVC(basis=30).fit(X, LABELS)
    assert seen == [300]
