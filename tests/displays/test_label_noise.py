"""Label noise: bars are the rates, error bars the intervals."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from rowtrust import RVC, RobustRVC
from rowtrust.displays import LabelNoiseDisplay

RATES = np.array([[0.9, 0.04, 0.06], [0.1, 0.9, 0.0], [0.02, 0.0, 0.98]])


def names(display):
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def rates(display):
    return [float(bar.get_width()) for bar in display.bars_]


def intervals(display):
    (_, _, (lines,)) = display.bars_.errorbar
    return [segment[:, 0].tolist() for segment in lines.get_segments()]


def test_pairs_are_drawn_with_their_intervals_the_highest_rate_first():
    axes = Figure().subplots()
    ends = np.stack([0.5 * RATES, 1.5 * RATES])
    display = LabelNoiseDisplay.from_predictions(RATES, ends, classes=["a", "b", "c"], ax=axes)
    assert display.ax_ is axes
    assert names(display)[:3] == ["b given as a", "a given as c", "a given as b"]
    assert rates(display) == [0.1, 0.06, 0.04, 0.02, 0.0, 0.0]
    assert display.pairs_[0] == (1, 0)
    np.testing.assert_allclose(intervals(display)[:2], [[0.05, 0.15], [0.03, 0.09]])
    assert axes.texts[0].get_text() == "10.0% (5.0% to 15.0%)"


def test_twelve_pairs_are_drawn_at_most():
    noise = np.full((6, 6), 0.02) + 0.88 * np.eye(6)
    assert len(LabelNoiseDisplay.from_predictions(noise, [noise, noise]).bars_) == 12


def test_no_noise_is_drawn_as_none():
    display = LabelNoiseDisplay.from_predictions(np.eye(2), [np.eye(2)] * 2)
    assert names(display) == ["0 given as 1", "1 given as 0"]
    assert rates(display) == [0.0, 0.0]


def test_a_classifier_shows_what_it_found():
    X, y = make_moons(80, noise=0.1, random_state=0)
    y[:8] = 1 - y[:8]
    model = RobustRVC(kernel="rbf", gamma=1.0).fit(X, np.array(["bad", "good"])[y])
    display = LabelNoiseDisplay.from_estimator(make_pipeline("passthrough", model))
    true, given = display.pairs_[0]
    assert names(display)[0] == f"{model.classes_[true]} given as {model.classes_[given]}"
    assert rates(display)[0] == model.noise_[true, given] > 0.0
    np.testing.assert_allclose(intervals(display)[0], model.noise_interval_[:, true, given])


def test_errors_say_what_to_do():
    X, y = make_moons(40, noise=0.1, random_state=0)
    with pytest.raises(ValueError, match=r"LogisticRegression has no noise_ to draw\. Fit RobustRVC"):
        LabelNoiseDisplay.from_estimator(LogisticRegression().fit(X, y))
    with pytest.raises(ValueError, match=r"This RVC assumes that all labels are right\. Fit RobustRVC"):
        LabelNoiseDisplay.from_estimator(RVC(kernel="rbf", gamma=1.0).fit(X, y))
    with pytest.raises(ValueError, match="a row and a column for each class"):
        LabelNoiseDisplay.from_predictions([0.1, 0.2], [[0.1, 0.2]] * 2)
    with pytest.raises(ValueError, match=r"interval must have the shape \(2, 3, 3\)"):
        LabelNoiseDisplay.from_predictions(RATES, RATES)
    with pytest.raises(ValueError, match="3 classes and 1 names"):
        LabelNoiseDisplay.from_predictions(RATES, [RATES, RATES], classes=["a"])


def test_who_believes_every_label_is_told_how_not_to():
    X, y = make_moons(40, noise=0.1, random_state=0)
    model = RobustRVC(kernel="rbf", gamma=1.0, label_noise="power").fit(X, y)
    with pytest.raises(
        ValueError,
        match=r'This RobustRVC assumes that all labels are right\. Fit it with label_noise="channel"',
    ):
        LabelNoiseDisplay.from_estimator(model)
    with pytest.raises(ValueError, match="must be finite"):
        LabelNoiseDisplay.from_predictions(RATES * np.nan, [RATES, RATES])


def test_stated_rates_are_drawn():
    X, y = make_moons(40, noise=0.1, random_state=0)
    model = RobustRVC(kernel="rbf", gamma=1.0, label_noise=[[0.9, 0.1], [0.2, 0.8]]).fit(X, y)
    assert rates(LabelNoiseDisplay.from_estimator(model)) == [0.2, 0.1]
