"""Weights that are known before the fit: none at all, or a membership per row."""

from __future__ import annotations

from dataclasses import dataclass

from rowtrust.contracts import Array, WeightMoments
from rowtrust.numerics.array_api import namespace, nothing_of
from rowtrust.weights.base import Weights


@dataclass(frozen=True)
class Unit(Weights):
    """Every row counts once."""

    def learn(self, loss: Array, exponent: float) -> WeightMoments:
        """Return one for every row."""
        xp = namespace(loss)
        return WeightMoments(xp.ones_like(loss), xp.zeros_like(loss), nothing_of(loss))


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
