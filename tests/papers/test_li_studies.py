"""The studies of outliers, of drift and of a moved threshold: small repeats."""

import warnings

import numpy as np
import pytest

from papers.li import drift, protocol, regression


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_outliers_are_as_many_and_as_far_as_asked():
    y = np.random.default_rng(0).standard_normal(200)
    for share, one_sided in ((0.0, False), (0.05, False), (0.2, True)):
        moved = (regression.with_outliers(y, share, one_sided, 3) - y) / y.std()
        hit = moved != 0
        assert hit.sum() == round(share * 200)
        assert np.all(np.abs(moved[hit]) >= regression.NEAREST - 1e-9)
        assert np.all(np.abs(moved[hit]) <= regression.FARTHEST + 1e-9)
        if one_sided:
            assert np.all(moved[hit] > 0)
    two_sided = regression.with_outliers(y, 0.2, False, 3) - y
    assert (two_sided > 0).any()
    assert (two_sided < 0).any()


def test_outliers_of_a_smaller_share_are_among_those_of_a_larger():
    y = np.arange(100.0)
    few, many = (regression.with_outliers(y, share, False, 0) for share in (0.05, 0.2))
    hit = few != y
    np.testing.assert_array_equal(few[hit], many[hit])


def test_robust_regressors_are_not_moved_by_outliers():
    record = regression.regression_once(
        0, None, name="sinc", share=0.2, one_sided=True, rows=80, grid="quick"
    )
    assert set(record) == set(regression.METHODS)
    assert record["robust RVR"]["RMSE"] < 0.5 * record["RVR"]["RMSE"]
    assert set(record["RVR"]) == set(regression.MEASURES)
    assert set(record["SVR"]) == {"RMSE", "MAE"}


def test_training_and_test_rows_are_apart(data_folder):
    X, y, X_test, y_test = regression.drawn("yacht", str(data_folder), 150, 0)
    assert len(y) == 150
    assert len(y_test) == 308 - 150
    train = {(*row, target) for row, target in zip(X.tolist(), y.tolist(), strict=True)}
    assert not train & {(*row, target) for row, target in zip(X_test.tolist(), y_test.tolist(), strict=True)}


def test_intervals_are_scored_by_hand():
    y = np.array([0.0, 1.0, 2.0, 3.0])
    found = regression.scores(y, y + 2.0, (y - 1.0, np.array([0.5, 0.5, 3.0, 4.0])), 2.0)
    assert found["RMSE"] == found["MAE"] == 1.0
    assert found["coverage %"] == 75.0
    assert found["width"] == pytest.approx(np.mean([1.5, 0.5, 2.0, 2.0]) / 2.0)


def test_the_world_moves_slowly_or_jumps():
    slow, jump = drift.angles("gradual", 60.0), drift.angles("0.6", 90.0)
    assert (slow[0], slow[-1]) == (0.0, 60.0)
    assert np.allclose(np.diff(slow), 2.0)
    assert (jump == 90.0).mean() == pytest.approx(13 / 31)
    assert not drift.angles("gradual", 0.0).any()


@pytest.mark.parametrize(
    ("once", "measure"), [(drift.classes_once, "error %"), (drift.regression_once, "RMSE")]
)
def test_late_rows_know_more_of_a_world_that_moved(once, measure):
    record = once(0, None, change="gradual", amount=150.0, rows=150)
    assert set(record) == set(drift.METHODS)
    assert record["last half"][measure] < record["all rows"][measure]
    assert record["time quadratic"][measure] < record["all rows"][measure]


def test_the_threshold_is_the_share_of_rare_rows():
    y = np.array([1] + [0] * 9)
    np.testing.assert_array_equal(protocol.moved(np.array([0.05, 0.1, 0.11, 0.9]), y), [0, 0, 1, 1])


def test_a_moved_threshold_changes_decisions_only(monkeypatch):
    monkeypatch.setattr(protocol, "support_scores", lambda *_: {})
    record = protocol.synthetic_once(0, None, ratio=10, noise=True, grid="quick", rows=120)
    plain, moved = record["RVM"], record["RVM, moved threshold"]
    assert moved["G-mean"] > plain["G-mean"]
    for measure in ("AUC", "average precision", "log loss"):
        assert moved[measure] == plain[measure]
    assert {"channel RVM", "channel RVM balanced", "channel RVM, moved threshold"} <= set(record)
