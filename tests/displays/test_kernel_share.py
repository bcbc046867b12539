"""Kernel shares: the bars are the shares, families before widths."""

import pytest
from matplotlib.figure import Figure
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from rowtrust import RVC, RVR
from rowtrust.displays import KernelShareDisplay


def names(display):
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def lengths(display):
    return [float(bar.get_width()) for bar in display.bars_]


def test_bars_are_the_shares_the_largest_first():
    display = KernelShareDisplay.from_predictions({"linear": 0.3, "rbf": 0.696, "laplacian": 0.004})
    assert names(display) == ["rbf", "linear"]
    assert lengths(display) == [0.696, 0.3]


def test_widths_follow_from_wide_to_narrow():
    display = KernelShareDisplay.from_predictions({"rbf": 1.0}, {4.0: 0.2, 0.5: 0.8})
    assert names(display) == ["rbf", "gamma 0.5", "gamma 4"]
    assert lengths(display) == [1.0, 0.8, 0.2]
    colours = [bar.get_facecolor() for bar in display.bars_]
    assert colours[0] != colours[1] == colours[2]


def test_one_width_is_not_drawn():
    assert names(KernelShareDisplay.from_predictions({"rbf": 1.0}, {0.5: 1.0})) == ["rbf"]


def test_an_estimator_shows_its_own_shares():
    X, y = make_moons(60, noise=0.2, random_state=0)
    model = RVC(kernel="rbf").fit(X, y)
    axes = Figure().subplots()
    display = KernelShareDisplay.from_estimator(make_pipeline("passthrough", model), ax=axes)
    assert display.ax_ is axes
    assert display.figure_ is axes.figure
    assert lengths(display)[0] == model.kernel_share_["rbf"] == 1.0
    drawn = {gamma: share for gamma, share in model.gamma_share_.items() if share >= 0.005}
    assert sorted(lengths(display)[1:]) == pytest.approx(sorted(drawn.values()) if len(drawn) > 1 else [])


def test_others_are_told_what_to_fit():
    X, y = make_moons(20, random_state=0)
    with pytest.raises(ValueError, match=r"LogisticRegression has no kernel_share_ to draw\. Only relevance"):
        KernelShareDisplay.from_estimator(LogisticRegression().fit(X, y))


def test_many_small_shares_are_drawn():
    display = KernelShareDisplay.from_predictions({f"kernel {place}": 0.004 for place in range(250)})
    assert len(display.bars_) == 12
    many = KernelShareDisplay.from_predictions({"rbf": 1.0}, {float(place + 1): 0.02 for place in range(50)})
    assert len(many.bars_) == 13


def test_there_must_be_shares():
    with pytest.raises(ValueError, match=r"no share to draw.*kernel_share_"):
        KernelShareDisplay.from_predictions({})
    with pytest.raises(ValueError, match="kernel_share must be finite"):
        KernelShareDisplay.from_predictions({"rbf": float("nan")})


def test_several_targets_are_drawn_one_by_one():
    X, _ = make_moons(30, noise=0.2, random_state=0)
    model = RVR(kernel="rbf", gamma=1.0).fit(X, X)
    with pytest.raises(ValueError, match=r"one for each of 2 targets: draw estimators_\[0\]"):
        KernelShareDisplay.from_estimator(model)
    assert KernelShareDisplay.from_estimator(model.estimators_[0]).kernel_share == {"rbf": 1.0}
