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
    model = RVC().fit(X, np.where(X[:, 1] > 0.8, "oak", np.array(["ash", "fir"])[y]))
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
