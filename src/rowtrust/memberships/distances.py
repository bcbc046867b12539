"""How far rows are from their class, how far they agree with it, and how a membership decays with that."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.neighbors import NearestNeighbors

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.numerics.blocks import block_rows, row_blocks
from rowtrust.numerics.magnitudes import HALF_DIGITS
from rowtrust.numerics.statistics import ROUNDING, weighted_median

OFFSET = 1e-3
"""What the farthest row keeps, as a share, by default.

The formulae ask only for a small number above zero. Balanced accuracy of FuzzyRVC with class centres and
with imbalance (a class of 5 % of the rows; half-moons with a tenth of the labels wrong; 20 seeds) is the
same within 0.001 at 1e-6, and within 0.005 at 0.1. FuzzyRVR with residuals on sinc with a tenth of outliers
has a root mean square error of 0.070 at 1e-6 and 1e-3 but 0.079 at 0.1: an outlier must be able to lose
nearly all its weight.
"""


def linear_decay(distance: Array, offset: float) -> Array:
    """Return ``1 - d / (max d + offset max d)``, or ones where the distances do not differ."""
    largest = float(distance.max())
    if largest - float(distance.min()) <= HALF_DIGITS * largest:
        return np.ones_like(distance)
    # In this order the farthest row keeps offset / (1 + offset) however small the offset.
    decayed: Array = (1.0 - distance / largest + offset) / (1.0 + offset)
    return decayed


def exponential_decay(distance: Array, weight: Array, rate: float, offset: float) -> Array:
    """Return ``2 / (1 + exp(rate d / m))`` with ``m`` the median of the distances above zero."""
    apart = distance > 0.0
    if not apart.any():
        return np.ones_like(distance)
    typical = weighted_median(distance[apart], weight[apart])
    decayed: Array = 2.0 * expit(-rate * (distance / typical))
    return np.maximum(decayed, offset / (1.0 + offset))


def unit_ramp(values: Array, low: float, high: float) -> Array:
    """Return 0 below ``low``, 1 above ``high``, straight between; a step at ``low`` without a between."""
    if high - low <= ROUNDING * float(np.abs(values).max()):
        return np.where(values >= low, 1.0, 0.0)
    return np.clip((values - low) / (high - low), 0.0, 1.0)


KernelRows: TypeAlias = Callable[[slice], Array]
"""The kernel between the rows of a slice and all ``n`` rows, shape ``(block, n)``."""


# Classes.


def class_members(label: Indices) -> list[Indices]:
    """Return the row numbers of each class."""
    return np.split(np.argsort(label, kind="stable"), np.cumsum(np.bincount(label))[:-1])


def within_classes(
    distance: Array, label: Indices, weight: Array, decay: Callable[[Array, Array], Array]
) -> Array:
    """Return the decay of the distances, each class on its own."""
    decayed = np.empty_like(distance)
    for members in class_members(label):
        decayed[members] = decay(distance[members], weight[members])
    return decayed


# Distances in input space.


def class_centre_distances(X: Matrix, label: Indices, weight: Array) -> Array:
    """Return the distance of each row to the mean of its class."""
    rows = X.tocsr() if sparse.issparse(X) else X
    distance = np.empty(label.shape[0])
    for members in class_members(label):
        distance[members] = centre_distances(rows[members], weight[members])
    return distance


def centre_distances(X: Matrix, weight: Array) -> Array:
    """Return the distance of each row to the weighted mean of all rows."""
    share = weight / weight.sum()
    return sparse_centre_distances(X, share) if sparse.issparse(X) else dense_centre_distances(X, share)


def dense_centre_distances(X: Matrix, share: Array) -> Array:
    """Return the distances of dense rows to their mean, by blocks."""
    # Relative to the first row copies of a row are exactly zero apart, and a far origin costs no digits.
    origin = np.asarray(X[0], dtype=np.float64)

    blocks = list(row_blocks(X.shape[0], block_rows(X.shape[1])))
    centre = np.sum([share[rows] @ (X[rows] - origin) for rows in blocks], axis=0)
    return np.concatenate([np.linalg.norm(X[rows] - origin - centre, axis=1) for rows in blocks])


def sparse_centre_distances(X: Matrix, share: Array) -> Array:
    """Return the distances of sparse rows to their mean, at the cost of the stored entries."""
    rows = sparse.csr_array(X, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    centre = np.asarray(rows.T @ share)
    stored = centre[rows.indices]
    owner = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    at_stored = np.bincount(owner, (rows.data - stored) ** 2, minlength=rows.shape[0])
    # Where a row stores nothing it is zero, and the centre itself is the difference.
    elsewhere = centre @ centre - np.bincount(owner, stored**2, minlength=rows.shape[0])
    return rooted(at_stored + elsewhere, ROUNDING * float(centre @ centre))


def rooted(squared: Array, rounding: float | Array) -> Array:
    """Return the square roots, zero where the square is no more than rounding."""
    root: Array = np.sqrt(np.where(squared > rounding, squared, 0.0))
    return root


def neighbour_share(X: Matrix, label: Indices, n_neighbours: int) -> Array:
    """Return the share of each row's nearest other rows that have its label."""
    n_asked = min(n_neighbours, label.shape[0] - 1)
    if n_asked == 0:
        return np.ones(label.shape[0])
    # Asked without rows, scikit-learn leaves each row out of its own neighbours.
    nearest = NearestNeighbors(n_neighbors=n_asked).fit(X).kneighbors(return_distance=False)
    share: Array = (label[nearest] == label[:, None]).mean(axis=1)
    return share


