"""The kernels that a fit tries: Gaussian, Laplacian and linear ones, on inputs scaled by their effect.

A Gaussian kernel asks for a function that is smooth in all inputs at once; a Laplacian one allows kinks and
steps, one input at a time, as tables of unlike columns want. Both are fitted at a middle width first. How
much these two functions change with each input says how far the inputs are to be stretched for the
others: each column is set to a few of its own quantiles, all else as it is, and the function's variance over
them, averaged over rows, is the column's effect, the total effect of a variance decomposition. It knows the
jumps of columns with two values, of which a derivative says nothing; units and copies of rows do not change
it.
Sensors of one process rise and fall together, and what matters may be in their small differences. A kernel on
the inputs as they are sees their common direction alone, and no single column of it gains anything. So where
inputs are collinear, kernels are tried on their principal components too, each divided by its deviation. In
that space the mean outer product of a fit's gradients, rows weighted by trust, tells along which directions
the function changes: another metric.

A new kernel is one more entry in ``CANDIDATES``; a new kind of inputs is a ``Role``, and its metric a line in
``metric_of``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial.distance import cdist

from rowtrust.contracts import Array, Mask
from rowtrust.fitting.decide import INTERPOLATING
from rowtrust.fitting.fits import KernelFit, fits_along
from rowtrust.fitting.plan import Candidate, Role, Training
from rowtrust.fitting.rows import TrainingRows, inverse_width
from rowtrust.kernels import WITH_A_WIDTH, Basis, Kernel, expected_rows
from rowtrust.kernels.scaling import fences
from rowtrust.numerics.magnitudes import LAST_DIGITS
from rowtrust.numerics.statistics import weighted_quantiles

CANDIDATES = (
    Candidate("rbf", Role.PLAIN, 3.2),
    Candidate("laplacian", Role.PLAIN, 2.0),
    Candidate("linear", Role.WHITENED),
    Candidate("rbf", Role.WHITENED, 3.2),
    Candidate("rbf", Role.WHITENED, 0.8),
    Candidate("linear", Role.LINEAR),
    Candidate("rbf", Role.SCALED, 1.6),
    Candidate("rbf", Role.SCALED, 0.4),
    Candidate("laplacian", Role.SCALED, 4.0),
    Candidate("laplacian", Role.SCALED, 1.0),
    Candidate("rbf", Role.TURNED, 1.6),
)
"""The kernels of "auto". Widths are in units of the inputs' spread: squared for the Gaussian in units of the
total variance, for the Laplacian in units of the sum of the deviations. Those of plain and scaled inputs were
chosen among two paths, each halved six times: these seven kernels have an error of 14.2 % and a log loss of
0.349 on the classes of half A, all 13 of every second width 14.2 % and 0.344, eight Gaussian widths alone
15.9 % and 0.379; on its numbers 0.339, 0.346 and 0.381 deviations (three splits, 400 rows, prototypes). Those
of whitened ones are half a step around these; Laplacian kernels keep nine in ten rows there, for larger
errors (0.05 deviations where these have 0.01)."""

AS_GIVEN, LATER = (Role.PLAIN, Role.LINEAR), (Role.SCALED, Role.TURNED)
"""Roles on inputs as they are, and those whose inputs the first fits tell."""

FIRST = (*AS_GIVEN, Role.WHITENED)
"""Roles that need no other fit."""

STEP = 4.0
"""How much narrower a kernel is than the last, as its ``gamma`` says it: many rows tell narrower ones apart.
One step lowers the error of phoneme's 3000 rows from 14.6 to 13.6 % and that of splice's 2100 from 3.8 to
3.2 %."""

LEVELS = (np.arange(5) + 0.5) / 5
"""Quantiles to which a column is set: the middles of five equal shares of the rows."""

SHRINKAGE = 0.1
"""Effect that every column is given, as a share of the mean effect, and outer product that every direction
is, as a share of the mean: nothing is switched off by one fit. For columns 0.1, 0.4 and 1.5 give errors of
14.5, 14.4 and 14.3 % and log losses of 0.347, 0.348 and 0.350 on the classes of half A, and log scores of
-0.31, -0.30 and -0.22 on its numbers (three splits, 400 rows, prototypes); for directions 0.01 serves as
well: errors of 0.012, 0.012, 0.010 and 0.010 in place of 0.013, 0.014, 0.010 and 0.012 without outliers."""

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


def candidates_of(plan: Training, roles: Sequence[Role]) -> list[Candidate]:
    """Return the candidates of some roles; those for collinear inputs only where there are such."""
    absent = {Role.WHITENED: plan.whitener is None, Role.TURNED: not plan.learns_metric}
    return [each for each in CANDIDATES if each.role in roles and not absent.get(each.role)]


def metric_of(role: Role, plan: Training, fits: Sequence[KernelFit]) -> Array | None:
    """Return the metric of a role's inputs, of which fits of others may tell; None for none."""
    asked = {Role.SCALED: Role.PLAIN, Role.TURNED: Role.WHITENED}.get(role)
    of_role = [fit for fit in fits if fit.candidate is not None and fit.candidate.role is asked]
    if role is Role.SCALED:
        return effect_scales(plan, of_role)
    if role is Role.TURNED:
        return learnt_metric(plan, of_role)
    return plan.whitener if role is Role.WHITENED else None


