"""The noise of a clean row, from what the other rows say of each.

The soft insensitive density is log-concave: one slope serves the tails of the noise and gross outliers.
Where a tenth of the targets is wrong, its variance is that of all rows, and intervals cover every clean one.
So the noise that a prediction adds is widened or narrowed until it covers 95 % of the rows that are no
outliers, each judged by the others.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from rowtrust.contracts import Array
from rowtrust.svr.problem import SoftProblem
from rowtrust.svr.solver import SoftSolution
from rowtrust.svr.zone_system import lower_inverse

LEAST_ROWS = 50
"""Observations below which the likelihood's own variance stands: the 95 % quantile of fewer is two rows."""

MAIN_SHARE, OUTLYING = 0.8, 4.0
"""A row is an outlier if what the others leave of it exceeds so many times the quantile of that share. Chosen
among 0.8 and 0.85 with 2.5, 3 and 4 on half A's five tables of numbers, three splits each, by the coverage of
clean test rows; the others covered up to 4 points less, or 1 more."""

COVERED, NORMAL_QUANTILE = 0.95, 1.959964
"""Share of new rows to be covered, and how many standard deviations a Gaussian needs for that."""

MORE_COVERED, MORE_ROWS = 0.02, 8.0
"""How much more of the training rows is covered: so much, but no more than so many rows. The hyperparameters
knew every row, so that rows left out of the rest are predicted too well. On half A's five tables (four
splits, 134 to 400 rows to fit) 0.02 and the factor n / (n - p) for p learnt hyperparameters covered 92 to
95 % of clean test rows, 96 to 97 % with a tenth of outliers in training; without both 84 to 93 and 91 to
95 %. On 200 rows with Gaussian noise they cover about 97 %. Landmarks, whose hyperparameters knew few of the
rows, do without."""

MOST_FREEDOM = 0.5
"""Share of the rows that the learnt hyperparameters use up at most, for a factor of two at most. A guard."""

FAR = 3.0
"""Standard deviations up to which a distance counts: nearly all of a Gaussian's. Not studied."""

LEAST_SHARE = 1e-4
"""Share of the likelihood's variance that is left at least: a guard where the function's doubt covers all."""


def widening(
    noise_variance: float,
    residual: Array,
    function_variance: Array,
    sample_weight: Array,
    n_learnt: int = 0,
) -> float:
    """Return what the noise variance is to be multiplied by, from residuals of rows left out.

    Parameters
    ----------
    noise_variance
        That of the likelihood.
    residual, function_variance : (n,)
        Of each row under the others.
    sample_weight : (n,)
        How many copies each row stands for.
    n_learnt
        Number of hyperparameters that were learnt from the same rows.
    """
    count = float(sample_weight.sum())
    if count < LEAST_ROWS:
        return 1.0
    size = np.abs(residual)
    clean = size <= OUTLYING * weighted_quantile(size, sample_weight, MAIN_SHARE)
    needed = (size[clean] / NORMAL_QUANTILE) ** 2 - function_variance[clean]
    share = COVERED + (min(MORE_COVERED, MORE_ROWS / count) if n_learnt else 0.0)
    found = weighted_quantile(needed, sample_weight[clean], share)
    freedom = min(n_learnt / count, MOST_FREEDOM)
    return max(found / noise_variance / (1.0 - freedom), LEAST_SHARE)


def explained_share(target: Array, residual: Array, sample_weight: Array) -> float:
    """Return how much of the targets' distance from zero the other rows explain; one where there is none.

    Zero is the median of standardised targets, and every distance counts up to ``FAR``: outliers are
    explained by nothing.
    """
    before = float(sample_weight @ np.minimum(np.abs(target), FAR))
    after = float(sample_weight @ np.minimum(np.abs(residual), FAR))
    return 1.0 - after / before if before > 0.0 else 1.0


def weighted_quantile(values: Array, weight: Array, share: float) -> float:
    """Return the smallest value at or below which lies this share of the weight."""
    order = np.argsort(values)
    passed = np.cumsum(weight[order])
    return float(values[order[min(int(np.searchsorted(passed, share * passed[-1])), len(values) - 1)]])


def left_out_rows(problem: SoftProblem, solution: SoftSolution) -> tuple[Array, Array]:
    """Return residual and variance of f at each row without that row, while no other changes zone.

    A row in a quadratic zone is divided out of the Gaussian approximation (45); one in a linear zone takes
    its pull with it; one without loss says nothing.
    """
    rows, factor = solution.quadratic, problem.quadratic_factor(solution.quadratic)
    variance = np.full(len(problem.target), problem.matrix.covariance.variance)
    others = np.setdiff1d(np.arange(len(variance)), rows)
    if rows.size and others.size:
        spread = solve_triangular(factor, problem.matrix.cross(rows, others), lower=True)
        variance[others] -= np.einsum("ij,ij->j", spread, spread)
    residual = problem.target - solution.latent + variance * solution.dual
    if rows.size:
        precision = np.diagonal(lower_inverse(factor))
        flat = np.copysign(problem.insensitive_width, problem.target - solution.latent)[rows]
        residual[rows] = flat + solution.dual[rows] / precision
        variance[rows] = 1.0 / precision - problem.ridge[rows]
    return residual, np.maximum(variance, 0.0)
