"""Comparing classifiers over many data sets: Friedman's test and Nemenyi's (Demsar 2006)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from rowtrust.contracts import Array
from rowtrust.displays.critical_difference import (
    friedman_p_value,
    friedman_statistic,
    nemenyi_difference,
    rank_spread,
)


@dataclass(frozen=True)
class Comparison:
    """What the tests say about classifiers that met on the same blocks.

    Parameters
    ----------
    mean_ranks
        Mean rank of each classifier; 1 is best.
    statistic
        Friedman's, with the correction for ties.
    p_value
        That all classifiers are alike.
    pair_p_values
        Nemenyi's, for every pair.
    critical_difference
        Mean ranks further apart than this differ at the chosen level.
    n_blocks
        How many blocks there were.
    """

    mean_ranks: Array
    statistic: float
    p_value: float
    pair_p_values: Array
    critical_difference: float
    n_blocks: int


def compare(scores: ArrayLike, *, higher_is_better: bool = False, level: float = 0.05) -> Comparison:
    """Test whether classifiers differ, and which pairs do.

    Parameters
    ----------
    scores : array-like of shape (n_blocks, n_classifiers)
        One row per data set or repeat, on which all classifiers were measured.
    higher_is_better
        Whether the best classifier has the highest score.
    level
        Of the critical difference.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from papers.statistics import compare
    >>> found = compare([[1, 2, 3], [1, 3, 2], [1, 2, 3], [1, 2, 3]])
    >>> [round(float(rank), 2) for rank in found.mean_ranks]
    [1.0, 2.25, 2.75]
    >>> round(found.p_value, 4)
    0.0388
    """
    scores = np.asarray(scores, dtype=float)
    if scores.ndim != 2 or scores.shape[1] < 3 or scores.shape[0] < 2:
        raise ValueError(
            "scores must have a row per block (two or more) and a column per classifier (three or more); "
            f"got shape {scores.shape}."
        )
    ranks = stats.rankdata(-scores if higher_is_better else scores, axis=1)
    n_blocks, n_classifiers = ranks.shape
    mean_ranks = ranks.mean(axis=0)
    # The studentised range is that of independent normals, whose difference has twice the variance.
    apart = np.abs(mean_ranks[:, None] - mean_ranks)
    distance = np.sqrt(2.0) * apart / rank_spread(n_classifiers, n_blocks)
    pairs = np.clip(stats.studentized_range.sf(distance, n_classifiers, np.inf), 0.0, 1.0)
    np.fill_diagonal(pairs, 1.0)
    return Comparison(
        mean_ranks,
        friedman_statistic(ranks),
        friedman_p_value(ranks),
        pairs,
        nemenyi_difference(n_classifiers, n_blocks, level),
        n_blocks,
    )
