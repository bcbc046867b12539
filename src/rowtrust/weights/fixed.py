"""Weights that are known before the fit: none at all, or a membership per row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array, WeightMoments
from rowtrust.weights.base import Weights


@dataclass(frozen=True)
class Unit(Weights):
    """Every row counts once."""

    def learn(self, loss: Array, exponent: float) -> WeightMoments:
        """Return one for every row."""
        return WeightMoments(np.ones_like(loss), np.zeros_like(loss), np.empty((0, len(loss))))


@dataclass(frozen=True, eq=False)
class Fixed(Unit):
    """Row i's likelihood is raised to the power ``membership[i]`` (Li et al. 2008).

    A power is a number of copies: it multiplies everything the row says, its normaliser too, and there
    is nothing left to learn.

    Parameters
    ----------
    membership
        The powers, above zero.
    whole
        The power of a row that is wholly believed, more than one where powers are scaled to a mean of one.
    """

    membership: Array
    whole: float = 1.0
