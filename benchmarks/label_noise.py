"""Wrong labels of four kinds, drawn into a clean table.

Every kind takes inputs, labels 0 to K - 1, a rate and a generator, and returns the labels as given and which
of them are wrong. At least ``KEPT`` rows of every class keep their label.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

Array = NDArray[Any]
Noise = Callable[[Array, Array, float, np.random.Generator], tuple[Array, Array]]

KEPT = 3
"""Rows of a class that stay as they are: enough for three stratified folds."""

MOST_OF_A_CLASS = 0.45
"""The most of a class that noise by a weak classifier may take: labels stay right more often than wrong."""

FOLDS = 5
"""Folds of the weak classifier, as usual."""

STEEPNESS = 3.0
"""The row nearest to the weak classifier's boundary is flipped e to this, 20 times, as often as the farthest:
clearly bound to the place, yet no row is safe."""


def uniform(X: Array, y: Array, rate: float, generator: np.random.Generator) -> tuple[Array, Array]:
    """Give a share of all rows any other class, all alike."""
    rows = allowed(generator.permutation(len(y)), y, round(rate * len(y)), 1.0)
    steps = generator.integers(1, y.max() + 1, size=len(rows))
    return flip(y, rows, (y[rows] + steps) % (y.max() + 1))


def one_sided(X: Array, y: Array, rate: float, generator: np.random.Generator) -> tuple[Array, Array]:
    """Of two classes, turn a share of class 1 into 0; of several, a share of each into the next."""
    n_classes = y.max() + 1
    parts = []
    for label in [1] if n_classes == 2 else range(n_classes):
        members = generator.permutation(np.flatnonzero(y == label))
        parts.append(allowed(members, y, round(rate * len(members)), 1.0))
    rows = np.concatenate(parts)
    return flip(y, rows, (y[rows] + 1) % n_classes)


def class_dependent(X: Array, y: Array, rate: float, generator: np.random.Generator) -> tuple[Array, Array]:
    """Confuse classes in the proportions in which a weak classifier confuses them."""
    n_classes = y.max() + 1
    probability = np.exp(weak_log_probability(X, y))
    sums = np.array([probability[y == label].sum(axis=0) for label in range(n_classes)])
    expected = scaled(sums, np.bincount(y), rate)
    totals = whole(expected.sum(axis=1))
    rows, labels = [], []
    for label in np.flatnonzero(totals):
        wanted = whole(expected[label] * totals[label] / expected[label].sum())
        members = generator.permutation(np.flatnonzero(y == label))
        rows.append(members[: totals[label]])
        labels.append(np.repeat(np.arange(n_classes), wanted))
    return flip(y, np.concatenate(rows), np.concatenate(labels))


def instance_dependent(
    X: Array, y: Array, rate: float, generator: np.random.Generator
) -> tuple[Array, Array]:
    """Flip rows near a weak classifier's boundary most often, to its most probable other class."""
    log_probability = weak_log_probability(X, y)
    own = log_probability[np.arange(len(y)), y]
    log_probability[np.arange(len(y)), y] = -np.inf
    distance = np.abs(own - log_probability.max(axis=1))
    # Ranks, for a weak classifier may be far too sure of itself.
    rank = distance.argsort(kind="stable").argsort(kind="stable") / len(y)
    # The rows in the order in which they are drawn without replacement, by the Gumbel trick.
    order = np.argsort(STEEPNESS * rank - generator.gumbel(size=len(y)))
    rows = allowed(order, y, round(rate * len(y)), MOST_OF_A_CLASS)
    return flip(y, rows, log_probability[rows].argmax(axis=1))


NOISES: dict[str, Noise] = {
    "uniform": uniform,
    "one-sided": one_sided,
    "class-dependent": class_dependent,
    "instance-dependent": instance_dependent,
}


def flip(y: Array, rows: Array, labels: Array) -> tuple[Array, Array]:
    """Return the labels with those of some rows replaced, and which rows these are."""
    given = y.copy()
    given[rows] = labels
    return given, given != y


def allowed(order: Array, y: Array, count: int, most: float) -> Array:
    """Return the first rows of an order, leaving out those beyond what a class may lose."""
    left = quotas(np.bincount(y), most)
    rows: list[int] = []
    for row in order:
        if len(rows) == count:
            break
        if left[y[row]] > 0:
            left[y[row]] -= 1
            rows.append(row)
    return np.array(rows, dtype=int)


def quotas(sizes: Array, most: float) -> Array:
    """Return how many rows each class may lose."""
    return np.asarray(np.maximum(np.minimum((most * sizes).astype(int), sizes - KEPT), 0))


def weak_log_probability(X: Array, y: Array) -> Array:
    """Return out-of-fold log probabilities of a naive Bayes classifier."""
    folds = StratifiedKFold(min(FOLDS, np.bincount(y).min()))
    result: Array = cross_val_predict(GaussianNB(), X, y, cv=folds, method="predict_log_proba")
    return np.maximum(result, np.finfo(float).min / 4)


def scaled(confusion: Array, sizes: Array, rate: float) -> Array:
    """Return how many rows of each class become each other one, a share of all rows together.

    The numbers off the diagonal are scaled alike, save where a class would lose more than it may.
    """
    each = confusion + np.finfo(float).eps
    np.fill_diagonal(each, 0.0)
    totals, most = each.sum(axis=1), quotas(sizes, MOST_OF_A_CLASS)
    wanted = min(rate * sizes.sum(), float(most.sum()))

    def lost(log_factor: float) -> Array:
        return np.minimum(np.exp(log_factor) * totals, most)

    limits = np.log(wanted / totals.sum()) - 1.0, np.log((most / totals).max()) + 1.0
    factor = brentq(lambda log_factor: lost(log_factor).sum() - wanted, *limits)
    result: Array = each * (lost(factor) / totals)[:, None]
    return result


def whole(expected: Array) -> Array:
    """Round numbers so that their sum is kept: the largest remainders are rounded up."""
    low = np.floor(expected + 1e-6).astype(int)
    missing = round(float(expected.sum())) - low.sum()
    low[np.argsort(low - expected, kind="stable")[:missing]] += 1
    return np.asarray(low)
