"""How good predictions are, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, rankdata

from rowtrust.contracts import Array

RESAMPLES = 400
LEVEL = 0.9
MOST_ROWS = 5000
"""Rows that are resampled; intervals of larger samples are narrow anyway."""


@dataclass(frozen=True)
class Figure:
    """A measure of quality: its value and the interval from resampling the rows."""

    name: str
    value: float
    lower: float
    upper: float
    better: str
    explanation: str


def resampling(n_rows: int, seed: int) -> Array:
    """Return how often each row is drawn in each resample, the first row of all being the rows themselves."""
    generator = np.random.default_rng(seed)
    draws = generator.multinomial(n_rows, np.full(n_rows, 1.0 / n_rows), size=RESAMPLES)
    return np.vstack([np.ones(n_rows), draws]).astype(float)


def figure(name: str, values: Array, better: str, explanation: str) -> Figure:
    """Return a figure from its value on the rows, followed by those on the resamples."""
    tail = 50.0 * (1.0 - LEVEL)
    lower, upper = np.percentile(values[1:], [tail, 100.0 - tail])
    return Figure(name, float(values[0]), float(lower), float(upper), better, explanation)


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
    loss = -np.log(np.clip(probability[rows, label], 1e-15, None))
    figures = [
        figure("accuracy", means(counts, hit), "higher", "share of rows whose most probable class is right"),
        figure(
            "balanced accuracy", np.nanmean(per_class, axis=0), "higher", "the same, averaged over classes"
        ),
        figure("log loss", means(counts, loss), "lower", "minus the log probability of the true class"),
        figure(
            "Brier score",
            means(counts, ((probability - truth) ** 2).sum(axis=1)),
            "lower",
            "squared error of the probabilities",
        ),
    ]
    if probability.shape[1] == 2 and 0 < label.sum() < len(label):
        values = areas(counts, probability[:, 1], label == 1)
        figures.append(
            figure("AUC", values, "higher", "chance that a row of one class ranks above one of the other")
        )
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
    order = np.argsort(score, kind="stable")
    rank = rankdata(score[order], method="dense").astype(int) - 1
    groups = np.zeros((len(order), rank[-1] + 1))
    groups[np.arange(len(order)), rank] = 1.0
    up = (counts[:, order] * positive[order]) @ groups
    down = (counts[:, order] * ~positive[order]) @ groups
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
    return [
        figure("RMSE", np.sqrt(square), "lower", "root of the mean squared error, in units of the target"),
        figure("MAE", means(counts, np.abs(error)), "lower", "mean absolute error; outliers weigh less"),
        figure(
            "median error", medians(np.abs(error), seed), "lower", "half of the rows are closer than this"
        ),
        figure(
            "R²", 1.0 - square / np.maximum(variance, 1e-300), "higher", "share of the variance explained"
        ),
        figure(
            f"{LEVEL:.0%} coverage",
            means(counts, covered),
            "nominal",
            f"share of rows inside their {LEVEL:.0%} interval",
        ),
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
    if hasattr(model, "trust_prior_"):
        from scipy.stats import t

        return float(t.ppf(0.5 + 0.5 * level, 2.0 * model.trust_prior_))
    return float(norm.ppf(0.5 + 0.5 * level))
