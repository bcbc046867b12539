"""What holds for all displays: kept in files, drawn again, without a legend, in one pair of axes."""

import pickle
import warnings
from abc import ABC

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from rowtrust import displays
from rowtrust.displays import (
    BoundaryDisplay,
    BoundDisplay,
    CriticalDifferenceDisplay,
    KernelShareDisplay,
    LabelNoiseDisplay,
    LengthScalesDisplay,
    LossDisplay,
    PredictionDisplay,
    SensitivityDisplay,
    TrustDisplay,
)
from rowtrust.displays._base import Display
from rowtrust.displays.looks import colours, short

ACROSS, UP = np.meshgrid(np.linspace(0.0, 1.0, 9), np.linspace(0.0, 1.0, 9))
RATES = np.array([[0.9, 0.1], [0.2, 0.8]])
ROWS = {"rows": [[0.2, 0.3], [0.5, 0.9]], "flagged": [True, False]}

DRAWN = {
    "boundary": lambda **to: BoundaryDisplay.from_predictions(
        ACROSS, UP, ACROSS, X=[[0.2, 0.1], [0.8, 0.9]], y=[0, 1], wrong=[True, False], **to
    ),
    "bound": lambda **to: BoundDisplay.from_predictions([[-3.0, -1.0], [-4.0, -2.0]], **to),
    "critical difference": lambda **to: CriticalDifferenceDisplay.from_predictions(
        [1.0, 2.0, 3.0], 1.1, names=["a", "b", "c"], **to
    ),
    "kernel share": lambda **to: KernelShareDisplay.from_predictions({"rbf": 0.7, "linear": 0.3}, **to),
    "label noise": lambda **to: LabelNoiseDisplay.from_predictions(RATES, [0.9 * RATES, 1.1 * RATES], **to),
    "length scales": lambda **to: LengthScalesDisplay.from_predictions([[1.0, 2.0], [3.0, 1.0]], **to),
    "loss": lambda **to: LossDisplay.from_predictions([0.0, 1.0], {"a": [0.0, 1.0], "b": [0.0, 2.0]}, **to),
    "prediction": lambda **to: PredictionDisplay.from_predictions([0.0, 1.0], 0.5, 0.1, 0.2, **ROWS, **to),
    "sensitivity": lambda **to: SensitivityDisplay.from_predictions([0.0, 1.0], [0.0, 0.1], **to),
    "trust": lambda **to: TrustDisplay.from_predictions([0.1, 1.0], flagged=[True, False], **to),
}
WITH_LEGENDS = ["boundary", "bound", "length scales", "loss", "prediction", "trust"]


@pytest.fixture
def ax():
    return Figure().subplots()


