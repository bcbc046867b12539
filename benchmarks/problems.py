"""The data that models race on: dirty training rows, clean test rows, one seed each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_moons
from sklearn.model_selection import train_test_split

from rowtrust.datasets import flip_labels, make_ripley

Array = NDArray[Any]


@dataclass(frozen=True)
class Problem:
    """Training rows as a model gets them, clean rows to test it on, and which training rows are wrong."""

    X: Array
    y: Array
    X_test: Array
    y_test: Array
    wrong: Array


def moons(n_rows: int, seed: int, flipped_share: float = 0.1, n_test: int = 5000) -> Problem:
    """Draw two noisy half-moons; a share of the training labels is wrong."""
    X, y = make_moons(n_rows, noise=0.25, random_state=seed)
    given, flipped = flip_labels(y, flipped_share, random_state=seed)
    X_test, y_test = make_moons(n_test, noise=0.25, random_state=1000 + seed)
    return Problem(X, given, X_test, y_test, flipped)


def sinc(n_rows: int, seed: int, outlier_share: float = 0.0) -> Problem:
    """Draw ``sin(x) / x`` with noise of 0.1; a share of the training targets is off by 3.

    The test targets are the true function.
    """
    generator = np.random.default_rng(seed)
    X = generator.uniform(-10, 10, (n_rows, 1))
    y = sinc_function(X) + 0.1 * generator.standard_normal(n_rows)
    outliers = generator.choice(n_rows, round(outlier_share * n_rows), replace=False)
    y[outliers] += generator.choice([-3.0, 3.0], len(outliers))
    X_test = np.linspace(-10, 10, 1000)[:, None]
    return Problem(X, y, X_test, sinc_function(X_test), np.isin(np.arange(n_rows), outliers))


def sinc_function(X: Array) -> Array:
    # numpy's sinc is that of pi x.
    return np.sinc(X[:, 0] / np.pi)


def ripley_like(n_rows: int, seed: int, one_sided_share: float = 0.0) -> Problem:
    """Draw Ripley's mixture; a share of the rows of class 1 is labelled 0."""
    X, y = make_ripley(n_rows, random_state=seed)
    X_test, y_test = make_ripley(5000, random_state=1000 + seed)
    positive = np.flatnonzero(y == 1)
    chosen = np.random.default_rng(seed).choice(
        positive, round(one_sided_share * len(positive)), replace=False
    )
    flipped = np.isin(np.arange(n_rows), chosen)
    return Problem(X, np.where(flipped, 0, y), X_test, y_test, flipped)


def ripley_split(X: Array, y: Array, seed: int, flipped_share: float) -> Problem:
    """Keep 60 % of the rows for training, with a share of wrong labels, and test on the others."""
    X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=0.6, random_state=seed)
    given, flipped = flip_labels(y_train, flipped_share, random_state=seed)
    return Problem(X_train, given, X_test, y_test, flipped)


def rare_class(n_rows: int, seed: int, minority_share: float = 0.05) -> Problem:
    """Draw a large cloud and a rare, tighter one that overlaps its edge; the test rows are as unbalanced."""
    X, y = two_clouds(n_rows, minority_share, np.random.default_rng(seed))
    X_test, y_test = two_clouds(10000, minority_share, np.random.default_rng(1000 + seed))
    return Problem(X, y, X_test, y_test, np.zeros(n_rows, dtype=bool))


def two_clouds(n_rows: int, minority_share: float, generator: np.random.Generator) -> tuple[Array, Array]:
    y = generator.permutation((np.arange(n_rows) < minority_share * n_rows).astype(int))
    X = generator.standard_normal((n_rows, 2))
    return np.where(y[:, None] == 1, 0.8 * X + [1.5, 1.0], X), y
