"""Distances that kernels of several widths share: each is a function of the same ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.kernels.kernels import (
    ROUNDING,
    WITH_A_WIDTH,
    Kernel,
    absolute_distances,
    squared_distances,
)
from rowtrust.kernels.missing import is_uncertain
from rowtrust.numerics.blocks import KEPT_BYTES


class SharedDistances:
    """Distances of all rows to the centres that were asked for last, for kernels of any width.

    A path of widths looks at the same centres first, whatever the width is.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Rows.
    centres : array or sparse matrix of shape (m, d)
        All centres there are.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import Kernel, SharedDistances
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> shared = SharedDistances(X, X)
    >>> shared.kernel(Kernel("rbf", 1.0), np.array([0])).round(3)
    array([[1.   , 0.368, 0.   ]])
    >>> shared.kernel(Kernel("rbf", 0.1), np.array([0])).round(3)  # by the same distances
    array([[1.   , 0.905, 0.407]])
    """

    def __init__(self, X: Matrix, centres: Matrix) -> None:
        self.X, self.centres = X, centres
        self._of: tuple[Any, ...] = ()
        self._distances = np.empty((0, 0))

    def kernel(self, kernel: Kernel, which: Indices) -> Array | None:
        """Return the kernel between some centres and all rows, one row a centre; None where others must."""
        if not len(which) or not self._knows(kernel, which):
            return None
        gamma = float(kernel.gamma)
        if gamma * float(self._distances.max(initial=0.0)) * np.finfo(float).eps > ROUNDING:
            return None
        exponent = -gamma * self._distances
        return np.asarray(np.exp(exponent, out=exponent))

    def _knows(self, kernel: Kernel, which: Indices) -> bool:
        """Tell whether these distances are known; the first of a kind that fit into memory are computed."""
        if kernel.function not in WITH_A_WIDTH or kernel.origin is not None or np.ndim(kernel.gamma):
            return False
        kind = kernel.family
        if self._of[:1] != (kind,) and self._fits(which):
            between = squared_distances if kernel.function == "rbf" else absolute_distances
            self._distances = between(kernel.inputs(self.centres[which]), kernel.inputs(self.X))
            self._of = (kind, which)
        return self._of[:1] == (kind,) and np.array_equal(self._of[1], which)

    def _fits(self, which: Indices) -> bool:
        plain = not (issparse(self.X) or is_uncertain(self.X))
        return plain and 8 * self.X.shape[0] * len(which) <= KEPT_BYTES
