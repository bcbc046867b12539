"""How good predictions are: the figures, of all rows, with intervals, and beside those of another model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

from rowtrust.contracts import Array, Indices
from rowtrust.workflow.quality.areas import FEWEST_ROWS, area_figure
from rowtrust.workflow.quality.intervals import (
    EXACT,
    EXACT_GROUPS,
    Resampling,
    median_limits,
    own_groups,
    share_limits,
)
from rowtrust.workflow.quality.records import LEVEL, Figure

SMALLEST_PROBABILITY = 1e-15
"""Where the log loss is cut off; the one that scikit-learn had for long."""


MEANING = "the reference's figure less the model's, on the same rows"
"""What a difference is, in words."""


def quality_figures(
    prediction: Any,
    target: NDArray[Any],
    classes: NDArray[Any],
    estimator: Any,
    seed: int,
    groups: Indices | None = None,
) -> list[Figure]:
    """Return the figures for class probabilities, or for mean and deviation.

    Parameters
    ----------
    prediction
        Probabilities of shape (n, classes), or mean and deviation of shape (n,) each. Where a model has no
        deviations they are NaN, and there is no coverage.
    target
        Labels or numbers of the rows. All of them count.
    classes
        Sorted; empty for numbers.
    estimator
        Its attributes say how many deviations an interval has.
    seed
        Of the bootstrap.
    groups
        Rows of one number are no independent rows; None where every row stands alone.
    """
    if isinstance(prediction, tuple):
        mean, deviation = prediction
        return number_quality(mean, deviation, target, seed, interval_factor(estimator), groups)
    return class_quality(prediction, np.searchsorted(classes, target), seed, groups)


def share_figure(name: str, hit: NDArray[np.bool_], groups: Indices | None, explanation: str) -> Figure:
    """Return a share of rows with its exact interval."""
    lower, upper = share_limits(hit, groups)
    method = EXACT if own_groups(groups) is None else EXACT_GROUPS
    return Figure(name, float(hit.mean()), lower, upper, explanation, method)


def class_quality(
    probability: Array, label: NDArray[np.intp], seed: int, groups: Indices | None = None
) -> list[Figure]:
    """Return accuracy, balanced accuracy, log loss, Brier score and, for two classes, the AUC."""
    hit = probability.argmax(axis=1) == label
    resampling = Resampling.of(len(label), groups, seed)
    loss, brier = row_losses(probability, label)
    figures = [
        share_figure("accuracy", hit, groups, "share of rows whose most probable class is right"),
        balanced_accuracy(hit, label, groups),
        mean_figure("log loss", loss, worst_loss(probability), resampling, log_loss_words(probability)),
        mean_figure("Brier score", brier, worst_brier(probability), resampling, brier_words(probability)),
    ]
    positive = label == 1
    if probability.shape[1] == 2 and min(positive.sum(), (~positive).sum()) >= FEWEST_ROWS:
        figures.append(area_figure(probability[:, 1], positive, groups))
    return figures


def log_loss_words(probability: Array) -> str:
    """Say what log loss is, and how large that of an even guess is."""
    n_classes = probability.shape[1]
    guess = "a coin" if n_classes == 2 else f"(ln {n_classes}) an even guess"
    return f"minus the log probability of the true class; 0 is best, {np.log(n_classes):.2f} {guess}"


def brier_words(probability: Array) -> str:
    """Say what the Brier score is: for two classes that of one of them, else the sum over classes."""
    if probability.shape[1] == 2:
        return "mean squared error of the probability; 0 is best, 0.25 a coin"
    return "squared errors of the probabilities, summed over the classes; 0 is best, 2 worst"


def row_losses(probability: Array, label: NDArray[np.intp]) -> tuple[Array, Array]:
    """Return the log loss and the Brier score of each row."""
    rows = np.arange(len(label))
    loss = -np.log(np.clip(probability[rows, label], SMALLEST_PROBABILITY, None))
    if probability.shape[1] == 2:
        return loss, (probability[:, 1] - label) ** 2
    truth = np.eye(probability.shape[1])[label]
    return loss, ((probability - truth) ** 2).sum(axis=1)


def worst_loss(probability: Array) -> float:
    """Return the largest log loss that these probabilities can have."""
    return float(-np.log(max(probability.min(), SMALLEST_PROBABILITY)))


def worst_brier(probability: Array) -> float:
    """Return the largest Brier score of a row that these probabilities can have."""
    if probability.shape[1] == 2:
        return float((probability**2).max())
    worst = (probability**2).sum(axis=1) - 2.0 * probability.min(axis=1) + 1.0
    return float(worst.max())


def mean_figure(
    name: str, values: Array, worst: float, resampling: Resampling, explanation: str, least: float = 0.0
) -> Figure:
    """Return the mean over rows of what lies between ``least`` and ``worst``."""
    columns = np.stack([values, np.ones(len(values))], axis=1)
    extremes = [np.array([least, 1.0]), np.array([worst, 1.0])]
    return resampling.figure(name, explanation, columns, ratio, extremes)


def ratio(sums: Array) -> Array:
    """Return the first sum over the last one."""
    return np.asarray(sums[..., 0] / np.maximum(sums[..., -1], np.finfo(float).tiny))


def balanced_accuracy(hit: NDArray[np.bool_], label: NDArray[np.intp], groups: Indices | None) -> Figure:
    """Return the mean over classes of the share of their rows that is right.

    The interval puts those of the classes together (Donner and Zou 2012), each of them exact.
    """
    found = []
    for number in np.unique(label):
        mine = label == number
        theirs = None if groups is None else groups[mine]
        found.append((float(hit[mine].mean()), *share_limits(hit[mine], theirs)))
    share, lower, upper = np.array(found).T
    value = float(share.mean())
    below, above = (float(np.sqrt(((share - end) ** 2).sum())) / len(share) for end in (lower, upper))
    method = "exact intervals of the classes, put together (MOVER)"
    meaning = "the same, averaged over classes"
    return Figure(
        "balanced accuracy", value, max(value - below, 0.0), min(value + above, 1.0), meaning, method
    )


def number_quality(
    mean: Array, deviation: Array, target: Array, seed: int, widen: float, groups: Indices | None = None
) -> list[Figure]:
    """Return RMSE, MAE, R² and the coverage of the intervals; ``widen`` deviations make an interval."""
    error = target - mean
    resampling = Resampling.of(len(target), groups, seed)
    around = target - target.mean()
    columns = np.stack([error**2, np.abs(error), around, around**2, np.ones(len(error))], axis=1)
    worst = max(np.ptp(target), np.abs(error).max()) or np.abs(target).max()
    extremes = [extreme(columns, each) for each in (0.0, float(worst))]
    smallest, largest = median_limits(np.abs(error), groups)
    middle = float(np.median(np.abs(error)))
    squared = "root of the mean squared error, in units of the target"
    absolute = "mean absolute error; outliers weigh less"
    figures = [
        resampling.figure("RMSE", squared, columns, root_mean_square, extremes),
        resampling.figure("MAE", absolute, columns, lambda sums: ratio(sums[..., 1:]), extremes),
        Figure(
            "median error",
            middle,
            min(smallest, middle),
            max(min(largest, float(worst)), middle),
            "half of the rows have a smaller error",
            "exact (order statistics)",
        ),
    ]
    if np.ptp(target) > 0.0:
        share = "share of the variance explained"
        figures.append(resampling.figure("R²", share, columns, explained, extremes))
    if np.isfinite(deviation).all():
        covered = np.abs(error) <= widen * deviation
        inside = f"share of rows inside their {LEVEL:.0%} interval"
        figures.append(share_figure(f"{LEVEL:.0%} coverage", covered, groups, inside))
    return figures


def extreme(columns: Array, error: float) -> Array:
    """Return the columns of an average row that errs by so much."""
    row: Array = columns.mean(axis=0)
    row[:2] = error**2, error
    return row


def root_mean_square(sums: Array) -> Array:
    """Return the RMSE."""
    found: Array = np.sqrt(ratio(sums))
    return found


def explained(sums: Array) -> Array:
    """Return R²; NaN where all targets of a resample are equal."""
    n_rows = sums[..., 4]
    variance = sums[..., 3] - sums[..., 2] ** 2 / n_rows
    share = np.full(np.shape(variance), np.nan)
    np.divide(sums[..., 0], variance, out=share, where=variance > 0.0)
    return np.asarray(1.0 - share)


def interval_factor(model: Any, level: float = LEVEL) -> float:
    """Return how many deviations a central interval extends: Student's for robust noise, else normal."""
    upper = 0.5 + 0.5 * level
    if hasattr(model, "trust_prior_"):
        return float(t.ppf(upper, 2.0 * model.trust_prior_))
    return float(norm.ppf(upper))


