"""Marks on the plane that several pictures share: rows, rings, squares, crosses, contours and legends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.colors import to_hex, to_rgb, to_rgba_array
from numpy.typing import NDArray

from rowtrust.contracts import Array
from rowtrust.displays._frames import checked_resolution
from rowtrust.displays.looks import MARKERS, colours, in_legend, percent, shortened

Mask = NDArray[np.bool_]
"""One truth value a row."""

Plane = tuple[Array, Array, Array]
"""A grid: across and up, each of shape (n, n), and its points as rows, of shape (n * n, 2)."""

ROW_SIZE, RING_SIZE, SQUARE_SIZE, CROSS_SIZE = 22.0, 58.0, 120.0, 26.0
"""Areas of marks in square points, by eye: a ring lies around its dot, a square around its ring."""

FLAGGED = "#d6336c"
"""Colour of squares around flagged rows: crimson, four times as light as dark paper and as dark as light
paper; its shape, not its colour, tells a flagged row from a class."""

SURER = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0 + 1e-9)
"""Leads of the most probable class over the next at which the colour of its region gets stronger; by eye."""

FAINTEST, STRONGER = 0.06, 0.28
"""Opacity of a region where its class hardly leads, and how much it gains up to the surest; by eye."""

FLAT = 0.18
"""Opacity of a region where nothing says how sure its class is: between the two; by eye."""

MOST_ENTRIES, SHORTEST = 15, 12
"""Names below each other in a legend; more stand side by side, in small letters and of so many characters at
most. By eye."""

ON_DARK = 1.3
"""How much more opaque shades are on dark paper, where the eye sees less of them; by eye."""


BAR, FRAME = 0.36, 1.0
"""Inches that a bar with its name takes, and that the axis and the margins take. By eye."""


def plane_around(X: Array, margin: float = 0.12, resolution: int = 160) -> Plane:
    """Return a grid around rows of two columns, wider than they are by a margin on each side.

    Parameters
    ----------
    X : (n, 2)
        Rows; missing values are passed over.
    margin
        As a share of each column's range; a column of one value is taken to have a range of one.
    resolution
        Points along each side.
    """
    resolution = checked_resolution(resolution)
    if not len(X) or not np.isfinite(X).any(axis=0).all():
        raise ValueError("there is no row with a number in each column: a plane lies around rows. Give X.")
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    edge = margin * np.where(high > low, high - low, 1.0)
    sides = (np.linspace(low[i] - edge[i], high[i] + edge[i], resolution) for i in range(2))
    across, up = np.meshgrid(*sides)
    return across, up, np.column_stack([across.ravel(), up.ravel()])


def draw_rows(
    ax: Any,
    X: Array,
    y: NDArray[Any],
    *,
    classes: Iterable[Any] = (0, 1),
    fills: Iterable[str] | None = None,
    names: Sequence[str] | None = None,
    size: float = ROW_SIZE,
    **style: Any,
) -> list[Any]:
    """Draw rows as dots, each class in its colour and shape.

    Parameters
    ----------
    ax
        Where to draw.
    X, y
        Rows of two columns, and their labels.
    classes
        The labels, in the order of their colours.
    fills
        Colours of the classes, used again where there are more; None for those in use.
    names
        Of the classes in a legend; None writes "class" before labels that are no words.
    size, style
        Area of a dot, and what else matplotlib's ``scatter`` takes.
    """
    classes = list(classes)
    names = class_names(classes) if names is None else names
    looks = {"linewidths": 0.4, "edgecolors": colours(ax).paper, **style}
    drawn = []
    for label, fill, marker, name in zip(
        classes, cycle(fills or colours(ax).series), markers(len(classes)), names, strict=False
    ):
        drawn.append(ax.scatter(*X[y == label].T, s=size, color=fill, marker=marker, label=name, **looks))
    return drawn


def markers(count: int) -> list[str]:
    """Return a mark for each class; a colour that is used again comes with another mark."""
    kinds = len(MARKERS)
    return [MARKERS[(place + place // kinds) % kinds] for place in range(count)]


def draw_rings(ax: Any, vectors: Array, *, label: str | None = "relevance vector", **style: Any) -> Any:
    """Draw rings around relevance or support vectors."""
    looks = {"s": RING_SIZE, "edgecolors": colours(ax).ink, "linewidths": 1.1, "zorder": 4, **style}
    return ax.scatter(*vectors.T, facecolors="none", label=label, **looks)


def draw_squares(ax: Any, X: Array, mask: Mask, *, label: str = "likely error", **style: Any) -> Any:
    """Draw squares around some rows; nothing where there are none."""
    if not mask.any():
        return None
    looks = {"s": SQUARE_SIZE, "edgecolors": FLAGGED, "linewidths": 1.5, "zorder": 5, **style}
    return ax.scatter(*X[mask].T, marker="s", facecolors="none", label=label, **looks)


def draw_crosses(ax: Any, X: Array, mask: Mask, *, label: str = "known to be wrong", **style: Any) -> Any:
    """Draw crosses over some rows; nothing where there are none."""
    if not mask.any():
        return None
    looks = {"s": CROSS_SIZE, "color": colours(ax).ink, "linewidths": 1.4, "zorder": 3.5, **style}
    return ax.scatter(*X[mask].T, marker="x", label=label, **looks)


def draw_level(ax: Any, values: Array, plane: Plane, level: float, **style: Any) -> Any:
    """Draw one contour of values on a grid, if there is one."""
    across, up, _ = plane
    shaped = values.reshape(across.shape)
    if not shaped.min() < level < shaped.max():
        return None
    return ax.contour(across, up, shaped, levels=[level], **style)


def leads(response: Array) -> Array:
    """Return by how much each class leads over the best of the others, in the shape of the responses."""
    best_other = [np.delete(response, which, axis=-1).max(axis=-1) for which in range(response.shape[-1])]
    return np.asarray(response - np.stack(best_other, axis=-1))


def opacity_of(opacity: float, ax: Any = None) -> float:
    """Return the opacity of a shade on the paper in use; dark paper is darker than what is written on it."""
    palette = colours(ax)
    paper, ink = (sum(to_rgb(colour)) for colour in (palette.paper, palette.ink))
    return min(1.0, ON_DARK * opacity) if paper < ink else opacity


def mixed(colour: str, opacity: float, ax: Any) -> str:
    """Return what a colour looks like on the paper of axes, at some opacity."""
    *paper, covers = ax.get_facecolor()
    below = np.array(paper if covers == 1.0 else to_rgb(colours(ax).paper))
    red, green, blue = opacity * np.array(to_rgb(colour)) + (1.0 - opacity) * below
    return to_hex((red, green, blue))


def draw_shades(
    ax: Any, across: Array, up: Array, response: Array, *, is_probability: bool = True, is_opaque: bool = True
) -> None:
    """Colour the plane by the leading class, stronger where it leads by more.

    Opaque shades lie over each other: bands of transparent ones show seams.

    Parameters
    ----------
    ax
        Where to draw.
    across, up
        Places of the responses, as matplotlib's ``contourf`` takes them.
    response : (n, m, n_classes)
        Of each class: the largest leads.
    is_probability
        Whether responses are probabilities; regions of others are of one strength.
    is_opaque
        Whether shades are mixed with the paper; otherwise they are bands that let it through.
    """
    lead = leads(response)
    top = max(2.0 * float(lead.max()), 1.0)
    bands = [(low, FAINTEST + STRONGER * low) for low in SURER[:-1]] if is_probability else [(0.0, FLAT)]
    ends = [top] * len(bands) if is_opaque else [*(low for low, _ in bands[1:]), top]
    for (low, opacity), high in zip(bands, ends, strict=True):
        for which, colour in zip(range(response.shape[-1]), cycle(colours(ax).series), strict=False):
            field = lead[..., which]
            if np.any((field >= low) & (field < high)):
                look: dict[str, Any] = {"colors": [colour], "alpha": opacity}
                if is_opaque:
                    look = {"colors": [mixed(colour, opacity_of(opacity, ax), ax)], "antialiased": True}
                ax.contourf(across, up, field, [low, high], **look)


def draw_borders(ax: Any, across: Array, up: Array, response: Array) -> None:
    """Draw lines where the leading class changes."""
    lead = leads(response)
    for which in range(1 if response.shape[-1] == 2 else response.shape[-1]):
        if lead[..., which].min() < 0.0 < lead[..., which].max():
            ax.contour(across, up, lead[..., which], [0.0], colors=[colours(ax).ink], linewidths=1.4)


def class_names(classes: Iterable[Any]) -> list[str]:
    """Return what classes are called in a legend: words are names, numbers are not."""
    return [in_legend(label) if isinstance(label, str) else f"class {label}" for label in classes]


def place_legend(ax: Any, *, handles: Sequence[Any] | None = None, **style: Any) -> Any:
    """Name what was drawn: beside the axes where the figure makes room for it, otherwise inside them.

    Parameters
    ----------
    ax
        Where something was drawn.
    handles
        What is named; None: all that has a name. What has the same name and colour is named once.
    style
        What else matplotlib's ``legend`` takes.
    """
    once = named_once(ax, handles)
    names = [each.get_label() for each in once]
    if len(once) > MOST_ENTRIES:
        names = [in_legend(name, SHORTEST) for name in names]
        style = {"ncols": -(-len(once) // MOST_ENTRIES), "fontsize": "x-small", "columnspacing": 0.8, **style}
    engine = ax.get_figure().get_layout_engine()
    if engine is not None and not engine.adjust_compatible:  # a constrained layout moves axes for legends
        beside: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "frameon": False}
        return ax.legend(once, names, **{**beside, "borderaxespad": 0.0, **style})
    tight: dict[str, Any] = {"fontsize": "small", "handlelength": 1.4, "labelspacing": 0.3}
    return ax.legend(once, names, **{"loc": "best", "framealpha": 0.8, **tight, **style})


def named_once(ax: Any, handles: Sequence[Any] | None = None) -> list[Any]:
    """Return what a legend names, what has the same name and colour once; None: all that has a name."""
    found: dict[tuple[str, str], Any] = {}
    for each in ax.get_legend_handles_labels()[0] if handles is None else handles:
        found.setdefault((each.get_label(), colour_of(each)), each)
    return list(found.values())


def colour_of(artist: Any) -> str:
    """Return the colour by which two things of one name are told apart."""
    for method in ("get_color", "get_facecolor"):
        if hasattr(artist, method):
            return str(np.asarray(to_rgba_array(getattr(artist, method)())).tolist())
    return ""


def size_of_bars(count: float, width: float = 6.0) -> tuple[float, float]:
    """Return width and height in inches of a figure with so many bars."""
    return width, FRAME + BAR * count


def name_bars(ax: Any, places: Array, names: Sequence[Any]) -> None:
    """Write the names of bars beside them, the first on top."""
    ax.set_yticks(places, shortened(names))
    ax.set_ylim(float(max(places)) + 0.6, -0.6)


def in_percent(ax: Any, end: float, label: str) -> None:
    """Let shares run up to an end, in per cent, with room for words behind the longest bar."""
    ax.set_xlim(0.0, end)
    ax.set_xlabel(label)
    ax.xaxis.set_major_formatter(percent)


def write_behind(ax: Any, ends: Sequence[float] | Array, places: Array, words: Sequence[str]) -> None:
    """Write words behind the ends of bars."""
    text = {"textcoords": "offset points", "va": "center", "fontsize": "small", "color": colours(ax).ink}
    for end, place, word in zip(ends, places, words, strict=True):
        ax.annotate(word, (end, place), xytext=(5, 0), **text)
