"""Weights that are known before the fit: none at all, or a membership per row."""

from __future__ import annotations

from dataclasses import dataclass

from rowtrust.contracts import Array, WeightMoments
from rowtrust.numerics.array_api import namespace, nothing_of
from rowtrust.weights.base import Weights


@dataclass(frozen=True)
class Unit(Weights):
    """Every row counts once.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.weights import Unit
    >>> Unit().learn(np.array([0.1, 5.0]), 0.0).expected  # whatever the losses
    array([1., 1.])
    """

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
    membership : ndarray of shape (n,)
        The powers, above zero.
    whole : float, default=1.0
        The power of a fully trusted row; above one if powers are scaled to a mean of one.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust import SparseBayesRegressor
    >>> from rowtrust.weights import Fixed
    >>> X, y = np.linspace(0.0, 1.0, 20)[:, None], np.zeros(20)
    >>> y[7] = 5.0
    >>> doubt = np.where(np.arange(20) == 7, 1e-6, 1.0)
    >>> model = SparseBayesRegressor(weights=Fixed(doubt), gamma=1.0).fit(X, y)
    >>> bool(abs(model.predict(X)).max() < 0.1)
    True
    """

    membership: Array
    whole: float = 1.0
