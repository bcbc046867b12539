"""Training rows, as the solvers want them: checked, weighted, without rows that count for nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from rowtrust.contracts import Array, Indices, Matrix

LARGEST_VARIANCE = 1e300
"""Beyond this the inputs' squares overflow when they are summed. A guard, just below the largest double."""


@dataclass(frozen=True)
class TrainingRows:
    """Rows that take part in a fit.

    Attributes
    ----------
    X
        Inputs, dense or CSR; for a precomputed kernel the rows of the kernel matrix.
    y : (n,)
        Class numbers, or targets.
    copies : (n,)
        Sample weights: how many copies of itself each row stands for; all positive.
    weight : (n,)
        The factor on each row's likelihood: sample weight times class weight.
    index : (n,)
        Positions of the rows in what the user gave.
    n_given
        How many rows the user gave.
    """

    X: Matrix
    y: NDArray[Any]
    copies: Array
    weight: Array
    index: Indices
    n_given: int

    @property
    def part(self) -> Array:
        """With which power one copy of each row takes part: class weight, and a sample weight below one."""
        return np.minimum(self.copies, 1.0) * self.weight / self.copies


@dataclass(frozen=True)
class Centres:
    """Where basis functions may stand, chosen once a fit.

    Attributes
    ----------
    rows
        Inputs of the centres; for a precomputed kernel column numbers of its matrix.
    positions
        For each centre the position of its row in what the user gave, or its own in the centres given.
    distinct
        Positions of the distinct training rows.
    follow_rows
        Whether there is one on every distinct row, so that a fit to fewer rows has fewer of them.
    """

    rows: Matrix
    positions: Indices
    distinct: Indices
    follow_rows: bool = True


def inverse_variance(rows: TrainingRows) -> float:
    """Return one over the sum of the features' variances; one if they are constant."""
    variance = total_variance(rows.X, rows.copies)
    if not variance < LARGEST_VARIANCE:
        raise ValueError("The inputs are too large for their squares to be summed. Scale them.")
    return 1.0 / variance if variance > 0 else 1.0


def total_variance(X: Matrix, weight: Array) -> float:
    """Return the sum of the variances of the features, rows weighted; constant features add nothing."""
    share = weight / weight.sum()
    mean = share @ X
    if issparse(X):
        return float(np.maximum(share @ X.multiply(X) - mean**2, 0.0).sum())
    with np.errstate(over="ignore"):
        return float((share @ (X - mean) ** 2).sum())
