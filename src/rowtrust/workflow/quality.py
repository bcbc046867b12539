"""How good predictions are, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata, t

from rowtrust.contracts import Array

RESAMPLES = 400
"""Resamples of the rows: 5 % tails are estimated from 20 of them, enough for two digits."""

LEVEL = 0.9
"""Probability of all intervals that are shown; a habit, as good as any."""

MOST_ROWS = 5000
"""Rows that are resampled; intervals of larger samples are narrow anyway."""

SMALLEST_PROBABILITY = 1e-15
"""Where the log loss is cut off; the one that scikit-learn had for long."""

SMALLEST_VARIANCE = 1e-300
"""Keeps a division from failing in a resample of equal targets; its value does not matter."""


@dataclass(frozen=True)
class Figure:
    """A measure of quality: its value and the interval from resampling the rows."""

    name: str
    value: float
    lower: float
    upper: float
    explanation: str


def quality_figures(
    prediction: Any, target: NDArray[Any], classes: NDArray[Any], estimator: Any, seed: int
) -> list[Figure]:
    """Return the figures for class probabilities, or for mean and deviation."""
    if isinstance(prediction, tuple):
        mean, deviation = prediction
        return number_quality(mean, deviation, target, seed, interval_factor(estimator))
    return class_quality(prediction, np.searchsorted(classes, target), seed)


def resampling(n_rows: int, seed: int) -> Array:
    """Return how often each row is drawn in each resample, the first row of all being the rows themselves."""
    generator = np.random.default_rng(seed)
    draws = generator.multinomial(n_rows, np.full(n_rows, 1.0 / n_rows), size=RESAMPLES)
    return np.vstack([np.ones(n_rows), draws]).astype(float)


def figure(name: str, values: Array, explanation: str) -> Figure:
    """Return a figure from its value on the rows, followed by those on the resamples."""
    tail = 50.0 * (1.0 - LEVEL)
    lower, upper = np.percentile(values[1:], [tail, 100.0 - tail])
    return Figure(name, float(values[0]), float(lower), float(upper), explanation)


def means(counts: Array, values: Array) -> Array:
    """Return the mean of a value over every resample."""
    return np.asarray(counts @ values / counts.sum(axis=1))


def class_quality(probability: Array, label: NDArray[np.intp], seed: int) -> list[Figure]:
    """Return accuracy, balanced accuracy, log loss, Brier score and, for two classes, the AUC."""
    probability, label = thinned(seed, probability, label)
    counts = resampling(len(label), seed)
    rows = np.arange(len(label))
    hit = (probability.argmax(axis=1) == label).astype(float)
    truth = np.eye(probability.shape[1])[label]
    per_class = [recalls(counts, hit, label == number) for number in np.unique(label)]
    loss = -np.log(np.clip(probability[rows, label], SMALLEST_PROBABILITY, None))
    balanced = np.nanmean(per_class, axis=0)
    brier = means(counts, ((probability - truth) ** 2).sum(axis=1))
    figures = [
        figure("accuracy", means(counts, hit), "share of rows whose most probable class is right"),
        figure("balanced accuracy", balanced, "the same, averaged over classes"),
        figure("log loss", means(counts, loss), "minus the log probability of the true class"),
        figure("Brier score", brier, "squared error of the probabilities"),
    ]
    if probability.shape[1] == 2 and 0 < label.sum() < len(label):
        values = areas(counts, probability[:, 1], label == 1)
        meaning = "chance that a row of one class ranks above one of the other"
        figures.append(figure("AUC", values, meaning))
    return figures


def recalls(counts: Array, hit: Array, member: NDArray[np.bool_]) -> Array:
    """Return the share of hits among a class in every resample; NaN where the class was not drawn."""
    drawn = counts @ member.astype(float)
    shares: Array = np.divide(
        counts @ (hit * member), drawn, out=np.full(len(counts), np.nan), where=drawn > 0
    )
    return shares


def areas(counts: Array, score: Array, positive: NDArray[np.bool_]) -> Array:
    """Return the area under the ROC curve in every resample; ties count one half."""
    rank = rankdata(score, method="dense") - 1
    groups = np.eye(rank.max() + 1)[rank]
    up, down = (counts * positive) @ groups, (counts * ~positive) @ groups
    below = np.cumsum(down, axis=1) - 0.5 * down
    pairs = up.sum(axis=1) * down.sum(axis=1)
    return np.asarray((up * below).sum(axis=1) / np.maximum(pairs, 1.0))


def number_quality(mean: Array, deviation: Array, target: Array, seed: int, widen: float) -> list[Figure]:
    """Return RMSE, MAE, R² and the coverage of the intervals; ``widen`` deviations make an interval."""
    mean, deviation, target = thinned(seed, mean, deviation, target)
    counts = resampling(len(target), seed)
    error = target - mean
    square = means(counts, error**2)
    variance = means(counts, target**2) - means(counts, target) ** 2
    covered = (np.abs(error) <= widen * deviation).astype(float)
    explained = 1.0 - square / np.maximum(variance, SMALLEST_VARIANCE)
    middle = medians(np.abs(error), seed)
    inside = f"share of rows inside their {LEVEL:.0%} interval"
    return [
        figure("RMSE", np.sqrt(square), "root of the mean squared error, in units of the target"),
        figure("MAE", means(counts, np.abs(error)), "mean absolute error; outliers weigh less"),
        figure("median error", middle, "half of the rows are closer than this"),
        figure("R²", explained, "share of the variance explained"),
        figure(f"{LEVEL:.0%} coverage", means(counts, covered), inside),
    ]


def medians(values: Array, seed: int) -> Array:
    """Return the median of the rows, then those of resamples."""
    draws = np.random.default_rng(seed).integers(len(values), size=(RESAMPLES, len(values)))
    return np.concatenate([[np.median(values)], np.median(values[draws], axis=1)])


def thinned(seed: int, *arrays: Any) -> tuple[Any, ...]:
    """Return the same random rows of every array, if there are too many."""
    n_rows = len(arrays[0])
    if n_rows <= MOST_ROWS:
        return arrays
    rows = np.random.default_rng(seed).choice(n_rows, MOST_ROWS, replace=False)
    return tuple(each[rows] for each in arrays)


def interval_factor(model: Any, level: float = LEVEL) -> float:
    """Return how many deviations a central interval extends: Student's for robust noise, else normal."""
    upper = 0.5 + 0.5 * level
    if hasattr(model, "trust_prior_"):
        return float(t.ppf(upper, 2.0 * model.trust_prior_))
    return float(norm.ppf(upper))
