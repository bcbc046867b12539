"""What probabilities of labels say beyond how common the labels are: whether anything, and how surely."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from rowtrust.contracts import Array, Indices
from rowtrust.numerics.magnitudes import TINY

EXPLAINED, PARTS = 3.0, (0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0)
"""Nats by which probabilities must make labels likelier than their shares do for rows to be judged, and the
powers tried. In prototypes, of 70 synthetic tables of 60 and 400 rows without any signal 2 are judged; weak
signal in 400 rows (an odds ratio of 1.8 per deviation) gains 7 to 19 nats, 30 % flips of clear classes 12 to
27."""

SOFTEST = 0.02
"""Least part of what probabilities say that is believed. A guard."""

NOTHING_EXPLAINED = (
    "the model says no more of the labels than how common they are. Add inputs or rows. Probabilities must "
    "be of held-out rows, their columns in the order of the sorted labels."
)
"""Why labels cannot be judged, and what to do."""


def log_shares(label: Indices, weight: Array, size: int) -> Array:
    """Return logarithms of the labels' shares, none of which is zero."""
    return np.asarray(np.log((np.bincount(label, weight, size) + 1.0) / (float(weight.sum()) + size)))


def softened(probability: Array, usual: Array, part: float) -> Array:
    """Return probabilities moved from the labels' shares so far: not at all for 0, all the way for 1."""
    log_probability = np.log(np.maximum(probability, TINY))
    return np.asarray(softmax(usual + part * (log_probability - usual), axis=1))


def log_gain(probability: Array, label: Indices, weight: Array, part: float) -> float:
    """Return by how many nats softened probabilities make labels likelier than their shares do."""
    usual, rows = log_shares(label, weight, probability.shape[1]), np.arange(len(label))
    likely = np.maximum(softened(probability, usual, part)[rows, label], TINY)
    return float(weight @ (np.log(likely) - usual[label]))


def explains(probability: Array, label: Indices, weight: Array) -> bool:
    """Whether probabilities, however sure, make labels as given likelier than their shares do."""
    return any(log_gain(probability, label, weight, part) > EXPLAINED for part in PARTS)


def calibration(probability: Array, label: Indices, weight: Array) -> float:
    """Return how far probabilities of labels as given are to be moved from their shares: at most all the way.

    Whatever the noise, out-of-sample probabilities are of labels as given, and are to be calibrated to them;
    those of many trees are much too sure. None becomes surer: that is the noise's to say.
    """
    best = minimize_scalar(
        lambda part: -log_gain(probability, label, weight, part),
        bounds=(0.2 * PARTS[0], 1.0),
        method="bounded",
    )
    return float(best.x)
