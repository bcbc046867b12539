"""What a membership is, and what it may ask about the rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.memberships.distances import KernelRows
from rowtrust.numerics.magnitudes import shown

Targets: TypeAlias = NDArray[Any]
"""Class numbers (integers) in classification, real targets (floats) in regression."""


def checked(values: Any, n_rows: int) -> Array:
    """Return the values as a new array of floats, if they can serve as memberships."""
    try:
        membership: Array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "membership must be a name, a Membership, a callable (X, y) -> array or an array of numbers; "
            f"got {type(values).__name__}."
        ) from error
    if membership.shape != (n_rows,):
        raise ValueError(
            f"membership must have one number per row, shape ({n_rows},); got shape {membership.shape}. "
            "Give one for each row of X, or pass a callable (X, y) -> array."
        )
    check_unit_interval(membership)
    return membership


def check_unit_interval(membership: Array) -> None:
    """Raise ValueError unless all memberships are in ``(0, 1]``."""
    wrong = np.flatnonzero(~((membership > 0.0) & (membership <= 1.0)))
    if wrong.size:
        raise ValueError(
            f"membership must be finite and in (0, 1]; got {membership[wrong[0]]} at row {wrong[0]} "
            f"({wrong.size} such rows). Divide by the largest value, and remove rows that are not "
            "to count or give them sample_weight=0."
        )


def is_class_number(y: Targets) -> bool:
    """Return whether the targets are class numbers rather than real targets."""
    return np.asarray(y).dtype.kind in "iub"


def class_labels(y: Targets, membership: str) -> Indices:
    """Return the class of each row as 0, 1, ... without gaps."""
    if not is_class_number(y):
        raise ValueError(
            f"membership {membership!r} needs class numbers (integers); got y of dtype "
            f"{np.asarray(y).dtype}. For regression use 'residual', 'time_linear' or 'time_quadratic'."
        )
    label: Indices = np.unique(y, return_inverse=True)[1].astype(np.intp)
    return label


def first_fit_of(first_fit: Callable[[], Array], n_rows: int) -> Array:
    """Return the margins or residuals of the first fit."""
    outcome: Array = np.asarray(first_fit(), dtype=np.float64)
    if outcome.shape != (n_rows,) or not np.isfinite(outcome).all():
        raise ValueError(
            f"first_fit must return one finite number per row, shape ({n_rows},); got shape {outcome.shape} "
            f"with {np.count_nonzero(~np.isfinite(outcome))} values not finite. Scale the inputs, or use a "
            "membership without a first fit."
        )
    return outcome


def check_option(name: str, value: str, options: tuple[str, ...]) -> None:
    """Raise ValueError unless the value is one of the options."""
    if value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}; got {shown(value)}.")


def check_positive(name: str, value: float) -> None:
    """Raise ValueError unless the value is finite and above zero."""
    if not 0.0 < value < np.inf:
        raise ValueError(f"{name} must be a finite number above 0; got {shown(value)}.")


def check_floor(floor: float) -> None:
    """Raise ValueError unless the floor is in ``(0, 1]``."""
    if not 0.0 < floor <= 1.0:
        raise ValueError(
            f"floor must be in (0, 1]; got {shown(floor)}. Remove a row that is not to count at all."
        )


@dataclass(frozen=True)
class SideInformation:
    """What a membership may ask about the rows besides ``X`` and ``y``.

    Parameters
    ----------
    kernel_rows : callable
        ``kernel_rows(rows)`` is the kernel between the rows of that slice and all ``n`` rows, shape
        ``(block, n)``; a precomputed kernel can answer it too.
    first_fit : callable
        Runs a plain fit on these very rows when called. Classification: the signed margin of each
        row, positive on the side of its own label; regression: the residual ``y - f``. Shape ``(n,)``.
    sample_weight : ndarray of shape (n,) or None, default=None
        How many copies each row stands for, shape ``(n,)``; None: one.
    precomputed : bool, default=False
        Whether X consists of kernel rows instead of inputs. Distances are then those of the kernel's space.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.memberships import SideInformation
    >>> X = np.array([[0.0], [1.0], [5.0]])
    >>> side = SideInformation(kernel_rows=lambda rows: X[rows] @ X.T, first_fit=lambda: np.ones(3))
    >>> side.kernel_rows(slice(1, 3))
    array([[ 0.,  1.,  5.],
           [ 0.,  5., 25.]])
    """

    kernel_rows: KernelRows
    first_fit: Callable[[], Array]
    sample_weight: Array | None = None
    precomputed: bool = False

    def weight(self, n_rows: int) -> Array:
        """Return how many copies each row stands for.

        Parameters
        ----------
        n_rows : int
            How many rows there are.

        Returns
        -------
        ndarray of shape (n_rows,)
            Ones where there are no sample weights.
        """
        return np.ones(n_rows) if self.sample_weight is None else self.sample_weight


class Membership(ABC):
    """How far each row is believed, as a function of all the rows.

    Examples
    --------
    A membership of one's own is a subclass, and an instance of it can be given to ``FuzzyRVC``:

    >>> import numpy as np
    >>> from rowtrust.memberships import Membership
    >>> class Near(Membership):
    ...     def __call__(self, X, y, side):
    ...         return 1.0 / (1.0 + np.linalg.norm(X, axis=1))
    >>> Near()(np.array([[0.0], [1.0]]), np.array([0, 1]), None)
    array([1. , 0.5])
    """

    @abstractmethod
    def __call__(self, X: Matrix, y: Targets, side: SideInformation) -> Array:
        """Return one number in ``(0, 1]`` per row.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The rows.
        y : ndarray of shape (n,)
            Their class numbers, or targets.
        side : SideInformation
            What else may be asked about them.

        Returns
        -------
        ndarray of shape (n,)
            The memberships.
        """
