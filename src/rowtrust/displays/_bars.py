"""What displays of horizontal bars share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rowtrust.contracts import Array
from rowtrust.displays._words import percent, shortened
from rowtrust.displays.looks import colours

BAR, FRAME = 0.36, 1.0
"""Inches that a bar with its name takes, and that the axis and the margins take. By eye."""


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
