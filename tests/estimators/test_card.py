"""What a notebook shows of a fitted estimator."""

import re

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rowtrust import RVC, RVR, BayesianSVR, FuzzyRVC, FuzzyRVR, RobustRVC, RobustRVR
from rowtrust.datasets import flip_labels, make_ripley
from rowtrust.estimators._card import card, facts

X, LABELS = make_ripley(120, random_state=0)
DIRTY, _ = flip_labels(LABELS, 0.2, random_state=1)
LINE = np.linspace(-5.0, 5.0, 50)[:, None]
TARGETS = np.sinc(LINE[:, 0])
OUTLYING = np.sin(LINE[:, 0]) + np.where(np.arange(50) % 10 == 3, 4.0, 0.0)


def test_a_card_tells_what_was_found():
    model = RobustRVC(gamma=1.0, random_state=0).fit(X, DIRTY)
    told = dict(facts(model))
    assert told["model"] == f"{len(np.unique(model.relevance_))} relevance vectors of 120 rows"
    assert told["kernels"] == "rbf 100%"
    assert f"{model.lower_bound_:.1f} nats, {model.n_iter_} steps" in told["fit"]
    assert f"0 given as 1: {model.noise_[0, 1]:.1%}" in told["label noise"]
    assert told["trust"].startswith(f"{np.sum(model.sample_trust_ < 0.5)} of 120 rows")


def test_a_plain_machine_says_nothing_of_label_noise():
    assert "label noise" not in dict(facts(RVC(gamma=1.0).fit(X, DIRTY)))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (RobustRVR(gamma=1.0), "relevance vectors of 50 rows"),
        (BayesianSVR(max_iter=2), "support vectors"),
        (RVR(gamma=1.0), "relevance vectors of 50 rows"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_regressors_have_one(model, words):
    assert words in dict(facts(model.fit(LINE, TARGETS)))["model"]


def test_several_targets_have_one():
    told = dict(facts(RVR(gamma=1.0).fit(LINE, np.c_[TARGETS, TARGETS**2])))
    assert {"model", "fit"} <= set(told)


def test_there_is_none_before_the_fit():
    assert card(RVC()) == ""
    assert "RVC" in RVC()._repr_html_()


def test_names_of_classes_are_escaped():
    names = np.array(["<b>a", "c&d"])[DIRTY]
    shown = card(RobustRVC(gamma=1.0).fit(X, names))
    assert "<b>a" not in shown
    assert "&lt;b&gt;a given as c&amp;d" in shown


def test_scikit_learns_own_picture_follows():
    shown = RVC(gamma=1.0).fit(X, LABELS)._repr_html_()
    assert shown.index("relevance vectors") < shown.index("sk-container")
    text = re.sub(
        "<[^>]+>", " ", make_pipeline(StandardScaler(), RVC(gamma=1.0)).fit(X, LABELS)._repr_html_()
    )
    assert "StandardScaler" in text


def test_text_is_shown_to_who_wants_text():
    with config_context(display="text"):
        assert not hasattr(RVC(), "_repr_html_")


def test_equal_trust_is_not_told():
    as_stated = RobustRVC(gamma=1.0, label_noise=0.0)
    assert "trust" not in dict(facts(as_stated.fit(X, DIRTY)))
    some = np.where(np.arange(len(DIRTY)) < 100, 1.0, 0.0)  # rows that were left out are not doubted
    assert "trust" not in dict(facts(as_stated.fit(X, DIRTY, sample_weight=some)))


def test_a_plain_machine_tells_its_trust_too():
    model = RVC(gamma=1.0).fit(X, DIRTY)
    assert dict(facts(model))["trust"].startswith(f"{np.sum(model.sample_trust_ < 0.5)} of 120 rows")


@pytest.mark.parametrize("model", [FuzzyRVC(gamma=1.0), FuzzyRVR(gamma=1.0)])
def test_memberships_are_called_so_and_are_not_trust(model):
    rows = (X, DIRTY) if isinstance(model, FuzzyRVC) else (LINE, OUTLYING)
    told = dict(facts(model.fit(*rows)))
    weight, trust = model.expected_weight_, model.sample_trust_
    assert np.abs(weight - trust).max() > 0.1
    wanted = f"{weight.min():.2f} to {weight.max():.2f}, the mean is {weight.mean():.2f}"
    assert told["membership"] == wanted
    assert told["trust"].startswith(f"{np.sum(trust < 0.5)} of {len(trust)} rows")


def test_scikit_learn_still_asks_for_the_card():
    assert hasattr(BaseEstimator, "_html_repr"), (
        "scikit-learn has renamed BaseEstimator._html_repr: find what its _repr_html_ calls now, and let "
        "CardMixin override that."
    )
    assert "relevance vectors" in RVC(gamma=1.0).fit(X, LABELS)._repr_html_()
    assert "relevance vectors" in RVC(gamma=1.0).fit(X, LABELS)._repr_mimebundle_()["text/html"]
