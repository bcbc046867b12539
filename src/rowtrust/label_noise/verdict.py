"""Which labels are wrong, given what models of the other rows say of each.

What the labels of a table do not tell is how much of their disorder is noise and how much lies in the classes
themselves. A fit hedges; who looks for wrong rows expects some. So the noise is judged again, with a prior
that leans towards it, and the models' log-odds may be sharpened: taking wrong labels for right made them
timid. Rows that are hard but right stay unlikely to be wrong, because noise does not shy away from the rows
on which models are sure.

Figures in the lines of the constants: the audit of RobustRVC on the class tables of half A, up to 1000 rows,
four kinds of noise at 10, 20 and 30 % (``benchmarks dirty``): F1 of the suspects, share of false ones among
them, and share of rows named on clean tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import softmax

from rowtrust.contracts import Array, Indices
from rowtrust.label_noise.matrix import log_likelihood, probability_of_true, uniform_noise
from rowtrust.numerics.probabilities import class_probabilities

RATES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4)
"""Rates at which a class may have lost labels: few wrong labels are found too."""

LOG_SLOPES = np.arange(-0.8, 2.5, 0.4)
"""Logarithms of the slopes tried: models may be half or eleven times as sure. Finer steps of 0.25 and coarser
rates change F1 by 0.04 and the share of false suspects by 0.02."""

SLOPE_SPREAD = 1.0
"""Prior deviation of the logarithm of the slope. With 0.5, 1 and 2 F1 is 0.321, 0.363 and 0.378, the share of
false suspects 0.259, 0.275 and 0.286 (at a lean of 40)."""

LEAN, LEAN_SHARE = 40.0, 0.2
"""Nats by which noise is believed in before the labels have spoken, for every wrong label a label (4 for
10 %), and that in nats a row where there are few. With 15, 28 and 40 F1 is 0.18, 0.27 and 0.33, the share of
false suspects 0.36, 0.33 and 0.34 where there are suspects, 0.20, 0.23 and 0.25 if tables without any count
as none, and that of rows named on clean tables 0.010, 0.013 and 0.017. Half the share a row costs 0.02 of F1.
The most that keeps the promise nearly; measured before suspects had to be
likelier wrong than right."""

NEGLIGIBLE = 1e-6
"""Posterior share below which a pair of slope and noise is left out of the average. Rounding alone."""


@dataclass(frozen=True)
class Verdict:
    """What the other rows say of labels.

    Attributes
    ----------
    probability : (n, n_classes)
        Of the true labels, by the inputs alone.
    wrong : (n,)
        Probability that the label as given is wrong.
    """

    probability: Array
    wrong: Array


@dataclass(frozen=True)
class Judge:
    """Slopes and noises that explain the labels of a table, and how much each is believed.

    Attributes
    ----------
    slopes, shares : (m,)
        What log-odds are multiplied by, and how much that counts together with its noise.
    matrices : (m, n_classes, n_classes)
        Noise matrices.
    """

    slopes: Array
    matrices: Array
    shares: Array

    @classmethod
    def of(cls, matrix: Array) -> Judge:
        """Return the judge who knows the noise, and trusts honest log-odds."""
        return cls(np.ones(1), matrix[None], np.ones(1))

    def verdict(self, log_odds: Array, label: Indices) -> Verdict:
        """Judge labels by log-odds of models that have not seen them, shape (n, n_outputs)."""
        rows = np.arange(len(label))
        size = self.matrices.shape[-1]
        probability, wrong = np.zeros((len(label), size)), np.zeros(len(label))
        for slope, matrix, share in zip(self.slopes, self.matrices, self.shares, strict=True):
            one = class_probabilities(slope * log_odds)
            probability += share * one
            wrong += share * (1.0 - probability_of_true(one, label, matrix)[rows, label])
        return Verdict(probability, wrong)


def appoint_judge(log_odds: Array, label: Indices, weight: Array) -> Judge:
    """Learn from left-out log-odds, shape (n, n_outputs), how labels of a table are to be judged."""
    matrices = noises(max(2, log_odds.shape[1]))
    lean = min(LEAN, LEAN_SHARE * float(weight.sum()))
    prior = np.array([lean * float(np.mean(1.0 - np.diag(matrix))) for matrix in matrices])
    scores = []
    for log_slope in LOG_SLOPES:
        probability = class_probabilities(np.exp(log_slope) * log_odds)
        fit = [float(weight @ log_likelihood(probability, label, matrix)) for matrix in matrices]
        scores.append(np.array(fit) + prior - 0.5 * (log_slope / SLOPE_SPREAD) ** 2)
    shares = np.asarray(softmax(np.array(scores)))
    slope, noise = np.nonzero(shares > NEGLIGIBLE)
    kept = shares[slope, noise]
    return Judge(np.exp(LOG_SLOPES[slope]), np.array(matrices)[noise], kept / kept.sum())


def noises(n_classes: int) -> Sequence[Array]:
    """Return the noise matrices to try: two classes may have lost labels at rates of their own."""
    if n_classes == 2:
        return [np.array([[1.0 - a, a], [b, 1.0 - b]]) for a, b in product(RATES, RATES)]
    return [uniform_noise(rate, n_classes) for rate in RATES]
