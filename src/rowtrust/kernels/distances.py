"""Distances that kernels of several widths share: each is a function of the same ones."""

from __future__ import annotations

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics.pairwise import manhattan_distances

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.kernels.kernels import ROUNDING, WITH_A_WIDTH, Kernel, squared_distances

MOST_BYTES = 256 * 2**20
"""Distances are kept up to this size: those of 512 centres to 65536 rows. A limit on memory, as that of the
cached columns."""


class SharedDistances:
    """Distances of all rows to the centres that were asked for first, for kernels of any width.

    A path of widths looks at the same centres first, whatever the width is.

    Parameters
    ----------
    X, centres
        Rows, and all centres there are.
    """

    def __init__(self, X: Matrix, centres: Matrix) -> None:
        self.X, self.centres = X, centres
        self._which: Indices | None = None
        self._function = ""
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
        """Tell whether these distances are known; the first that fit into memory are computed."""
        if kernel.function not in WITH_A_WIDTH or kernel.scales is not None or np.ndim(kernel.gamma):
            return False
        if self._which is None and self._fits(which):
            between = squared_distances if kernel.function == "rbf" else manhattan_distances
            self._distances = between(self.centres[which], self.X)
            self._which, self._function = which, kernel.function
        known = self._which is not None and np.array_equal(self._which, which)
        return known and self._function == kernel.function

    def _fits(self, which: Indices) -> bool:
        return not issparse(self.X) and 8 * self.X.shape[0] * len(which) <= MOST_BYTES
