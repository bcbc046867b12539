"""The base class of weightings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from rowtrust.contracts import Array, Statistics, WeightMoments

Self = TypeVar("Self", bound="Weights")


class Weights(ABC):
    """How much each row counts in the fit. Subclasses are frozen dataclasses.

    See Also
    --------
    Unit : Every row counts once.
    Fixed : One power per row, known before the fit.
    Gamma : One weight per row, learnt with the model.

    Examples
    --------
    Your own weights map the losses of rows to how much they count:

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from rowtrust import SparseBayesClassifier
    >>> from rowtrust.contracts import WeightMoments
    >>> from rowtrust.datasets import make_ripley
    >>> from rowtrust.weights import Weights
    >>> @dataclass(frozen=True)
    ... class Halved(Weights):
    ...     def learn(self, loss, exponent):
    ...         return WeightMoments(np.full_like(loss, 0.5), np.zeros_like(loss), np.empty((0, len(loss))))
    >>> X, y = make_ripley(100, random_state=0)
    >>> model = SparseBayesClassifier(weights=Halved(), gamma=4.0).fit(X, y)
    >>> float(model.expected_weight_.max())
    0.5
    """

    learns: bool = False
    """Whether ``update`` re-estimates anything."""

    membership: Array | None = None
    """Factors on the rows that are known before the fit, shape ``(n,)``; None for ones. They stay with the
    rows, as a power on each row's likelihood."""

    whole: float = 1.0
    """The factor of a fully trusted row: trust is a fraction of it."""

    def starts(self, exponent: float) -> tuple[Weights, ...]:
        """Return the weightings with which a fit may begin, the best guess first.

        Where several are named, a fit from each is made and the one with the higher bound kept.

        Parameters
        ----------
        exponent : float
            The likelihood's ``weight_exponent``.

        Returns
        -------
        tuple of Weights
            At least one.
        """
        return (self,)

    @abstractmethod
    def learn(self, loss: Array, exponent: float) -> WeightMoments:
        """Return the moments of the weights of some rows, given their expected losses.

        Parameters
        ----------
        loss : ndarray of shape (n,)
            Expected losses, at least zero but for rounding.
        exponent : float
            The likelihood's ``weight_exponent``.

        Returns
        -------
        WeightMoments
            Expected weights, their part of the bound, and what ``update`` needs to know.
        """

    def update(self: Self, statistics: Statistics) -> tuple[Self, Statistics]:
        """Re-estimate the weights' own prior; return it with the statistics restated.

        Parameters
        ----------
        statistics : Statistics
            Sums over all rows.

        Returns
        -------
        weights : Weights
            With its new prior.
        statistics : Statistics
            The same sums, as they would be with it.
        """
        return self, statistics

    @property
    def coordinates(self) -> Array:
        """What ``update`` re-estimates, on scales without limits; nothing unless a subclass says so.

        Solvers extrapolate it with the rest (see ``moved_to``).
        """
        return np.empty(0)

    def moved_to(self: Self, coordinates: Array) -> Self:
        """Return the weighting with these coordinates.

        Parameters
        ----------
        coordinates : ndarray
            As ``coordinates`` has them.

        Returns
        -------
        Weights
            Of the same kind.
        """
        return self

    @classmethod
    def average(cls, parts: Sequence[Weights], shares: Array) -> Weights:
        """Return one weighting for an average of models: by default that of the model that counts most.

        Parameters
        ----------
        parts : sequence of Weights
            Those of the models.
        shares : ndarray
            How much each model counts.

        Returns
        -------
        Weights
            One for all.
        """
        return parts[int(np.argmax(shares))]

    def widening(self, exponent: float) -> float:
        """Return by how much the weights widen the 95 % interval of new targets, in variance.

        Parameters
        ----------
        exponent : float
            The likelihood's ``weight_exponent``.

        Returns
        -------
        float
            One where they do not.
        """
        return 1.0
