"""Contaminate clean data, and return which rows are wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from rowtrust.contracts import Array
from rowtrust.datasets.generators import Seed
from rowtrust.numerics.magnitudes import shown

Marks = NDArray[np.bool_]


def flip_labels(
    y: ArrayLike, share: float, *, only_from: Any = None, random_state: Seed = None
) -> tuple[NDArray[Any], Marks]:
    """Give a share of the rows a wrong label, drawn evenly from the other classes.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    share : float
        Between 0 and 1: this share of the rows, rounded to whole rows, is flipped.
    only_from : label or None, default=None
        A class: flips are one-sided, from this class only, and the share is one of its rows. None flips
        rows of every class.
    random_state : int, RandomState instance or None, default=None
        Seed or generator.

    Returns
    -------
    dirty : ndarray of shape (n_samples,)
        A copy with wrong labels.
    flipped : ndarray of bool of shape (n_samples,)
        Which rows were flipped.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.datasets import flip_labels
    >>> dirty, flipped = flip_labels(np.array([0, 1] * 10), 0.1, random_state=0)
    >>> int(flipped.sum()), int((dirty != np.array([0, 1] * 10)).sum())
    (2, 2)
    >>> dirty, _ = flip_labels(np.array([0, 1] * 10), 0.3, only_from=1, random_state=0)
    >>> int(dirty.sum())
    7
    """
    check_share(share)
    generator: Any = check_random_state(random_state)
    classes, numbers = np.unique(np.asarray(y), return_inverse=True)
    if len(classes) < 2:
        raise ValueError("Labels can only be flipped between two or more classes; y has one.")
    eligible = np.arange(len(numbers))
    if only_from is not None:
        eligible = np.flatnonzero(numbers == class_number(classes, only_from))
    chosen = generator.choice(eligible, size=round(share * len(eligible)), replace=False)
    step = generator.randint(1, len(classes), size=len(chosen))
    dirty = numbers.copy()
    dirty[chosen] = (numbers[chosen] + step) % len(classes)
    return classes[dirty], np.isin(np.arange(len(numbers)), chosen)


def add_outliers(
    X: ArrayLike, y: ArrayLike, share: float, *, distance: float = 1.0, random_state: Seed = None
) -> tuple[Array, NDArray[Any], Marks]:
    """Add outliers that pull at the boundary: labelled as one class, placed beyond another.

    Each is a row of its own class moved past the centre of another class, ``distance`` times as far
    beyond it as the two centres are apart. Far rows on the wrong side pull a boundary the most.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Clean rows.
    y : array-like of shape (n_samples,)
        Labels of two or more classes.
    share : float
        Outliers per clean row, rounded to whole rows.
    distance : float, default=1.0
        How far beyond the other class, in distances between the two centres.
    random_state : int, RandomState instance or None, default=None
        Seed or generator.

    Returns
    -------
    X : ndarray of shape (n_samples + n_outliers, n_features)
        The clean rows, then the outliers.
    y : ndarray of shape (n_samples + n_outliers,)
        Their labels.
    added : ndarray of bool
        Which rows are the outliers.

    Examples
    --------
    >>> from rowtrust.datasets import add_outliers, make_ripley
    >>> X, y = make_ripley(100, random_state=0)
    >>> X_dirty, y_dirty, added = add_outliers(X, y, 0.05, random_state=0)
    >>> X_dirty.shape, int(added.sum())
    ((105, 2), 5)
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if share < 0 or distance < 0:
        raise ValueError(f"share and distance must not be negative; got {share} and {distance}.")
    generator: Any = check_random_state(random_state)
    classes, numbers = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError("Outliers are placed beyond another class, but y has only one class.")
    centres = np.stack([X[numbers == number].mean(axis=0) for number in range(len(classes))])
    chosen = generator.choice(len(y), size=round(share * len(y)))
    own = numbers[chosen]
    other = (own + generator.randint(1, len(classes), size=len(chosen))) % len(classes)
    moved = X[chosen] + (1.0 + distance) * (centres[other] - centres[own])
    added = np.arange(len(y) + len(chosen)) >= len(y)
    return np.vstack([X, moved]), np.concatenate([y, y[chosen]]), added


