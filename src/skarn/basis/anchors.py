"""Anchors: a few training rows that stand for all of them when one asks what lies near the data.

The basis functions of a sparse model say nothing about where the data were: most rows have none. Anchors
are chosen by a pivoted Cholesky factorisation of the kernel, until the values at the anchors determine those
at every training row. From then on two questions cost one kernel evaluation per anchor: how many widths lie
between a new row and the data, and how much of the prior variance of a function there is not explained by
its values at the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from skarn.basis.kernels import Kernel
from skarn.contracts import Array, Indices, Matrix

MOST_ANCHORS = 256
MOST_ROWS = 10_000
"""Rows from which anchors are chosen, spread evenly over all."""

SLACK = 0.01
"""Share of the prior variance that the anchors may leave unexplained at a training row."""

JITTER = 1e-8


@dataclass(frozen=True)
class Anchors:
    """Training rows that determine the others, for a kernel that depends on the distance alone.

    Attributes
    ----------
    kernel
        Of the model, at its width with the most evidence.
    rows : (m, d)
        The anchors.
    whitener : (m, m)
        Inverse of the Cholesky factor of the kernel between anchors.
    slack
        Largest share of the prior variance left unexplained at a training row.
    reach
        Largest distance, in widths, of a training row from its nearest anchor.
    """

    kernel: Kernel
    rows: Matrix
    whitener: Array
    slack: float
    reach: float

    def values(self, X: Matrix) -> Array:
        """Return the kernel between rows and anchors, one at no distance; all else follows from it."""
        return self.kernel(X, self.rows) / amplitude(self.kernel, self.rows)

    def distance(self, values: Array) -> Array:
        """Return how many widths lie between rows and the data, or fewer: never more.

        The width is the standard deviation of a Gaussian kernel. A row's nearest anchor may be further
        than its nearest training row, by ``reach`` at most.
        """
        return np.maximum(nearest(values) - self.reach, 0.0)

    def unexplained(self, values: Array) -> Array:
        """Return the share of the prior variance at rows that the data do not explain, 0 to 1."""
        explained = np.square(values @ self.whitener.T).sum(axis=1)
        return np.asarray(np.maximum(0.0, 1.0 - explained / (1.0 - self.slack)))


def amplitude(kernel: Kernel, X: Matrix) -> float:
    """Return the kernel of a row with itself, the same for all."""
    return float(kernel(X[:1], X[:1])[0, 0])


def nearest(kernel_values: Array) -> Array:
    """Return the distance to the nearest centre, in widths."""
    largest = kernel_values.max(axis=1, initial=np.finfo(float).tiny)
    return np.asarray(np.sqrt(-2.0 * np.log(np.minimum(largest, 1.0))))


def choose_anchors(X: Matrix, kernel: Kernel) -> Anchors:
    """Choose anchors among the training rows, at a cost of O(rows x anchors^2)."""
    spread = np.linspace(0, X.shape[0] - 1, min(X.shape[0], MOST_ROWS)).astype(np.intp)
    sample = X[spread]
    pivots, unexplained = pivoted_cholesky(sample, kernel)
    rows = sample[pivots]
    unit = amplitude(kernel, rows)
    gram = kernel(rows, rows) / unit
    gram[np.diag_indices_from(gram)] += JITTER
    whitener = solve_triangular(np.linalg.cholesky(gram), np.eye(len(gram)), lower=True)
    slack = min(max(SLACK, float(unexplained.max())), 0.5)
    return Anchors(kernel, rows, whitener, slack, float(nearest(kernel(sample, rows) / unit).max()))


def pivoted_cholesky(X: Matrix, kernel: Kernel) -> tuple[Indices, Array]:
    """Return the rows that explain the others best, one by one, and what they leave unexplained of each."""
    unit, unexplained = amplitude(kernel, X), np.ones(X.shape[0])
    columns = np.empty((min(X.shape[0], MOST_ANCHORS), X.shape[0]))
    pivots: list[int] = []
    while len(pivots) < len(columns) and unexplained.max() >= SLACK:
        pivot, found = int(np.argmax(unexplained)), len(pivots)
        column = kernel(X, X[[pivot]])[:, 0] / unit - columns[:found, pivot] @ columns[:found]
        columns[found] = column / np.sqrt(unexplained[pivot])
        unexplained = np.maximum(unexplained - columns[found] ** 2, 0.0)
        pivots.append(pivot)
    return np.array(pivots, dtype=np.intp), unexplained
