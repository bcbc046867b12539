"""The hyperparameters of a scikit-learn kernel object, learnt by the evidence.

scikit-learn gives the gradient of ``kernel(X, X)`` only. That of the kernel between rows and centres is
the corner of it that belongs to a tile of rows beside a tile of centres.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from rowtrust.contracts import Array
from rowtrust.kernels import Kernel
from rowtrust.numerics.blocks import row_blocks
from rowtrust.search.alternate import (
    Climb,
    FitAt,
    FrozenSites,
    best_score,
    climb_from,
    design_log_evidence,
    fit_along,
    learn_kernel,
)
from rowtrust.search.fits import FitPlan, KernelFit

SMALLEST_TILE, LARGEST_TILE = 100, 400
"""Rows and centres of a tile: enough to repay a call of the kernel, few enough for the gradient of their
square to fit into memory (5 MB a hyperparameter at most). Not measured."""

FACTORS = (4.0, 2.0, 0.5, 0.25)
"""On the length scales that the user gave, where the climb may start too. Chosen with the starts of learnt
scales on Friedman #1 and moons; other factors were not studied."""


def kernel_log_evidence(theta: Array, kernel: Any, X: Array, frozen: FrozenSites) -> tuple[float, Array]:
    """Return the log evidence of frozen sites and its gradient in the kernel's ``theta``."""
    kernel = kernel.clone_with_theta(theta)
    gradient = np.zeros(len(theta))
    if not len(frozen.centres):
        return design_log_evidence(np.ones((len(X), 1)), frozen)[0], gradient
    phi = np.column_stack([np.ones(len(X)), kernel(X, frozen.centres)])
    value, by_design = design_log_evidence(phi, frozen)
    for rows, centres in tiles(len(X), len(frozen.centres)):
        by_theta = cross_gradient(kernel, X[rows], frozen.centres[centres])
        gradient += np.tensordot(by_design[:, 1:][rows, centres], by_theta, axes=2)
    return value, gradient


def tiles(n_rows: int, n_centres: int) -> Iterator[tuple[slice, slice]]:
    """Yield pairs of slices that cover rows x centres; the nearer to square, the less is wasted."""
    edge = min(max(n_centres, SMALLEST_TILE), LARGEST_TILE)
    return product(row_blocks(n_rows, edge), row_blocks(n_centres, edge))


def cross_gradient(kernel: Any, X: Array, centres: Array) -> Array:
    """Return ``d kernel(X, centres) / d theta``, of shape ``(len(X), len(centres), len(theta))``."""
    together = np.concatenate([X, centres])
    try:
        gradient = np.asarray(kernel(together, eval_gradient=True)[1], dtype=float)
    except (TypeError, ValueError, AttributeError, NotImplementedError) as error:
        raise ValueError(no_gradient(kernel, f"{type(error).__name__}: {error}")) from error
    expected = (len(together), len(together), len(kernel.theta))
    if gradient.shape != expected or not np.isfinite(gradient).all():
        what = f"an array of shape {gradient.shape}, where a finite one of shape {expected} was expected"
        raise ValueError(no_gradient(kernel, what))
    return gradient[: len(X), len(X) :]


def no_gradient(kernel: Any, what: str) -> str:
    """Say that a kernel cannot be learnt, and what to do."""
    return (
        f"The hyperparameters of kernel={kernel!r} cannot be learnt, as eval_gradient=True gave {what}. "
        'Give them the bounds "fixed", or use the kernel as it is with gamma="scale".'
    )


def learn_theta(fit_at: FitAt, kernel: Any, X: Array) -> Array:
    """Return the ``theta`` of the kernel with the highest bound that was met.

    Parameters
    ----------
    fit_at
        Fits the model at a given ``theta``.
    kernel
        A scikit-learn kernel with free hyperparameters, whose own bounds hold. It is not changed.
    X
        Training rows.
    """
    lower, upper = np.transpose(kernel.bounds)
    climb = Climb(
        fit_at=fit_at,
        evidence=lambda theta, frozen: kernel_log_evidence(theta, kernel, X, frozen),
        lower=lower,
        upper=upper,
    )
    given = fit_along(climb, [np.clip(kernel.theta, lower, upper)])
    others = fit_along(climb, [np.clip(theta, lower, upper) for theta in other_starts(kernel)])
    return climb_from(climb, *given, best_score([*given, *others]))


def other_starts(kernel: Any) -> list[Array]:
    """Return the kernel's ``theta`` with all length scales made longer or shorter, if there are any.

    A long length scale makes a nearly linear model, a local optimum that no gradient leaves.
    """
    free = [each for each in kernel.hyperparameters if not each.fixed]
    is_length = np.repeat([each.name.endswith("length_scale") for each in free], [e.n_elements for e in free])
    return [kernel.theta + np.log(each) * is_length for each in FACTORS] if is_length.any() else []


def reachable(kernel: Any) -> list[Kernel]:
    """Return the kernel with the hyperparameters given, others where a climb may start, and its bounds."""
    thetas = [kernel.theta, *other_starts(kernel), *np.transpose(kernel.bounds)]
    return [
        Kernel(kernel.clone_with_theta(np.clip(each, *np.transpose(kernel.bounds))), 1.0) for each in thetas
    ]


def search_kernel_object(plan: FitPlan, kernel: Any) -> list[KernelFit]:
    """Fit with a scikit-learn kernel object whose free hyperparameters are learnt."""
    return learn_kernel(
        plan,
        lambda theta: Kernel(kernel.clone_with_theta(theta), 1.0),
        lambda fit_at: learn_theta(fit_at, kernel, plan.rows.X),
    )
