"""Kernels: how alike two rows are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array, diags_array, issparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances, pairwise_kernels

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.kernels.missing import expected_kernel, expected_rows, is_uncertain
from rowtrust.numerics.array_api import (
    at_most,
    is_elsewhere,
    largest,
    like,
    namespace,
    ones_beside,
    side_by_side,
    squared_lengths,
    taken,
    to_numpy,
)
from rowtrust.numerics.magnitudes import LARGE, within_reach

ROUNDING = 1e-9
"""Largest error in the exponent of the rbf kernel; data spread wider take the slow, exact distances. A guard:
far below any tolerance of a fit."""

NAMES = ("rbf", "laplacian", "polynomial", "linear", "precomputed")
"""Kernels that can be asked for by name."""

WITH_A_WIDTH = ("rbf", "laplacian")
"""Those whose width the evidence can choose, and of which each centre may have its own."""


def rbf(X: Array, centres: Array, gamma: float | Array, out: Array | None = None) -> Array:
    """Return ``exp(-gamma |x - c|**2)`` for dense rows, at about one exp per entry.

    ``gamma`` is a number, or one per centre; ``out`` is memory to use. Rows may be on a device; they have the
    precision of the kernel.
    """
    # Distances by the dot product lose digits far from the origin, so the origin moves to the data.
    # With two extra columns the whole exponent is one matrix product: -g|x|^2 + 2g<x,c> - g|c|^2.
    origin = centres.mean(axis=0) if len(centres) else np.zeros(X.shape[1])
    given = X, centres
    X, centres = X - like(origin, X), centres - origin
    per_centre = np.broadcast_to(np.asarray(gamma, dtype=float), len(centres))
    X_length, length = squared_lengths(X), squared_lengths(centres)
    furthest = largest(X_length) + largest(length)
    if per_centre.max(initial=0.0) * furthest * np.finfo(float).eps > ROUNDING:
        # a centre far out takes the origin with it
        return decay(exact_distances(*given, "sqeuclidean"), per_centre, out)
    left = side_by_side([X, X_length, like(ones_beside(X), X)])
    right = np.column_stack([2.0 * per_centre[:, None] * centres, -per_centre, -per_centre * length])
    if is_elsewhere(X):
        xp = namespace(X)
        values: Array = xp.exp(at_most(left @ like(right, X).T, 0.0))
        return values
    exponent: Array = np.matmul(left, like(right, X).T, out=out)
    np.minimum(exponent, 0.0, out=exponent)
    np.exp(exponent, out=exponent)
    return exponent


def squared_distances(X: Array, centres: Array) -> Array:
    """Return ``|x - c|**2`` for dense rows, by one matrix product around the middle of the rows."""
    origin = X.mean(axis=0)
    X, centres = X - origin, centres - origin
    distances = -2.0 * (X @ centres.T)
    distances += squared_lengths(X)[:, None]
    distances += squared_lengths(centres)
    return np.maximum(distances, 0.0, out=distances)


def exact_distances(X: Array, centres: Array, metric: str) -> Array:
    """Return distances between dense rows and centres: ``cityblock``, or ``sqeuclidean``.

    On a device they are added up column by column, so that there is nothing larger than the result.
    """
    xp = namespace(X)
    if xp is np:
        return np.asarray(cdist(X, centres, metric))
    centres, size = like(centres, X), xp.abs if metric == "cityblock" else xp.square
    columns = (size(X[:, j][:, None] - centres[:, j][None, :]) for j in range(X.shape[1]))
    return reduce(add, columns)


def decay(distances: Array, gamma: float | Array, out: Array | None = None) -> Array:
    """Return ``exp(-gamma distance)``; ``gamma`` is a number, or one per centre."""
    if is_elsewhere(distances):
        factor = gamma if np.ndim(gamma) == 0 else like(gamma, distances)
        values: Array = namespace(distances).exp(-factor * distances)
        return values
    return np.asarray(np.exp(-gamma * distances, out=out))


def beside_ones(X: Matrix, width: int, pieces: Iterable[tuple[Indices, Array]]) -> Array:
    """Return ``width`` columns of ones, some of them replaced: pieces are where, and what."""
    if is_elsewhere(X):
        return _joined_elsewhere(X, width, *zip(*pieces, strict=True))
    phi = np.ones((X.shape[0], width))
    for where, values in pieces:
        in_a_row = where[-1] - where[0] == len(where) - 1 and bool((np.diff(where) == 1).all())
        phi[:, slice(where[0], where[-1] + 1) if in_a_row else where] = values
    return phi


def _joined_elsewhere(X: Any, width: int, at: Sequence[Indices] = (), values: Sequence[Array] = ()) -> Array:
    """Return the same where arrays are joined, for all libraries write into no columns by their numbers."""
    filled = np.concatenate([np.empty(0, dtype=np.intp), *at])
    bias = np.setdiff1d(np.arange(width), filled)
    together = side_by_side([*[like(ones_beside(X), X)] * len(bias), *values])
    order = np.argsort(np.concatenate([bias, filled]))
    return together if (np.diff(order) == 1).all() else taken(together, order)


def times(X: Matrix, metric: Array) -> Matrix:
    """Return the rows in a metric: every input multiplied by its scale, or all by a matrix.

    A matrix mixes inputs, so that a missing one is taken at its mean.
    """
    if metric.ndim == 2:
        return expected_rows(X) @ like(metric, X)
    return csr_array(X) @ diags_array(metric) if issparse(X) else X * like(metric, X)


def absolute_distances(X: Matrix, centres: Matrix) -> Array:
    """Return the sums of absolute differences between rows and centres."""
    if issparse(X) or issparse(centres):
        return np.asarray(manhattan_distances(X, centres))
    return np.asarray(cdist(X, centres, "cityblock"))


def sparse_distances(X: Matrix, centres: Matrix, gamma: float | Array) -> Array:
    """Return ``|x - c|**2`` between rows of which some are sparse, for a kernel of this width.

    Sparse rows cannot be moved, so that dot products lose the digits of columns far from zero. Where a width
    needs them, the columns that are full are subtracted as they are.
    """
    X, centres = (csc_array(each, copy=True) for each in (X, centres))
    X.data, centres.data = within_reach(X.data), within_reach(centres.data)
    furthest = sum(float(each.power(2).sum(axis=1).max()) for each in (X, centres))
    full = np.flatnonzero(2 * np.diff(centres.indptr) > centres.shape[0])
    exact = np.max(gamma) * furthest * np.finfo(float).eps <= ROUNDING
    if exact or not len(full):
        return np.asarray(euclidean_distances(X, centres, squared=True))
    distances = exact_distances(X[:, full].toarray(), centres[:, full].toarray(), "sqeuclidean")
    rest = np.setdiff1d(np.arange(X.shape[1]), full)
    if len(rest):
        distances += euclidean_distances(X[:, rest], centres[:, rest], squared=True)
    return distances


def _finite(values: Array) -> Array:
    """Return the values, if they and their sums of squares can be computed with."""
    if not largest(namespace(values).abs(values)) < LARGE:
        raise ValueError("The kernel is NaN or infinite somewhere. Scale the inputs, or fix the kernel.")
    return values


@dataclass(frozen=True)
class Kernel:
    """A kernel with its parameters: ``kernel(X, centres)`` is an array of one row a row of X.

    Parameters
    ----------
    function : str or callable
        One of ``NAMES``, or a callable ``(X, centres) -> array``.
    gamma : float or ndarray
        Inverse squared width of rbf, inverse width of laplacian, factor of polynomial: a number or (the first
        two) one per centre; ignored by ``linear``, ``precomputed`` and by callables.
    degree, coef0 : float, default=3 and 1.0
        Of the polynomial ``(gamma <x, c> + coef0) ** degree``.
    metric : ndarray of shape (d,) or (d, r), or None, default=None
        Factors on the inputs, one each, or a matrix by which rows are multiplied; None: one.
    origin : ndarray of shape (d,) or None, default=None
        What is taken off the inputs before they are multiplied; None: nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import Kernel
    >>> Kernel("rbf", gamma=1.0)(np.array([[0.0], [1.0]]), np.array([[0.0]])).round(3)
    array([[1.   ],
           [0.368]])
    """

    function: Any
    gamma: float | Array
    degree: float = 3
    coef0: float = 1.0
    metric: Array | None = None
    origin: Array | None = None

    @np.errstate(over="ignore", invalid="ignore")
    def __call__(self, X: Matrix, centres: Matrix) -> Array:
        """Return the kernel between rows and centres: zero where a distance is too large for a double."""
        if not X.shape[0] or not centres.shape[0]:
            return like(np.empty((X.shape[0], centres.shape[0])), X)
        if self.metric is not None or self.origin is not None:
            return replace(self, metric=None, origin=None)(self.inputs(X), self.inputs(centres))
        if is_elsewhere(X):
            return self._elsewhere(X, centres.toarray() if issparse(centres) else centres)
        if is_uncertain(X) or is_uncertain(centres):
            if self.function in WITH_A_WIDTH:
                return expected_kernel(self.function, self.gamma, X, centres)
            X, centres = expected_rows(X), expected_rows(centres)
        if callable(self.function):
            return self._from_callable(self.function, X, centres)
        if self.function == "precomputed":
            values = X[:, np.asarray(centres, dtype=np.intp).ravel()]
            return values.toarray() if issparse(values) else np.asarray(values)
        if self.function == "rbf" and not issparse(X) and not issparse(centres):
            return rbf(X, centres, self.gamma)
        if self.function == "rbf":
            return decay(sparse_distances(X, centres, self.gamma), self.gamma)
        if self.function == "laplacian":
            return np.asarray(np.exp(-self.gamma * absolute_distances(X, centres)))
        values = pairwise_kernels(
            X,
            centres,
            metric=self.function,
            filter_params=True,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
        )
        return self._finite(np.asarray(values))

    def inputs(self, X: Matrix) -> Matrix:
        """Return rows as the kernel sees them: moved, and in its metric."""
        if self.origin is not None:
            X = X.toarray() if issparse(X) else X
            X = X - like(self.origin, X)
        return X if self.metric is None else times(X, self.metric)

    @property
    def family(self) -> tuple[Any, tuple[int, ...], bytes]:
        """What kernels of one family share: all but the width."""
        metric = np.empty(0) if self.metric is None else self.metric
        return self.function, metric.shape, metric.tobytes()

    def _elsewhere(self, X: Any, centres: Array) -> Array:
        """Return the kernel between rows on a device and centres in memory."""
        if self.function == "rbf":
            return rbf(X, centres, self.gamma)
        if self.function == "laplacian":
            return decay(exact_distances(X, centres, "cityblock"), self.gamma)
        if self.function in ("linear", "polynomial"):
            values = X @ like(centres, X).T
            is_linear = self.function == "linear"
            return self._finite(values if is_linear else (self.gamma * values + self.coef0) ** self.degree)
        return like(self(to_numpy(X), centres), X)  # a user's function knows NumPy's arrays

    def _finite(self, values: Array) -> Array:
        """Return the values, or say what is wrong with them."""
        xp, broken = namespace(values), not float(self.degree).is_integer()
        if self.function == "polynomial" and broken and bool(xp.any(xp.isnan(values))):
            raise ValueError(
                f"degree={self.degree} has no value where gamma <x, c> + coef0 is below zero. Give a whole "
                "degree, or a larger coef0."
            )
        return _finite(values)

    @staticmethod
    def _from_callable(function: Callable[[Any, Any], Any], X: Matrix, centres: Matrix) -> Array:
        values = np.asarray(function(X, centres), dtype=float)
        expected = (X.shape[0], centres.shape[0])
        if values.shape != expected:
            raise ValueError(
                f"The kernel function returned an array of shape {values.shape} where {expected} "
                "was expected. kernel(X, Y) must return one row per row of X and one column per "
                "row of Y."
            )
        return _finite(values)


@dataclass(frozen=True)
class Basis:
    """A bias and one kernel function per centre. Column 0 is the bias, column j centre ``j - 1``.

    Parameters
    ----------
    kernel : Kernel
        The kernel of all centres.
    centres : array or sparse matrix of shape (m, d)
        Where they stand. For a precomputed kernel the column numbers of the kernel matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import Basis, Kernel
    >>> basis = Basis(Kernel("linear", 1.0), np.array([[2.0], [3.0]]))
    >>> basis.columns(np.array([[10.0]]), np.array([0, 1, 2]))
    array([[ 1., 20., 30.]])
    """

    kernel: Kernel
    centres: Matrix

    @property
    def parts(self) -> tuple[Basis, ...]:
        """The basis functions of each kernel; here there is one."""
        return (self,)

    @property
    def n_columns(self) -> int:
        """The bias and every centre."""
        return 1 + int(self.centres.shape[0])

    @property
    def gamma(self) -> Array:
        """The width of every centre, as its kernel says it."""
        return np.broadcast_to(np.asarray(self.kernel.gamma, dtype=float), (self.n_columns - 1,))

    def only(self, which: Indices) -> Basis:
        """Return some of the basis functions, by the numbers of their centres."""
        kernel = self.kernel
        if np.ndim(kernel.gamma) > 0:
            kernel = replace(kernel, gamma=np.asarray(kernel.gamma)[which])
        return Basis(kernel, self.centres[which])

    def columns(self, X: Matrix, columns: Indices) -> Array:
        """Return the basis functions ``columns`` at the rows of ``X``."""
        kernel_at = np.flatnonzero(columns)
        if not len(kernel_at):
            return beside_ones(X, len(columns), [])
        values = self._kernel_columns(X, columns[kernel_at] - 1)
        return (
            values if len(kernel_at) == len(columns) else beside_ones(X, len(columns), [(kernel_at, values)])
        )

    def _kernel_columns(self, X: Matrix, which: Indices) -> Array:
        part = self.only(which)
        return like(part.kernel(X, part.centres), X)