def paired_differences(
    theirs: Any,
    ours: Any,
    target: NDArray[Any],
    classes: NDArray[Any],
    seed: int,
    groups: Indices | None = None,
) -> list[Figure]:
    """Return the differences of accuracy and log loss, or of RMSE and MAE; arguments as of figures."""
    resampling = Resampling.of(len(target), groups, seed)
    if isinstance(theirs, tuple):
        return number_differences(target - theirs[0], target - ours[0], resampling)
    label = np.searchsorted(classes, target)
    hits = [(each.argmax(axis=1) == label).astype(float) for each in (theirs, ours)]
    losses = [row_losses(each, label)[0] for each in (theirs, ours)]
    worst = max(worst_loss(theirs), worst_loss(ours))
    return [
        mean_figure("accuracy", hits[0] - hits[1], 1.0, resampling, MEANING, -1.0),
        mean_figure("log loss", losses[0] - losses[1], worst, resampling, MEANING, -worst),
    ]


def number_differences(theirs: Array, ours: Array, resampling: Resampling) -> list[Figure]:
    """Return the differences of RMSE and MAE from two models' errors."""
    worst = float(max(np.abs(theirs).max(), np.abs(ours).max()))
    squares = np.stack([theirs**2, ours**2, np.ones(len(ours))], axis=1)
    extremes = [np.array(each) for each in ((0.0, worst**2, 1.0), (worst**2, 0.0, 1.0))]
    return [
        resampling.figure("RMSE", MEANING, squares, root_difference, extremes),
        mean_figure("MAE", np.abs(theirs) - np.abs(ours), worst, resampling, MEANING, -worst),
    ]


def root_difference(sums: Array) -> Array:
    """Return the difference of two RMSE from sums of squares and the number of rows."""
    return root_mean_square(sums[..., [0, 2]]) - root_mean_square(sums[..., [1, 2]])
