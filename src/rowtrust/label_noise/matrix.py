"""The noise matrix: ``T[k, j]`` is the probability that a row of class k was given the label j."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.shown import shown

SMALLEST = 1e-300
"""Stands for zero where a logarithm is taken or a division made; its value does not matter."""

LEAST_SHARE = 1e-3
"""Share of its given rows below which no class is believed to have fallen, whatever the noise. A guard: a
matrix that does not belong to the labels would leave a class with none or fewer."""


def no_noise(n_classes: int) -> Array:
    """Return the matrix of labels that are all right."""
    return np.eye(n_classes)


def is_noise(matrix: Array) -> bool:
    """Whether any label may be wrong."""
    return bool((matrix != np.eye(len(matrix))).any())


def uniform_noise(rate: float, n_classes: int) -> Array:
    """Return the matrix of labels of which a share became any other, each as often."""
    other = rate / (n_classes - 1)
    return np.asarray((1.0 - rate - other) * np.eye(n_classes) + other)


def stated_noise(stated: Any, classes: NDArray[Any]) -> Array:
    """Return the matrix that a user stated: one rate, rates by class, or the matrix itself."""
    size = len(classes)
    if isinstance(stated, dict):
        return noise_by_class(stated, classes)
    matrix = np.asarray(stated, dtype=float)
    if matrix.ndim == 0:
        matrix = uniform_noise(float(matrix), size)
    if matrix.shape != (size, size):
        raise ValueError(
            f"label_noise must have one row and one column per class, {size} of them; got shape "
            f"{matrix.shape}. Entry [k, j] is the probability that a row of class k was given the label j."
        )
    diagonal = np.diag(matrix)
    others = (matrix - np.diag(diagonal)).max(axis=1)
    if not (np.isfinite(matrix).all() and (matrix >= 0.0).all() and np.allclose(matrix.sum(axis=1), 1.0)):
        raise ValueError("the rows of label_noise must be probabilities that sum to one.")
    if not (diagonal > others).all():
        raise ValueError(
            "label_noise says that some class is more often given another label than its own: no data could "
            f"tell right from wrong then. Got the diagonal {diagonal.tolist()}."
        )
    return matrix


def noise_by_class(stated: dict[Any, float], classes: NDArray[Any]) -> Array:
    """Return the matrix in which rows of each class were given any other label at that class's rate."""
    unknown = [name for name in stated if name not in classes.tolist()]
    if unknown:
        raise ValueError(f"label_noise names {shown(unknown[0])}, which is none of {classes.tolist()}.")
    rates = [float(stated.get(name, 0.0)) for name in classes.tolist()]
    rows = [uniform_noise(rate, len(classes))[number] for number, rate in enumerate(rates)]
    return stated_noise(np.array(rows), classes)


def true_shares(matrix: Array, given: Array) -> Array:
    """Return the shares of the true classes that explain the shares of the labels as given."""
    shares = np.linalg.lstsq(matrix.T, given, rcond=None)[0]
    shares = np.maximum(shares, LEAST_SHARE * given)
    return np.asarray(shares / shares.sum())


def output_rates(matrix: Array, given: Array) -> Array:
    """Return for each output how often a 0 became a 1 and a 1 became a 0, shape (n_outputs, 2).

    One output for two classes, otherwise one per class against the rest; ``given`` are the shares of the
    labels as given.
    """
    shares = true_shares(matrix, given)
    positive = [1] if len(matrix) == 2 else range(len(matrix))
    rates = []
    for label in positive:
        rest = np.delete(np.arange(len(matrix)), label)
        rates.append((shares[rest] @ matrix[rest, label] / shares[rest].sum(), 1.0 - matrix[label, label]))
    return np.array(rates)


def probability_of_given(probability: Array, matrix: Array) -> Array:
    """Return the probabilities of the labels as they will be given, shape (n, n_classes)."""
    return np.asarray(probability @ matrix)


def probability_of_true(probability: Array, label: Indices, matrix: Array) -> Array:
    """Return the probabilities of the true labels of rows whose given label is known, (n, n_classes).

    ``probability`` is what the inputs say of the true labels.
    """
    joint = probability * matrix[:, label].T
    total = joint.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(joint, total, out=probability.copy(), where=total > SMALLEST))


def log_likelihood(probability: Array, label: Indices, matrix: Array) -> Array:
    """Return the log probability of every label as given, shape (n,)."""
    return np.asarray(np.log(np.maximum((probability * matrix[:, label].T).sum(axis=1), SMALLEST)))


def noise_counts(probability: Array, label: Indices, matrix: Array, weight: Array) -> Array:
    """Return how many rows of each class seem to have been given each label, (n_classes, n_classes)."""
    true = weight[:, None] * probability_of_true(probability, label, matrix)
    return np.stack([np.bincount(label, each, len(matrix)) for each in true.T])
