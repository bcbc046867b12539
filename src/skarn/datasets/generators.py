"""Synthetic data with a known truth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from skarn.contracts import Array

RIPLEY_CENTRES = np.array([[[-0.7, 0.3], [0.3, 0.3]], [[-0.3, 0.7], [0.4, 0.7]]])
"""Two centres a class, of shape (class, component, feature)."""

RIPLEY_VARIANCE = 0.03


def make_ripley(
    n_samples: int = 250, *, random_state: int | np.random.RandomState | None = None
) -> tuple[Array, NDArray[np.intp]]:
    """Draw from Ripley's mixture of four Gaussians, two a class, in the plane.

    The best possible classifier errs on about 8 % of the rows.

    Parameters
    ----------
    n_samples
        Rows; the first class gets the odd one.
    random_state
        Seed or generator.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        Classes 0 and 1 in random order.

    Examples
    --------
    >>> from skarn.datasets import make_ripley
    >>> X, y = make_ripley(100, random_state=0)
    >>> X.shape, int(y.sum())
    ((100, 2), 50)
    """
    if n_samples < 2:
        raise ValueError(f"n_samples must be at least 2, one row a class; got {n_samples}.")
    generator: Any = check_random_state(random_state)
    y = generator.permutation(np.arange(n_samples) % 2)
    component = generator.randint(2, size=n_samples)
    spread = np.sqrt(RIPLEY_VARIANCE) * generator.standard_normal((n_samples, 2))
    return RIPLEY_CENTRES[y, component] + spread, y


def ripley_probability(X: Array) -> Array:
    """Return the true probability of class 1 at each row of ``X``."""
    squared = ((X[:, None, None, :] - RIPLEY_CENTRES) ** 2).sum(axis=-1)
    density = np.exp(-0.5 * (squared - squared.min(axis=(1, 2), keepdims=True)) / RIPLEY_VARIANCE)
    by_class = density.sum(axis=2)
    return np.asarray(by_class[:, 1] / by_class.sum(axis=1))
