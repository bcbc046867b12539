"""Metrics for inputs that move together: without their correlation, and along the gradients of first fits.

Sensors of one process rise and fall together, and what matters may be in their small differences. A kernel on
the inputs as they are sees their common direction alone, and no single column of it gains anything. So where
inputs are collinear, kernels are tried on their principal components too, each divided by its deviation. In
that space the mean outer product of a fit's gradients, rows weighted by trust, tells along which directions
the function changes: another metric.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from rowtrust.contracts import Array, Mask
from rowtrust.fitting.fits import KernelFit
from rowtrust.fitting.plan import Training
from rowtrust.fitting.rows import TrainingRows
from rowtrust.kernels.scaling import fences

ROUNDED = 1e-12
"""Share of the largest principal component's variance below which one is rounding: the square root of it is a
thousand times a double's precision. A guard."""

COLLINEAR = 1e-3
"""Share of it below which the smallest variance of a component must be for inputs to be collinear. Of the 15
tables of half A three are (auto_imports, glass, wheat-seeds); all others fit as before."""

SHRUNK = (1e-2, 1e-6)
"""What is added to the variances of components, of inputs with deviations of one, so that smaller ones stay
small: where there are few rows a direction, and where there are enough. On spectra of 60 rows, three draws,
RVR has errors of 0.848, 0.096 and 0.002 with 1e-6, of 0.001, 0.005 and 0.002 with 1e-3 and 1e-2, and RVC 4,
32 and 20 % and 3, 4 and 15 %. On the sensors of ``python -m benchmarks metric`` a linear kernel has errors of
0.261, 0.184, 0.031 and 0.031 deviations with 1e-2, 1e-4, 1e-6 and 1e-8, a Gaussian one with outliers 0.305,
0.036, 0.015 and 0.033."""

ROWS_A_DIRECTION = 4.0
"""Distinct rows a direction from which on small components are no noise, and gradients tell of a metric. With
fewer, gradients raise errors: on auto_imports of half A, 134 rows in 60 directions, from 0.41 to 0.42 (RVR)
and from 0.39 to 0.42 (RobustRVR, four splits).
On tables that are not collinear such a metric is not tried: beside the effects' scales it moves errors by 1 %
and less on three tables of half A and raises them by a quarter on yacht's (300 rows, four splits)."""

EVEN = 0.1
"""Share of the mean outer product that is spread over all directions, as no fit is certain. 0.01 serves as
well: errors of 0.012, 0.012, 0.010 and 0.010 in place of 0.013, 0.014, 0.010 and 0.012 without outliers."""


def with_whitener(plan: Training) -> Training:
    """Return the plan with the metric of its inputs, if they are collinear and the kernel is open."""
    metric = whitening(plan.rows) if plan.kernel.averages_families(plan.rows) else None
    learns = metric is not None and has_rows_enough(plan.rows, metric.shape[1])
    return replace(plan, whitener=metric, learns_metric=learns)


def has_rows_enough(rows: TrainingRows, n_directions: int) -> bool:
    """Whether rows tell each of so many directions from noise."""
    return len(rows.distinct) >= ROWS_A_DIRECTION * n_directions


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def whitening(rows: TrainingRows) -> Array | None:
    """Return the metric in which inputs have no correlation, shape (d, r); None if not collinear."""
    deviation, X = rows.deviations, rows.expected
    unit = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=deviation > 0.0)
    weight = rows.copies * without_wild_values(X, rows.copies)
    share, Z = weight / weight.sum(), X * unit
    Z = Z - share @ Z
    if not np.isfinite(Z).all():
        return None  # no kernel says anything of them either, and the fit will tell
    _, roots, axes = np.linalg.svd(np.sqrt(share)[:, None] * Z, full_matrices=False)
    sound = roots**2 > ROUNDED * roots.max(initial=0.0) ** 2
    variance = roots[sound] ** 2
    if not len(variance) or variance.min() > COLLINEAR * variance.max():
        return None
    shrunk = SHRUNK[int(has_rows_enough(rows, len(variance)))]
    return np.asarray(unit[:, None] * axes[sound].T / np.sqrt(variance + shrunk))


def without_wild_values(X: Array, weight: Array) -> Mask:
    """Return which rows have none: one of them would look like a direction of its own. All, if most do."""
    limits = np.array([fences(column, weight) for column in X.T])
    usual = ((limits[:, 0] <= X) & (limits[:, 1] >= X)).all(axis=1)
    return np.asarray(usual if weight[usual].sum() > 0.5 * weight.sum() else np.ones_like(usual))


def gradients(fit: KernelFit, X: Array) -> Iterator[Array]:
    """Yield the gradients of a Gaussian or linear fit's functions at rows, as its kernel sees these."""
    basis, Z = fit.engine.basis.parts[0], fit.kernel.inputs(X)
    for state, solution in zip(fit.states, fit.solutions, strict=True):
        part, mean = basis.only(state.columns[1:] - 1), solution.posterior.mean[1:]
        centres, is_linear = fit.kernel.inputs(part.centres), fit.kernel.function == "linear"
        values = np.empty((0, 0)) if is_linear else part.kernel(X, part.centres)
        for coefficients in np.atleast_2d(mean.T):  # of several classes in one machine, one column each
            if is_linear:
                yield np.tile(coefficients @ centres, (len(Z), 1))
            else:
                pull = values * coefficients
                yield 2.0 * fit.gamma * (pull @ centres - Z * pull.sum(axis=1)[:, None])


def learnt_metric(plan: Training, fits: Sequence[KernelFit]) -> Array:
    """Return the metric of the mean outer product of gradients of the best of some fits in one metric."""
    best, rows = max(fits, key=lambda fit: fit.score), plan.rows
    own, weight = best.kernel.metric, rows.copies * best.trust
    assert own is not None
    product = sum((slopes.T * weight) @ slopes for slopes in gradients(best, rows.expected))
    even = np.eye(own.shape[1]) / own.shape[1]
    total = float(np.trace(product))
    values, axes = np.linalg.eigh(EVEN * even + (product / total if total > 0.0 else even))
    return np.asarray(own @ (axes * np.sqrt(values)))
