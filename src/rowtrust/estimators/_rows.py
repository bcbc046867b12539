"""Training rows, as the solvers want them: checked, weighted, without rows that count for nothing."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import _check_sample_weight

from rowtrust.memberships.distances import weighted_median


@dataclass(frozen=True)
class TrainingRows:
    """Rows that take part in a fit.

    Attributes
    ----------
    X
        Inputs, dense or CSR; for a precomputed kernel the rows of the kernel matrix.
    y : (n,)
        Class numbers, or standardised targets.
    copies : (n,)
        Sample weights: how many copies of itself each row stands for; all positive.
    weight : (n,)
        The factor on each row's likelihood: sample weight times class weight.
    index : (n,)
        Positions of the rows in what the user gave.
    n_given
        How many rows the user gave.
    distinct, centres, centre_rows
        Positions of the distinct rows, the centres of basis functions, and for each of these the position
        of its row in what the user gave (or its own in the centres given). Chosen once a fit.
    """

    X: Any
    y: np.ndarray
    copies: np.ndarray
    weight: np.ndarray
    index: np.ndarray
    n_given: int
    distinct: Any = None
    centres: Any = None
    centre_rows: Any = None

    def replace(self, **changes) -> "TrainingRows":
        """Return a copy with some fields changed."""
        return replace(self, **changes)


def weighted_rows(X, y, sample_weight) -> TrainingRows:
    """Leave out rows of weight zero; refuse weights that are negative, not finite, or all zero."""
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weight < 0).any():
        raise ValueError(
            "Negative values in data passed to `sample_weight`. A sample weight counts copies of a "
            "row and must be zero or more."
        )
    index = np.flatnonzero(weight > 0)
    if len(index) == 0:
        raise ValueError(
            "All sample weights are zero, so no row is left to fit. Give at least two rows a positive weight."
        )
    if not weight.sum() < 1e100:
        raise ValueError("The sample weights are too large to be summed. Divide them by their mean.")
    if len(index) < len(weight):
        X, y = X[index], y[index]
    return TrainingRows(X, y, weight[index], weight[index], index, len(weight))


def standardise(rows: TrainingRows, robust: bool = False) -> tuple[TrainingRows, float, float]:
    """Return rows whose targets have centre zero and spread one, with the offset and the scale.

    Mean and standard deviation; if ``robust``, median and median absolute deviation, which no gross
    outlier can move far. Constant targets keep their size as the scale,
    so that their noise is small beside them.
    """
    largest = float(np.abs(rows.y).max())
    if largest > 1e100 or 0.0 < largest < 1e-100:
        raise ValueError(f"The targets are of size {largest:.1e}, beyond what can be squared. Rescale y.")
    offset, scale = _median_and_spread(rows) if robust else _mean_and_deviation(rows)
    if scale <= 1e-13 * largest:
        offset, scale = _mean_and_deviation(rows)
    if scale <= 1e-13 * largest:
        offset, scale = float(rows.y[0]), largest or 1.0
    return rows.replace(y=(rows.y - offset) / scale), offset, scale


def _mean_and_deviation(rows):
    mean = float(np.average(rows.y, weights=rows.weight))
    return mean, float(np.sqrt(np.average((rows.y - mean) ** 2, weights=rows.weight)))


def _median_and_spread(rows):
    """Return the median and 1.4826 times the median distance from it, rows weighted."""
    median = weighted_median(rows.y, rows.weight)
    return median, 1.4826 * weighted_median(np.abs(rows.y - median), rows.weight)


def scale_gamma(rows):
    """Return one over the sum of the features' variances."""
    variance = total_variance(rows.X, rows.copies)
    if not variance < 1e300:
        raise ValueError("The inputs are too large for their squares to be summed. Scale them.")
    return 1.0 / variance if variance > 0 else 1.0


def total_variance(X, weight):
    """Return the sum of the variances of the features, rows weighted; constant features add nothing."""
    share = weight / weight.sum()
    mean = share @ X
    if issparse(X):
        return float(np.maximum(share @ X.multiply(X) - mean**2, 0.0).sum())
    with np.errstate(over="ignore"):
        return float((share @ (X - mean) ** 2).sum())
