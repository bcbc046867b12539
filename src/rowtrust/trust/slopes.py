"""How sure log-odds may be behind a noise of labels, and which noise held-out rows believe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_expit, softmax

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.statistics import class_probabilities, odds_against_rest
from rowtrust.trust.labels import LabelNoise
from rowtrust.trust.matrix import is_noise, log_likelihood, no_noise

DOUBT, DOUBT_ROWS = 0.025, 500
"""Every row counts as so much of a row of each class when a slope is found, on the sides of an output where
labels may be lost, and so many rows do at most: labels behind a channel do not tell how sure a model may be
once it is surer than the channel, so something must. With 0.02 and 0.03 log losses on clean labels are 0.003
and 0.0005 above RVC's, and under uniform noise 0.037 and 0.026 below (two splits)."""

ONE_SIDED, SIDED = (0.15, 0.3), -4.0
"""Rates at which one of two classes may have lost labels, and nats by which each is believed in beside the
noise counted before folds have spoken. Cores say little of such noise, which moves the border. With -3, -5
and -8 average precision is 0.654, 0.646 and 0.615 under one-sided noise, 0.659, 0.667 and 0.676 under
class-dependent noise (half A, 400 rows; ``python -m benchmarks judge --only held-out``)."""

TRIED_ROWS = 500
"""Rows beyond which folds say no more of the noise. As ``DOUBT_ROWS``."""

CALIBRATION_SPREAD, LARGEST_CHANGE = 0.3, 1.4
"""Prior deviation of the logarithm of the slope, and its bounds. Half of the deviation costs 0.006 nats on
clean labels and 0.007 under one-sided noise and gains 0.003 under uniform noise."""

ACCURACY = 1e-3
"""Of the logarithm of the slope: far finer than it can be known."""


def alternatives(noise: LabelNoise) -> list[LabelNoise]:
    """Return what labels outside of folds are asked to choose from: the noise counted, and one-sided ones."""
    size = noise.matrices.shape[-1]
    sided = [no_noise(size) for _ in range(2 * len(ONE_SIDED) * (size == 2))]
    for place, matrix in enumerate(sided):
        rate, side = ONE_SIDED[place // 2], place % 2
        matrix[side, side], matrix[side, 1 - side] = 1.0 - rate, rate
    return [noise, *map(LabelNoise.known, sided)]


def chosen_noise(
    tried: Sequence[LabelNoise], log_odds: Sequence[Array], label: Indices, weight: Array
) -> LabelNoise:
    """Return the average of ``alternatives``, from left-out log-odds of fits that assume each."""
    prior = [0.0, *[SIDED] * (len(tried) - 1)]
    sloped, scores = list[LabelNoise](), list[float]()
    for noise, odds, believed in zip(tried, log_odds, prior, strict=True):
        matrix = noise.matrix
        slope = calibration_slope(odds, label, matrix, weight)
        fit = float(weight @ log_likelihood(class_probabilities(slope * odds, len(matrix)), label, matrix))
        scores.append(believed + fit * min(1.0, TRIED_ROWS / float(weight.sum())))
        sloped.append(replace(noise, slope=slope))
    return LabelNoise.average(sloped, np.asarray(softmax(scores)))


def calibration_slope(log_odds: Array, label: Indices, matrix: Array, weight: Array) -> float:
    """Return the factor on left-out log-odds, shape (n, n_outputs), that explains the labels best.

    Where all labels are right no model is made surer than it is. Where a class may have lost its labels those
    do not tell how sure a model may be of it: ``DOUBT`` does.
    """
    doubt = DOUBT * min(1.0, DOUBT_ROWS / float(weight.sum()))
    loss = slope_loss(log_odds, label, matrix, weight, doubt)
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
        fit = weight @ log_likelihood(class_probabilities(scaled, len(matrix)), label, matrix)
        scaled = odds_against_rest(scaled, len(matrix))
        vague = weight @ (hidden[0] * log_expit(-scaled) + hidden[1] * log_expit(scaled)).mean(axis=1)
        return float(0.5 * (log_slope / CALIBRATION_SPREAD) ** 2 - fit - doubt * vague)

    return loss
