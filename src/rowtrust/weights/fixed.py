"""Weights that are known before the fit: none at all, or a membership per row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array, Statistics, WeightMoments


@dataclass(frozen=True)
class Unit:
    """Every row counts once."""

    def opening(self, exponent: float) -> Unit:
        """Return itself."""
        return self

    def learn(self, loss: Array, exponent: float, rows: slice) -> WeightMoments:
        """Return one for every row."""
        one = np.ones_like(loss)
        return WeightMoments(one, one, np.zeros_like(loss), -one)

    def update(self, statistics: Statistics) -> tuple[Unit, Statistics]:
        """Return itself: nothing is learnt."""
        return self, statistics


@dataclass(frozen=True)
class Fixed:
    """Row i's likelihood is raised to the power ``membership[i]`` (Li et al. 2008)."""

    membership: Array

    def opening(self, exponent: float) -> Fixed:
        """Return itself."""
        return self

    def learn(self, loss: Array, exponent: float, rows: slice) -> WeightMoments:
        """Return the memberships of these rows: a power multiplies the normaliser too."""
        power = self.membership[rows]
        return WeightMoments(power, power, np.zeros_like(loss), np.log(power) - power)

    def update(self, statistics: Statistics) -> tuple[Fixed, Statistics]:
        """Return itself: nothing is learnt."""
        return self, statistics
