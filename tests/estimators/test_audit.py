"""The audit knows the rows of the fit from others, and judges those without themselves."""

import numpy as np
import pytest
from scipy import sparse

from rowtrust import BayesianSVR, RobustRVC, RobustRVR
from rowtrust.datasets import flip_labels, make_ripley, make_sinc
from rowtrust.likelihoods import LabelChannel
from rowtrust.predictive import leave_each_out

X, Y = make_ripley(200, random_state=0)
GIVEN, FLIPPED = flip_labels(Y, 0.1, random_state=1)


def test_trust_in_rows_of_the_fit_is_the_fitted_trust_in_any_order():
    model = RobustRVC().fit(X, GIVEN)
    order = np.random.default_rng(0).permutation(200)
    table = model.audit(X[order], GIVEN[order]).sort_index()
    np.testing.assert_allclose(table["trust"], model.sample_trust_[order], rtol=1e-9, atol=1e-12)


def test_a_row_of_the_fit_is_judged_without_itself_and_another_as_it_is():
    """Leaving a row out can only lower the probability of its own label; other rows are left alone."""
    model = RobustRVC().fit(X, GIVEN)

    def as_fitted(rows, label):
        fitted = model.fitted_.labels.judge.verdict(model.decision_function(rows)[:, None], label)
        return fitted.probability[np.arange(len(label)), label]

    seen = model.audit(X, GIVEN).sort_index()["probability"].to_numpy()
    assert (seen <= as_fitted(X, GIVEN) + 1e-9).all()
    assert seen[FLIPPED].mean() < as_fitted(X, GIVEN)[FLIPPED].mean() - 1e-3
    fresh, labels = make_ripley(50, random_state=7)
    unseen = model.audit(fresh, labels).sort_index()["probability"].to_numpy()
    np.testing.assert_allclose(unseen, as_fitted(fresh, labels), rtol=1e-12)


def test_the_other_label_of_a_row_of_the_fit_is_another_row():
    model = RobustRVC().fit(X, GIVEN)
    table = model.audit(X[:1], 1 - GIVEN[:1])
    assert table["trust"].iloc[0] != model.sample_trust_[0]


@pytest.mark.parametrize("options", [{}, {"label_noise": "power"}, {"label_noise": 0.2, "calibration": None}])
def test_what_is_divided_out_is_what_was_put_in(options):
    """A row of class weight six took part six times: without it the others say less of its label."""
    heavy = RobustRVC(gamma=2.0, class_weight={0: 6.0, 1: 1.0}, **options).fit(X, GIVEN)
    light = RobustRVC(gamma=2.0, **options).fit(X, GIVEN, sample_weight=np.full(200, 0.1))
    balance = -np.log(6.0)  # what class weights add to log-odds says nothing of labels
    for model, part, shift in (
        (heavy, np.where(GIVEN == 0, 6.0, 1.0), balance),
        (light, np.full(200, 0.1), 0.0),
    ):
        rates = model.noise_[0, 1], model.noise_[1, 0]
        given_by = [LabelChannel(*rates)] if max(rates) else None
        slope = model.calibration_slope_
        fitted = model.predictive_model_.sharpened(1.0 / slope)
        exact = leave_each_out(fitted, X, GIVEN[:, None].astype(float), part, given_by)
        odds = slope * fitted.likelihood.log_odds(exact.mean, exact.variance)
        verdict = model.fitted_.labels.judge.verdict(odds - shift, GIVEN)
        table = model.audit(X, GIVEN).sort_index()
        expected = verdict.probability[np.arange(200), GIVEN]
        np.testing.assert_allclose(table["probability"], expected, rtol=1e-9)
        np.testing.assert_allclose(table["p_wrong"], verdict.wrong, rtol=1e-9)
        np.testing.assert_allclose(model.judge_rows(X, GIVEN).agreement, expected, rtol=1e-9)


def test_the_users_sparse_rows_are_left_alone():
    rows = sparse.csr_array(X)
    rows.data[:3] = 0.0
    before = rows.copy()
    model = RobustRVC(gamma=2.0).fit(rows, GIVEN)
    model.audit(rows, GIVEN)
    assert rows.nnz == before.nnz
    np.testing.assert_array_equal(rows.data, before.data)


def test_rows_that_are_not_of_the_fit_are_judged_as_they_are_predicted():
    model = RobustRVR().fit(*make_sinc(80, noise=0.1, random_state=0))
    far = np.array([[100.0], [0.3]])
    np.testing.assert_allclose(
        model.audit(far, np.zeros(2)).sort_index()["likely"], model.predict(far), rtol=1e-12
    )


