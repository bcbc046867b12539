"""Memberships by name, instance, callable or array."""

from __future__ import annotations

import numpy as np

from rowtrust.contracts import Array, Matrix
from rowtrust.memberships.base import Membership, SideInformation, Targets, checked
from rowtrust.memberships.kinds import ClassCentre, Heuristic, Imbalance, Residual, Time

MEMBERSHIPS: dict[str, Membership] = {
    "class_centre": ClassCentre("input"),
    "kernel_class_centre": ClassCentre("kernel"),
    "time_linear": Time("linear"),
    "time_quadratic": Time("quadratic"),
    "alignment": Heuristic("alignment"),
    "neighbours": Heuristic("neighbours"),
    "imbalance": Imbalance(),
    "imbalance_linear_class_centre": Imbalance("class_centre", "linear"),
    "imbalance_linear_overall_centre": Imbalance("overall_centre", "linear"),
    "imbalance_linear_boundary": Imbalance("boundary", "linear"),
    "imbalance_exponential_class_centre": Imbalance("class_centre", "exponential"),
    "imbalance_exponential_overall_centre": Imbalance("overall_centre", "exponential"),
    "imbalance_exponential_boundary": Imbalance("boundary", "exponential"),
    "residual": Residual(),
}
"""Memberships by name."""


def resolve(membership: object, X: Matrix, y: Targets, side: SideInformation) -> Array:
    """Return the memberships that a name, a ``Membership``, a callable or an array stands for.

    Parameters
    ----------
    membership : str, Membership, callable or array-like
        A key of ``MEMBERSHIPS``, a ``Membership``, a callable ``(X, y) -> array``, or an array.
    X : array or sparse matrix of shape (n, d)
        The rows.
    y : ndarray of shape (n,)
        Their class numbers, or targets.
    side : SideInformation
        What a membership may know about them.

    Returns
    -------
    ndarray of shape (n,)
        A new array, every value finite and in ``(0, 1]``.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.memberships import SideInformation, resolve
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 0, 1])
    >>> side = SideInformation(kernel_rows=lambda rows: X[rows] @ X.T, first_fit=lambda: np.ones(3))
    >>> resolve("time_linear", X, y, side)
    array([0.1 , 0.55, 1.  ])
    >>> resolve(lambda X, y: np.where(y == 1, 1.0, 0.5), X, y, side)
    array([0.5, 0.5, 1. ])
    """
    if isinstance(membership, str):
        membership = named(membership)
    if isinstance(membership, Membership):
        return checked(membership(X, y, side), X.shape[0])
    if isinstance(membership, type):
        raise ValueError(f"membership must be an instance; got the class. Write {membership.__name__}().")
    if callable(membership):
        return checked(membership(X, y), X.shape[0])
    return checked(membership, X.shape[0])


def named(name: str) -> Membership:
    """Return the membership of this name."""
    if name not in MEMBERSHIPS:
        raise ValueError(f"unknown membership {name!r}; choose one of {', '.join(map(repr, MEMBERSHIPS))}.")
    return MEMBERSHIPS[name]


def normalised(membership: Array, weight: Array) -> Array:
    """Return the memberships divided by their mean over all copies of all rows.

    A common factor on all memberships tempers the likelihood, hence the sparsity of the fit; with mean
    one the sum of the weights stays the number of rows.

    Parameters
    ----------
    membership : ndarray of shape (n,)
        The memberships.
    weight : ndarray of shape (n,)
        How many copies each row stands for.

    Returns
    -------
    ndarray of shape (n,)
        Memberships with a mean of one.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.memberships import normalised
    >>> normalised(np.array([0.25, 0.75]), np.ones(2))
    array([0.5, 1.5])
    """
    scaled: Array = membership / np.average(membership, weights=weight)
    return scaled
