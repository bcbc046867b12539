"""Wrong numbers of four kinds, drawn into a clean table.

Every kind takes inputs, targets, a rate and a generator, and returns the targets given and which are wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Made = tuple[Array, Array]

GROSS, MODERATE = (4.0, 8.0), (2.0, 4.0)
"""How far targets are moved, in deviations of the targets."""


def moved(
    X: Array,
    y: Array,
    rate: float,
    rng: np.random.Generator,
    *,
    sizes: tuple[float, float],
    signs: tuple[float, float],
) -> Made:
    """Move a share of the targets up, or up and down."""
    wrong = chosen(y, rate, rng)
    size = rng.uniform(*sizes, len(y)) * rng.choice(signs, len(y))
    return np.where(wrong, y + size * np.std(y), y), wrong


def exchanged(X: Array, y: Array, rate: float, rng: np.random.Generator) -> Made:
    """Hand the targets of a share of the rows round among them; some come out nearly right."""
    rows = rng.permutation(np.flatnonzero(chosen(y, rate, rng)))
    given = y.copy()
    given[rows] = y[np.roll(rows, 1)]
    return given, given != y


def chosen(y: Array, rate: float, rng: np.random.Generator) -> Array:
    """Return which rows are to be wrong."""
    return np.isin(np.arange(len(y)), rng.choice(len(y), round(rate * len(y)), replace=False))


BOTH, UP = (-1.0, 1.0), (1.0, 1.0)
WRONG_VALUES: dict[str, Callable[[Array, Array, float, np.random.Generator], Made]] = {
    "both-sided": partial(moved, sizes=GROSS, signs=BOTH),
    "one-sided": partial(moved, sizes=GROSS, signs=UP),
    "moderate": partial(moved, sizes=MODERATE, signs=BOTH),
    "exchanged": exchanged,
}
