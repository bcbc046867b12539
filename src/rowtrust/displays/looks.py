"""The look of displays: colours that colour-blind readers tell apart, on any paper, and short names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.colors import to_hex, to_rgb, to_rgba

SERIES = ("#1f77a8", "#d9822b", "#2f9c75", "#bf6895", "#7d6d00", "#58a7f2")
"""Colours of things that are told apart: blue, orange, green, purple, olive and sky, near Okabe and Ito's,
each of middle lightness, so that light and dark paper carry it. Moved until readers without green or red
cones see any two at least ten units of CIELAB apart: two only just differ at 2.3."""

MARKERS = ("o", "^", "s", "D", "v", "P")
"""Marks of things that are told apart, since colour alone is not enough for every reader."""

LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (3, 1)))
"""Lines of curves, in turn: colour alone does not tell them apart for every reader."""

CURVE = "rowtrust curve"
"""By which a curve is known again, so that the next on the same axes gets another look."""

SEEN = 0.4
"""Least difference in lightness, from 0 to 1, of text and paper; with less, text is black or white. By
eye."""

MUTED = "#858c93"
"""Colour of what is secondary: grey that light and dark paper carry alike."""

NAME_LENGTH = 32
"""Characters of a name beside a bar or in a legend; longer ones leave no room for the picture. By eye."""

AXIS_LENGTH = 60
"""Characters of a name below an axis, which is wider than a legend; by eye."""


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


_chosen: ContextVar[Palette | None] = ContextVar("palette", default=None)
"""The colours that a caller wants; None where matplotlib's settings decide about text and paper."""


def colours(ax: Any = None) -> Palette:
    """Return the colours in use: those chosen by :func:`in_colours`, else by axes or matplotlib's settings.

    Parameters
    ----------
    ax
        Where they are used: text and boundaries are seen on its paper. None: on that of the settings.
    """
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    paper, ink = paper_of(ax), to_hex(rcParams["text.color"])
    if abs(lightness(ink) - lightness(paper)) < SEEN:
        ink = "#000000" if lightness(paper) > 0.5 else "#ffffff"
    return Palette(ink, MUTED, MUTED, paper, SERIES)


def paper_of(ax: Any = None) -> str:
    """Return what axes are drawn on: their own colour, behind transparent ones that of the figure."""
    if ax is None:
        layers = [rcParams["axes.facecolor"], rcParams["figure.facecolor"]]
    else:
        figure = ax.get_figure()
        layers = [ax.get_facecolor()] if ax.axison else []
        layers += [figure.get_facecolor(), figure.canvas.figure.get_facecolor(), rcParams["figure.facecolor"]]
    for layer in layers:
        *_, covers = to_rgba(layer)
        if covers >= 0.5:
            return to_hex(layer)
    return "#ffffff"


def lightness(colour: str) -> float:
    """Return how light a colour is, from 0 to 1."""
    red, green, blue = to_rgb(colour)
    return 0.299 * red + 0.587 * green + 0.114 * blue


def curve_look(ax: Any, place: int) -> dict[str, Any]:
    """Return colour, line and mark of a curve: any two of 36 differ, and none in its colour alone."""
    series = colours(ax).series
    turn = place // len(series)
    line, marker = LINES[turn % len(LINES)], MARKERS[(place + turn) % len(MARKERS)]
    gid = f"{CURVE} {place}"
    return {"color": series[place % len(series)], "linestyle": line, "marker": marker, "gid": gid}


def curves_in(ax: Any) -> list[Any]:
    """Return the curves that displays have drawn into axes."""
    return [line for line in ax.get_lines() if str(line.get_gid()).startswith(CURVE)]


def free_places(ax: Any, count: int) -> list[int]:
    """Return numbers of looks that no curve in the axes has yet, the lowest first."""
    taken = {int(line.get_gid().removeprefix(CURVE)) for line in curves_in(ax)}
    return [place for place in range(count + len(taken)) if place not in taken][:count]


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
        if not hasattr(ax, "get_children"):
            raise TypeError(
                f"ax must be one matplotlib Axes, got {type(ax).__name__}. Give one of several: axes[0]."
            )
        if not hasattr(ax, "get_lines"):
            raise TypeError(f"ax must be one matplotlib Axes, got {type(ax).__name__}. Give ax.subplots().")
        return ax
    from matplotlib import pyplot  # only who gives no axes wants a window

    _, made = pyplot.subplots(figsize=(width, height), layout="constrained")
    return made


def short(name: object, most: int = NAME_LENGTH) -> str:
    """Return a name that fits beside a picture: of a long one start and end, which tell it from others."""
    text = " ".join(str(name).split())
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end - 1]}\u2026{text[-end:]}"


def in_legend(name: object, most: int = NAME_LENGTH) -> str:
    """Return a name that a legend shows: matplotlib leaves out those that begin with an underscore."""
    text = short(name, most)
    return f" {text}" if text.startswith("_") else text


def shortened(names: Iterable[Any]) -> list[str]:
    """Return names that fit beside a picture."""
    return [short(name) for name in names]


def listed(values: Iterable[Any], most: int = 5) -> str:
    """Return a few values for an error message."""
    found = [str(value) for value in values]
    return ", ".join([*found[:most], *(["\u2026"] if len(found) > most else [])])


def percent(value: float, _: Any = None) -> str:
    """Write a share in per cent; nothing beyond the whole, where only words stand."""
    return f"{100.0 * value:g}%" if value < 1.0 + 1e-9 else ""


def plain(value: float, _: Any = None) -> str:
    """Write a number without a power of ten."""
    return f"{value:g}"


def checked_numbers(values: Any, name: str, cure: str) -> Any:
    """Return an array of numbers that are all there, or say what to do."""
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers. {cure}") from error
    if not np.isfinite(found).all():
        raise ValueError(f"{name} must be finite; got a value that is missing or infinite. {cure}")
    return found
