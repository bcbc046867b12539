"""Splits that do not lie: groups stay together, and what is later never teaches what was before."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedGroupKFold, StratifiedKFold

from rowtrust.contracts import Array, Indices
from rowtrust.workflow.records import Part
from rowtrust.workflow.tables import InputError

Folds: TypeAlias = list[tuple[Indices, Indices]]
"""Rows to fit and rows to predict, fold by fold."""


def folds_of(part: Part, is_classes: bool, n_folds: int, seed: int) -> Folds:
    """Return the folds of some rows: forward in time where they have times, by groups where they have groups.

    Parameters
    ----------
    part
        The rows.
    is_classes
        Whether the target holds classes, of which folds then have equal shares, as far as that goes.
    n_folds
        How many; fewer where there are fewer groups or times.
    seed
        Of the random choice.
    """
    if part.times is not None:
        return forward_folds(part.times, part.y if is_classes else None, n_folds)
    if part.groups is not None:
        return group_folds(part.groups, part.y if is_classes else None, n_folds, seed)
    return list(row_folds(part.y, is_classes, n_folds, seed))


def row_folds(
    y: NDArray[Any], is_classes: bool, n_folds: int, seed: int
) -> Iterator[tuple[Indices, Indices]]:
    """Yield folds of rows that stand alone, with equal shares of classes unless all are rarer than folds."""
    stratified = is_classes and np.unique(y, return_counts=True)[1].max() >= n_folds
    yield from (StratifiedKFold if stratified else KFold)(n_folds, shuffle=True, random_state=seed).split(
        y, y
    )


def predicted_rows(folds: Folds) -> Indices:
    """Return the positions of the rows that some fold predicts, in order: not the earliest in time."""
    return np.sort(np.concatenate([test for _, test in folds]))


def group_folds(groups: Indices, y: NDArray[Any] | None, n_folds: int, seed: int) -> Folds:
    """Return folds of which no two share a group."""
    n_groups = len(np.unique(groups))
    if n_groups < 2:
        raise InputError("all rows are of one group, so no fold can do without it. Leave --group out.")
    strata = np.zeros(len(groups), dtype=int) if y is None else np.unique(y, return_inverse=True)[1]
    splitter = StratifiedGroupKFold(min(n_folds, n_groups), shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes that are rarer than folds: the checks tell
        try:
            found = list(splitter.split(strata, strata, groups))
        except ValueError:  # every class is rarer than there are folds
            found = list(splitter.split(strata, np.zeros_like(strata), groups))
    kept = [each for each in found if len(each[1]) and (y is None or len(np.unique(y[each[0]])) > 1)]
    if not kept:
        raise InputError(
            "no fold has two classes left to learn from. Leave --group out, or give more groups."
        )
    return kept


def forward_folds(times: Array, y: NDArray[Any] | None, n_folds: int) -> Folds:
    """Return folds of which each is predicted by all rows before it; rows of one time stay together."""
    ordered, n_rows = np.sort(times), len(times)
    cuts = np.unique([ordered[n_rows * place // (n_folds + 1)] for place in range(1, n_folds + 1)])
    cuts = np.append(cuts[cuts > ordered[0]], np.inf)
    found: Folds = []
    for start, end in pairwise(cuts):
        train = np.flatnonzero(times < start)
        if y is None or len(np.unique(y[train])) > 1:
            found.append((train, np.flatnonzero((times >= start) & (times < end))))
    if not found:
        raise InputError(
            "the rows cannot be judged forward in time: too few times, or only one class, come before each "
            "later part. Leave --time out."
        )
    return found


def latest(times: Array, share: float) -> NDArray[np.bool_]:
    """Return which rows are the latest, about a share of them; rows of one time stay together.

    Rows without a time are never among them.
    """
    moments, counts = np.unique(times, return_counts=True)
    later = len(times) - np.concatenate([[0], np.cumsum(counts)[:-1]])  # rows from each moment on
    candidates = np.flatnonzero(np.isfinite(moments) & (np.arange(len(moments)) > 0))
    if not len(candidates):
        raise InputError("all rows are of one time, so none is later. Leave --time out.")
    best = candidates[np.abs(later[candidates] - share * len(times)).argmin()]
    return np.asarray(times >= moments[best])


def chosen_groups(groups: Indices, strata: Indices, share: float, seed: int) -> NDArray[np.bool_]:
    """Return which rows are of groups that make up a share of the rows, of every stratum if that can be.

    Of the rows in groups of several the share is taken as well: in random order, each group if the strata
    come nearer to their share with it. Then single rows fill up.
    """
    generator = np.random.default_rng(seed)
    _, number = np.unique(groups, return_inverse=True)
    size = np.bincount(number)
    totals = np.maximum(np.bincount(strata), 1)
    several = size[number] > 1
    chosen = np.zeros(len(size), dtype=bool)
    left = share * np.bincount(strata[several], minlength=len(totals))
    missing = share * totals
    rows_of = np.split(np.argsort(number, kind="stable"), np.cumsum(size)[:-1])
    for group in generator.permutation(np.flatnonzero(size > 1)):
        content = np.bincount(strata[rows_of[group]], minlength=len(totals))
        if ((left - content) ** 2 / totals).sum() < (left**2 / totals).sum():
            chosen[group] = True
            left, missing = left - content, missing - content
    single = generator.permutation(np.flatnonzero(~several))
    for stratum in range(len(totals)):
        own = single[strata[single] == stratum]
        chosen[number[own[: max(0, round(missing[stratum]))]]] = True
    if not chosen.any():
        chosen[np.abs(size - share * len(groups)).argmin()] = True
    return np.asarray(chosen[number])
