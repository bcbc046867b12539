"""The bound's trace: one line an output, one point a step."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rowtrust import RVC, RVR, BayesianSVR, RobustRVC
from rowtrust.datasets import make_ripley
from rowtrust.displays import BoundDisplay


@pytest.fixture(scope="module")
def rows():
    return make_ripley(100, random_state=0)


@pytest.fixture
def ax():
    return Figure().subplots()


def test_what_was_drawn_is_kept(rows, ax):
    model = RobustRVC().fit(*rows)
    before, numbers = dict(matplotlib.rcParams), pyplot.get_fignums()
    display = BoundDisplay.from_estimator(model, ax=ax)
    (line,) = display.lines_
    np.testing.assert_array_equal(line.get_ydata(), model.lower_bounds_)
    np.testing.assert_array_equal(line.get_xdata(), np.arange(1, len(model.lower_bounds_) + 1))
    assert display.ax_ is ax
    assert ax.get_legend() is None
    assert pyplot.get_fignums() == numbers
    assert dict(matplotlib.rcParams) == before


def test_every_class_has_a_line(rows, ax):
    X, y = rows
    model = RobustRVC(label_noise="power")  # one machine for each class; a softmax has one line for all
    model.fit(X, np.where(X[:, 1] > 0.8, "oak", np.array(["ash", "fir"])[y]))
    display = BoundDisplay.from_estimator(make_pipeline(model), ax=ax)
    assert [line.get_label() for line in display.lines_] == list(model.classes_)
    for line, trace in zip(display.lines_, model.lower_bounds_, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), trace)
    assert len({line.get_color() for line in display.lines_}) == 3
    assert len({line.get_marker() for line in display.lines_}) == 3


def test_every_target_has_a_line(rows, ax):
    X, _ = rows
    model = make_pipeline(StandardScaler(), RVR()).fit(X, np.column_stack([X[:, 0], X[:, 1] ** 2]))
    display = BoundDisplay.from_estimator(model, ax=ax)
    assert [line.get_label() for line in display.lines_] == ["target 0", "target 1"]
    np.testing.assert_array_equal(display.bounds[1], model[-1].estimators_[1].lower_bounds_)


def test_from_predictions(ax):
    display = BoundDisplay.from_predictions([-3.0, -2.0, -1.9], ax=ax)
    assert display.lines_[0].get_ydata().tolist() == [-3.0, -2.0, -1.9]
    several = BoundDisplay.from_predictions([np.arange(50.0), np.arange(3.0)], ax=Figure().subplots())
    assert [line.get_label() for line in several.lines_] == ["output 0", "output 1"]
    assert [line.get_marker() for line in several.lines_] == ["None", "^"]


def test_mistakes_are_named_with_their_cure(rows, ax):
    X, _ = rows
    with pytest.raises(ValueError, match=r"BayesianSVR has no lower_bounds_ to draw.*keep no trace"):
        BoundDisplay.from_estimator(BayesianSVR(max_iter=2).fit(X[:30], X[:30, 0]), ax=ax)
    with pytest.raises(NotFittedError):
        BoundDisplay.from_estimator(RVC(), ax=ax)
    with pytest.raises(ValueError, match="no step to draw"):
        BoundDisplay.from_predictions([], ax=ax)
    with pytest.raises(ValueError, match="must name 1 traces, got 2"):
        BoundDisplay.from_predictions([1.0, 2.0], names=["a", "b"], ax=ax)


def test_fits_in_the_same_axes_are_told_apart(rows, ax):
    first = BoundDisplay.from_estimator(RobustRVC(gamma=1.0).fit(*rows), ax=ax)
    second = BoundDisplay.from_estimator(RVC(gamma=1.0).fit(*rows), label="plain", ax=ax)
    assert first.lines_[0].get_color() != second.lines_[0].get_color()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["RobustRVC", "plain"]
    third = BoundDisplay.from_predictions([[0.0], [1.0]], names=["a", "b"], label="twice", ax=ax)
    assert [line.get_label() for line in third.lines_] == ["twice, a", "twice, b"]


def test_more_than_six_outputs_are_told_apart(ax):
    display = BoundDisplay.from_predictions(np.arange(60.0).reshape(15, 4), ax=ax)
    looks = {(each.get_color(), each.get_marker(), str(each._dash_pattern)) for each in display.lines_}
    assert len(looks) == 15
    long = BoundDisplay.from_predictions(np.zeros((15, 50)), ax=Figure().subplots())  # without marks
    assert len({(each.get_color(), str(each._dash_pattern)) for each in long.lines_}) == 15


def test_names_may_be_an_array(ax):
    display = BoundDisplay.from_predictions([[0.0], [1.0]], names=np.array(["a", "b"]), ax=ax)
    assert [line.get_label() for line in display.lines_] == ["a", "b"]


def test_steps_must_be_numbers(ax):
    with pytest.raises(ValueError, match=r"bounds must be finite.*lower_bounds_"):
        BoundDisplay.from_predictions([0.0, np.nan], ax=ax)
    with pytest.raises(ValueError, match=r"the bound after each step, got -3\.0"):
        BoundDisplay.from_predictions(-3.0, ax=ax)
    with pytest.raises(ValueError, match="one number per step"):
        BoundDisplay.from_predictions(np.zeros((2, 2, 2)), ax=ax)
