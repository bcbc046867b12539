"""One small repeat of every protocol."""

import warnings

import numpy as np
import pytest

from papers.chu import protocol as chu_protocol
from papers.chu.spline_kernels import anova_splines, linear_splines, one_plus_splines
from papers.datasets import load
from papers.hwang import protocol as hwang
from papers.hwang.models import AS_PUBLISHED, GRIDS, MODELS, scores, select_width
from papers.li import protocol as li_protocol
from rowtrust import RVC
from rowtrust.datasets import make_ripley
from rowtrust.fitting.decide import width_score


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_the_width_is_that_of_the_best_bound():
    X, y = make_ripley(80, random_state=0)
    gammas = (0.01, 4.0, 400.0)
    chosen = select_width(RVC(**AS_PUBLISHED, random_state=0), X, y, gammas).model
    found = [RVC(**AS_PUBLISHED, gamma=gamma, random_state=0).fit(X, y) for gamma in gammas]
    values = [width_score(model.lower_bound_, 80, len(model.relevance_)) for model in found]
    assert chosen.gamma_ == gammas[int(np.argmax(values))]


@pytest.mark.parametrize("name", MODELS)
def test_models_beat_guessing(name):
    X, y = make_ripley(120, random_state=0)
    X_test, y_test = make_ripley(200, random_state=1)
    found = scores(MODELS[name](X, y, GRIDS["quick"], 0), X_test, y_test, len(y))
    assert found["ERR"] < 25
    assert found["AUC"] > 75
    assert found["training"] >= 0


def test_a_split_of_hwang(data_folder):
    record = hwang.split_once(0, str(data_folder), name="liver", flipped=10, grid="quick", most=100)
    assert set(record) == set(MODELS)
    assert record["RRVM"]["ERR"] < 50


def test_sinc_is_learnt():
    record = chu_protocol.sinc_once(0, None, noise=0.1, beta=0.3)
    assert record["ASE"] < 0.02
    assert 2 < record["w"] < 15


def test_robot_arm_errors_are_those_of_the_paper(data_folder):
    X, Y = load("robot arm", str(data_folder))
    noise = (Y - chu_protocol.robot_arm_position(X))[200:]
    found = chu_protocol.arm_errors(noise, noise)
    assert found["set 1, y1"]["ASN x 1000"] == pytest.approx(2.255, abs=0.001)
    assert found["set 2, position"]["AAN"] == pytest.approx(0.0597, abs=0.0001)


def test_regressions_beside_on_a_few_rows_of_boston(data_folder):
    X, y = load("boston", str(data_folder))
    rows = np.random.default_rng(0).permutation(len(y))[:150]
    for name, fit in chu_protocol.boston_methods(0, 0).items():
        if "Bayesian" in name:
            continue
        predict, _ = fit(X[rows], y[rows])
        assert np.mean((predict(X) - y) ** 2) < 0.6 * y.var(), name


def test_anova_splines_sum_products():
    X = np.random.default_rng(0).uniform(size=(4, 3))
    parts = one_plus_splines(X, X)
    np.testing.assert_allclose(anova_splines(X, X, 3), linear_splines(X, X))
    pairs = parts[0] * parts[1] + parts[0] * parts[2] + parts[1] * parts[2]
    np.testing.assert_allclose(anova_splines(X, X, 2), pairs)


def test_swapped_labels_keep_the_rare_class_rare():
    y = np.array([1] * 10 + [0] * 190)
    dirty = li_protocol.swapped(y, True, 0)
    assert dirty.sum() == 10
    assert (dirty != y).sum() == 4
    assert li_protocol.swapped(y, False, 0) is y


def test_every_membership_meets_every_rival(monkeypatch):
    pytest.importorskip("imblearn")
    monkeypatch.setattr(li_protocol, "TRAINING_ROWS", 120)
    monkeypatch.setattr(li_protocol, "TEST_ROWS", 300)
    record = li_protocol.synthetic_once(0, None, ratio=10, noise=True, grid="quick")
    for name in li_protocol.CLASS_MEMBERSHIPS:
        assert (
            set(record[f"fuzzy RVM, {name}"])
            == set(record[f"fuzzy SVM, {name}"])
            == set(li_protocol.MEASURES)
        )
    assert {"RVM", "SVM balanced", "SMOTE + SVM"} <= set(record)
    assert record["fuzzy RVM, imbalance"]["G-mean"] > record["RVM"]["G-mean"]


def test_rare_scores_of_one_who_ignores_the_rare():
    y = np.array([0, 0, 0, 1])
    found = li_protocol.rare_scores(y, np.zeros(4, dtype=int), np.full(4, 0.25))
    assert found["G-mean"] == 0.0
    assert found["balanced accuracy"] == 0.5
