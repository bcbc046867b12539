"""The Gaussian-process prior of Bayesian support vector regression (Chu, Keerthi & Ong 2001, eq. 33)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas

from rowtrust.contracts import Array, Indices
from rowtrust.kernels.kernels import rbf
from rowtrust.numerics.blocks import block_rows, row_blocks

SCRATCH_NUMBERS = 2**15
"""Doubles in copies made on the way: small enough for the cache, and that the allocator keeps them. Half or
twice as much takes the same time at 481 rows."""


@dataclass(frozen=True)
class GaussianCovariance:
    """``E f(x) f(x') = kernel_variance exp(-sum_l relevance_l (x_l - x'_l)**2 / 2) + bias_variance``.

    Eq. 33 with a scale of its own; the bias variance stands for the offset that other support vector
    machines fit as a separate parameter.

    Attributes
    ----------
    relevance : (d,)
        ARD weight of each input (the paper's ``w``): an inverse squared length, 0 for an input
        that does not matter.
    kernel_variance
        Prior variance of the part of f that varies (``kappa_0``).
    bias_variance
        Prior variance of the constant part of f (``kappa_b``).
    """

    relevance: Array
    kernel_variance: float = 1.0
    bias_variance: float = 0.0

    @property
    def variance(self) -> float:
        """Prior variance of f anywhere."""
        return self.kernel_variance + self.bias_variance

    def correlation(self, X: Array, other: Array, out: Array | None = None) -> Array:
        """Return ``exp(-sum_l relevance_l (x_l - x'_l)**2 / 2)`` into ``out`` if given."""
        if not len(other):  # a machine without support vectors: no rows have no mean to centre by
            return np.zeros((len(X), 0))
        root = np.sqrt(self.relevance)
        return rbf(X * root, other * root, 0.5, out=out)

    def __call__(self, X: Array, other: Array) -> Array:
        """Return the covariance of f between the rows of ``X`` and those of ``other``."""
        covariance = self.correlation(X, other)
        covariance *= self.kernel_variance
        covariance += self.bias_variance
        return covariance


class CovarianceMatrix:
    """The covariance of f at the training rows, held once as its matrix of correlations.

    Gradients are in the logarithms of the parameters, in the order: every relevance, the kernel
    variance, the bias variance.

    Parameters
    ----------
    covariance
        The covariance function.
    X : (n, d)
        Training rows, centred so that distances by dot products keep their digits.
    out : (n, n)
        Memory to use: of the matrix of an earlier covariance, which is lost.
    """

    def __init__(self, covariance: GaussianCovariance, X: Array, out: Array | None = None) -> None:
        self.covariance = covariance
        self.X = X
        self.correlation = covariance.correlation(X, X, out)
        np.fill_diagonal(self.correlation, 1.0)

    def __len__(self) -> int:
        return len(self.X)

    def apply(self, vector: Array) -> Array:
        """Return ``K vector``."""
        varying = self.correlation @ vector
        varying *= self.covariance.kernel_variance
        varying += self.covariance.bias_variance * vector.sum()
        return np.asarray(varying)

    def column(self, row: int) -> Array:
        """Return one column of K."""
        kernel_variance, bias_variance = self.covariance.kernel_variance, self.covariance.bias_variance
        return np.asarray(kernel_variance * self.correlation[row] + bias_variance)

    def cross(self, rows: Indices, others: Indices) -> Array:
        """Return a copy of the rows ``rows`` and the columns ``others`` of K: few of either."""
        part = self.correlation[np.ix_(rows, others)]
        return np.asarray(self.covariance.kernel_variance * part + self.covariance.bias_variance)

    def block(self, rows: Indices) -> Array:
        """Return a copy of the rows and columns ``rows`` of K."""
        block = self._correlations(rows, self.covariance.kernel_variance)
        block += self.covariance.bias_variance
        return block

    def _correlations(self, rows: Indices, factor: float | Array) -> Array:
        """Return the correlations between ``rows`` times a factor, a number or a matrix."""
        if len(rows) == len(self) and np.array_equal(rows, np.arange(len(self))):
            return np.asarray(self.correlation * factor)
        block = np.empty((len(rows), len(rows)))
        for part in row_blocks(len(rows), block_rows(len(self), SCRATCH_NUMBERS)):
            self.correlation[rows[part]].take(rows, axis=1, out=block[part], mode="clip")
        block *= factor
        return block

    def quadratic_slopes(self, vector: Array) -> Array:
        """Return ``v' K' v`` for K' the derivative in the logarithm of each parameter."""
        # sum_ij A_ij (x_i - x_j)^2 = 2 sum_i x_i^2 (A 1)_i - 2 x'Ax, and for A = v v' * K one product
        # with the rows scaled by v gives both: no copy of K.
        moments = vector[:, None] * np.column_stack([self.X, np.ones(len(self))])
        smeared = self.correlation @ moments
        products = np.einsum("il,il->l", moments, smeared)
        return self._collect(self.X, vector * smeared[:, -1], products, float(vector.sum()) ** 2)

    def trace_slopes(self, weights: Array, rows: Indices) -> Array:
        """Return ``sum_ij W_ij K'_ij`` over the block ``rows`` for each parameter.

        ``weights`` is symmetric and given by its lower triangle, the upper one zero.
        """
        if not len(rows):
            return np.zeros(self.X.shape[1] + 2)
        X = self.X[rows]
        columns = np.column_stack([X, np.ones(len(X))])
        # Both are symmetric or lower triangular in Fortran's order: transposes cost nothing.
        lower = self._correlations(rows, weights.T).T
        smeared = blas.dsymm(1.0, lower, columns, lower=1)
        products = np.einsum("il,il->l", columns, smeared)
        total = 2.0 * float(weights.sum()) - float(np.trace(weights))
        return self._collect(X, smeared[:, -1], products, total)

    def _collect(self, X: Array, row_sums: Array, products: Array, total: float) -> Array:
        """Turn sums over ``A = W * correlation`` into slopes.

        ``row_sums`` is ``A 1``, ``products`` is ``x'Ax`` for each column x of (X, 1), ``total`` sums W.
        """
        distances = row_sums @ X**2 - products[:-1]
        covariance = self.covariance
        return np.concatenate(
            [
                -covariance.kernel_variance * covariance.relevance * distances,
                [covariance.kernel_variance * products[-1], covariance.bias_variance * total],
            ]
        )
