"""Class probabilities from log-odds."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_softmax, logit, logsumexp, softmax

from rowtrust.contracts import Array

SMALLEST = 1e-12
"""Probabilities of zero and one are moved so far inside before their log-odds are taken. A guard."""


def class_probabilities(log_odds: Array, n_classes: int = 0) -> Array:
    """Return class probabilities from log-odds.

    These are of the second class against the first, of each class against the rest, or, of which
    ``n_classes`` tells, of every class but the first against the first.
    """
    if log_odds.shape[1] == 1:
        return np.column_stack([expit(-log_odds[:, 0]), expit(log_odds[:, 0])])
    if log_odds.shape[1] == n_classes - 1:
        return np.asarray(softmax(np.column_stack([np.zeros(len(log_odds)), log_odds]), axis=1))
    one_against_rest = expit(log_odds)
    total = one_against_rest.sum(axis=1, keepdims=True)
    # Far from every class all outputs can underflow to zero: nobody knows, so nobody wins.
    uniform = np.full_like(one_against_rest, 1.0 / log_odds.shape[1])
    return np.asarray(np.divide(one_against_rest, total, out=uniform, where=total > 0))


def log_odds_of(probability: Array) -> Array:
    """Return the log-odds that have these class probabilities: one output for two classes, else one each."""
    inside = np.clip(probability, SMALLEST, 1.0 - SMALLEST)
    return np.asarray(logit(inside[:, 1:] if probability.shape[1] == 2 else inside))


def odds_against_rest(log_odds: Array, n_classes: int) -> Array:
    """Return the log-odds of each class against the rest: as given, but where they are against the first."""
    if log_odds.shape[1] != n_classes - 1 or n_classes == 2:
        return log_odds
    whole = np.column_stack([np.zeros(len(log_odds)), log_odds])
    best = (np.arange(len(whole)), whole.argmax(axis=1))
    log_probability = log_softmax(whole, axis=1)
    chance = np.exp(log_probability)
    chance[best] = 0.0  # of the likeliest class the others say what is left, to the last digit
    rest = np.log1p(-chance)
    total = logsumexp(whole, axis=1)
    whole[best] = -np.inf
    rest[best] = logsumexp(whole, axis=1) - total
    return np.asarray(log_probability - rest)
