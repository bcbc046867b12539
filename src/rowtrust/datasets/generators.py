"""Synthetic data with a known truth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_friedman1, make_friedman2, make_friedman3
from sklearn.utils import check_random_state

from rowtrust.contracts import Array

Seed = int | np.random.RandomState | None

RIPLEY_CENTRES = np.array([[[-0.7, 0.3], [0.3, 0.3]], [[-0.3, 0.7], [0.4, 0.7]]])
"""Two centres per class, of shape (class, component, feature), as published by Ripley (1996)."""

RIPLEY_VARIANCE = 0.03
"""Variance of every component in either direction, as published by Ripley (1996)."""

ARM_LENGTHS = (2.0, 1.3)
"""Lengths of the two joints of MacKay's robot arm, as published (Chu, Keerthi & Ong 2001, eq. 47)."""

FIRST_ANGLE, SECOND_ANGLE = (0.453, 1.932), (0.534, 3.142)
"""Ranges of the robot arm's angles as published; the first is taken with either sign."""

LONE_OUTLIER = (-3.5, -0.5)
"""Where the lone outlier lies; our choice, for figure 1 of Hwang & Jeong (2015) has no numbers."""

CLOUD_CENTRE = 1.2
"""Centre of its two clouds in either coordinate, up to the sign; our choice, for the same reason."""

RARE_SPREAD = 0.6
"""Standard deviation of the rare clouds, that of the large one being one; our choice, small but no dots."""

RARE_SLOPE = 0.4
"""Slope of the line on which the rare clouds lie; our choice, so that no input alone tells them apart."""


def make_ripley(n_samples: int = 250, *, random_state: Seed = None) -> tuple[Array, NDArray[np.intp]]:
    """Draw from Ripley's mixture of four Gaussians, two per class, in the plane.

    The best possible classifier has an error of about 8 %.

    Parameters
    ----------
    n_samples : int, default=250
        Rows; the first class gets the odd one.
    random_state : int, RandomState instance or None, default=None
        Seed or generator.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Points of the plane.
    y : ndarray of shape (n_samples,)
        Classes 0 and 1 in random order.

    Examples
    --------
    >>> from rowtrust.datasets import make_ripley
    >>> X, y = make_ripley(100, random_state=0)
    >>> X.shape, int(y.sum())
    ((100, 2), 50)
    """
    if n_samples < 2:
        raise ValueError(f"n_samples must be at least 2, one row per class; got {n_samples}.")
    generator: Any = check_random_state(random_state)
    y = generator.permutation(np.arange(n_samples) % 2)
    component = generator.randint(2, size=n_samples)
    spread = np.sqrt(RIPLEY_VARIANCE) * generator.standard_normal((n_samples, 2))
    return RIPLEY_CENTRES[y, component] + spread, y


def ripley_probability(X: Array) -> Array:
    """Return the true probability of class 1 at each row of ``X``.

    Parameters
    ----------
    X : ndarray of shape (n_samples, 2)
        Points of the plane, such as :func:`make_ripley` draws.

    Returns
    -------
    ndarray of shape (n_samples,)
        The probabilities of the best possible classifier.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.datasets import make_ripley, ripley_probability
    >>> X, y = make_ripley(2000, random_state=0)
    >>> best = ripley_probability(X) > 0.5
    >>> bool(0.06 < np.mean(best != y) < 0.1)
    True
    """
    squared = ((X[:, None, None, :] - RIPLEY_CENTRES) ** 2).sum(axis=-1)
    density = np.exp(-0.5 * (squared - squared.min(axis=(1, 2), keepdims=True)) / RIPLEY_VARIANCE)
    by_class = density.sum(axis=2)
    return np.asarray(by_class[:, 1] / by_class.sum(axis=1))


def make_sinc(n_samples: int = 100, *, noise: float = 0.1, random_state: Seed = None) -> tuple[Array, Array]:
    """Draw ``sin(x) / x`` at places spread evenly over [-10, 10], with Gaussian noise.

    Parameters
    ----------
    n_samples : int, default=100
        Rows.
    noise : float, default=0.1
        Standard deviation of the noise.
    random_state : int, RandomState instance or None, default=None
        Seed or generator.

    Returns
    -------
    X : ndarray of shape (n_samples, 1)
        Places, in random order.
    y : ndarray of shape (n_samples,)
        The function there, with noise.

    Examples
    --------
    >>> from rowtrust.datasets import make_sinc
    >>> X, y = make_sinc(50, noise=0.0, random_state=0)
    >>> X.shape, bool(y.max() <= 1.0)
    ((50, 1), True)
    """
    generator: Any = check_random_state(random_state)
    X = generator.uniform(-10.0, 10.0, (n_samples, 1))
    return X, np.sinc(X[:, 0] / np.pi) + noise * generator.standard_normal(n_samples)


def make_robot_arm(
    n_samples: int = 600, *, noise: float = 0.05, random_state: Seed = None
) -> tuple[Array, Array]:
    """Draw MacKay's robot arm: two joint angles, and where the hand is.

    Parameters
    ----------
    n_samples : int, default=600
        Rows.
    noise : float, default=0.05
        Standard deviation of the noise on either coordinate.
    random_state : int, RandomState instance or None, default=None
        Seed or generator.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The angles.
    y : ndarray of shape (n_samples, 2)
        The coordinates of the hand.

    Examples
    --------
    >>> from rowtrust.datasets import make_robot_arm
    >>> X, y = make_robot_arm(10, random_state=0)
    >>> X.shape, y.shape
    ((10, 2), (10, 2))
    """
    generator: Any = check_random_state(random_state)
    side = generator.choice([-1.0, 1.0], n_samples)
    X = np.column_stack(
        [side * generator.uniform(*FIRST_ANGLE, n_samples), generator.uniform(*SECOND_ANGLE, n_samples)]
    )
    return X, robot_arm_position(X) + noise * generator.standard_normal((n_samples, 2))


