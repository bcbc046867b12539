"""A mean over repeats, its spread, and what cannot hide in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

FAR = 10.0
"""Robust deviations beyond which a draw counts as failed: no chance of a fit that works goes so far."""

LEAST_DRAWS = 10
"""Draws from which on a median and a robust deviation say something."""

MATTERS = 0.5
"""Share of the median by which a failed draw is worse at least: where nearly all draws agree, ten of their
deviations are nothing to speak of."""

FACTOR = 1000.0
"""Times the median: a draw so much worse has failed, however many decades the others spread over."""

Direction = Literal["lower", "higher", "neither", "other machine"]
"""Which way is better. Times on another machine are shown, never judged."""


@dataclass(frozen=True)
class Number:
    """A mean over repeats.

    Parameters
    ----------
    mean
    deviation
        Standard deviation over the repeats; None where it is not known.
    count
        How many repeats.
    values
        The repeats themselves, where they are known.
    """

    mean: float
    deviation: float | None = None
    count: int = 1
    values: tuple[float, ...] = ()

    @classmethod
    def of(cls, values: Iterable[float]) -> Number:
        """Return mean and standard deviation of some values."""
        array = np.array(list(values), dtype=float)
        if array.size == 0:
            return cls(np.nan, None, 0)
        deviation = float(array.std(ddof=1)) if array.size > 1 else None
        return cls(float(array.mean()), deviation, array.size, tuple(array.tolist()))

    @property
    def median(self) -> float:
        """The median of the repeats; the mean where they are not known."""
        return float(np.median(self.values)) if self.values else self.mean

    @property
    def scaled(self) -> tuple[NDArray[np.float64], bool]:
        """The repeats, and whether these are their logarithms: they are where all are above zero.

        Errors and scales spread by factors: on clean rows a squared error varies over decades.
        """
        values = np.array(self.values, dtype=float)
        above_zero = bool(values.size) and bool(np.all(values > 0.0))
        return (np.log(values) if above_zero else values), above_zero

    @property
    def robust_deviation(self) -> float:
        """1.4826 times the median distance to the median, of the ``scaled`` repeats.

        A failed repeat does not move it. For Gaussian repeats it is the standard deviation.
        """
        values, _ = self.scaled
        return float(1.4826 * np.median(np.abs(values - np.median(values)))) if values.size else np.nan

    def worst(self, better: Direction) -> float:
        """Return the worst repeat; where no way is better, the one furthest from the median."""
        if not self.values:
            return self.mean
        if better in ("lower", "higher"):
            return max(self.values) if better == "lower" else min(self.values)
        return max(self.values, key=lambda value: abs(value - self.median))

    def failed(self, better: Direction) -> int:
        """Return how many repeats are worse than the median by ten robust deviations and by half its size.

        A factor of a thousand is a failure however wide the others spread, and so is what is no number.
        Where more than half of the repeats are equal the deviation is nothing; then ten times the median is
        the limit.
        """
        lost = int(np.sum(~np.isfinite(self.values))) if self.values else 0
        if lost or better not in ("lower", "higher") or len(self.values) < LEAST_DRAWS:
            return lost
        sign = 1.0 if better == "lower" else -1.0
        scaled, logarithmic = self.scaled
        limit = FAR * self.robust_deviation or (np.log(FAR) if logarithmic else FAR * abs(self.median))
        limit = min(limit, np.log(FACTOR)) if logarithmic else limit
        far = sign * (scaled - np.median(scaled)) > limit
        matters = sign * (np.array(self.values) - self.median) > MATTERS * abs(self.median)
        return int(np.sum(far & matters)) if limit > 0 else 0

    def text(self) -> str:
        """Return the number as papers print it."""
        if np.isnan(self.mean):
            return "-"
        if self.deviation is None:
            return f"{self.mean:.5g}"
        form = number_form(self.deviation)
        return f"{self.mean:{form}} ({self.deviation:{form}})"


def number_form(deviation: float) -> str:
    """Return the format that shows three figures of a standard deviation, and its mean as finely."""
    if deviation == 0:
        return ".5g"
    decimals = 2 - int(np.floor(np.log10(deviation)))
    return f".{max(decimals, 0)}f" if decimals <= 6 else ".2e"
