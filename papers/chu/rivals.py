"""The regressions beside Bayesian SVR in table 7 of Chu, Keerthi & Ong (2001)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.preprocessing import StandardScaler

from papers.chu.spline_kernels import linear_splines
from papers.hwang.models import AS_PUBLISHED, select_width
from rowtrust.contracts import Array
from rowtrust.estimators import RVR

VALIDATION_ROWS = 80
"""Training rows by which ridge regressions choose kernel and penalty, as in Saunders et al."""

WIDTHS = (0.8, 1.6, 3.2, 6.4)
"""Squared kernel widths per input of variance one, from which the Gaussian relevance vectors choose."""

PENALTIES = tuple(10.0**power for power in range(-5, 2))
"""Of ridge regression, for kernels of mean diagonal one."""

Predictor = Callable[[Array], Array]
"""Returns predictions for new inputs."""

Fit = Callable[[Array, Array], tuple[Predictor, int]]
"""Returns a predictor, and how many times the fit evaluated its objective."""


class UnitRange:
    """Inputs brought to [0, 1], where spline kernels live."""

    def __init__(self, X: Array) -> None:
        self.low = X.min(axis=0)
        width = X.max(axis=0) - self.low
        self.width = np.where(width > 0, width, 1.0)

    def __call__(self, X: Array) -> Array:
        """Return the inputs in the range."""
        return np.asarray(np.clip((X - self.low) / self.width, 0.0, 1.0))


Scaling = Callable[[Array], Array]
"""Brings inputs to the range of a kernel."""


def fit_ridge(
    X: Array,
    y: Array,
    kernels: list[Callable[[Array, Array], Array]],
    scaling: Callable[[Array], Scaling] = UnitRange,
) -> tuple[Predictor, int]:
    """Fit kernel ridge regression; kernel and penalty by 80 rows left out, as Saunders et al. did."""
    unit, level = scaling(X), y.mean()
    U = unit(X)
    inside, outside = slice(VALIDATION_ROWS, None), slice(0, VALIDATION_ROWS)
    best = (np.inf, kernels[0], PENALTIES[0])
    for kernel in kernels:
        K = kernel(U, U) / np.mean(np.diag(kernel(U, U)))
        for penalty in PENALTIES:
            ridge = KernelRidge(alpha=penalty, kernel="precomputed").fit(
                K[inside, inside], (y - level)[inside]
            )
            error = float(np.mean((ridge.predict(K[outside, inside]) + level - y[outside]) ** 2))
            best = min(best, (error, kernel, penalty), key=lambda choice: choice[0])
    _, kernel, penalty = best
    scale = np.mean(np.diag(kernel(U, U)))
    ridge = KernelRidge(alpha=penalty, kernel="precomputed").fit(kernel(U, U) / scale, y - level)
    return lambda new: ridge.predict(kernel(unit(new), U) / scale) + level, 1


def fit_spline_vectors(X: Array, y: Array, seed: int) -> tuple[Predictor, int]:
    """Fit relevance vectors with the spline kernel on inputs in [0, 1]."""
    unit = UnitRange(X)
    U = unit(X)
    model = RVR(**{**AS_PUBLISHED, "kernel": "precomputed"}, random_state=seed).fit(linear_splines(U, U), y)
    return lambda new: model.predict(linear_splines(unit(new), U)), 1


def fit_gaussian_vectors(X: Array, y: Array, seed: int) -> tuple[Predictor, int]:
    """Fit relevance vectors with a Gaussian kernel, its width by the bound."""
    scaler = StandardScaler().fit(X)
    gammas = [1.0 / (width * X.shape[1]) for width in WIDTHS]
    model = select_width(RVR(**AS_PUBLISHED, random_state=seed), scaler.transform(X), y, gammas).model
    return lambda new: model.predict(scaler.transform(new)), 1
