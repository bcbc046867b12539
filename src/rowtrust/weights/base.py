"""What a weighting must answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from rowtrust.contracts import Array, Statistics, WeightMoments

Self = TypeVar("Self", bound="Weights")


class Weights(ABC):
    """How far each row is believed. Subclasses are frozen dataclasses."""

    learns: bool = False
    """Whether ``update`` re-estimates anything."""

    membership: Array | None = None
    """Factors on the rows that are known before the fit, shape ``(n,)``; None for ones. They travel with the
    rows, as a power on each row's likelihood."""

    whole: float = 1.0
    """The factor of a row that is wholly believed: trust is told in parts of it."""

    def starts(self, exponent: float) -> tuple[Weights, ...]:
        """Return the weightings with which a fit may begin, the best guess first.

        Where several are named, a fit from each is made and the one with the higher bound kept.
        """
        return (self,)

    @abstractmethod
    def learn(self, loss: Array, exponent: float) -> WeightMoments:
        """Return the moments of the weights of some rows, given their expected losses.

        ``exponent`` is the likelihood's ``weight_exponent``.
        """

    def update(self: Self, statistics: Statistics) -> tuple[Self, Statistics]:
        """Re-estimate the weights' own prior; return it with the statistics restated."""
        return self, statistics

    @property
    def coordinates(self) -> Array:
        """What ``update`` re-estimates, on scales without limits; nothing unless a subclass says so.

        Solvers extrapolate it with the rest (see ``moved_to``).
        """
        return np.empty(0)

    def moved_to(self: Self, coordinates: Array) -> Self:
        """Return the weighting with these coordinates."""
        return self

    @classmethod
    def average(cls, parts: Sequence[Weights], shares: Array) -> Weights:
        """Return one weighting for an average of models: by default that of the model that counts most."""
        return parts[int(np.argmax(shares))]

    def widening(self, exponent: float) -> float:
        """Return by how much the weights widen the 95 % interval of new targets, in variance."""
        return 1.0
