"""The record in which a fit ends: frozen, and all that an audit reads."""

from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from rowtrust import RVC, RVR, FuzzyRVC, FuzzyRVR, RobustRVC, RobustRVR
from rowtrust.datasets import flip_labels, make_ripley, make_sinc
from rowtrust.fitting import Fitted
from rowtrust.kernels import row_keys

X, Y = make_ripley(90, random_state=0)
GIVEN, FLIPPED = flip_labels(Y, 0.1, random_state=1)
INPUTS, TARGETS = make_sinc(60, noise=0.1, random_state=0)
TARGETS[::20] += 5.0
MODELS = [
    RVC(gamma=1.0),
    RobustRVC(),
    RobustRVC(gamma=1.0, label_noise="power"),
    RobustRVC(gamma=1.0, label_noise=0.2),
    FuzzyRVC(gamma=1.0, class_weight="balanced"),
    RVR(gamma=1.0),
    RobustRVR(gamma=1.0),
    FuzzyRVR(gamma=1.0),
]
EVERY = pytest.mark.parametrize("model", MODELS, ids=repr)
PUBLISHED = {"fitted_", "classes_", "n_features_in_"}


def rows_of(model):
    return (X, GIVEN) if hasattr(model, "predict_proba") else (INPUTS, TARGETS)


def audits(model, rows, y):
    """Return what the model says of the rows of the fit, of others, and of the rows with other targets."""
    others = rows[::-1][:20] + 0.05, y[:20]
    return [model.judge_rows(*each) for each in ((rows, y), others, (rows, y[::-1]))]


# What is in the record


@EVERY
def test_a_fit_leaves_no_private_attribute(model):
    model = clone(model)
    before = set(vars(model))
    model.fit(*rows_of(model))
    private = {name for name in set(vars(model)) - before if name.startswith("_")}
    assert {name for name in private if not name.startswith("_sklearn")} == set()


@EVERY
def test_the_record_is_enough_for_every_audit(model):
    """All else that a fit has published is taken away, but for what scikit-learn asks of an estimator."""
    model, (rows, y) = clone(model), rows_of(model)
    found = audits(model.fit(rows, y), rows, y)
    for name in set(vars(model)) - PUBLISHED - set(model.get_params()):
        delattr(model, name)
    for one, other in zip(found, audits(model, rows, y), strict=True):
        for name in ("order", "p_wrong", "likely", "agreement", "trust"):
            np.testing.assert_array_equal(getattr(other, name), getattr(one, name))
    assert not hasattr(model, "audit") or len(model.audit(rows, y)) == len(y)


def test_the_record_is_frozen():
    fitted = RVC(gamma=1.0).fit(X, GIVEN).fitted_
    assert isinstance(fitted, Fitted)
    for record in (fitted, fitted.rows, fitted.labels, fitted.model):
        for field in fields(record):
            with pytest.raises(FrozenInstanceError):
                setattr(record, field.name, None)


def test_without_its_rows_a_fit_takes_them_for_new_ones():
    model = RobustRVC(gamma=1.0).fit(X, GIVEN)
    bare = model.fitted_.without_rows()
    assert bare.sample_trust is None
    assert (bare.rows.positions(X, GIVEN) == -1).all()
    np.testing.assert_array_equal(bare.model.log_odds(X), model.fitted_.model.log_odds(X))
    shift = model.fitted_.labels.shift
    np.testing.assert_allclose(bare.log_odds(X, GIVEN), bare.model.log_odds(X) - shift)


# Rows of the fit


def test_equal_rows_have_equal_keys_and_others_do_not():
    rows = np.random.default_rng(0).integers(0, 40, (20_000, 2)).astype(float)
    keys = row_keys(rows, np.zeros(len(rows)))
    assert len(np.unique(keys)) == len(np.unique(rows, axis=0))
    assert (row_keys(rows, np.ones(len(rows))) != keys).all()
    np.testing.assert_array_equal(row_keys(sparse.csr_array(rows), np.zeros(len(rows))), keys)
    zeros = np.zeros(2)
    np.testing.assert_array_equal(row_keys(np.full((2, 2), -0.0), -zeros), row_keys(np.zeros((2, 2)), zeros))
    one, two = row_keys(np.array([[1.0, 2.0], [2.0, 1.0]]), zeros)
    assert one != two


def test_rows_of_the_fit_are_known_again_in_any_order_and_others_are_not():
    model, order = RobustRVC(gamma=1.0).fit(X, GIVEN), np.random.default_rng(0).permutation(90)
    fitted, place = model.fitted_, model.fitted_.rows.positions
    np.testing.assert_array_equal(np.sort(place(X, GIVEN)), np.arange(90))
    np.testing.assert_array_equal(place(X[order], GIVEN[order]), place(X, GIVEN)[order])
    trust = 1.0 - fitted.p_wrong(X[order], GIVEN[order])
    np.testing.assert_allclose(trust, model.sample_trust_[order], rtol=1e-9)
    as_new = 1.0 - fitted.without_rows().p_wrong(X, GIVEN)
    assert np.abs(as_new - model.sample_trust_).max() > 1e-3
    assert (place(X, 1 - GIVEN) == -1).all()
    assert (place(X + 1e-9, GIVEN) == -1).all()


# From a plan and rows to the record


def fitted_by(model, rows, y, weight=None):
    return clone(model).fit(rows, y, sample_weight=weight).fitted_


@pytest.mark.parametrize("model", [RobustRVC(gamma=1.0), RVR(gamma=1.0), RobustRVR(gamma=1.0)], ids=repr)
def test_copies_are_weights_and_the_order_of_rows_does_not_matter(model):
    rows, y = rows_of(model)
    copies = np.random.default_rng(0).integers(1, 4, len(y))
    order = np.random.default_rng(1).permutation(copies.sum())
    which = np.repeat(np.arange(len(y)), copies)[order]
    weighted, repeated = fitted_by(model, rows, y, copies), fitted_by(model, rows[which], y[which])
    assert repeated.bound == weighted.bound
    new = rows + 0.1
    for one, two in zip(weighted.model.latent_moments(new), repeated.model.latent_moments(new), strict=True):
        np.testing.assert_array_equal(two, one)
    np.testing.assert_array_equal(repeated.sample_trust, weighted.sample_trust[which])


@pytest.mark.parametrize("model", [RVR(gamma=1.0), RobustRVR(gamma=1.0)], ids=repr)
def test_the_record_is_in_the_users_units(model):
    plain, moved = (
        fitted_by(model, INPUTS, TARGETS),
        fitted_by(model, 100.0 + 8.0 * INPUTS, 50.0 + 4.0 * TARGETS),
    )
    mean, variance = plain.model.latent_moments(INPUTS)
    found = moved.model.latent_moments(100.0 + 8.0 * INPUTS)
    np.testing.assert_allclose(found, [50.0 + 4.0 * mean, 16.0 * variance], rtol=1e-6)
    assert moved.bound == pytest.approx(plain.bound - len(TARGETS) * np.log(4.0), rel=1e-6)
    np.testing.assert_allclose(moved.sample_trust, plain.sample_trust, rtol=1e-6)
    np.testing.assert_array_equal(moved.positions, plain.positions)
