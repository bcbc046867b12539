"""Classifiers of labels that passed a channel: what is learnt of it, and what follows from it."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning

from rowtrust import RVC, FuzzyRVC, RobustRVC, SparseBayesClassifier
from rowtrust.datasets import flip_labels
from rowtrust.io import load, save
from rowtrust.weights import Gamma

X, Y = make_moons(200, noise=0.15, random_state=0)
GIVEN, FLIPPED = flip_labels(Y, 0.15, random_state=0)
ONE_SIDED, _ = flip_labels(Y, 0.3, only_from=1, random_state=0)


def same(one, two, **tolerance):
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), **tolerance)
    np.testing.assert_allclose(one.noise_, two.noise_, **tolerance)


@pytest.mark.slow
def test_one_sided_flips_are_found():
    rates = np.mean(
        [RobustRVC(gamma=2.0).fit(*moons_that_lost(seed)).noise_[[0, 1], [1, 0]] for seed in range(4)],
        axis=0,
    )
    assert rates[1] > 0.15
    assert rates[0] < 0.5 * rates[1]


def moons_that_lost(seed):
    rows, labels = make_moons(300, noise=0.15, random_state=seed)
    return rows, flip_labels(labels, 0.3, only_from=1, random_state=seed)[0]


def test_a_class_that_lost_labels_gets_them_back():
    fresh, labels = make_moons(1000, noise=0.15, random_state=9)
    plain, robust = (model(gamma=2.0).fit(X, ONE_SIDED).predict_proba(fresh) for model in (RVC, RobustRVC))
    rows = np.arange(1000)
    assert np.log(robust[rows, labels]).mean() > np.log(plain[rows, labels]).mean() + 0.05


def test_clean_labels_give_the_plain_model():
    rows = np.where(Y[:, None] == 1, 3.0, -3.0) + np.random.default_rng(0).normal(size=(200, 2))
    robust = RobustRVC(gamma=0.2).fit(rows, Y)
    plain = RVC(gamma=0.2, calibration="folds").fit(rows, Y)
    np.testing.assert_allclose(robust.noise_, np.eye(2), atol=0.01)
    np.testing.assert_allclose(robust.predict_proba(rows), plain.predict_proba(rows), atol=0.01)
    assert (robust.audit(rows, Y)["list"] != "likely error").all()


@pytest.mark.parametrize("none", [0.0, {}, {1: 0.0}, np.eye(2)], ids=str)
@pytest.mark.parametrize("calibration", [None, "folds"])
def test_no_noise_is_the_plain_model(none, calibration):
    robust = RobustRVC(gamma=2.0, label_noise=none, calibration=calibration).fit(X, GIVEN)
    plain = RVC(gamma=2.0, calibration=calibration).fit(X, GIVEN)
    np.testing.assert_array_equal(robust.predict_proba(X), plain.predict_proba(X))
    assert robust.calibration_slope_ == plain.calibration_slope_
    assert (robust.sample_trust_ == 1.0).all()  # as was stated, where the plain model has to judge
    assert plain.sample_trust_[FLIPPED].mean() < plain.sample_trust_[~FLIPPED].mean() - 0.3


def test_one_noise_may_be_stated_in_three_ways():
    models = [
        RobustRVC(gamma=2.0, label_noise=noise, calibration=None).fit(X, GIVEN)
        for noise in (0.2, {0: 0.2, 1: 0.2}, [[0.8, 0.2], [0.2, 0.8]])
    ]
    for model in models:
        np.testing.assert_allclose(model.noise_, [[0.8, 0.2], [0.2, 0.8]])
        np.testing.assert_array_equal(model.noise_interval_, [model.noise_] * 2)
        np.testing.assert_allclose(model.predict_proba(X), models[0].predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("noise", ["channel", "power", 0.1, {1: 0.3}], ids=str)
def test_given_labels_are_true_ones_behind_the_noise(noise):
    model = RobustRVC(gamma=2.0, label_noise=noise).fit(X, GIVEN)
    found = model.predict_given_proba(X)
    np.testing.assert_allclose(found, model.predict_proba(X) @ model.noise_, rtol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    np.testing.assert_allclose(model.noise_.sum(axis=1), 1.0)
    low, high = model.noise_interval_
    assert ((low <= model.noise_ + 1e-12) & (model.noise_ <= high + 1e-12)).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_trust_is_the_probability_to_be_right(classes):
    rows, labels = (X, Y) if classes == 2 else load_iris(return_X_y=True)
    dirty, flipped = flip_labels(labels, 0.15, random_state=0)
    model = RobustRVC(gamma="scale").fit(rows, dirty)
    table = model.audit(rows, dirty).sort_index()
    np.testing.assert_allclose(model.sample_trust_, 1.0 - table["p_wrong"], rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(table["trust"], model.sample_trust_)
    assert model.sample_trust_[flipped].mean() < model.sample_trust_[~flipped].mean() - 0.3


@pytest.mark.parametrize("options", [{}, {"label_noise": 0.1}, {"label_noise": "power"}], ids=str)
def test_sample_weights_are_copies(options):
    copies = np.arange(200) % 3
    weighted = RobustRVC(gamma=2.0, **options).fit(X, GIVEN, sample_weight=copies)
    repeated = RobustRVC(gamma=2.0, **options).fit(np.repeat(X, copies, axis=0), np.repeat(GIVEN, copies))
    same(weighted, repeated, atol=1e-6)
    np.testing.assert_allclose(np.repeat(weighted.sample_trust_, copies), repeated.sample_trust_, atol=1e-6)


def test_neither_order_nor_units_nor_names_matter():
    """With the reference solver, which takes up no columns in any order."""
    rows, labels = X[:80], ONE_SIDED[:80]

    def fitted(rows, labels):
        return RobustRVC(gamma="scale", solver="variational", max_iter=60).fit(rows, labels)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = fitted(rows, labels)
        order = np.random.default_rng(0).permutation(80)
        same(fitted(rows[order], labels[order]), model, atol=1e-6)
        larger = fitted(1024.0 * rows, labels)
        np.testing.assert_allclose(larger.noise_, model.noise_, atol=1e-6)
        np.testing.assert_allclose(larger.predict_proba(1024.0 * X), model.predict_proba(X), atol=1e-6)
        swapped = fitted(rows, 1 - labels)
        np.testing.assert_allclose(swapped.noise_[::-1, ::-1], model.noise_, atol=1e-3)
        np.testing.assert_allclose(swapped.predict_proba(X)[:, ::-1], model.predict_proba(X), atol=1e-2)
    assert model.noise_[1, 0] > 0.02


def test_log_odds_are_multiplied_by_the_slope():
    plain, calibrated = (RVC(gamma=20.0, calibration=each).fit(X, GIVEN) for each in (None, "folds"))
    slope = calibrated.calibration_slope_
    assert 0.0 < slope < 1.0
    assert plain.calibration_slope_ == 1.0
    np.testing.assert_allclose(calibrated.decision_function(X), slope * plain.decision_function(X), rtol=1e-9)
    np.testing.assert_array_equal(calibrated.predict(X), plain.predict(X))
    np.testing.assert_array_equal(plain.noise_, np.eye(2))


def test_calibration_helps_labels_not_seen():
    fresh, labels = make_moons(1000, noise=0.15, random_state=5)
    labels = flip_labels(labels, 0.15, random_state=1)[0]
    plain, calibrated = (
        RVC(gamma=20.0, calibration=each).fit(X, GIVEN).predict_proba(fresh)[np.arange(1000), labels]
        for each in (None, "folds")
    )
    assert np.log(calibrated).mean() > np.log(plain).mean()


def test_power_weights_are_the_model_of_the_paper():
    model = RobustRVC(gamma=2.0, label_noise="power").fit(X, GIVEN)
    parts = SparseBayesClassifier(gamma=2.0, weights=Gamma()).fit(X, GIVEN)
    np.testing.assert_array_equal(model.predict_proba(X), parts.predict_proba(X))
    np.testing.assert_array_equal(model.sample_trust_, parts.sample_trust_)
    assert model.calibration_slope_ == 1.0
    np.testing.assert_array_equal(model.noise_, np.eye(2))


@pytest.mark.parametrize(
    "model", [RobustRVC(gamma=2.0), RobustRVC(gamma=2.0, label_noise={1: 0.2}), RVC(gamma=2.0)], ids=repr
)
def test_models_and_their_audits_come_back(model, tmp_path):
    model = model.fit(X, GIVEN)
    save(model, tmp_path / "m.skops")
    for again in (load(tmp_path / "m.skops"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.predict_given_proba(X), model.predict_given_proba(X))
        assert again.audit(X, GIVEN).equals(model.audit(X, GIVEN))
        assert again.audit(X[:5] + 0.01, GIVEN[:5]).equals(model.audit(X[:5] + 0.01, GIVEN[:5]))


@pytest.mark.parametrize(
    "model", [RVC(gamma=2.0, scaling=None), FuzzyRVC(gamma=2.0, scaling=None)], ids=["RVC", "FuzzyRVC"]
)
def test_every_classifier_audits(model):
    table = model.fit(X, GIVEN).audit(X, GIVEN)
    assert FLIPPED[table.index[: FLIPPED.sum()]].mean() > 0.8
    assert FLIPPED[table.index[table["list"] == "likely error"]].mean() > 0.7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label_noise": "uniform"}, "label_noise"),
        ({"label_noise": 1.0}, "label_noise"),
        ({"label_noise": -0.1}, "label_noise"),
        ({"label_noise": 0.6}, "largest entry of every column on its diagonal"),
        ({"label_noise": {"7": 0.1}}, "names '7'"),
        ({"label_noise": np.eye(3)}, "one column per class, 2 of them"),
        ({"calibration": "platt"}, "calibration"),
    ],
)
def test_settings_that_cannot_be(options, message):
    with pytest.raises(ValueError, match=message):
        RobustRVC(gamma=2.0, **options).fit(X, Y)


@pytest.mark.parametrize("count", [1, 2])
def test_a_class_of_next_to_no_rows_is_fitted(count):
    labels = (np.arange(200) < count).astype(int)
    model = RobustRVC(gamma=2.0).fit(X, labels)
    assert np.isfinite(model.predict_proba(X)).all()
    assert len(model.audit(X, labels)) == 200
