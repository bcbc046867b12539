"""What a membership is, and what it may ask about the rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array, Matrix
from rowtrust.memberships.checks import Targets
from rowtrust.memberships.distances import KernelRows


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
