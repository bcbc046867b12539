"""Why a row is suspicious: the relevance vectors that speak for and against it."""

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
    """For each of some rows the nearest relevance vectors, as rows of the fit; -1 where there is none.

    For classes ``own`` has the label as given and ``other`` the likely one; for numbers they are the
    nearest and the second nearest.
    """

    own: Indices
    other: Indices


def nearest_vectors(
    X: Array, y: NDArray[Any], likely: NDArray[Any], rows: Indices, vectors: Indices, task: str
) -> Nearest:
    """Return the nearest relevance vectors of some rows, never the row itself."""
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
    """Return the nearest relevance vectors of few enough rows for all distances to be in memory."""
    distance = cdist(X[rows], X[vectors])
    distance[rows[:, None] == vectors[None, :]] = np.inf
    if task == "regression":
        order = np.argsort(distance, axis=1)
        return Nearest(*(ranked(distance, order, vectors, place) for place in (0, 1)))
    return Nearest(
        own=closest(distance, y[rows][:, None] == y[vectors], vectors),
        other=closest(distance, likely[rows][:, None] == y[vectors], vectors),
    )


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
