"""How many rows are wrong? A yardstick for any predictions of rows that a model has not seen.

The rows are a mixture: a share of them is wrong and says nothing, the others follow the predictions. Share
and sharpness of the predictions are fitted by maximum likelihood. The likelihood is normalised whatever
model made the predictions, so its maximum also compares models that differ in noise and weights, where
their own lower bounds do not: a power weight changes what a likelihood sums to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowtrust.contracts import Array
from rowtrust.numerics.magnitudes import ROUNDING, TINY
from rowtrust.numerics.statistics import NORMAL_CONSISTENT

SHARES = np.linspace(0.0, 0.45, 46)
"""Shares of wrong rows that are tried, in steps of a point; nearly half of the rows may be wrong, no more.
Half or twice the steps move the mean estimate by 0.4 points at most (Ripley's data and moons with 0 to 20 %
flips, sinc with 0 to 10 % outliers, 5 seeds each; the same in the lines below)."""

SHARPNESS = np.array([0.5, 0.65, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0])
"""Powers of class probabilities, or inverse factors on deviations: predictions may be bold or timid. Steps of
about a quarter; taken over without a study."""

INDIFFERENCE = 1.0
"""Nats. Timid predictions of right rows and bold ones of rows that are partly wrong can explain the same
labels; where the evidence does not tell them apart by this much, the bold ones are believed. Of 20 % flips it
finds 0.2 points too many on Ripley's data and 3.6 too few on moons; with none at all 6 and 7 too few, with
half 2 and 7. Twice of it finds a point more, and four times claims 1 to 3 too many of 5 and 10 %. No choice
changes the ranking."""

WIDE = 10.0
"""Width of the density of wrong targets, in spreads of the targets. Half or twice as much moves the share
that is found on sinc from 1.2 points too many to 1.8 and 0.4."""


@dataclass(frozen=True)
class Mixture:
    """Rows as a mixture of right and wrong ones.

    Parameters
    ----------
    share : float
        Estimated share of wrong rows.
    log_score : float
        Log likelihood of all targets, each predicted by a model that has not seen it.
    row_scores : ndarray of shape (n,)
        The same, row by row.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.trust import mixture
    >>> generator = np.random.default_rng(0)
    >>> target = generator.standard_normal(200)
    >>> target[:10] += 20.0
    >>> found = mixture((np.zeros(200), np.ones(200)), target)
    >>> bool(0.03 < found.share < 0.07)
    True
    """

    share: float
    log_score: float
    row_scores: Array


def class_mixture(probability: Array, label: NDArray[np.intp], sharpness: Array = SHARPNESS) -> Mixture:
    """Return the mixture for class probabilities, where a wrong label is any but the true one.

    Parameters
    ----------
    probability : (n, classes)
    label : (n,)
        Numbers of the labels as given.
    """
    logs = np.log(np.maximum(probability, TINY))
    sharp = sharpness[:, None, None] * logs
    sharp -= sharp.max(axis=2, keepdims=True)
    total = np.exp(sharp).sum(axis=2)
    right = np.exp(sharp[:, np.arange(len(label)), label]) / total
    return fitted(right, (1.0 - right) / (probability.shape[1] - 1))


def number_mixture(target: Array, mean: Array, deviation: Array, sharpness: Array = SHARPNESS) -> Mixture:
    """Return the mixture for predicted means and deviations, where a wrong target could be anything.

    "Anything" is Cauchy's density around the median with the targets' own spread.
    """
    centre = float(np.median(target))
    scale = max(
        NORMAL_CONSISTENT * float(np.median(np.abs(target - centre))),
        ROUNDING * float(np.std(target)),
        TINY if np.ptp(target) > 0.0 else float(np.median(deviation)),  # equal targets are none wrong
    )
    residual = (target - mean) / np.maximum(deviation, ROUNDING**2 * scale)
    sharp = sharpness[:, None] / np.maximum(deviation, ROUNDING**2 * scale)
    right = sharp * np.exp(-0.5 * (sharpness[:, None] * residual) ** 2) / np.sqrt(2.0 * np.pi)
    distance = (target - centre) / (WIDE * scale)
    wrong = 1.0 / (np.pi * WIDE * scale * (1.0 + distance**2))
    return fitted(right, np.broadcast_to(wrong, right.shape))


def fitted(right: Array, wrong: Array) -> Mixture:
    """Return the mixture of greatest likelihood over all shares and sharpnesses, the sharpest of equals.

    Parameters
    ----------
    right, wrong : (sharpnesses, n)
        Likelihood of each target if the row is right, and if it is wrong.
    """
    right, wrong = np.maximum(right, TINY), np.maximum(wrong, TINY)
    shares = SHARES[:, None]
    totals = np.array(
        [np.log((1.0 - shares) * r + shares * w).sum(axis=1) for r, w in zip(right, wrong, strict=True)]
    )
    as_good = totals.max(axis=1) >= totals.max() - INDIFFERENCE
    sharpest = int(np.flatnonzero(as_good)[-1])
    share, r, w = float(SHARES[totals[sharpest].argmax()]), right[sharpest], wrong[sharpest]
    likelihood = (1.0 - share) * r + share * w
    return Mixture(
        share=share,
        log_score=float(totals.max()),
        row_scores=np.log(likelihood),
    )


def mixture(prediction: Any, target: NDArray[Any], sharpness: Array = SHARPNESS) -> Mixture:
    """Return the mixture for a classifier's probabilities, or for a regressor's (mean, deviation).

    Parameters
    ----------
    prediction : ndarray of shape (n, n_classes), or tuple of two ndarrays of shape (n,)
        What a model that has not seen a row says of it.
    target : ndarray of shape (n,)
        Numbers of the labels as given, or targets.
    sharpness : ndarray, default=SHARPNESS
        Powers of the probabilities that are tried: whether the model is too timid, or too bold.

    Returns
    -------
    Mixture
        How well each target was predicted.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.trust import mixture
    >>> probability = np.tile([0.95, 0.05], (50, 1))
    >>> found = mixture(probability, np.append(np.zeros(49), 1))
    >>> int(found.row_scores.argmin())
    49
    """
    if isinstance(prediction, tuple):
        mean, deviation = prediction
        return number_mixture(np.asarray(target, dtype=float), mean, deviation, sharpness)
    return class_mixture(prediction, np.asarray(target, dtype=np.intp), sharpness)