def robot_arm_position(X: Array) -> Array:
    """Return where the hand of the robot arm truly is (Chu, Keerthi & Ong 2001, eq. 47).

    Parameters
    ----------
    X : ndarray of shape (n_samples, 2)
        Two angles per row, such as :func:`make_robot_arm` draws.

    Returns
    -------
    ndarray of shape (n_samples, 2)
        The coordinates of the hand, without noise.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.datasets import robot_arm_position
    >>> robot_arm_position(np.array([[0.0, 0.0]]))  # stretched out
    array([[3.3, 0. ]])
    """
    (upper, lower), first, both = ARM_LENGTHS, X[:, 0], X[:, 0] + X[:, 1]
    return np.column_stack([upper * f(first) + lower * f(both) for f in (np.cos, np.sin)])


def make_friedman(
    number: int = 1, n_samples: int = 240, *, noise: float = 1.0, random_state: Seed = None
) -> tuple[Array, Array]:
    """Draw one of Friedman's three regression problems, through scikit-learn.

    Parameters
    ----------
    number : {1, 2, 3}, default=1
        Which problem. Five of the ten inputs of the first are of no use.
    n_samples : int, default=240
        Rows.
    noise : float, default=1.0
        Standard deviation of the noise.
    random_state : int, RandomState instance or None, default=None
        Seed or generator.

    Returns
    -------
    X : ndarray of shape (n_samples, 10) or (n_samples, 4)
        Inputs: ten of the first problem, four of the others.
    y : ndarray of shape (n_samples,)
        Targets.

    Examples
    --------
    >>> from rowtrust.datasets import make_friedman
    >>> make_friedman(2, 20, random_state=0)[0].shape
    (20, 4)
    """
    problems = {1: make_friedman1, 2: make_friedman2, 3: make_friedman3}
    if number not in problems:
        raise ValueError(f"Friedman's problems are 1, 2 and 3; got {number}.")
    X, y = problems[number](n_samples, noise=noise, random_state=random_state)
    return np.asarray(X), np.asarray(y)


def make_lone_outlier(
    n_samples: int = 60, *, random_state: Seed = None
) -> tuple[Array, NDArray[np.intp], NDArray[np.bool_]]:
    """Draw two separate clouds in the plane and one row far on the wrong side.

    After Hwang & Jeong (2015), figure 1, whose numbers are not published: two clouds of Gaussian spread
    around (-1.2, -1.2) and (1.2, 1.2), and a row of the second class beyond the first.

    Parameters
    ----------
    n_samples : int, default=60
        Rows without the outlier.
    random_state : int, RandomState instance or None, default=None
        Seed or generator.

    Returns
    -------
    X : ndarray of shape (n_samples + 1, 2)
        Points of the plane, the outlier last.
    y : ndarray of shape (n_samples + 1,)
        Classes 0 and 1.
    outlier : ndarray of bool of shape (n_samples + 1,)
        True for the last row.

    Examples
    --------
    >>> from rowtrust.datasets import make_lone_outlier
    >>> X, y, outlier = make_lone_outlier(20, random_state=0)
    >>> X.shape, int(outlier.sum()), int(y[outlier][0])
    ((21, 2), 1, 1)
    """
    generator: Any = check_random_state(random_state)
    y = np.append(np.arange(n_samples) % 2, 1)
    X = CLOUD_CENTRE * (2.0 * y[:, None] - 1.0) + generator.standard_normal((n_samples + 1, 2))
    X[-1] = LONE_OUTLIER
    return X, y, np.arange(n_samples + 1) == n_samples


def make_imbalanced_blobs(
    n_samples: int = 400, *, ratio: float = 10.0, separation: float = 2.5, random_state: Seed = None
) -> tuple[Array, NDArray[np.intp]]:
    """Draw a large cloud, class 0, and a rare class 1 in two small clouds on either side of it.

    Parameters
    ----------
    n_samples : int, default=400
        Rows.
    ratio : float, default=10.0
        Rows of class 0 per row of class 1; at least one row is of class 1.
    separation : float, default=2.5
        Distance of the small clouds from the large one, in its standard deviations.
    random_state : int, RandomState instance or None, default=None
        Seed or generator.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        Points of the plane.
    y : ndarray of shape (n_samples,)
        Classes 0 and 1, the rare one.

    Examples
    --------
    >>> from rowtrust.datasets import make_imbalanced_blobs
    >>> X, y = make_imbalanced_blobs(110, ratio=10, random_state=0)
    >>> int(y.sum())
    10
    """
    if ratio < 1:
        raise ValueError(f"ratio must be at least 1 row of class 0 per row of class 1; got {ratio}.")
    generator: Any = check_random_state(random_state)
    n_rare = max(1, round(n_samples / (1.0 + ratio)))
    y = generator.permutation((np.arange(n_samples) < n_rare).astype(int))
    X = generator.standard_normal((n_samples, 2))
    side = generator.choice([-1.0, 1.0], n_samples)
    rare = y == 1
    X[rare] = RARE_SPREAD * X[rare] + separation * np.column_stack([side, RARE_SLOPE * side])[rare]
    return X, y
