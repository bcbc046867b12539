"""Pictures as SVG inside a page, in the page's own colours.

matplotlib writes fixed colours. Pictures are drawn in a few marker colours, which are then replaced by the
page's CSS variables, so that one picture serves light, dark and paper.
"""

from __future__ import annotations

import io
import itertools
import re
import warnings
from typing import Any

from markupsafe import Markup
from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

INK, MUTED, GRID, PAPER = "#010203", "#040506", "#070809", "#0a0b0c"
"""Marker colours of text, lesser text, lines and background: any that matplotlib does not use itself."""

FIRST, SECOND = "#0d0e0f", "#101112"
"""Marker colours of the two kinds of things that pictures tell apart; chosen like the others."""

VARIABLES = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    GRID: "var(--line)",
    PAPER: "var(--card)",
    FIRST: "var(--first)",
    SECOND: "var(--second)",
}
"""The page's own colours, as its style sheet calls them."""

STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "rowtrust",
    "text.parse_math": False,
    "font.size": 10.5,
    "font.family": "sans-serif",
    "text.color": INK,
    "axes.edgecolor": GRID,
    "axes.labelcolor": MUTED,
    "axes.titlecolor": INK,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.useoffset": False,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "xtick.color": GRID,
    "ytick.color": GRID,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "lines.linewidth": 2.0,
}
"""Quiet pictures with text as text; chosen by eye. The salt makes identifiers the same in every run."""

_numbers = itertools.count(1)
"""Numbers of the pictures, which keep the identifiers of one apart from those of another."""


class Picture:
    """A figure in the style of the report; ``svg`` returns it for a page.

    Parameters
    ----------
    width, height
        In inches of 72 pixels.
    rows, columns
        Of panels.
    """

    def __init__(self, width: float, height: float, rows: int = 1, columns: int = 1) -> None:
        self._style = rc_context(STYLE)
        self._size = (width, height)
        self._shape = (rows, columns)
        self.panels: Any = None

    def __enter__(self) -> Picture:
        self._style.__enter__()
        self.figure = Figure(figsize=self._size, layout="constrained")
        FigureCanvasSVG(self.figure)
        self.panels = self.figure.subplots(*self._shape, squeeze=False).ravel()
        return self

    def __exit__(self, *failure: object) -> None:
        self._style.__exit__(*failure)  # type: ignore[arg-type]

    def svg(self, description: str) -> Markup:
        """Return the picture as an SVG element with a description for those who cannot see it."""
        stream = io.StringIO()
        silent = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        with warnings.catch_warnings():
            # Text stays text, and the reader's fonts draw it: matplotlib's only measure it.
            warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from")
            self.figure.savefig(stream, format="svg", metadata=silent)
        return for_page(stream.getvalue(), description, next(_numbers))


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