# Sums over the kernel.


@dataclass(frozen=True)
class KernelSums:
    """Of each row of the kernel matrix: the diagonal entry, the sum over the own class, the sum."""

    diagonal: Array
    own_class: Array
    all_rows: Array


def kernel_sums(label: Indices, weight: Array, kernel_rows: KernelRows) -> KernelSums:
    """Go once over the kernel in row blocks and keep three numbers a row."""
    n_rows = label.shape[0]
    of_class = sparse.csr_array((weight, (np.arange(n_rows), label)))

    def sums(rows: slice) -> tuple[Array, Array, Array]:
        block = np.asarray(kernel_rows(rows), dtype=np.float64)
        place = np.arange(block.shape[0])
        own_class = (block @ of_class)[place, label[rows]]
        return block[place, place + rows.start], own_class, block @ weight

    return KernelSums(*stacked(sums(rows) for rows in row_blocks(n_rows, block_rows(n_rows))))


def stacked(parts: Iterable[tuple[Array, ...]]) -> list[Array]:
    """Join the blocks of each kind."""
    return [np.concatenate(kind) for kind in zip(*parts, strict=True)]


def kernel_centre_distances(label: Indices, weight: Array, kernel_rows: KernelRows) -> Array:
    """Return distances to the own class's centre in the kernel's feature space.

    ``d_i**2 = K_ii - (2 / n_k) sum_j K_ij + (1 / n_k**2) sum_jl K_jl``, sums over class k, each row
    counted as often as its weight says.
    """
    sums = kernel_sums(label, weight, kernel_rows)
    count = np.bincount(label, weight)
    towards = sums.own_class / count[label]
    among = (np.bincount(label, weight * towards) / count)[label]
    scale = np.abs(sums.diagonal) + np.abs(towards) + np.abs(among)
    # Sums of n terms lose up to n roundings; kernels that are not positive give negative squares.
    rounding = (ROUNDING + label.shape[0] * np.finfo(np.float64).eps) * scale
    return rooted(sums.diagonal - 2.0 * towards + among, rounding)


def alignment(label: Indices, weight: Array, kernel_rows: KernelRows) -> Array:
    """Return ``sum_j y_i y_j K_ij`` with +1 for rows of one class and -1 otherwise."""
    sums = kernel_sums(label, weight, kernel_rows)
    aligned = 2.0 * sums.own_class - sums.all_rows
    return np.where(np.abs(aligned) > ROUNDING * np.abs(sums.all_rows), aligned, 0.0)
