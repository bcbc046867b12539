"""Where the basis functions stand: every distinct training row, landmarks, or the user's own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse
from sklearn.cluster import kmeans_plusplus

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.kernels.missing import expected_rows

LANDMARKS = ("stratified", "kmeans++")
"""Ways to draw landmarks that can be asked for by name."""


def distinct_rows(X: Matrix) -> Indices:
    """Return the first occurrence of every distinct row, in order.

    Copies of a row would be copies of a column: the model is the same without them, and a repeated
    row then equals a sample weight of two.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Rows.

    Returns
    -------
    ndarray of int
        Positions of the rows to keep.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import distinct_rows
    >>> distinct_rows(np.array([[1.0], [2.0], [1.0], [3.0]])).tolist()
    [0, 1, 3]
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

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Rows.
    strata : ndarray of shape (n,)
        Class numbers, of which each gets at least one landmark, or targets in regression.
    candidates : ndarray of int
        Positions of the rows that may be chosen.
    size : int
        How many to choose; all of them if there are no more.
    method : {"stratified", "kmeans++"}
        "stratified" draws at random, in proportion over ``strata``; "kmeans++" spreads over the inputs.
    random_state : RandomState
        What draws.

    Returns
    -------
    ndarray of int
        Positions of the landmarks, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import landmarks
    >>> X, y = np.arange(100.0)[:, None], np.repeat([0, 1], [98, 2])
    >>> chosen = landmarks(X, y, np.arange(100), 10, "stratified", np.random.RandomState(0))
    >>> len(chosen), np.unique(y[chosen]).tolist()  # the rare class has one too
    (10, [0, 1])
    """
    if size >= len(candidates):
        return candidates
    if method == "kmeans++":
        _, chosen = kmeans_plusplus(expected_rows(X[candidates]), size, random_state=random_state)
        return np.sort(candidates[np.unique(chosen)])
    # One draw from each of `size` equal slices of the rows sorted by stratum, shuffled within it.
    shuffled = candidates[random_state.permutation(len(candidates))]
    ordered = shuffled[np.argsort(strata[shuffled], kind="stable")]
    edges = np.linspace(0, len(ordered), size + 1).astype(np.intp)
    chosen = ordered[random_state.randint(edges[:-1], edges[1:])]
    if np.issubdtype(strata.dtype, np.integer):
        chosen = _with_every_class(chosen, shuffled, strata)
    return np.sort(chosen)


def _with_every_class(chosen: Indices, shuffled: Indices, strata: Array) -> Indices:
    """Give a class without a landmark one from the class that has the most."""
    chosen = chosen.copy()
    for label in np.setdiff1d(strata[shuffled], strata[chosen]):
        counts = np.bincount(strata[chosen])
        if counts.max() == 1:
            break
        spare = np.flatnonzero(strata[chosen] == counts.argmax())[0]
        chosen[spare] = shuffled[np.argmax(strata[shuffled] == label)]
    return chosen