def test_support_vectors_are_judged_without_themselves():
    """Against fits that truly lack the row, hyperparameters fixed."""
    inputs, targets = make_sinc(60, noise=0.1, random_state=0)
    fixed = {"C": 20.0, "epsilon": 0.1, "beta": 0.5, "relevance": 0.5, "kernel_variance": 1.0}
    model = BayesianSVR(bias_variance=0.1, **fixed).fit(inputs, targets)
    found = model.judge_rows(inputs, targets)
    truth, biased = [], model.predict(inputs)
    for row in range(0, 60, 6):
        rest = np.arange(60) != row
        truth.append(
            BayesianSVR(bias_variance=0.1, **fixed)
            .fit(inputs[rest], targets[rest])
            .predict(inputs[row : row + 1])[0]
        )
    # Exact but for rows without which others change their zone.
    assert np.median(np.abs(found.likely[::6] - truth)) < 1e-4
    assert np.median(np.abs(biased[::6] - truth)) > 1e-3
    with pytest.raises(ValueError, match="no single model"):
        BayesianSVR(combine="mixture", **fixed).fit(inputs, targets).judge_rows(inputs, targets)


@pytest.mark.parametrize("weight", [None, np.arange(100) % 3])
def test_numbers(weight):
    inputs, targets = make_sinc(100, noise=0.1, random_state=0)
    targets[::20] += 5.0
    model = RobustRVR().fit(inputs, targets, sample_weight=weight)
    table = model.audit(inputs, targets)
    used = np.ones(100, dtype=bool) if weight is None else weight > 0
    wrong = set(np.flatnonzero(used & (np.arange(100) % 20 == 0)))
    assert wrong <= set(table.index[:5])
    np.testing.assert_array_equal(table["trust"], 1.0 - table["p_wrong"])
    assert (table["trust"][sorted(wrong)] < 0.1).all()
    assert (model.expected_weight_[sorted(wrong)] < 0.1).all()


# Copies of a row


def test_copies_of_a_wrong_label_do_not_vouch_for_each_other():
    """Where they did, P(wrong) fell from 0.9 to 0.3 with four copies."""
    once, often = [], []
    for seed in range(3):
        generator = np.random.default_rng(seed)
        rows = generator.normal(size=(120, 2))
        rows[:, 0] += 0.5 * np.sign(rows[:, 0])
        label, _ = flip_labels((rows[:, 0] > 0).astype(int), 0.08, random_state=seed)
        rows[0], label[0] = [1.8, 1.8], 0
        copied = np.r_[np.arange(120), np.zeros(3, dtype=int)]
        for found, which in ((once, np.arange(120)), (often, copied)):
            judged = RobustRVC().fit(rows[which], label[which]).judge_rows(rows[which], label[which])
            found.append(judged.p_wrong[0])
    assert np.mean(once) > 0.5
    assert np.mean(often) > 0.7 * np.mean(once)


def test_copies_are_judged_alike_whatever_their_labels():
    """Were they left out label by label, each would be judged by the copies of the other label."""
    generator = np.random.default_rng(0)
    rows = generator.integers(0, 2, (300, 5)).astype(float)
    given, flipped = flip_labels((rows[:, 0] == rows[:, 1]).astype(int), 0.1, random_state=0)
    found = RobustRVC().fit(rows, given).judge_rows(rows, given)
    which = np.unique(rows, axis=0, return_inverse=True)[1]
    for each in np.unique(which[flipped]):
        assert np.ptp(found.prediction[which == each], axis=0).max() < 1e-9
    assert flipped[found.order[: flipped.sum()]].mean() > 0.7


@pytest.mark.parametrize("kind", [RobustRVC, RobustRVR])
def test_a_weight_of_two_is_a_row_given_twice(kind):
    rows = X + 0.5 * np.where(Y == 1, 1.0, -1.0)[:, None]  # far enough apart for errors to be seen
    target = GIVEN if kind is RobustRVC else np.where(FLIPPED, 5.0, 0.0) + np.sin(rows[:, 0])
    weight = np.where(np.arange(200) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(200), weight.astype(int))
    weighted = kind(gamma=2.0).fit(rows, target, sample_weight=weight).judge_rows(rows, target)
    repeated = kind(gamma=2.0).fit(rows[twice], target[twice]).judge_rows(rows[twice], target[twice])
    np.testing.assert_allclose(repeated.p_wrong, weighted.p_wrong[twice], rtol=1e-8, atol=1e-12)
    assert weighted.p_wrong.max() > 0.3
