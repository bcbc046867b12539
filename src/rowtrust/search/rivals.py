"""Whether doubt helps: two weightings compared by what they say of rows that they have not seen.

Student's t contains the Gaussian, so its evidence is the higher one wherever errors are uneven, as those of a
smooth model of an uneven function are: the steep part is doubted, and fitted badly. No bound tells such rows
from outliers. Errors on left-out rows do, if each counts by no more than an outlier could be worth.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array, issparse

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.kernels import Kernel, expected_rows, row_groups
from rowtrust.search.averaging import Average, family
from rowtrust.search.cross_fitting import FOLDS, part_of, unfinished_is_enough
from rowtrust.search.fits import FitPlan, KernelFit, fit_kernel
from rowtrust.search.left_out import WORST, is_surely_less
from rowtrust.search.starts import fits_along
from rowtrust.weights import Unit

MOST_ROWS = 1500
"""Rows, spread evenly, that decide where there are more. Not studied."""

FAR_WORSE = 1.2
"""How many times the error a rival may make at a kernel that is not its own before it is out, and its own
search is saved. With a tenth of outliers plain fits err 1.25 to 1.35 times as much on Boston's data; on clean
tables of half A at most 1.25 times."""

ALIKE = 0.05
"""Standard deviations of every input within which rows are taken for copies of each other: copies with the
same error must not vouch for each other. Not studied."""


def better_of(plan: FitPlan, rival: FitPlan, search: Callable[[FitPlan], Average]) -> tuple[Average, bool]:
    """Return the model of the plan, or of its rival if it surely errs less on rows left out, and if it does.

    Of many rows some decide, and only the better plan is fitted to all of them.
    """
    few = few_rows(len(plan.rows.y))
    if few is not None:
        with unfinished_is_enough():
            _, lost = better_of(part_of(plan, few), part_of(rival, few), search)
        return search(rival if lost else plan), lost
    found, weight = search(plan), plan.rows.weight
    with unfinished_is_enough():
        own = left_out_squares(plan, found.best.kernel)
        others = left_out_squares(rival, found.best.kernel)
    if np.average(others, weights=weight) > FAR_WORSE * np.average(own, weights=weight):
        return found, False
    other = search(rival)
    lost = is_surely_less(others, own, weight)
    if not lost and not is_same(other.best.kernel, found.best.kernel):
        with unfinished_is_enough():
            lost = is_surely_less(left_out_squares(rival, other.best.kernel), own, weight)
    return (other if lost else found), lost


def is_same(kernel: Kernel, other: Kernel) -> bool:
    """Whether two kernels are of one family and of one width."""
    return family(kernel) == family(other) and np.array_equal(kernel.gamma, other.gamma)


def few_rows(n_rows: int) -> Indices | None:
    """Return rows that are enough to decide, spread evenly; None for all."""
    return None if n_rows <= MOST_ROWS else np.linspace(0, n_rows - 1, MOST_ROWS).astype(np.intp)


def left_out_squares(plan: FitPlan, kernel: Kernel) -> Array:
    """Return the squares of the errors on left-out rows at a kernel, each error at most ``WORST``."""
    return np.asarray(np.minimum(np.abs(left_out_residuals(plan, kernel)), WORST) ** 2)


def left_out_residuals(plan: FitPlan, kernel: Kernel) -> Array:
    """Return the targets less what fits to the rows outside their fold predict."""
    X = plan.rows.X
    fold = row_groups(nearly(expected_rows(X), plan.rows.variances)) % FOLDS
    residual = plan.rows.y.copy()
    for number in np.unique(fold):
        inside, outside = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        if not len(outside):
            continue
        fit = one_fit(part_of(plan, outside), kernel)
        state = fit.states[0]
        phi = fit.engine.basis.columns(X[inside], state.columns)
        residual[inside] -= phi @ state.posterior.mean
    return np.asarray(residual)


def one_fit(plan: FitPlan, kernel: Kernel) -> KernelFit:
    """Fit at a kernel: plain weights from less noise too, others from the best guess of a start."""
    return next(fits_along(plan, [kernel])) if isinstance(plan.weights, Unit) else fit_kernel(plan, kernel)


def nearly(X: Matrix, variance: Array) -> Matrix:
    """Return inputs rounded to ``ALIKE``: rows that are nearly the same share a fold.

    Each column is counted from the middle of its range, so that neither its origin nor its sign matters; of
    sparse rows what zero becomes is taken off again.
    """
    deviation = np.sqrt(variance)
    unit = np.where(deviation > 0.0, ALIKE * deviation, 1.0)
    ends = [end.toarray() if issparse(end) else end for end in (X.min(axis=0), X.max(axis=0))]
    middle = 0.5 * np.ravel(ends[0]) + 0.5 * np.ravel(ends[1])
    if not issparse(X):
        return np.asarray(np.round((X - middle) / unit))
    rows = csr_array(X, copy=True)
    middle, unit = middle[rows.indices], unit[rows.indices]
    rows.data = np.round((rows.data - middle) / unit) - np.round(-middle / unit)
    return rows
