"""A fit without vectors is a constant: a warning where something simple explains rows it has not seen."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from rowtrust.contracts import Array
from rowtrust.fitting.average import Average
from rowtrust.fitting.decide import UNEXPLAINED, WORST
from rowtrust.fitting.plan import Training

PENALTIES = 10.0 ** np.arange(-10, 1, 2)
"""Of ridge regressions, as shares of the largest principal component. A wide net, not studied."""

NEIGHBOURS = 3
"""Rows whose mean target is the other simple prediction. Not studied."""


def warn_if_constant(plan: Training, found: Average) -> None:
    """Warn of a model without vectors where ridge regression or a few neighbours explain held-out rows."""
    if found.model.basis.n_columns > 1 or issparse(plan.rows.X) or plan.kernel.is_precomputed:
        return
    rows = plan.sample().rows
    target = np.column_stack([coding(rows.y) for coding in plan.codings])
    Z = rows.expected - rows.expected.mean(axis=0)
    Z = Z / np.where(rows.deviations > 0.0, rows.deviations, 1.0)
    if len(rows.distinct) < plan.budget.fewest_rows:
        return
    left = {
        "ridge regression": ridge_residuals(Z, target),
        "the nearest rows": neighbour_residuals(Z, target),
    }
    whole = squares(target - np.median(target, axis=0))
    name = min(left, key=lambda each: squares(left[each]))
    share = 1.0 - squares(left[name]) / whole if whole > 0.0 else 0.0
    if share > UNEXPLAINED:
        warnings.warn(
            f"The model is a constant: no vector was worth keeping, but {name} would explain {share:.0%} of "
            "rows not seen. Try another kernel, or whitened principal components as inputs.",
            ConvergenceWarning,
            stacklevel=2,
        )


def squares(residuals: Array) -> float:
    """Return the sum of their squares, none larger than that of an outlier."""
    return float((np.minimum(np.abs(residuals), WORST) ** 2).sum())


def ridge_residuals(Z: Array, target: Array) -> Array:
    """Return what ridge regression leaves of each row that it has not seen, with the best penalty."""
    axes, roots, _ = np.linalg.svd(Z, full_matrices=False)
    found = []
    for penalty in PENALTIES * max(float(roots.max(initial=0.0)) ** 2, np.finfo(float).tiny):
        part = axes * np.sqrt(roots**2 / (roots**2 + penalty))
        own = 1.0 / len(Z) + (part**2).sum(axis=1)
        fit = target.mean(axis=0) + part @ (part.T @ target)
        found.append((target - fit) / np.maximum(1.0 - own, np.finfo(float).eps)[:, None])
    return min(found, key=squares)


def neighbour_residuals(Z: Array, target: Array) -> Array:
    """Return what the mean target of the nearest other rows leaves of each row."""
    apart = cdist(Z, Z)
    np.fill_diagonal(apart, np.inf)
    nearest = np.argpartition(apart, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
    return np.asarray(target - target[nearest].mean(axis=1))