def add_heavy_tails(
    y: ArrayLike,
    scale: float,
    *,
    share: float = 1.0,
    degrees_of_freedom: float = 2.0,
    one_sided: bool = False,
    random_state: Seed = None,
) -> tuple[Array, Marks]:
    """Add Student's t noise to a share of the targets.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Targets of a regression.
    scale : float
        Scale of the noise, in units of y.
    share : float, default=1.0
        Between 0 and 1: the share of the rows that gets the noise.
    degrees_of_freedom : float, default=2.0
        Tails of the noise: 1 is Cauchy's, many are Gaussian.
    one_sided : bool, default=False
        Whether all noise is upwards.
    random_state : int, RandomState instance or None, default=None
        Seed or generator.

    Returns
    -------
    dirty : ndarray, of the shape of y
        A copy with noise.
    hit : ndarray of bool of shape (n_samples,)
        Which rows got noise.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.datasets import add_heavy_tails
    >>> dirty, hit = add_heavy_tails(np.zeros(50), 1.0, share=0.1, one_sided=True, random_state=0)
    >>> int(hit.sum()), bool((dirty[hit] > 0).all())
    (5, True)
    """
    check_share(share)
    if scale < 0 or degrees_of_freedom <= 0:
        raise ValueError(
            f"scale must be 0 or more, degrees_of_freedom above 0; got {scale}, {degrees_of_freedom}."
        )
    generator: Any = check_random_state(random_state)
    dirty = np.array(y, dtype=float)
    chosen = generator.choice(len(dirty), size=round(share * len(dirty)), replace=False)
    noise = scale * generator.standard_t(degrees_of_freedom, size=(len(chosen), *dirty.shape[1:]))
    dirty[chosen] += np.abs(noise) if one_sided else noise
    return dirty, np.isin(np.arange(len(dirty)), chosen)


def make_imbalanced(
    X: ArrayLike, y: ArrayLike, ratio: float, *, rare: Any = None, random_state: Seed = None
) -> tuple[Array, NDArray[Any], NDArray[np.intp]]:
    """Drop rows until the other rows are ``ratio`` times as many as those of the rare class.

    Drops rows of the rare class, or other rows if the class is already rarer than that.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows.
    y : array-like of shape (n_samples,)
        Their labels, of two or more classes.
    ratio : float
        Other rows per row of the rare class, at least 1.
    rare : label or None, default=None
        The class to make rare; None takes the smallest.
    random_state : int, RandomState instance or None, default=None
        Seed or generator.

    Returns
    -------
    X, y : ndarrays
        The rows that are left, in the old order.
    kept : ndarray of int
        Positions of the rows that are left.

    Examples
    --------
    >>> from rowtrust.datasets import make_imbalanced, make_ripley
    >>> X, y = make_ripley(220, random_state=0)
    >>> _, y_left, _ = make_imbalanced(X, y, 10, rare=1, random_state=0)
    >>> int((y_left == 0).sum()), int((y_left == 1).sum())
    (110, 11)
    """
    if ratio < 1:
        raise ValueError(f"ratio must be at least 1 other row per rare row; got {ratio}.")
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    generator: Any = check_random_state(random_state)
    classes, counts = np.unique(y, return_counts=True)
    is_rare = y == (classes[np.argmin(counts)] if rare is None else classes[class_number(classes, rare)])
    few, many = np.flatnonzero(is_rare), np.flatnonzero(~is_rare)
    n_few = min(len(few), max(1, round(len(many) / ratio)))
    n_many = min(len(many), round(n_few * ratio))
    kept = np.sort(
        np.concatenate(
            [generator.choice(few, n_few, replace=False), generator.choice(many, n_many, replace=False)]
        )
    )
    return X[kept], y[kept], kept


def check_share(share: float) -> None:
    """Raise ValueError unless a share lies between 0 and 1."""
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"share must lie between 0 and 1; got {share}.")


def class_number(classes: NDArray[Any], wanted: Any) -> int:
    """Return the position of a class; raise if there is none."""
    found = np.flatnonzero(classes == wanted)
    if len(found) == 0:
        raise ValueError(f"y has no class {shown(wanted)}; it has {', '.join(map(repr, classes.tolist()))}.")
    return int(found[0])
