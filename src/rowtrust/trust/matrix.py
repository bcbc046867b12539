"""The noise matrix: ``T[k, j]`` is the probability that a row of class k was given the label j."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.magnitudes import TINY, shown

LEAST_SHARE = 1e-3
"""Share of its given rows below which no class is believed to have fallen, whatever the noise. A guard: a
matrix that does not belong to the labels would leave a class with none or fewer."""

MOST_SPREAD = 1e3
"""Condition number from which noise cannot be undone. A guard against classes that are labelled alike."""


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


def is_informative(matrix: Array) -> bool:
    """Whether a label is given most often to rows of its own class, and the noise can be undone."""
    diagonal = np.diag(matrix)
    others = (matrix - np.diag(diagonal)).max(axis=0)
    inside = bool((matrix >= 0.0).all() and (diagonal > others).all())
    return inside and bool(np.linalg.cond(matrix) < MOST_SPREAD)


def stated_noise(stated: Any, classes: NDArray[Any]) -> Array:
    """Return the noise matrices that a user's words allow, (m, n_classes, n_classes); NaN is to be learnt.

    The words are "channel", "one-sided", one rate, rates by class (None where one is unknown), or a matrix.
    """
    size = len(classes)
    if isinstance(stated, str):
        return one_sided(size) if stated == "one-sided" else np.full((1, size, size), np.nan)
    if isinstance(stated, dict):
        return noise_by_class(stated, classes)[None]
    matrix = np.asarray(stated, dtype=float)
    if matrix.ndim == 0:
        matrix = uniform_noise(float(matrix), size)
    if matrix.shape != (size, size):
        raise ValueError(
            f"label_noise must have one row and one column per class, {size} of them; got shape "
            f"{matrix.shape}. Entry [k, j] is the probability that a row of class k was given the label j."
        )
    check_noise(matrix)
    return matrix[None]


def check_noise(matrix: Array) -> None:
    """Refuse what is no noise, and noise that hides a class."""
    if not (np.isfinite(matrix).all() and (matrix >= 0.0).all() and np.allclose(matrix.sum(axis=1), 1.0)):
        raise ValueError("the rows of label_noise must be probabilities that sum to one.")
    if not is_informative(matrix):
        raise ValueError(
            "label_noise must have the largest entry of every column on its diagonal, and classes that are "
            "not labelled alike: no data could tell right from wrong otherwise. Got "
            f"{shown(matrix.tolist())}."
        )


def one_sided(n_classes: int) -> Array:
    """Return one matrix per class, whose labels alone may be wrong."""
    found = np.tile(np.eye(n_classes), (n_classes, 1, 1))
    found[np.arange(n_classes), np.arange(n_classes)] = np.nan
    return found


def noise_by_class(stated: dict[Any, float | None], classes: NDArray[Any]) -> Array:
    """Return the matrix in which rows of each class were given any other label at that class's rate.

    A row of NaN where the rate is None.
    """
    unknown = [name for name in stated if name not in classes.tolist()]
    if unknown:
        raise ValueError(f"label_noise names {shown(unknown[0])}, which is none of {classes.tolist()}.")
    rates = [stated.get(name, 0.0) for name in classes.tolist()]
    known = [0.0 if rate is None else float(rate) for rate in rates]
    rows = [uniform_noise(rate, len(classes))[number] for number, rate in enumerate(known)]
    check_noise(np.array(rows))
    return np.array(
        [row if rate is not None else row * np.nan for row, rate in zip(rows, rates, strict=True)]
    )


def is_known(unknown: Array) -> bool:
    """Whether nothing is left to be learnt of noise matrices."""
    return not np.isnan(unknown).any()


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
    return np.asarray(np.divide(joint, total, out=probability.copy(), where=total > TINY))


def log_likelihood(probability: Array, label: Indices, matrix: Array) -> Array:
    """Return the log probability of every label as given, shape (n,)."""
    return np.asarray(np.log(np.maximum((probability * matrix[:, label].T).sum(axis=1), TINY)))
