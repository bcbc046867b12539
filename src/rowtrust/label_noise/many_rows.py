"""How noisy are the labels of many rows? Then they tell it themselves: the likelihood of left-out labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from rowtrust.contracts import Array, Indices
from rowtrust.label_noise.learning import (
    DOUBT,
    ENOUGH_ROWS,
    LARGEST_CHANGE,
    LabelNoise,
    credible_interval,
    honest_slope,
    slope_loss,
)
from rowtrust.label_noise.matrix import no_noise, noise_counts, uniform_noise
from rowtrust.numerics.probabilities import class_probabilities

FIRST_RATE, FIRST_PAIRS = 0.2, ((0.0, 0.3), (0.3, 0.0))
"""Noise that is tried first beside none: of all labels alike, and of either of two classes. It decides where
the rates begin to be learnt: begun near none, those of one-sided noise of 0.3 end at 0.13 to 0.18 on three
made-up tables of 40 000 rows, and at 0.27 to 0.28 from here."""

LEAST_RATE = 0.01
"""Rate from which every entry begins to be learnt, so that none is stuck at zero. On made-up labels of ten
thousand rows with rates of 0 to 0.3 where it ends does not hang on where it began, to three digits."""

LOWEST = -25.0
"""Least logarithm of an entry beside the diagonal one: a rate that is zero for all purposes. A guard."""

DIFFERENCE = 1e-4
"""Over which the slope's part of the gradient is differenced, in its logarithm: far from both the rounding of
a sum over rows and the bends of the likelihood."""

ACCURACY = 1e-12
"""Of the search, far finer than rates can be known: rows that mean the same, wherever they are, must end in
the same rates but for rounding."""

MOST_STEPS = 200
"""Steps of the search at most: made-up labels of two and three classes take 10 to 30. A guard."""


def first_hypotheses(n_classes: int) -> list[Array]:
    """Return the noise matrices from whose average the noise of many rows is learnt, that of none first."""
    tried = [no_noise(n_classes), uniform_noise(FIRST_RATE, n_classes)]
    if n_classes == 2:
        tried += [np.array([[1.0 - a, a], [b, 1.0 - b]]) for a, b in FIRST_PAIRS]
    return tried


def noise_of_many(log_odds: Array, label: Indices, weight: Array, first: Array) -> LabelNoise:
    """Return the noise and the slope that make left-out labels of many rows likeliest.

    They are sought together: who is surer sees more noise, so that one after the other they hardly move.

    Parameters
    ----------
    log_odds : (n, n_outputs)
        What models that have not seen a row's label say of it.
    label, weight : (n,)
        The labels as given, and how many rows each stands for.
    first : (n_classes, n_classes)
        The noise with which to begin.
    """
    search = NoiseSearch(log_odds, label, weight)
    matrix = np.maximum(first, LEAST_RATE)
    entries = np.log(matrix) - np.log(np.diag(matrix))[:, None]
    slope = honest_slope(log_odds, label, matrix / matrix.sum(axis=1, keepdims=True), weight, search.doubt)
    found = minimize(
        search.loss,
        np.r_[np.log(slope), entries[search.beside]],
        jac=True,
        method="L-BFGS-B",
        bounds=[(-LARGEST_CHANGE, LARGEST_CHANGE)] + [(LOWEST, -LOWEST)] * int(search.beside.sum()),
        options={"maxiter": MOST_STEPS, "ftol": ACCURACY, "gtol": ACCURACY},
    )
    slope, matrix = float(np.exp(found.x[0])), search.matrix(found.x)
    counts = noise_counts(class_probabilities(slope * log_odds), label, matrix, weight)
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    variance = matrix * (1.0 - matrix) / (1.0 + total)
    return LabelNoise(matrix, credible_interval(matrix, variance), slope)


@dataclass(frozen=True)
class NoiseSearch:
    """Minus what labels say for a slope and a noise matrix, and its gradient.

    A point is the logarithm of the slope, then those of the entries beside the diagonal, as parts of the
    diagonal one of their row. The matrix has the prior of one right label more in every class.
    """

    log_odds: Array
    label: Indices
    weight: Array

    @property
    def beside(self) -> Array:
        """Which entries are beside the diagonal."""
        n_outputs = self.log_odds.shape[1]
        return ~np.eye(2 if n_outputs == 1 else n_outputs, dtype=bool)

    @property
    def doubt(self) -> float:
        """What a slope is doubted: many rows need no more doubt than enough of them."""
        return DOUBT * min(1.0, ENOUGH_ROWS / float(self.weight.sum()))

    def matrix(self, point: Array) -> Array:
        """Return the noise matrix of a point."""
        entries = np.zeros(self.beside.shape)
        entries[self.beside] = point[1:]
        return np.asarray(softmax(entries, axis=1))

    def loss(self, point: Array) -> tuple[float, Array]:
        """Return the loss, in nats a row, and its gradient."""
        matrix, size = self.matrix(point), float(self.weight.sum())
        at_slope = slope_loss(self.log_odds, self.label, matrix, self.weight, self.doubt)
        probability = class_probabilities(np.exp(point[0]) * self.log_odds)
        counts = noise_counts(probability, self.label, matrix, self.weight) + np.eye(len(matrix))
        by_entries = matrix * counts.sum(axis=1, keepdims=True) - counts
        by_slope = (at_slope(point[0] + DIFFERENCE) - at_slope(point[0] - DIFFERENCE)) / (2.0 * DIFFERENCE)
        value = at_slope(point[0]) - float(np.log(np.diag(matrix)).sum())
        return value / size, np.r_[by_slope, by_entries[self.beside]] / size


def slope_of_many(log_odds: Array, label: Indices, matrix: Array, weight: Array) -> float:
    """Return the honest slope: many rows need no more doubt than enough of them."""
    return honest_slope(log_odds, label, matrix, weight, NoiseSearch(log_odds, label, weight).doubt)
