"""The look: told apart by everybody, on light and on dark paper, and nothing is left behind."""

from itertools import combinations

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_hex, to_rgb

from rowtrust.displays.looks import MARKERS, MUTED, SERIES, Palette, axes_for, colours, in_colours
from rowtrust.displays.marks import FLAGGED

PAPERS = ["#ffffff", "#121212"]

# Linear RGB as a reader without green cones sees it (Machado, Oliveira & Fernandes 2009, severity 1).
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)
# The same without red cones.
PROTANOPIA = np.array(
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
)
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.119192, 0.9503041]]
)


def linear(colour):
    """Light of a colour: the standard's curve of sRGB taken back."""
    given = np.array(to_rgb(colour))
    return np.where(given <= 0.04045, given / 12.92, ((given + 0.055) / 1.055) ** 2.4)


def contrast(first, second):
    """Contrast of two colours as accessibility guidelines define it."""
    low, high = sorted(0.05 + linear(colour) @ XYZ[1] for colour in (first, second))
    return high / low


def perceived(colour, seen_by):
    """Place of a colour in CIELAB, where distances are those that a reader sees."""
    white = XYZ.sum(axis=1)
    ratio = XYZ @ np.clip(seen_by @ linear(colour), 0.0, 1.0) / white
    x, y, z = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("colour", [*SERIES, MUTED, FLAGGED])
def test_every_colour_is_seen_on_light_and_on_dark_paper(colour, paper):
    assert contrast(colour, paper) > 2.5


@pytest.mark.parametrize("seen_by", [np.eye(3), DEUTERANOPIA, PROTANOPIA], ids=["all", "no green", "no red"])
def test_colours_are_told_apart(seen_by):
    distances = {
        (first, second): np.linalg.norm(perceived(first, seen_by) - perceived(second, seen_by))
        for first, second in combinations(SERIES, 2)
    }
    # Two that only just differ side by side are 2.3 apart.
    assert min(distances.values()) > 10.0, distances
    # Most pictures have two kinds of things.
    assert distances[SERIES[0], SERIES[1]] > 40.0


def test_every_colour_comes_with_a_mark():
    assert len(MARKERS) == len(SERIES) == len(set(MARKERS))


def test_text_and_paper_are_those_of_the_style_in_use():
    with pyplot.style.context("dark_background"):
        dark = colours()
    assert (dark.ink, dark.paper) == ("#ffffff", "#000000")
    assert dark.series == SERIES
    with matplotlib.rc_context({"axes.facecolor": "none", "figure.facecolor": "#fafafa"}):
        assert colours().paper == "#fafafa"


def test_chosen_colours_hold_inside_and_end():
    before = colours()
    chosen = Palette("#000001", "#000002", "#000003", "#000004", ("#000005", "#000006"))
    with in_colours(chosen):
        assert colours() is chosen
        assert (colours().first, colours().second) == chosen.series
    assert colours() == before


def test_axes_that_are_given_are_used():
    _, ax = pyplot.subplots()
    numbers = pyplot.get_fignums()
    assert axes_for(ax) is ax
    assert pyplot.get_fignums() == numbers
    made = axes_for(None, width=3.0, height=2.0)
    assert tuple(made.figure.get_size_inches()) == (3.0, 2.0)
    assert to_hex(made.get_facecolor()) == colours().paper
