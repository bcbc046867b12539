"""What leaving rows out, or correcting them, does to a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from rowtrust.contracts import Array, Indices

FOLDS = 5
"""Folds of the cross-fitting: ten fits, five before the change and five after it. A habit, not studied."""

MOST_ROWS = 1500
"""Other rows on which the effect is measured, drawn at random where there are more: they bound the
time of ten fits. Not studied."""


@dataclass(frozen=True)
class Effect:
    """The error on the other rows of a model fitted before and after some rows are changed.

    The share of wrong classes, or the root of the mean squared error; every row was predicted by a fit
    that had not seen it.
    """

    model: str
    measure: str
    before: float
    after: float
    n_rows: int


def effect_of_leaving_out(
    build: Callable[[], Any],
    X: Array,
    y: NDArray[Any],
    changed: Indices,
    task: str,
    seed: int = 0,
    corrected: tuple[Indices, NDArray[Any]] | None = None,
    most_rows: int = MOST_ROWS,
) -> Effect:
    """Cross-fit a model on all rows, and on the rows after a change; judge both on those left alone.

    Parameters
    ----------
    build
        Returns an unfitted estimator.
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
    """
    generator = np.random.default_rng(seed)
    kept = np.setdiff1d(np.arange(len(y)), changed)
    if len(kept) > most_rows:  # the changed rows stay the share that they are
        n_changed = max(1, round(len(changed) * most_rows / len(kept)))
        changed = np.sort(generator.permutation(changed)[:n_changed])
        kept = np.sort(generator.permutation(kept)[:most_rows])
    stay, targets = corrected if corrected is not None else (changed[:0], y[:0])
    known = np.isin(stay, changed)
    versions = {"before": (changed, y[changed]), "after": (stay[known], targets[known])}
    splitter = StratifiedKFold if task == "classification" else KFold
    errors: dict[str, list[Array]] = {name: [] for name in versions}
    for train, test in splitter(FOLDS, shuffle=True, random_state=seed).split(X[kept], y[kept]):
        for name, (rows, values) in versions.items():
            inputs = np.concatenate([X[kept[train]], X[rows]])
            fitted = build().fit(inputs, np.concatenate([y[kept[train]], values]))
            errors[name].append(error_of(fitted.predict(X[kept[test]]), y[kept[test]], task))
    before, after = (float(np.mean(np.concatenate(errors[name]))) for name in ("before", "after"))
    name = type(build()).__name__
    if task == "classification":
        return Effect(name, "error", before, after, len(kept))
    return Effect(name, "RMSE", float(np.sqrt(before)), float(np.sqrt(after)), len(kept))


def error_of(predicted: NDArray[Any], target: NDArray[Any], task: str) -> Array:
    """Return each row's error: one for a wrong class, or the squared difference."""
    if task == "classification":
        return np.asarray(predicted != target, dtype=float)
    return np.asarray((predicted - target) ** 2, dtype=float)
