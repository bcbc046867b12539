"""What leaving rows out, or correcting them, does to a model."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold

from rowtrust.contracts import Array, Indices
from rowtrust.workflow.folds import row_folds

FOLDS = 5
"""Folds of the cross-fitting: ten fits, five before the change and five after it. A habit, not studied."""

MOST_ROWS = 1500
"""Other rows on which the effect is measured, drawn at random where there are more: they bound the
time of ten fits. Not studied."""

CHANCE = 2.0
"""Standard errors up to which a difference may be chance; a convention."""


@dataclass(frozen=True)
class Effect:
    """The error on the other rows of a model fitted before and after some rows are changed.

    The share of wrong classes, or the root of the mean squared error; every row was predicted by a fit
    that had not seen it. ``noise`` is the standard error of the difference over these rows.
    """

    model: str
    measure: str
    before: float
    after: float
    n_rows: int
    noise: float

    @property
    def is_chance(self) -> bool:
        """Whether the difference is so small that it may be chance."""
        return abs(self.after - self.before) <= CHANCE * self.noise


@dataclass(frozen=True, eq=False)
class Change:
    """Rows of a table that are left out, or corrected.

    Attributes
    ----------
    X, y
        Prepared inputs, and targets as given.
    changed
        Rows that are left out, or corrected.
    task
        "classification" or "regression".
    seed
        Of the folds, and of the draw where rows are many.
    corrected
        Those of the changed rows that stay, and their new targets; None where all are left out.
    most_rows
        Rows on which the effect is measured.
    groups
        Rows of one group are never in a fit that predicts others of it; None where every row stands alone.
    """

    X: Array
    y: NDArray[Any]
    changed: Indices
    task: str
    seed: int = 0
    corrected: tuple[Indices, NDArray[Any]] | None = None
    most_rows: int = MOST_ROWS
    groups: Indices | None = None

    def drawn(self) -> tuple[Indices, Indices]:
        """Return the rows that are left alone, and the changed ones: a sample of both where they are many."""
        kept, changed = np.setdiff1d(np.arange(len(self.y)), self.changed), self.changed
        if len(kept) <= self.most_rows:
            return kept, changed
        generator = np.random.default_rng(self.seed)
        n_changed = max(1, round(len(changed) * self.most_rows / len(kept)))  # the share that they are
        changed = np.sort(generator.permutation(changed)[:n_changed])
        return np.sort(generator.permutation(kept)[: self.most_rows]), changed


def effect_of_change(build: Callable[[], Any], change: Change) -> Effect:
    """Cross-fit a model on all rows, and on the rows after a change; judge both on those left alone.

    Parameters
    ----------
    build
        Returns an unfitted estimator.
    change
        What is done to which rows.
    """
    X, y, task = change.X, change.y, change.task
    kept, changed = change.drawn()
    stay, targets = change.corrected if change.corrected is not None else (changed[:0], y[:0])
    known = np.isin(stay, changed)
    versions = {"before": (changed, y[changed]), "after": (stay[known], targets[known])}
    groups = np.arange(len(y)) if change.groups is None else change.groups
    errors: dict[str, list[Array]] = {name: [] for name in versions}
    for train, test in folds(y[kept], groups[kept], task, change.seed):
        for name, (rows, values) in versions.items():
            foreign = ~np.isin(groups[rows], groups[kept[test]])
            inputs = np.concatenate([X[kept[train]], X[rows[foreign]]])
            fitted = build().fit(inputs, np.concatenate([y[kept[train]], values[foreign]]))
            errors[name].append(error_of(fitted.predict(X[kept[test]]), y[kept[test]], task))
    return effect_of_errors(type(build()).__name__, task, *map(np.concatenate, errors.values()))


def effect_of_errors(model: str, task: str, before: Array, after: Array) -> Effect:
    """Return the effect, from each row's error before and after."""
    first, second = float(before.mean()), float(after.mean())
    noise = float(np.std(after - before) / np.sqrt(len(before)))
    if task == "classification":
        return Effect(model, "error", first, second, len(before), noise)
    first, second = float(np.sqrt(first)), float(np.sqrt(second))
    slope = first + second  # of the difference of squares
    return Effect(model, "RMSE", first, second, len(before), noise / slope if slope else 0.0)


def folds(y: NDArray[Any], groups: Indices, task: str, seed: int) -> list[tuple[Indices, Indices]]:
    """Return folds with equal shares of the classes that cut no group."""
    if len(np.unique(groups)) < len(groups):
        strata = y if task == "classification" else np.zeros(len(y), dtype=int)
        grouped = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=seed)
        return [each for each in grouped.split(strata, strata, groups) if len(each[1])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes that are rarer than folds: the checks tell
        return list(row_folds(y, task == "classification", FOLDS, seed))


def error_of(predicted: NDArray[Any], target: NDArray[Any], task: str) -> Array:
    """Return each row's error: one for a wrong class, or the squared difference."""
    if task == "classification":
        return np.asarray(predicted != target, dtype=float)
    return np.asarray((predicted - target) ** 2, dtype=float)
