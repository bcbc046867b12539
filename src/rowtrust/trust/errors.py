"""Where the residuals of wrong numbers lie: anywhere, or most of them in a group of their own.

Heavy tails and skewness explain errors that lie anywhere, as long as they are not very far: with noise of
half of the variance those of 4 to 8 deviations of the target lie 5 to 11 scales off, where a Student t has
rows as well. But no noise has *fewer rows nearer by than farther off*. So errors may also lie in a group, on
either side or on both, and this counts where a gap parts them from the noise.

Figures in the lines of the constants: residuals of ``RobustRVR`` on the tables of half A, 300 rows, and on
synthetic tables whose noise is 50 to 85 % of the variance (grades, counts, skewed and rounded amounts).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array

WIDE = 30.0
"""Width of the density of errors that lie anywhere, in scales of the residuals: Cauchy's, as one outlier must
not hide the others, and wider where a row's own prediction is. Beside a group those that lie anywhere are as
wide as its place."""

STRAYS = 0.15
"""Share of errors that lie anywhere where the rest is a group: a number far beyond the group is wrong too.
With 0.1 2 % fewer errors are found on half A, with 0.25 2 % fewer on the synthetic tables."""

NEAREST = 1e-6
"""Least distance of a residual, of which there is a logarithm. A guard."""

PLACES = np.log([5.0, 15.0])
"""Where a group is looked for, logarithms: starts of the search."""

GROUP_PRIOR = np.array([[np.log(8.0), 1.0], [np.log(0.25), 0.4]])
"""Mean and deviation of the logarithms of a group's place and breadth. Sizes of 4 to 8 have one of 0.2."""

GROUP_BOUNDS = [(np.log(3.0), np.log(100.0)), (np.log(0.1), np.log(0.4))]
"""Where they may lie: a broad group has no gap before it, a near one is part of the noise. Guards."""

SIDES = (0.0, 1.0, -1.0)
"""A group on both sides, above or below."""


@dataclass(frozen=True)
class Errors:
    """The density of an error's residual.

    Attributes
    ----------
    place, breadth
        Logarithms of the group's middle distance, and of the deviation of these logarithms.
    side
        1: the group lies above; -1: below; 0: half of it on either side.
    gathered
        Share of errors in the group; 0: there is none.
    """

    place: float = 0.0
    breadth: float = 0.0
    side: float = 0.0
    gathered: float = 0.0

    def log_density(self, value: Array, unsure: Array) -> tuple[Array, Array]:
        """Return log densities of residuals, and their gradient by place and breadth, shape (2, n)."""
        wider = np.maximum(unsure, 0.0)
        width = (np.exp(self.place) if self.gathered else WIDE) * np.exp(wider)
        square = (value / width) ** 2
        anywhere = -np.log(np.pi * width) - np.log1p(square)
        if not self.gathered:
            return anywhere, np.zeros((2, len(value)))
        distance = np.log(np.maximum(np.abs(value), NEAREST)) - wider
        off = (distance - self.place) / np.exp(self.breadth)
        there = np.where(value * self.side > 0.0, 1.0, 0.5 if self.side == 0.0 else 0.0)
        with np.errstate(divide="ignore"):
            group = np.log(there) - 0.5 * off**2 - self.breadth - 0.5 * np.log(2.0 * np.pi) - distance - wider
        group += np.log(self.gathered)
        density = np.logaddexp(np.log1p(-self.gathered) + anywhere, group)
        share = np.exp(group - density)
        by_place = share * off / np.exp(self.breadth) + (1.0 - share) * (square - 1.0) / (square + 1.0)
        return density, np.array([by_place, share * (off**2 - 1.0)])
