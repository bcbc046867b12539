"""Drawing that several figures share."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from papers.statistics import Comparison
from rowtrust.contracts import Array
from rowtrust.displays import marks
from rowtrust.displays.marks import draw_level as draw_level  # papers' figures take it from here

CLASS_COLOURS = ("#0072B2", "#E69F00")
"""Of class 0 and class 1: blue and orange of Okabe and Ito, told apart by colour-blind readers too."""

OUTLIER_COLOUR, CHANGED_COLOUR = "#B00020", "#E4C6DA"
"""Of the squares around outliers, and of what outliers change."""

COLOURS = 256
"""Of a written picture: as many as a PNG's palette has."""


def canvas(width: float, height: float) -> Any:
    """Return an empty figure that draws without a display."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Any, target: Path, resolution: int, told: dict[str, str]) -> None:
    """Write a figure as a PNG of 256 colours, a third of the size of all colours, with words inside it.

    Parameters
    ----------
    figure
        Of matplotlib.
    target
        The file, whatever its ending.
    resolution
        Dots per inch.
    told
        Texts that the file carries, by their names.
    """
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    drawn = BytesIO()
    figure.savefig(drawn, format="png", dpi=resolution)
    words = PngInfo()
    for name, text in told.items():
        words.add_text(name, text)
    picture = Image.open(drawn).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    picture.save(target, format="PNG", optimize=True, pnginfo=words, dpi=(resolution, resolution))


def plane(X: Array, margin: float = 0.12, size: int = 160) -> tuple[Array, Array, Array]:
    """Return a grid around the rows: across, up, and its points as rows."""
    return marks.plane_around(X, margin, size)


def draw_rows(axes: Any, X: Array, y: NDArray[Any], outliers: NDArray[np.bool_] | None = None) -> None:
    """Draw two classes, and squares around outliers."""
    marks.draw_rows(axes, X, y, fills=CLASS_COLOURS, size=14, linewidths=0)
    if outliers is not None:
        square = {"s": 70, "edgecolors": OUTLIER_COLOUR, "linewidths": 1.2, "zorder": 1}
        marks.draw_squares(axes, X, outliers, label="outlier", **square)


def draw_changed(axes: Any, before: Array, after: Array, grid: tuple[Array, Array, Array]) -> None:
    """Shade where two functions differ in sign, and draw where both are zero: dashed before, full after."""
    across, up, _ = grid
    changed = (before > 0.0) != (after > 0.0)
    if changed.any():
        axes.contourf(across, up, changed.astype(float), levels=[0.5, 1.5], colors=[CHANGED_COLOUR])
    draw_level(axes, before, grid, 0.0, colors="0.45", linestyles="--", linewidths=1.3)
    draw_level(axes, after, grid, 0.0, colors="black", linewidths=1.8)


def changed_handles() -> list[Any]:
    """Return the legend's entries for what draw_changed draws."""
    return [
        line_handle("boundary without outliers", color="0.45", linestyle="--"),
        line_handle("boundary with outliers", color="black"),
        Patch(facecolor=CHANGED_COLOUR, label="class changed by outliers"),
    ]


def draw_rings(axes: Any, vectors: Array) -> None:
    """Draw rings around support or relevance vectors."""
    marks.draw_rings(axes, vectors, label=None, s=42, edgecolors="black", linewidths=0.8)


def ring_handle(label: str) -> Any:
    """Return the legend's entry for rings."""
    return line_handle(label, marker="o", linestyle="", markerfacecolor="none", color="black")


def draw_before_and_after(
    axes: Any, names: Sequence[str], before: Sequence[float], after: Sequence[float], measure: str
) -> None:
    """Draw a measure of each name, hollow without outliers and filled with them."""
    places = np.arange(len(names))[::-1]
    axes.hlines(places, before, after, color="0.6", linewidth=1.5, zorder=1)
    axes.scatter(
        before, places, s=42, facecolors="white", edgecolors="black", zorder=2, label="without outliers"
    )
    axes.scatter(after, places, s=42, color="black", zorder=3, label="with outliers")
    axes.set_yticks(places, names, fontsize=9)
    axes.set(xlabel=measure, ylim=(-0.6, len(names) - 0.4))
    axes.grid(axis="x", color="0.9")
    axes.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.16), ncols=2)


def draw_ranks(axes: Any, comparison: Comparison, names: Sequence[str], title: str) -> None:
    """Draw mean ranks with intervals: two classifiers differ where theirs do not touch."""
    half = comparison.critical_difference / 2.0
    places = np.arange(len(names))[::-1]
    best = int(np.argmin(comparison.mean_ranks))
    axes.axvspan(
        comparison.mean_ranks[best] - half, comparison.mean_ranks[best] + half, color="0.9", zorder=0
    )
    axes.errorbar(comparison.mean_ranks, places, xerr=half, fmt="o", color="black", capsize=3, markersize=6)
    axes.set_yticks(places, names)
    axes.set(xlabel="mean rank (1 is best)", ylim=(-0.6, len(names) - 0.4))
    axes.set_title(title, fontsize=10)


def shared_legend(figure: Any, axes: Any, handles: Sequence[Any] = (), columns: int = 6) -> None:
    """Put one legend under all panels."""
    found, labels = axes.get_legend_handles_labels()
    found = [*found, *handles]
    labels = [*labels, *(handle.get_label() for handle in handles)]
    figure.legend(found, labels, loc="outside lower center", ncols=columns, frameon=False, fontsize=9)


def line_handle(label: str, **style: Any) -> Any:
    """Return an entry for a legend."""
    return Line2D([], [], label=label, **style)
