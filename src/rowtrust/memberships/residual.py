"""Rows that a first, plain regression misses count less."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array, Matrix
from rowtrust.memberships.base import Membership, SideInformation
from rowtrust.memberships.checks import Targets, check_positive, first_fit_of, is_class_number
from rowtrust.memberships.decays import OFFSET, linear_decay


@dataclass(frozen=True)
class Residual(Membership):
    """Rows that a first, plain regression misses count less.

    ``s_i = 1 - |e_i| / (max|e| + offset max|e|)``. Residuals that are all of one size, zero included,
    rank no row: every row gets 1.

    Parameters
    ----------
    offset : float
        The row with the largest residual gets ``offset / (1 + offset)``; see ``decays.OFFSET`` for the
        default.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.memberships import Residual, SideInformation
    >>> X, y = np.zeros((3, 1)), np.array([0.0, 1.0, -4.0])
    >>> side = SideInformation(kernel_rows=lambda rows: np.ones((3, 3))[rows], first_fit=lambda: y)
    >>> Residual(offset=0.25)(X, y, side)
    array([1. , 0.8, 0.2])
    """

    offset: float = OFFSET

    def __call__(self, X: Matrix, y: Targets, side: SideInformation) -> Array:
        """Return the memberships of the rows."""
        check_positive("offset", self.offset)
        if is_class_number(y):
            raise ValueError(
                "membership 'residual' needs real targets (floats), because only regression has residuals; "
                f"got y of dtype {np.asarray(y).dtype}. For classification use 'class_centre', "
                "'neighbours' or 'imbalance'."
            )
        return linear_decay(np.abs(first_fit_of(side.first_fit, X.shape[0])), self.offset)
