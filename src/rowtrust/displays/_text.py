"""Names and numbers as pictures write them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

NAME_LENGTH = 32
"""Characters of a name beside a bar or in a legend; longer ones leave no room for the picture. By eye."""

AXIS_LENGTH = 60
"""Characters of a name below an axis, which is wider than a legend; by eye."""


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
