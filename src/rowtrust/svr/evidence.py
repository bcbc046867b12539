"""Evidence of Bayesian support vector regression and its slopes (Chu, Keerthi & Ong 2001, section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from rowtrust.contracts import Array
from rowtrust.svr.problem import SoftProblem
from rowtrust.svr.solver import SoftSolution

LEAF = 96
"""Size up to which a triangle is inverted in one go. About where products become faster than LAPACK's own
recursion; half or twice as much costs less than a tenth of a fit to 481 rows."""


@dataclass(frozen=True)
class Slopes:
    """Derivatives of the negative log evidence in the logarithm of each hyperparameter."""

    C: float
    epsilon: float
    relevance: Array
    kernel_variance: float
    bias_variance: float


def negative_log_evidence(problem: SoftProblem, solution: SoftSolution) -> float:
    """Return ``-ln P(D | theta)`` by Laplace's method at the most probable function (eq. 46).

    A row of weight s counts s times, in the loss, in the determinant and in the normaliser. As a
    function of the hyperparameters it jumps whenever a row changes zone.
    """
    rows = solution.quadratic
    # |I + L K| with L = diag(1/ridge) is |K + ridge| / |ridge|.
    half_log_determinant = float(np.log(np.diagonal(solution.factor)).sum())
    half_log_determinant -= 0.5 * float(np.log(problem.ridge[rows]).sum())
    count = float(problem.sample_weight.sum())
    return solution.objective + half_log_determinant + count * float(np.log(problem.likelihood.normaliser))


def evidence_slopes(problem: SoftProblem, solution: SoftSolution) -> Slopes:
    """Return the slopes of ``-ln P(D | theta)`` while no row changes zone.

    With ``G = (K_M + 2 beta epsilon / C)^-1``, any covariance parameter has the slope
    ``tr(G K'_M) / 2 - nu' K' nu / 2``; those of the likelihood follow from (8), (12) and (46).
    """
    rows = solution.quadratic
    inverse = lower_inverse(solution.factor)
    # tr(G K_M) without a product: G (K_M + ridge) = I.
    explained = len(rows) - float(problem.ridge[rows] @ np.diagonal(inverse))
    normaliser_C, normaliser_epsilon = problem.likelihood.log_normaliser_slopes
    count = float(problem.sample_weight.sum())
    residual = problem.target - solution.latent
    covariance = 0.5 * problem.matrix.trace_slopes(inverse, rows)
    covariance -= 0.5 * problem.matrix.quadratic_slopes(solution.dual)
    return Slopes(
        C=float(problem.bound @ problem.loss(residual)) + 0.5 * explained + count * normaliser_C,
        epsilon=float(problem.bound @ loss_slope_in_log_epsilon(problem, residual))
        - 0.5 * explained
        + count * normaliser_epsilon,
        relevance=covariance[:-2],
        kernel_variance=float(covariance[-2]),
        bias_variance=float(covariance[-1]),
    )


def loss_slope_in_log_epsilon(problem: SoftProblem, residual: Array) -> Array:
    """Return ``dl/d ln epsilon`` of each row: with slope r it is ``-r (flat + r width / 2)``."""
    slope = np.abs(problem.slope(residual))
    return -slope * (problem.insensitive_width + 0.5 * slope * problem.quadratic_width)


def lower_inverse(factor: Array) -> Array:
    """Return the lower triangle of ``(factor factor')^-1``, the rest zero."""
    if not len(factor):
        return factor
    inverse, _ = lapack.dlauum(_triangle_inverse(factor), lower=1, overwrite_c=1)
    return np.asarray(inverse)


def _triangle_inverse(factor: Array) -> Array:
    """Invert a lower triangle by halves: nearly all of the work becomes matrix products.

    LAPACK's own dtrtri takes twice as long as the Cholesky factorisation it follows.
    """
    size = len(factor)
    if size <= LEAF:
        return np.asarray(lapack.dtrtri(factor, lower=1)[0])
    half = size // 2
    inverse = np.zeros_like(factor, order="F")
    inverse[:half, :half] = _triangle_inverse(factor[:half, :half])
    inverse[half:, half:] = _triangle_inverse(factor[half:, half:])
    across = factor[half:, :half] @ inverse[:half, :half]
    inverse[half:, :half] = -(inverse[half:, half:] @ across)
    return inverse
