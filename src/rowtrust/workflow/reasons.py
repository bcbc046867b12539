"""Why a row is suspicious: the rows that speak for and against it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.blocks import block_rows, row_blocks


@dataclass(frozen=True)
class Nearest:
    """For each of some rows the nearest of some others, as rows of the fit; -1 where there is none.

    For classes ``own`` has the label as given and ``other`` the likely one; for numbers they are the
    nearest and the second nearest.
    """

    own: Indices
    other: Indices


def nearest_vectors(
    X: Array, y: NDArray[Any], likely: NDArray[Any], rows: Indices, vectors: Indices, task: str
) -> Nearest:
    """Return the nearest of ``vectors``, rows to compare with, of some rows; never the row itself."""
    blocks = row_blocks(len(rows), block_rows(len(vectors)))
    parts = [nearest_of_block(X, y, likely, rows[block], vectors, task) for block in blocks]
    if not parts:
        return Nearest(np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp))
    return Nearest(
        np.concatenate([part.own for part in parts]), np.concatenate([part.other for part in parts])
    )


def nearest_of_block(
    X: Array, y: NDArray[Any], likely: NDArray[Any], rows: Indices, vectors: Indices, task: str
) -> Nearest:
    """Return the nearest rows to compare with of few enough rows for all distances to be in memory."""
    distance = cdist(X[rows], X[vectors])
    distance[rows[:, None] == vectors[None, :]] = np.inf
    if task == "regression":
        order = nearest_two(distance)
        return Nearest(*(ranked(distance, order, vectors, place) for place in (0, 1)))
    return Nearest(
        own=closest(distance, y[rows][:, None] == y[vectors], vectors),
        other=closest(distance, likely[rows][:, None] == y[vectors], vectors),
    )


def nearest_two(distance: Array) -> Indices:
    """Return the places of the two least distances of every row, in order, without sorting the others."""
    few = min(2, distance.shape[1])
    if not few:
        return np.empty(distance.shape, dtype=np.intp)
    found = np.sort(np.argpartition(distance, few - 1, axis=1)[:, :few], axis=1)
    order = np.argsort(np.take_along_axis(distance, found, axis=1), axis=1, kind="stable")
    return np.take_along_axis(found, order, axis=1)


def closest(distance: Array, allowed: NDArray[np.bool_], vectors: Indices) -> Indices:
    """Return the vector of least distance among those allowed, -1 where none is."""
    if not len(vectors):
        return np.full(len(distance), -1, dtype=np.intp)
    masked = np.where(allowed, distance, np.inf)
    best = masked.argmin(axis=1)
    return np.where(np.isfinite(masked[np.arange(len(best)), best]), vectors[best], -1)


def ranked(distance: Array, order: Indices, vectors: Indices, place: int) -> Indices:
    """Return the vector at a place of the ranking by distance, -1 where there is none."""
    nobody = np.full(len(distance), -1, dtype=np.intp)
    if order.shape[1] <= place:
        return nobody
    chosen = order[:, place]
    return np.where(np.isfinite(distance[np.arange(len(chosen)), chosen]), vectors[chosen], nobody)
