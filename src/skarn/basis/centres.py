"""Where the basis functions stand: every distinct training row, landmarks, or the user's own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.cluster import kmeans_plusplus

from skarn.contracts import Array, Indices, Matrix

LANDMARKS = ("stratified", "kmeans++")


def distinct_rows(X: Matrix) -> Indices:
    """Return the first occurrence of every distinct row, in order.

    Copies of a row would be copies of a column: the model is the same without them, and a repeated
    row then equals a sample weight of two.
    """
    keys = _sparse_keys(X) if issparse(X) else _dense_keys(X)
    return np.sort(np.unique(keys, return_index=True)[1])


def _dense_keys(X: Matrix) -> NDArray[Any]:
    rows = np.ascontiguousarray(X) + 0.0  # -0.0 and 0.0 are one value, and must be one key
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()


def _sparse_keys(X: Matrix) -> NDArray[Any]:
    rows = csr_array(X, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    bounds = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    keys = np.empty(rows.shape[0], dtype=object)
    keys[:] = [rows.indices[a:b].tobytes() + b"|" + rows.data[a:b].tobytes() for a, b in bounds]
    return keys


def landmarks(
    X: Matrix,
    strata: Array,
    candidates: Indices,
    size: int,
    method: str,
    random_state: np.random.RandomState,
) -> Indices:
    """Choose ``size`` of the ``candidates`` as centres.

    ``stratified`` draws them at random, evenly over ``strata`` (class numbers, or targets in
    regression); ``kmeans++`` spreads them over the inputs.
    """
    if size >= len(candidates):
        return candidates
    if method == "kmeans++":
        _, chosen = kmeans_plusplus(X[candidates], size, random_state=random_state)
        return np.sort(candidates[np.unique(chosen)])
    # One draw from each of `size` equal slices of the rows sorted by stratum, shuffled within it.
    shuffled = candidates[random_state.permutation(len(candidates))]
    ordered = shuffled[np.argsort(strata[shuffled], kind="stable")]
    edges = np.linspace(0, len(ordered), size + 1).astype(np.intp)
    return np.sort(ordered[random_state.randint(edges[:-1], edges[1:])])
