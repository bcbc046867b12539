"""Evidence of Bayesian support vector regression and its slopes (Chu, Keerthi & Ong 2001, section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array
from rowtrust.svr.problem import SoftProblem
from rowtrust.svr.solver import SoftSolution


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
    half_log_determinant = solution.system.half_log_determinant()
    half_log_determinant -= 0.5 * float(np.log(problem.ridge[rows]).sum())
    count = float(problem.sample_weight.sum())
    return solution.objective + half_log_determinant + count * float(np.log(problem.likelihood.normaliser))


def evidence_slopes(problem: SoftProblem, solution: SoftSolution) -> Slopes:
    """Return the slopes of ``-ln P(D | theta)`` while no row changes zone.

    With ``G = (K_M + 2 beta epsilon / C)^-1``, any covariance parameter has the slope
    ``tr(G K'_M) / 2 - nu' K' nu / 2``; those of the likelihood follow from (8), (12) and (46).
    """
    inverse, rows = solution.system.inverse()
    # tr(G K_M) without a product: G (K_M + ridge) = I.
    explained = len(solution.quadratic) - float(problem.ridge[rows] @ np.diagonal(inverse))
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
