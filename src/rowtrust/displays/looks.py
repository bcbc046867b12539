"""The look of pictures: colours that colour-blind readers tell apart, on light and on dark paper."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from matplotlib import rcParams
from matplotlib.colors import to_hex


@dataclass(frozen=True)
class Palette:
    """Colours of text, lesser text, lines and background, and of up to six kinds of things.

    Parameters
    ----------
    ink, muted, grid, paper
        Of text and boundaries, of lesser text, of quiet lines, of the background.
    series
        Of things that are told apart.
    """

    ink: str
    muted: str
    grid: str
    paper: str
    series: tuple[str, ...]

    @property
    def first(self) -> str:
        """The colour of most things."""
        return self.series[0]

    @property
    def second(self) -> str:
        """The colour of what is told apart."""
        return self.series[1]


SERIES = ("#1f77a8", "#d9822b", "#2f9c75", "#bf6895", "#7d6d00", "#58a7f2")
"""Colours of things that are told apart: blue, orange, green, purple, olive and sky, near Okabe and Ito's,
each of middle lightness, so that light and dark paper carry it. Moved until readers without green or red
cones see any two at least ten units of CIELAB apart: two only just differ at 2.3."""

MARKERS = ("o", "^", "s", "D", "v", "P")
"""Marks of things that are told apart, since colour alone is not enough for every reader."""

MUTED = "#858c93"
"""Colour of what is secondary: grey that light and dark paper carry alike."""

_chosen: ContextVar[Palette | None] = ContextVar("palette", default=None)
"""The colours that a caller wants; None where matplotlib's settings decide about text and paper."""


def colours() -> Palette:
    """Return the colours in use: those chosen by :func:`in_colours`, else by matplotlib's own settings."""
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    paper = rcParams["axes.facecolor"]
    paper = rcParams["figure.facecolor"] if paper == "none" else paper
    return Palette(to_hex(rcParams["text.color"]), MUTED, MUTED, to_hex(paper), SERIES)


@contextmanager
def in_colours(palette: Palette) -> Iterator[None]:
    """Draw in some colours."""
    token = _chosen.set(palette)
    try:
        yield
    finally:
        _chosen.reset(token)


def axes_for(ax: Any, *, width: float = 6.0, height: float = 4.2) -> Any:
    """Return the axes that a caller gave, or those of a new figure, as scikit-learn's displays do."""
    if ax is not None:
        return ax
    from matplotlib import pyplot  # only who gives no axes wants a window

    _, made = pyplot.subplots(figsize=(width, height), layout="constrained")
    return made
