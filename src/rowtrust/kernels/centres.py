"""Landmarks: some of the training rows, on which basis functions stand."""

from __future__ import annotations

import numpy as np

from rowtrust.contracts import Array, Indices


def landmarks(strata: Array, candidates: Indices, size: int, seed: int) -> Indices:
    """Choose ``size`` of the ``candidates`` as centres: at random, in proportion over ``strata``.

    Parameters
    ----------
    strata : ndarray of shape (n,)
        Class numbers, of which each gets at least one landmark, or targets in regression.
    candidates : ndarray of int
        Positions of the rows that may be chosen.
    size : int
        How many to choose; all of them if there are no more.
    seed : int
        Of the draw.

    Returns
    -------
    ndarray of int
        Positions of the landmarks, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import landmarks
    >>> y = np.repeat([0, 1], [98, 2])
    >>> chosen = landmarks(y, np.arange(100), 10, seed=0)
    >>> len(chosen), np.unique(y[chosen]).tolist()  # the rare class has one too
    (10, [0, 1])
    """
    if size >= len(candidates):
        return candidates
    random_state = np.random.RandomState(seed)
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