def entries(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_every_display_is_here():
    assert len(DRAWN) == len(displays.__all__)
    assert issubclass(Display, ABC)
    with pytest.raises(TypeError, match="abstract"):
        Display()


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_every_display_can_be_pickled(draw):
    display = draw()
    display.figure_.draw_without_rendering()
    again = pickle.loads(pickle.dumps(display))
    again.figure_.draw_without_rendering()
    ticks, same = display.ax_.get_xticklabels(), again.ax_.get_xticklabels()
    assert [tick.get_text() for tick in ticks] == [tick.get_text() for tick in same]


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_drawn_again_it_takes_its_own_place(draw, ax):
    display = draw(ax=ax)
    before = len(ax.get_children()), ax.get_legend_handles_labels()[1]
    assert display.plot(ax) is display
    assert (len(ax.get_children()), ax.get_legend_handles_labels()[1]) == before
    other = Figure().subplots()
    display.plot(other)
    assert len(ax.get_children()) == before[0]  # it stays where it was
    assert other.has_data()


@pytest.mark.parametrize("name", WITH_LEGENDS)
def test_legends_can_be_left_out(name, ax):
    display = DRAWN[name](ax=ax)
    assert ax.get_legend() is not None
    assert DRAWN[name](ax=Figure().subplots(), legend=False).ax_.get_legend() is None
    assert display.plot(legend=False).ax_.get_legend() is None


@pytest.mark.parametrize("name", ["boundary", "prediction", "trust"])
def test_what_is_drawn_twice_is_named_once(name, ax):
    DRAWN[name](ax=ax)
    first = entries(ax)
    DRAWN[name](ax=ax)
    assert entries(ax) == first


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_several_axes_are_refused(draw):
    with pytest.raises(TypeError, match=r"one matplotlib Axes, got ndarray\. Give one of several"):
        draw(ax=Figure().subplots(2, 2))
    with pytest.raises(TypeError, match="one matplotlib Axes, got Figure"):
        draw(ax=Figure())


def test_ink_is_seen_on_the_paper_of_the_axes():
    ax = Figure(facecolor="white").subplots()
    ax.set_facecolor("#101010")
    assert to_hex(DRAWN["boundary"](ax=ax).crosses_.get_edgecolor()[0]) == "#ffffff"
    assert colours(ax).paper == "#101010"
    with pyplot.style.context("dark_background"):
        light = Figure(facecolor="white").subplots()
        light.set_facecolor("white")
        assert colours(light).ink == "#000000"
    clear = Figure(facecolor="#202020").subplots()
    clear.set_facecolor("none")
    assert colours(clear).ink == "#ffffff"
    bare = Figure(facecolor="#202020").subplots()
    bare.axis("off")
    assert colours(bare).paper == "#202020"
    with matplotlib.rc_context({"text.color": "#333333"}):
        assert colours(Figure(facecolor="white").subplots()).ink == "#333333"


def test_long_names_are_shortened_in_the_middle():
    long = "a" * 60 + "z" * 60
    assert short(long, 30) == "a" * 19 + "\u2026" + "z" * 10
    assert short("two\nlines") == "two lines"
    names = [long, "b", "c"]
    kernels = KernelShareDisplay.from_predictions({long: 0.5, "b": 0.5})
    assert max(len(label.get_text()) for label in kernels.ax_.get_yticklabels()) <= 32
    ranks = CriticalDifferenceDisplay.from_predictions([1.0, 2.0, 3.0], 0.5, names=names)
    assert max(len(text.get_text()) for text in ranks.ax_.texts) <= 40
    bounds = BoundDisplay.from_predictions([[1.0], [2.0], [3.0]], names=names)
    assert max(map(len, entries(bounds.ax_))) <= 32


def test_names_that_begin_with_an_underscore_are_named(ax):
    labels = np.array(["_left", "right"])
    options = {"classes": labels, "X": [[0.2, 0.1], [0.8, 0.9]], "y": labels}
    display = BoundaryDisplay.from_predictions(ACROSS, UP, ACROSS, **options, ax=ax)
    assert [text.strip() for text in entries(display.ax_)[:2]] == list(labels)
    bounds = BoundDisplay.from_predictions([[1.0], [2.0]], names=labels, ax=Figure().subplots())
    assert [text.strip() for text in entries(bounds.ax_)] == list(labels)


def test_curves_keep_apart_when_one_is_drawn_again(ax):
    first = SensitivityDisplay.from_predictions([0.0, 1.0], [0.0, 0.1], label="first", ax=ax)
    second = SensitivityDisplay.from_predictions([0.0, 1.0], [0.0, 0.2], label="second", ax=ax)
    colour = first.line_.get_color()
    first.plot(ax)
    assert first.line_.get_color() == colour != second.line_.get_color()
    assert sorted(entries(ax)) == ["first", "second"]


def test_fifty_classes_have_a_legend_that_fits():
    names = [f"class number {place} of very many" for place in range(50)]
    response = np.full((9, 9, 50), 0.02)
    X = np.random.default_rng(0).uniform(size=(50, 2))
    display = BoundaryDisplay.from_predictions(ACROSS, UP, response, classes=names, X=X, y=names)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # matplotlib warns where nothing is left for the axes
        display.figure_.draw_without_rendering()
    assert display.legend_.get_window_extent().height < 1.05 * display.figure_.bbox.height