def kernels_of(
    candidates: Sequence[Candidate], plan: Training, rows: TrainingRows, fits: Sequence[KernelFit] = ()
) -> list[Kernel]:
    """Return the kernels of candidates for some rows, in metrics that fits of a plan tell."""
    metrics = {role: metric_of(role, plan, fits) for role in {each.role: None for each in candidates}}
    there = {role: rows if each is None else rows.measured(each) for role, each in metrics.items()}
    found = []
    for each in candidates:
        gamma = 1.0
        if each.width is not None:
            gamma = STEP**each.steps * (inverse_width(there[each.role], each.function) / each.width)
        found.append(Kernel(each.function, gamma, metric=metrics[each.role]))
    return found


def fits_of(
    plan: Training, candidates: Sequence[Candidate], fits: Sequence[KernelFit] = ()
) -> list[KernelFit]:
    """Fit candidates, in metrics that other fits tell."""
    found = fits_along(plan, kernels_of(candidates, plan, plan.rows, fits))
    return [replace(fit, candidate=each) for each, fit in zip(candidates, found, strict=True)]


def fits_of_families(plan: Training) -> list[KernelFit]:
    """Fit members of every family: the same ones, in the same order, to whatever rows there are."""
    first = fits_of(plan, candidates_of(plan, FIRST))
    return [*first, *fits_of(plan, candidates_of(plan, LATER), first)]


def narrower(kernel: Kernel) -> Kernel:
    """Return a kernel that is a step narrower."""
    return replace(kernel, gamma=STEP * kernel.gamma)


def fit_narrower(plan: Training, fit: KernelFit) -> KernelFit:
    """Fit a kernel that is a step narrower than that of another fit."""
    (found,) = fits_along(plan, [narrower(fit.kernel)])
    own = fit.candidate
    return replace(found, candidate=None if own is None else replace(own, steps=own.steps + 1))


def may_be_narrower(fits: Sequence[KernelFit], fit: KernelFit) -> bool:
    """Whether one of some fits has the narrowest kernel of its family, and does not interpolate."""
    own = [each.gamma for each in fits if each.kernel.family == fit.kernel.family]
    is_narrowest = fit.kernel.function in WITH_A_WIDTH and fit.gamma == max(own)
    return is_narrowest and fit.kept_share < INTERPOLATING


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
    sound = roots**2 > LAST_DIGITS * roots.max(initial=0.0) ** 2
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
    values, axes = np.linalg.eigh(SHRINKAGE * even + (product / total if total > 0.0 else even))
    return np.asarray(own @ (axes * np.sqrt(values)))
