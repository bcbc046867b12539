"""Basis functions of one kernel or of several side by side, and the distances that several widths share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import issparse

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.kernels.kernels import (
    ROUNDING,
    WITH_A_WIDTH,
    Basis,
    Kernel,
    absolute_distances,
    beside_ones,
    squared_distances,
)
from rowtrust.kernels.missing import is_uncertain
from rowtrust.numerics.blocks import KEPT_BYTES


@dataclass(frozen=True)
class JointBasis:
    """A bias, then the basis functions of one kernel after the other.

    Parameters
    ----------
    parts : tuple of Basis
        The basis functions of each kernel.

    See Also
    --------
    joined : Makes one, unless there is but one part.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import Basis, JointBasis, Kernel
    >>> X = np.array([[0.0], [1.0]])
    >>> both = JointBasis((Basis(Kernel("rbf", 1.0), X), Basis(Kernel("linear", 1.0), X)))
    >>> both.n_columns
    5
    >>> both.columns(X, np.array([0, 1, 4])).round(3)  # the bias, a Gaussian at 0, a line through 1
    array([[1.   , 1.   , 0.   ],
           [1.   , 0.368, 1.   ]])
    """

    parts: tuple[Basis, ...]

    @property
    def n_columns(self) -> int:
        """The bias and every centre."""
        return 1 + sum(part.n_columns - 1 for part in self.parts)

    @property
    def centres(self) -> Matrix:
        """The centres of all parts."""
        return stacked([part.centres for part in self.parts])

    @property
    def gamma(self) -> Array:
        """The width of every centre, as its kernel says it."""
        return np.concatenate([part.gamma for part in self.parts])

    def columns(self, X: Matrix, columns: Indices) -> Array:
        """Return the basis functions ``columns`` at the rows of ``X``."""
        return beside_ones(X, len(columns), self._pieces(X, columns))

    def _pieces(self, X: Matrix, columns: Indices) -> Iterator[tuple[Indices, Array]]:
        """Yield for each part which of the columns are its own, and their values."""
        first = 1
        for part in self.parts:
            end = first + part.n_columns - 1
            own = np.flatnonzero((columns >= first) & (columns < end))
            if len(own):
                yield own, part.columns(X, columns[own] - first + 1)
            first = end

    def only(self, which: Indices) -> Basis | JointBasis:
        """Return some of the basis functions, by the numbers of their centres in order."""
        kept, first = [], 0
        for part in self.parts:
            end = first + part.n_columns - 1
            own = which[(which >= first) & (which < end)] - first
            if len(own):
                kept.append(part.only(own))
            first = end
        return joined(kept or [self.parts[0].only(which[:0])])


def joined(parts: Sequence[Basis]) -> Basis | JointBasis:
    """Return the basis functions of all parts: one of them as it is.

    Parameters
    ----------
    parts : sequence of Basis
        The basis functions of each kernel, at least one.

    Returns
    -------
    Basis or JointBasis
        All of them, behind one bias.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import Basis, Kernel, joined
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> narrow, wide = Basis(Kernel("rbf", 4.0), X), Basis(Kernel("rbf", 1.0), X)
    >>> joined([narrow, wide]).n_columns, joined([wide]) is wide
    (7, True)
    """
    return parts[0] if len(parts) == 1 else JointBasis(tuple(parts))


def stacked(centres: Sequence[Matrix]) -> Matrix:
    """Return centres below each other."""
    return sparse.vstack(centres, format="csr") if sparse.issparse(centres[0]) else np.concatenate(centres)


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
