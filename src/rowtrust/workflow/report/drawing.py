"""The look of pictures: in ordinary colours for a notebook, in the page's own ones for the report.

matplotlib writes fixed colours. For the page, pictures are drawn in marker colours, which are then replaced
by CSS variables, so that one picture serves light, dark and paper.
"""

from __future__ import annotations

import io
import itertools
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from markupsafe import Markup
from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from rowtrust.displays.looks import SERIES, Palette, colours, in_colours
from rowtrust.workflow.report.formats import distinct, tick

MARKERS = Palette(
    "#010203",
    "#040506",
    "#070809",
    "#0a0b0c",
    ("#0d0e0f", "#101112", "#131415", "#161718", "#191a1b", "#1c1d1e"),
)
"""Colours that stand for those of the page: any that matplotlib does not use itself."""

LIGHT = Palette("#1d2327", "#66707a", "#dcd8d2", "#ffffff", SERIES)
"""Colours of pictures outside of the page: those of all displays, on white."""

VARIABLES = {
    MARKERS.ink: "var(--ink)",
    MARKERS.muted: "var(--muted)",
    MARKERS.grid: "var(--line)",
    MARKERS.paper: "var(--card)",
    **{
        marker: f"var(--{name})"
        for marker, name in zip(
            MARKERS.series, ("first", "second", "third", "fourth", "fifth", "sixth"), strict=True
        )
    },
}
"""The page's own colours, as its style sheet calls them."""

WIDTH, HEIGHT = 4.7, 3.3
"""Size of a panel in inches of 72 units: on a phone of 390 pixels its text has about its own size, and a wide
screen places two beside each other."""

LEGEND_LENGTH = 14
"""Characters of a name in a legend, of which two or three stand in a line; the width of a picture."""

_numbers = itertools.count(1)
"""Numbers of the pictures, which keep the identifiers of one apart from those of another."""


class Picture(Figure):
    """A figure that a notebook shows, whether matplotlib has told it how or not."""

    def _repr_png_(self) -> bytes:
        """Return the figure as notebooks show figures of pyplot."""
        stream = io.BytesIO()
        with missing_letters_are_fine():
            self.savefig(stream, format="png", bbox_inches="tight")
        return stream.getvalue()


def style(palette: Palette) -> Any:
    """Return settings of matplotlib: quiet pictures with text as text; chosen by eye.

    The salt makes identifiers the same in every run.
    """
    return {
        "svg.fonttype": "none",
        "svg.hashsalt": "rowtrust",
        "text.parse_math": False,
        "font.size": 11,
        "font.family": "sans-serif",
        "text.color": palette.ink,
        "axes.edgecolor": palette.grid,
        "axes.labelcolor": palette.muted,
        "axes.labelsize": 11,
        "axes.titlecolor": palette.ink,
        "axes.titlesize": 11.5,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.facecolor": "none",
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.formatter.useoffset": False,
        "grid.color": palette.grid,
        "grid.linewidth": 0.7,
        "xtick.color": palette.grid,
        "ytick.color": palette.grid,
        "xtick.labelcolor": palette.muted,
        "ytick.labelcolor": palette.muted,
        "xtick.labelsize": 11,
        "ytick.labelsize": 11,
        "figure.facecolor": "none" if palette is MARKERS else palette.paper,
        "savefig.facecolor": "auto",
        "legend.frameon": False,
        "legend.labelcolor": palette.ink,
        "legend.fontsize": 11,
        "lines.linewidth": 2.0,
    }


@contextmanager
def styled(palette: Palette) -> Iterator[None]:
    """Draw in some colours."""
    with in_colours(palette), rc_context(style(palette)):
        yield


def panels(count: int, height: float = HEIGHT) -> Any:
    """Return the panels of a new figure, two in a line; those beyond ``count`` are not shown."""
    columns = min(2, count)
    rows = -(-count // 2)
    figure = Picture(figsize=(WIDTH * columns, height * rows), layout="constrained")
    found = figure.subplots(rows, columns, squeeze=False).ravel()
    for spare in found[count:]:
        spare.set_visible(False)
    return found[:count]


def legend_above(axes: Any, names: Sequence[object]) -> None:
    """Name the colours in a line or two above the axes."""
    short_names = distinct(names, LEGEND_LENGTH)
    handles = [axes.scatter([], [], s=36, color=colour) for colour in colours().series[: len(names)]]
    columns = 3 if sum(map(len, short_names[:3])) <= 2 * LEGEND_LENGTH else 2
    looks: dict[str, Any] = {"columnspacing": 0.8, "handletextpad": 0.0, "borderaxespad": 0.2}
    axes.legend(handles, short_names, loc="lower left", bbox_to_anchor=(-0.05, 1.0), ncols=columns, **looks)


def numbered(axes: Any) -> None:
    """Write numbers beside both axes as people write them."""
    axes.locator_params(nbins=5)
    axes.xaxis.set_major_formatter(tick)
    axes.yaxis.set_major_formatter(tick)


def plotted(draws: Sequence[Callable[[Any], None]], axes: Any = None, height: float = HEIGHT) -> Figure:
    """Draw several panels into a figure of their own; into given axes the first of them."""
    with styled(LIGHT):
        found = panels(len(draws), height) if axes is None else [axes]
        for draw, panel in zip(draws, found, strict=axes is None):
            draw(panel)
        figure: Figure = found[0].get_figure().canvas.figure  # axes of a part of a figure have its root
        with missing_letters_are_fine():
            figure.draw_without_rendering()  # so that late ticks have the style, too
    return figure


def for_report(draw: Callable[[Any], None], description: str, height: float = HEIGHT) -> Markup:
    """Draw a panel as an SVG element of the page, with a description for those who cannot see it."""
    with styled(MARKERS):
        (panel,) = panels(1, height)
        FigureCanvasSVG(panel.figure)
        draw(panel)
        stream = io.StringIO()
        silent = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        with missing_letters_are_fine():
            panel.figure.savefig(stream, format="svg", metadata=silent)
    return for_page(stream.getvalue(), description, next(_numbers))


@contextmanager
def missing_letters_are_fine() -> Iterator[None]:
    """Text stays text, and the reader's fonts draw it: matplotlib's only measure it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from")
        yield


def for_page(drawn: str, description: str, number: int) -> Markup:
    """Strip what belongs to a file of its own, set the colours, and make identifiers unique."""
    body = drawn[drawn.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    for colour, variable in VARIABLES.items():
        body = body.replace(colour, variable)
    body = re.sub(r'\bid="([^"]+)"', rf'id="p{number}-\1"', body)
    body = re.sub(r'href="#([^"]+)"', rf'href="#p{number}-\1"', body)
    body = re.sub(r"url\(#([^)]+)\)", rf"url(#p{number}-\1)", body)
    start_tag = re.search(r"<svg[^>]*>", body)
    if start_tag is None:
        raise ValueError("matplotlib drew no SVG element; report this with its version.")
    box = re.search(r'viewBox="[^"]+"', start_tag.group())
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    label = Markup.escape(description)
    head = f'<svg {spaces} {box.group() if box else ""} role="img" aria-label="{label}">'
    return Markup(head + body[start_tag.end() :])
