"""How noisy are the labels? Hypotheses on the noise, judged by labels that no fit has seen.

A model of much noise and a model of none explain the labels that they were fitted to about as well: what one
calls a wrong label is a hard row to the other. Labels that were left out tell them apart better than the
evidence does. So each of a few noise matrices gets left-out predictions of its own, and the noise is the
average of the matrices, weighted by the likelihood of the labels left out.

Figures in the lines of the constants: RobustRVC on the class tables of half A, three splits of up to 500
rows, with labels as they are, with 20 % of them made any other, and with 30 % of each class (of two classes,
of the positive one) made the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_expit, softmax
from scipy.stats import beta

from rowtrust.contracts import Array, Indices
from rowtrust.label_noise.matrix import is_noise, log_likelihood, no_noise, noise_counts, uniform_noise
from rowtrust.numerics.probabilities import class_probabilities

RATES = (0.0, 0.1, 0.2, 0.3)
"""Shares of labels that became any other, as hypotheses. Without the last, and without the last two of
``PAIRS``, the learnt rates are 0.004 to 0.009 lower and errors 0.1 points higher (five folds)."""

PAIRS = ((0.0, 0.15), (0.0, 0.3), (0.15, 0.0), (0.3, 0.0), (0.1, 0.3), (0.3, 0.1))
"""Further hypotheses for two classes: rates at which the first and the second lost labels."""

SUSPICION = 2.0
"""Nats by which noise is believed in before the labels have spoken, each hypothesis alike. The labels hardly
tell one-sided noise from none: with 1 and 2 nats log losses under it are 0.035 and 0.038 below RVC's, on
clean labels 0.0016 and 0.0026 above, rates learnt there 0.034 and 0.039 (two splits, a doubt of 0.02)."""

ENOUGH_ROWS = 500
"""Rows beyond which more say no more: models are never quite right, and with many rows the likelihood would
take any misfit for certain noise. The size of the tables on which the rest was chosen."""

SLOPE_SPREAD = 0.3
"""Prior deviation of the logarithm of the slope. Half of it costs 0.006 nats on clean labels and 0.007
under one-sided noise and gains 0.003 under uniform noise (at a doubt of 0.01 on all sides)."""

DOUBT = 0.025
"""Every row counts as so much of a row of each class when a slope is found, on the sides of an output where
labels may be lost: labels behind a channel do not tell how sure a model may be once it is surer than the
channel, so something must. With 0.02 and 0.03 log losses on clean labels are 0.003 and 0.0005 above RVC's
(titanic 0.020 and 0.002), and under uniform noise 0.037 and 0.026 below (two splits)."""

LARGEST_CHANGE = 1.4
"""Bounds of the logarithm of the slope. A guard: the prior alone makes 1.4 as unlikely as eleven nats."""

ACCURACY = 1e-3
"""Of the logarithm of the slope: far finer than it can be known."""

CREDIBLE = 0.9
"""Share of the posterior in the interval that is told. A convention."""


@dataclass(frozen=True)
class LabelNoise:
    """What is believed of the labels.

    Attributes
    ----------
    matrix : (n_classes, n_classes)
        The noise matrix: entry [k, j] is the probability that a row of class k was given the label j.
    interval : (2, n_classes, n_classes)
        Between these lie nine tenths of the posterior of each entry.
    slope
        What log-odds of fits with this noise must be multiplied by to be honest.
    """

    matrix: Array
    interval: Array
    slope: float

    @classmethod
    def unknown(cls, n_classes: int) -> LabelNoise:
        """Return what is to be said where nothing can be learnt: labels are believed, and may be anything."""
        nothing = np.zeros((n_classes, n_classes))
        return cls(no_noise(n_classes), np.stack([nothing, nothing + 1.0]), 1.0)

    @classmethod
    def known(cls, matrix: Array, slope: float = 1.0) -> LabelNoise:
        """Return noise that is not in doubt."""
        return cls(matrix, np.array([matrix, matrix]), slope)


def hypotheses(n_classes: int) -> list[Array]:
    """Return the noise matrices to try, that of no noise first."""
    tried = [uniform_noise(rate, n_classes) for rate in RATES]
    if n_classes == 2:
        tried += [np.array([[1.0 - a, a], [b, 1.0 - b]]) for a, b in PAIRS]
    return tried


def honest_slope(
    log_odds: Array, label: Indices, matrix: Array, weight: Array, doubt: float | None = None
) -> float:
    """Return the factor on left-out log-odds, shape (n, n_outputs), that explains the labels best.

    Where all labels are right no model is made surer than it is. Where a class may have lost its labels those
    do not tell how sure a model may be of it: ``doubt`` does.
    """
    loss = slope_loss(log_odds, label, matrix, weight, DOUBT if doubt is None else doubt)
    largest = LARGEST_CHANGE if is_noise(matrix) else 0.0
    found = minimize_scalar(
        loss, bounds=(-LARGEST_CHANGE, largest), method="bounded", options={"xatol": ACCURACY}
    )
    return float(np.exp(found.x))


def slope_loss(
    log_odds: Array, label: Indices, matrix: Array, weight: Array, doubt: float
) -> Callable[[float], float]:
    """Return minus the log posterior of a slope, as a function of its logarithm."""
    lost = np.diag(matrix) < 1.0
    gained = (matrix - np.diag(np.diag(matrix))).max(axis=0) > 0.0
    sides = np.array([lost, gained]) / max(0.5, np.mean([lost, gained]))
    hidden = sides[:, 1:] if len(matrix) == 2 else sides

    def loss(log_slope: float) -> float:
        scaled = np.exp(log_slope) * log_odds
        fit = weight @ log_likelihood(class_probabilities(scaled), label, matrix)
        vague = weight @ (hidden[0] * log_expit(-scaled) + hidden[1] * log_expit(scaled)).mean(axis=1)
        return float(0.5 * (log_slope / SLOPE_SPREAD) ** 2 - fit - doubt * vague)

    return loss


@dataclass(frozen=True)
class Judged:
    """A hypothesis: its log posterior but for a constant, slope, matrix, and the variances of its entries."""

    score: float
    slope: float
    matrix: Array
    variance: Array


def judged(matrix: Array, log_odds: Array, label: Indices, weight: Array) -> Judged:
    """Judge a hypothesis by what its left-out log-odds say of the labels.

    With several classes the matrix itself goes half of the way to what the rows say: the hypotheses only know
    of uniform noise there.
    """
    slope = honest_slope(log_odds, label, matrix, weight)
    probability = class_probabilities(slope * log_odds)
    noisy, score = is_noise(matrix), float(weight @ log_likelihood(probability, label, matrix))
    score *= min(1.0, ENOUGH_ROWS / float(weight.sum()))
    counts = noise_counts(probability, label, matrix, weight)
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    if noisy and len(matrix) > 2:
        matrix = 0.5 * (matrix + (counts + matrix) / (total + 1.0))
    variance = noisy * matrix * (1.0 - matrix) / (1.0 + total)
    return Judged(score + SUSPICION * noisy, slope, matrix, variance)


def learn_label_noise(
    tried: Sequence[Array], log_odds: Sequence[Array], label: Indices, weight: Array
) -> LabelNoise:
    """Return the average of the noises tried, from the left-out log-odds under each.

    Parameters
    ----------
    tried
        Noise matrices.
    log_odds
        For each of them the left-out log-odds, shape (n, n_outputs), of models that were told of it.
    label, weight : (n,)
        The numbers of the labels as given, and how many rows each stands for.
    """
    found = [judged(*each, label, weight) for each in zip(tried, log_odds, strict=True)]
    if len(found) == 1:
        return LabelNoise.known(tried[0], found[0].slope)
    shares = np.asarray(softmax([each.score for each in found]))
    matrices = np.array([each.matrix for each in found])
    mean = np.tensordot(shares, matrices, axes=1)
    mean /= mean.sum(axis=1, keepdims=True)
    variance = np.tensordot(shares, [each.variance for each in found] + (matrices - mean) ** 2, axes=1)
    slope = float(np.exp(shares @ np.log([each.slope for each in found])))
    return LabelNoise(mean, credible_interval(mean, variance), slope)


def credible_interval(mean: Array, variance: Array) -> Array:
    """Return between what ``CREDIBLE`` of a Beta distribution of these moments lies, elementwise."""
    largest = mean * (1.0 - mean)
    unsure = (variance > 0.0) & (variance < largest)
    size = np.divide(largest, variance, out=np.full_like(mean, 2.0), where=unsure) - 1.0
    tails = np.array([0.5 - 0.5 * CREDIBLE, 0.5 + 0.5 * CREDIBLE]).reshape(2, *[1] * mean.ndim)
    inner = np.clip(mean, 1e-9, 1.0 - 1e-9)
    return np.where(unsure, beta.ppf(tails, inner * size, (1.0 - inner) * size), mean)
