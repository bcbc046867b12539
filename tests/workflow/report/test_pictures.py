"""Pictures outside of the page: figures in ordinary colours."""

from functools import partial

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure

from rowtrust.displays.looks import colours
from rowtrust.workflow.inputs import Curve
from rowtrust.workflow.report import input_panels
from rowtrust.workflow.report.drawing import LIGHT, MARKERS, panels, plotted, styled
from rowtrust.workflow.study import Study

MARKER_COLOURS = {MARKERS.ink, MARKERS.muted, MARKERS.grid, MARKERS.paper, *MARKERS.series}
EVERYWHERE = [Study.plot_calibration, Study.plot_importance, Study.plot_dependence, Study.plot_trust]


def colours_of(figure):
    """Colours of lines, bars and text in a figure."""
    found = set()
    for axes in figure.axes:
        found |= {to_hex(line.get_color()) for line in axes.lines}
        found |= {to_hex(patch.get_facecolor()) for patch in axes.patches}
        found |= {to_hex(label.get_color()) for label in axes.get_xticklabels()}
    return found


@pytest.mark.parametrize("plot", [*EVERYWHERE, Study.plot_residuals])
def test_figures_of_numbers(plot, number_study):
    figure = plot(number_study)
    assert isinstance(figure, Figure)
    assert LIGHT.first in colours_of(figure) | {LIGHT.first} - MARKER_COLOURS
    assert not colours_of(figure) & MARKER_COLOURS
    assert to_hex(figure.axes[0].get_xticklabels()[0].get_color()) == LIGHT.muted


@pytest.mark.parametrize("plot", [*EVERYWHERE, Study.plot_roc])
def test_figures_of_classes(plot, three_study):
    figure = plot(three_study)
    assert not colours_of(figure) & MARKER_COLOURS
    figure.savefig("/dev/null", format="png")


@pytest.mark.parametrize("plot", [*EVERYWHERE, Study.plot_roc])
def test_pictures_in_given_axes(plot, class_study):
    figure = Figure()
    axes = figure.subplots(1, 2)
    assert plot(class_study, axes[0]) is figure
    assert axes[0].has_data()
    assert not axes[1].has_data()


def test_one_input_by_name(class_study):
    figure = class_study.plot_dependence(column="ward")
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == list(
        next(each.grid for each in class_study.inputs.curves if each.name == "ward")
    )
    with pytest.raises(ValueError, match=r"no curve of 'wart'.*'dose'"):
        class_study.plot_dependence(column="wart")


def test_what_there_is_not_is_refused_with_a_cure(class_study, number_study):
    with pytest.raises(ValueError, match="plot_calibration"):
        class_study.plot_residuals()
    with pytest.raises(ValueError, match="two to six classes"):
        number_study.plot_roc()


def test_bars_of_importance_are_points_of_accuracy(class_study):
    (axes,) = class_study.plot_importance().axes
    lengths = [patch.get_width() for patch in axes.patches]
    wanted = [max(0.0, 100.0 * each.mean) for each in class_study.inputs.importances]
    np.testing.assert_allclose(lengths, wanted)
    assert axes.get_xlabel() == "accuracy lost, in points"
    assert axes.yaxis_inverted()  # the first is on top


def one(kind, grid):
    values = np.linspace(0.2, 0.8, len(grid))[:, None]
    return Curve("when", kind, grid, ("yes",), values, 0.1 + 0 * values, np.array(grid))


def test_inputs_are_drawn_by_their_kind(class_study):
    days = list(np.arange("2020-01-01", "2020-06-01", dtype="datetime64[D]"))
    drawn = {}
    for kind, grid in (("number", [1.0, 2.0, 4.0]), ("steps", [1.0, 2.0, 4.0]), ("date", days)):
        figure = plotted([partial(input_panels.dependence, class_study, one(kind, grid))])
        drawn[kind] = figure.axes[0]
    assert drawn["number"].lines[0].get_linestyle() == "-"
    assert drawn["steps"].lines[0].get_linestyle() == "None"
    assert [label.get_text() for label in drawn["steps"].get_xticklabels()] == ["1", "2", "4"]
    assert "Feb" in [label.get_text() for label in drawn["date"].get_xticklabels()]
    assert drawn["number"].get_ylabel() == "P(ill = yes)"
    assert drawn["number"].yaxis.get_major_formatter()(0.4).replace("\u202f", " ") == "40 %"


def test_curves_of_many_classes_do_not_lie_on_the_axis(three_study):
    shares = np.array([[0.01, 0.02, 0.03, 0.04], [0.05, 0.011, 0.01, 0.012]])
    curve = Curve("when", "number", [1.0, 2.0], tuple("abcd"), shares, 0.0 * shares, np.array([1.0, 2.0]))
    axes = plotted([lambda axes: input_panels.dependence(three_study, curve, axes)]).axes[0]
    assert axes.get_ylim() == (0.0, 0.1)
    heights = np.array([text.xy[1] for text in axes.texts])
    assert len(heights) == 4
    assert heights.max() <= 0.1
    assert np.diff(np.sort(heights)).min() >= 0.1 * input_panels.FURTHER_DOWN - 1e-12


def test_labels_beside_lines_do_not_touch():
    moved = input_panels.spread_out(np.array([0.99, 0.98, 0.2, 0.97]), 0.1)
    assert np.diff(np.sort(moved)).min() >= 0.1 - 1e-12
    assert moved.max() <= 1.0
    assert list(np.argsort(moved)) == [2, 3, 1, 0]


def test_the_style_is_left_behind():
    before, worn = dict(matplotlib.rcParams), colours()
    with styled(MARKERS):
        assert colours() is MARKERS
        panels(3)
    assert colours() == worn
    assert dict(matplotlib.rcParams) == before


def test_a_part_of_a_figure_will_do(class_study):
    figure = Figure()
    part = figure.subfigures(1, 2)[0]
    axes = part.subplots()
    assert class_study.plot_trust(axes) is figure
    assert axes.has_data()


def test_shades_on_a_page_let_its_paper_through(three_study):
    with styled(MARKERS):
        (axes,) = panels(1)
        input_panels.plane(three_study, three_study.inputs.surface, axes)
    fills = [each for each in axes.collections if isinstance(each, ContourSet) and each.filled]
    assert fills
    assert {to_hex(each.get_facecolor()[0]) for each in fills} <= set(MARKERS.series)
    assert all(each.get_alpha() < 0.5 for each in fills)
