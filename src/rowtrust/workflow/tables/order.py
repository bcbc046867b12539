"""Whether whole numbers are amounts or codes: rows of amounts that are near each other are alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype
from scipy.sparse import csr_array

from rowtrust.contracts import Array

MOST_ROWS = 20_000
"""Rows that are looked at, evenly over the table: their means are sharp enough. Chosen for time."""

SIGNAL = 1.5
"""Times as much as by chance that the means of the inputs must differ between the numbers before their order
is asked for. By chance the ratio is 1, give or take 0.3 for a dozen numbers and two inputs."""

ORDERED = 0.5
"""Squared distance of a mean from the line between its two neighbours, in those from the mean of all: near 0
where inputs follow amounts, and 1.5 or more for codes. The five targets of numbers of half A, cut into 13, 26
or 60 steps, have 0.37 at most (0.48 on half B); in random order of 26 or 60 steps 0.8 at least."""


def are_codes(numbers: Array, X: pd.DataFrame) -> bool:
    """Whether some whole numbers are codes rather than amounts.

    Of amounts the mean of an input lies near the line between the means at the next smaller and the next
    larger number; of codes it lies anywhere. Where the inputs say nothing of the numbers, uneven gaps between
    them decide.

    Parameters
    ----------
    numbers
        The target of each row.
    X
        The inputs: numbers, and words.
    """
    steps = np.diff(np.unique(numbers))
    roughness = roughness_of(numbers, X)
    return len(np.unique(steps)) > 2 if roughness is None else roughness > ORDERED


def roughness_of(numbers: Array, X: pd.DataFrame) -> float | None:
    """Return how far means of the inputs lie from the line between their neighbours; None without signal."""
    rows = np.arange(0, len(numbers), max(1, len(numbers) // MOST_ROWS))
    values, place, counts = np.unique(numbers[rows], return_inverse=True, return_counts=True)
    Z = np.column_stack([as_ranks(X[name].iloc[rows]) for name in X.columns])
    sums = csr_array((np.ones(len(rows)), (place, np.arange(len(rows)))))
    means = np.asarray(sums @ Z) / counts[:, None]
    noise = ((Z - means[place]) ** 2).sum(axis=0) / max(1, len(rows) - len(values)) / counts[:, None]
    upper = ((values[1:-1] - values[:-2]) / (values[2:] - values[:-2]))[:, None]
    lower, weights = 1.0 - upper, counts[1:-1, None]
    between = (means[1:-1] - lower * means[:-2] - upper * means[2:]) ** 2
    between -= noise[1:-1] + lower**2 * noise[:-2] + upper**2 * noise[2:]
    apart, by_chance = (weights * means[1:-1] ** 2).sum(), (weights * noise[1:-1]).sum()
    if apart <= SIGNAL * by_chance:
        return None
    return float((weights * between).sum() / (apart - by_chance))


def as_ranks(values: pd.Series[Any]) -> NDArray[np.float64]:
    """Return a column as ranks around 0, gaps in the middle; categories in any order, which does as well."""
    if not is_numeric_dtype(values.dtype):
        values = pd.Series(pd.factorize(values)[0])
    ranks = values.rank()
    scale = float(ranks.std()) or 1.0
    return np.asarray((ranks - ranks.mean()).fillna(0.0) / scale, dtype=float)
