"""The kernels that a fit tries: Gaussian, Laplacian and linear ones, on inputs scaled by their effect.

A Gaussian kernel asks for a function that is smooth in all inputs at once; a Laplacian one allows kinks and
steps, one input at a time, as tables of unlike columns want. Both are fitted at a middle width first. How
much these two functions change with each input says how far the inputs are to be stretched for the
others: each column is set to a few of its own quantiles, all else as it is, and the function's variance over
them, averaged over rows, is the column's effect, the total effect of a variance decomposition. It knows the
jumps of columns with two values, of which a derivative says nothing; units and copies of rows do not change
it. Where inputs are collinear there are more kernels in metrics of their own (``metrics``). A new kind of
kernel is one more entry in ``first_kernels`` or ``later_kernels``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial.distance import cdist

from rowtrust.contracts import Array
from rowtrust.fitting.decide import INTERPOLATING
from rowtrust.fitting.fits import KernelFit, fits_along
from rowtrust.fitting.metrics import learnt_metric
from rowtrust.fitting.plan import Training
from rowtrust.fitting.rows import TrainingRows, inverse_width
from rowtrust.kernels import Basis, Kernel, expected_rows
from rowtrust.numerics.statistics import weighted_quantiles

MIDDLE = {"rbf": 3.2, "laplacian": 2.0}
"""Widths of the first kernels, in units of the inputs' spread: squared for the Gaussian in units of the total
variance, for the Laplacian in units of the sum of the deviations."""

SCALED = {"rbf": (1.6, 0.4), "laplacian": (4.0, 1.0)}
"""Those of the kernels on scaled inputs. Chosen with ``MIDDLE`` among the widths of two paths, each halved
six times: these seven kernels have an error of 14.2 % and a log loss of 0.349 on the classes of half A, all
13 of every second width 14.2 % and 0.344, eight Gaussian widths alone 15.9 % and 0.379; on its numbers 0.339,
0.346 and 0.381 deviations (three splits, 400 rows, prototypes)."""

STEP = 4.0
"""How much narrower a kernel is than the last, as its ``gamma`` says it: many rows tell narrower ones apart.
One step lowers the error of phoneme's 3000 rows from 14.6 to 13.6 % and that of splice's 2100 from 3.8 to
3.2 %."""

LEVELS = (np.arange(5) + 0.5) / 5
"""Quantiles to which a column is set: the middles of five equal shares of the rows."""

WHITENED, LEARNT = {"rbf": (3.2, 0.8)}, {"rbf": (1.6,)}
"""Widths on whitened inputs, and along gradients there: those of the plain kernels, half a step around them.
Laplacian kernels keep nine in ten rows there, for larger errors (0.05 deviations where these have 0.01)."""

SHRINKAGE = 0.1
"""Effect that every column is given, as a share of the mean effect: scales are shrunk to a common one, and no
column is switched off by one fit. 0.1, 0.4 and 1.5 give errors of 14.5, 14.4 and 14.3 % and log losses of
0.347, 0.348 and 0.350 on the classes of half A, and log scores of -0.31, -0.30 and -0.22 on its numbers
(three splits, 400 rows, prototypes)."""


def first_kernels(rows: TrainingRows, whitener: Array | None = None) -> list[Kernel]:
    """Return one kernel of every family on the inputs as they are, the linear one last, and whitened ones."""
    plain = [Kernel(name, inverse_width(rows, name) / width) for name, width in MIDDLE.items()]
    if whitener is not None:
        plain += [Kernel("linear", 1.0, metric=whitener), *kernels_in(rows, whitener, WHITENED)]
    return [*plain, Kernel("linear", 1.0)]


def kernels_in(rows: TrainingRows, metric: Array, widths: Mapping[str, Sequence[float]]) -> list[Kernel]:
    """Return kernels of several widths in a metric."""
    there = rows.measured(metric)
    return [
        Kernel(name, inverse_width(there, name) / width, metric=metric)
        for name, some in widths.items()
        for width in some
    ]


def scaled_kernels(rows: TrainingRows, scales: Array) -> list[Kernel]:
    """Return kernels of several widths on scaled inputs."""
    return kernels_in(rows, scales, SCALED)


def later_kernels(plan: Training, first: Sequence[KernelFit], rows: TrainingRows) -> list[Kernel]:
    """Return the kernels of metrics that the first fits tell, for some rows.

    Those are scales by the inputs' effects, and where inputs are collinear the directions of gradients.
    """
    kernels = scaled_kernels(rows, effect_scales(plan, first[: len(MIDDLE)]))
    if not plan.learns_metric:
        return kernels
    whitened = [fit for fit in first if fit.kernel.metric is not None]
    return [*kernels, *kernels_in(rows, learnt_metric(plan, whitened), LEARNT)]


def narrower(kernel: Kernel) -> Kernel:
    """Return a kernel that is a step narrower."""
    return replace(kernel, gamma=STEP * kernel.gamma)


def fits_of_families(plan: Training) -> list[KernelFit]:
    """Fit members of every family: the same ones, in the same order, to whatever rows there are."""
    first = list(fits_along(plan, first_kernels(plan.rows, plan.whitener)))
    return [*first, *fits_along(plan, later_kernels(plan, first, plan.rows))]


def may_be_narrower(fits: list[KernelFit], place: int) -> bool:
    """Whether a fit has the narrowest kernel of its family, and does not interpolate."""
    kernel = fits[place].kernel
    own = [fit.gamma for fit in fits if fit.kernel.family == kernel.family]
    is_narrowest = kernel.function in MIDDLE and fits[place].gamma == max(own)
    return is_narrowest and fits[place].kept_share < INTERPOLATING


def effect_scales(plan: Training, fits: Sequence[KernelFit]) -> Array:
    """Return factors on the inputs, in proportion to the root of their effect in some fits.

    The inputs' total variance is the same after as before. Ones where no fit depends on the inputs, or
    where these are constant but for rounding.
    """
    rows = replace(plan.rows, X=plan.rows.expected)
    some = spread_rows(rows, plan.budget.effect_rows)
    levels = [weighted_quantiles(column, rows.copies, LEVELS) for column in rows.X.T]
    found = [effects(levels, some, fit) for fit in fits]
    shares = [each / each.sum() for each in found if each.sum() > 0.0]
    variance = rows.variances
    if not (shares and variance.any()):
        return np.ones(rows.X.shape[1])
    effect = np.mean(shares, axis=0) + SHRINKAGE / np.count_nonzero(variance)
    return np.asarray(np.sqrt(effect * variance.sum() / (effect @ variance)))


def spread_rows(rows: TrainingRows, most: int) -> TrainingRows:
    """Return some of the distinct rows, in an order that only their content decides."""
    group = rows.groups
    first = np.unique(group, return_index=True)[1]
    copies = np.bincount(group, weights=rows.copies).astype(float)
    drawn = np.random.RandomState(0).permutation(len(first))[:most]
    return replace(rows.only(first[drawn]), copies=copies[drawn], weight=copies[drawn])


def effects(levels: list[Array], rows: TrainingRows, fit: KernelFit) -> Array:
    """Return the effect of every column on a fit's latent functions, summed over outputs."""
    total, share = np.zeros(rows.X.shape[1]), rows.copies / rows.copies.sum()
    for state, solution in zip(fit.states, fit.solutions, strict=True):
        basis = fit.engine.basis.parts[0].only(state.columns[1:] - 1)
        mean = solution.posterior.mean[1:]
        mean = mean[:, None] if mean.ndim == 1 else mean
        total += share @ output_effects(levels, basis, mean, rows.X)
    return total


def output_effects(levels: list[Array], basis: Basis, coefficients: Array, X: Array) -> Array:
    """Return each column's effect on functions at rows, summed over them, shape (n, d).

    The kernel is a product over the inputs, so that one factor of it changes with a column.
    """
    found, kernel = np.zeros(X.shape), basis.kernel
    if not len(coefficients):
        return found
    metric = "sqeuclidean" if kernel.function == "rbf" else "cityblock"
    centres, gamma = np.asarray(expected_rows(basis.centres)), float(np.max(kernel.gamma))
    whole = cdist(X, centres, metric)
    for column, values in enumerate(levels):
        own = centres[:, [column]]
        others = np.exp(-gamma * (whole - cdist(X[:, [column]], own, metric)))
        factors = np.exp(-gamma * cdist(values[:, None], own, metric))
        moved = others @ (factors[:, :, None] * coefficients).transpose(1, 0, 2).reshape(len(own), -1)
        found[:, column] = np.var(moved.reshape(len(X), len(values), -1), axis=1).sum(axis=1)
    return found
