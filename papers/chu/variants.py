"""Chu, Keerthi & Ong (2001), table 7: its rivals again, with what their papers leave open."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import KFold

from papers.chu.protocol import boston_split
from papers.chu.rivals import PENALTIES, Scaling, UnitRange, fit_ridge
from papers.chu.spline_kernels import anova_splines, linear_splines, one_plus_splines
from papers.experiments import Record
from papers.hwang.models import AS_PUBLISHED
from rowtrust.contracts import Array
from rowtrust.estimators import RVR

KernelFunction = Callable[[Array, Array], Array]
"""Returns the kernel between two sets of rows."""

ORDERS = (1, 2, 3, 4, 5)
"""How many inputs interact in an ANOVA kernel."""


class VarianceOne:
    """Inputs of variance one that begin at zero, where spline kernels begin."""

    def __init__(self, X: Array) -> None:
        self.low = X.min(axis=0)
        self.width = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)

    def __call__(self, X: Array) -> Array:
        """Return the inputs."""
        return np.asarray(np.maximum((X - self.low) / self.width, 0.0))


def spline_sums(X: Array, Y: Array) -> Array:
    """Return the sum over inputs of the linear spline kernel: no input interacts."""
    return np.asarray(one_plus_splines(X, Y).sum(axis=0))


def vectors(
    X: Array, y: Array, new: Array, kernel: KernelFunction, scaling: Callable[[Array], Scaling], unit: bool
) -> Array:
    """Predict by relevance vectors; ``unit``: with the kernel divided to a diagonal of ones."""
    scale = scaling(X)
    U, V = scale(X), scale(new)
    size = [diagonal(kernel, part) ** 0.5 if unit else np.ones(len(part)) for part in (U, V)]
    model = RVR(**{**AS_PUBLISHED, "kernel": "precomputed"}, random_state=0)
    model.fit(kernel(U, U) / np.outer(size[0], size[0]), y)
    return np.asarray(model.predict(kernel(V, U) / np.outer(size[1], size[0])))


def diagonal(kernel: KernelFunction, X: Array) -> Array:
    """Return the kernel of each row with itself."""
    return np.array([kernel(row[None], row[None])[0, 0] for row in X])


def ridge_by_folds(X: Array, y: Array, new: Array, kernels: list[KernelFunction]) -> Array:
    """Predict by kernel ridge regression; kernel and penalty by five folds of all training rows."""
    unit, level = UnitRange(X), y.mean()
    U = unit(X)
    folds = list(KFold(5, shuffle=True, random_state=0).split(U))
    best = (np.inf, kernels[0], PENALTIES[0])
    for kernel in kernels:
        K = kernel(U, U) / np.mean(np.diag(kernel(U, U)))
        for penalty in PENALTIES:
            error = 0.0
            for inside, outside in folds:
                ridge = KernelRidge(alpha=penalty, kernel="precomputed")
                ridge.fit(K[np.ix_(inside, inside)], y[inside] - level)
                error += float(np.sum((ridge.predict(K[np.ix_(outside, inside)]) + level - y[outside]) ** 2))
            best = min(best, (error, kernel, penalty), key=lambda choice: choice[0])
    _, kernel, penalty = best
    scale = np.mean(np.diag(kernel(U, U)))
    ridge = KernelRidge(alpha=penalty, kernel="precomputed").fit(kernel(U, U) / scale, y - level)
    return np.asarray(ridge.predict(kernel(unit(new), U) / scale) + level)


def variants(X: Array, y: Array, new: Array) -> dict[str, Callable[[], Array]]:
    """Return the predictions of each variant, by method and what is done otherwise."""
    of_vectors = partial(vectors, X, y, new)
    anova: list[KernelFunction] = [partial(anova_splines, order=order) for order in ORDERS]
    return {
        "relevance vectors, linear splines: as in table 7": partial(
            of_vectors, linear_splines, UnitRange, unit=False
        ),
        "relevance vectors, linear splines: kernel of diagonal one": partial(
            of_vectors, linear_splines, UnitRange, unit=True
        ),
        "relevance vectors, linear splines: sum over inputs": partial(
            of_vectors, spline_sums, UnitRange, unit=False
        ),
        "relevance vectors, linear splines: inputs of variance one": partial(
            of_vectors, linear_splines, VarianceOne, unit=False
        ),
        "relevance vectors, linear splines: variance one, kernel of diagonal one": partial(
            of_vectors, linear_splines, VarianceOne, unit=True
        ),
        "ridge regression, ANOVA splines: as in table 7": lambda: fit_ridge(X, y, anova)[0](new),
        "ridge regression, ANOVA splines: inputs of variance one": lambda: fit_ridge(
            X, y, anova, VarianceOne
        )[0](new),
        "ridge regression, ANOVA splines: chosen by five folds": partial(ridge_by_folds, X, y, new, anova),
    }


def variants_once(seed: int, data: str | None) -> Record:
    """Split 481/25 as for table 7 and measure each variant's squared error."""
    X, y, test, train = boston_split(seed, data)
    return {
        name: float(np.mean((predict() - y[test]) ** 2))
        for name, predict in variants(X[train], y[train], X[test]).items()
    }
