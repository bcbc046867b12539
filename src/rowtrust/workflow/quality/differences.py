"""How far another model is ahead or behind on the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowtrust.contracts import Array, Indices
from rowtrust.workflow.quality.figures import ratio, root_mean_square, row_losses, worst_loss
from rowtrust.workflow.quality.intervals import Resampling
from rowtrust.workflow.quality.records import Figure

MEANING = "the reference's figure less the model's, on the same rows"
"""What a difference is, in words."""


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
        mean_difference("accuracy", hits[0] - hits[1], 1.0, resampling),
        mean_difference("log loss", losses[0] - losses[1], worst, resampling),
    ]


def mean_difference(name: str, values: Array, worst: float, resampling: Resampling) -> Figure:
    """Return the mean of a difference that lies between ``-worst`` and ``worst``."""
    columns = np.stack([values, np.ones(len(values))], axis=1)
    extremes = [np.array([-worst, 1.0]), np.array([worst, 1.0])]
    value, lower, upper, method = resampling.interval(columns, ratio, extremes)
    return Figure(name, value, lower, upper, MEANING, method)


def number_differences(theirs: Array, ours: Array, resampling: Resampling) -> list[Figure]:
    """Return the differences of RMSE and MAE from two models' errors."""
    worst = float(max(np.abs(theirs).max(), np.abs(ours).max()))
    squares = np.stack([theirs**2, ours**2, np.ones(len(ours))], axis=1)
    extremes = [np.array(each) for each in ((0.0, worst**2, 1.0), (worst**2, 0.0, 1.0))]
    value, lower, upper, method = resampling.interval(squares, root_difference, extremes)
    return [
        Figure("RMSE", value, lower, upper, MEANING, method),
        mean_difference("MAE", np.abs(theirs) - np.abs(ours), worst, resampling),
    ]


def root_difference(sums: Array) -> Array:
    """Return the difference of two RMSE from sums of squares and the number of rows."""
    return root_mean_square(sums[..., [0, 2]]) - root_mean_square(sums[..., [1, 2]])
