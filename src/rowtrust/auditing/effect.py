"""What leaving the suspects out does to a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedGroupKFold, StratifiedKFold

from rowtrust.contracts import Array, Indices

FOLDS = 5
"""Folds of the cross-fitting: ten fits, five with the suspects and five without. A habit, not studied."""

MOST_ROWS = 1500
"""Unsuspicious rows on which the effect is measured, drawn at random where there are more: they bound the
time of ten fits. Not studied."""


@dataclass(frozen=True)
class Effect:
    """The error on unsuspicious rows of a model fitted with and without the suspects.

    The share of wrong classes, or the root of the mean squared error; every row was predicted by a fit
    that had not seen it.
    """

    model: str
    measure: str
    with_suspects: float
    without_suspects: float


def effect_of_leaving_out(
    build: Callable[[], Any],
    X: Array,
    y: NDArray[Any],
    suspects: Indices,
    task: str,
    seed: int = 0,
    groups: Indices | None = None,
) -> Effect:
    """Cross-fit a model on all rows, and on the rows without suspects; judge both on the latter.

    Rows of one group, where there are groups, are never in a fit that predicts others of it.
    """
    generator = np.random.default_rng(seed)
    kept = np.setdiff1d(np.arange(len(y)), suspects)
    kept = np.sort(generator.permutation(kept)[:MOST_ROWS])
    groups = np.arange(len(y)) if groups is None else groups
    errors: dict[bool, list[Array]] = {True: [], False: []}
    for train, test in folds(y[kept], groups[kept], task, seed):
        foreign = suspects[~np.isin(groups[suspects], groups[kept[test]])]
        for dirty, found in errors.items():
            rows = np.concatenate([kept[train], foreign]) if dirty else kept[train]
            predicted = build().fit(X[rows], y[rows]).predict(X[kept[test]])
            found.append(error_of(predicted, y[kept[test]], task))
    with_them, without = (float(np.mean(np.concatenate(errors[dirty]))) for dirty in (True, False))
    name = type(build()).__name__
    if task == "classification":
        return Effect(name, "error", with_them, without)
    return Effect(name, "RMSE", float(np.sqrt(with_them)), float(np.sqrt(without)))


def folds(y: NDArray[Any], groups: Indices, task: str, seed: int) -> list[tuple[Indices, Indices]]:
    """Return folds with equal shares of the classes that cut no group."""
    if len(np.unique(groups)) < len(groups):
        strata = y if task == "classification" else np.zeros(len(y), dtype=int)
        grouped = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed)
        return [each for each in grouped.split(strata, strata, groups) if len(each[1])]
    splitter = StratifiedKFold if task == "classification" else KFold
    return list(splitter(FOLDS, shuffle=True, random_state=seed).split(y, y))


def error_of(predicted: NDArray[Any], target: NDArray[Any], task: str) -> Array:
    """Return each row's error: one for a wrong class, or the squared difference."""
    if task == "classification":
        return np.asarray(predicted != target, dtype=float)
    return np.asarray((predicted - target) ** 2, dtype=float)
