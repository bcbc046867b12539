"""Class probabilities from log-odds."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit

from rowtrust.contracts import Array

SMALLEST = 1e-12
"""Probabilities of zero and one are moved so far inside before their log-odds are taken. A guard."""


def class_probabilities(log_odds: Array) -> Array:
    """Return class probabilities from the log-odds of one output, or of each class against the rest."""
    if log_odds.shape[1] == 1:
        return np.column_stack([expit(-log_odds[:, 0]), expit(log_odds[:, 0])])
    one_against_rest = expit(log_odds)
    total = one_against_rest.sum(axis=1, keepdims=True)
    # Far from every class all outputs can underflow to zero: nobody knows, so nobody wins.
    uniform = np.full_like(one_against_rest, 1.0 / log_odds.shape[1])
    return np.asarray(np.divide(one_against_rest, total, out=uniform, where=total > 0))


def log_odds_of(probability: Array) -> Array:
    """Return the log-odds that have these class probabilities: one output for two classes, else one each."""
    inside = np.clip(probability, SMALLEST, 1.0 - SMALLEST)
    return np.asarray(logit(inside[:, 1:] if probability.shape[1] == 2 else inside))
