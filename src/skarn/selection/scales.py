"""One scale per input, learnt by the evidence (Tipping 2001, appendix C).

The solver and the scales take turns: with the sites, the columns and their prior precisions held, the log
evidence is a smooth function of the scales with an analytic gradient, and a few quasi-Newton steps raise
it; then the solver fits again at the new scales.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from skarn.contracts import Array
from skarn.inference.passes import row_moments
from skarn.inference.posterior import site_log_evidence, solve_posterior
from skarn.inference.records import Problem, State

ROUNDS = 30
"""Turns at most."""

STEPS = 8
"""Quasi-Newton steps a turn: the sites are only right near where they were made."""

ENOUGH = 0.5
"""Nats of the bound below which a turn is the last, twice in a row."""

LARGEST_CHANGE = 2.0
"""Each logarithm moves by no more than this in a turn."""

SMALLEST, LARGEST = -9.0, 7.0
"""Bounds of the logarithms, relative to the common scale at the start."""


@dataclass(frozen=True)
class HeldSites:
    """One output's weighted sites, its centres (unscaled) and their prior precisions, bias first."""

    site_precision: Array
    site_shift: Array
    centres: Array
    prior_precision: Array


def hold_sites(problem: Problem, state: State, centres: Array) -> HeldSites:
    """Make the sites at a state, and keep them."""
    blocks = list(row_moments(problem, state, state.columns))
    return HeldSites(
        np.concatenate([block.precision for block in blocks]),
        np.concatenate([block.shift for block in blocks]),
        centres[state.columns[1:] - 1],
        state.precision,
    )


def scaled_log_evidence(log_scale: Array, X: Array, held: HeldSites) -> tuple[float, Array]:
    """Return the log evidence of held sites and its gradient in the logarithms of the scales.

    The basis functions are ``exp(-sum_l eta_l (x_l - c_l)**2)``. With ``D`` the derivative of the log
    evidence by the design matrix, ``(kappa - R Phi mu) mu' - R Phi Sigma``, the gradient is
    ``-eta_l sum_nm D_nm phi_nm (x_nl - c_ml)**2``.
    """
    eta = np.exp(log_scale)
    root = np.sqrt(eta)
    scaled, centres = X * root, held.centres * root
    squared = (scaled**2).sum(axis=1)[:, None] - 2.0 * scaled @ centres.T + (centres**2).sum(axis=1)
    phi = np.column_stack([np.ones(len(X)), np.exp(-np.maximum(squared, 0.0))])
    weighted = held.site_precision[:, None] * phi
    posterior = solve_posterior(phi.T @ weighted, phi.T @ held.site_shift, held.prior_precision)
    value = site_log_evidence(0.0, phi.T @ held.site_shift, held.prior_precision, posterior)
    residual = held.site_shift - weighted @ posterior.mean
    by_design = np.outer(residual, posterior.mean) - weighted @ posterior.covariance
    change = (by_design * phi)[:, 1:]
    spread = (
        change.sum(axis=1) @ scaled**2
        - 2.0 * np.einsum("nl,nl->l", scaled, change @ centres)
        + change.sum(axis=0) @ centres**2
    )
    return value, -spread


def improve_scales(log_scale: Array, common: float, X: Array, outputs: Sequence[HeldSites]) -> Array:
    """Take a few quasi-Newton steps uphill, with all outputs' sites held."""

    def descend(trial: Array) -> tuple[float, Array]:
        parts = [scaled_log_evidence(trial, X, held) for held in outputs]
        return -sum(part[0] for part in parts), -np.sum([part[1] for part in parts], axis=0)

    lower = np.maximum(log_scale - LARGEST_CHANGE, common + SMALLEST)
    upper = np.minimum(log_scale + LARGEST_CHANGE, common + LARGEST)
    bounds = list(zip(lower, np.maximum(lower, upper), strict=True))
    found = minimize(
        descend, log_scale, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": STEPS}
    )
    return np.asarray(found.x)


Turn = Callable[[Array], tuple[float, Sequence[HeldSites]]]
"""Fits at given scales (not their logarithms); returns the bound and the held sites."""


def learn_scales(turn: Turn, first: float, X: Array) -> Array:
    """Return the scales ``eta`` of the inputs with the highest bound that was met.

    Parameters
    ----------
    turn
        Fits the model at given scales.
    first
        The common scale to start from.
    X
        Training rows.
    """
    log_scale = np.full(X.shape[1], np.log(first))
    best, best_bound, idle = log_scale, -np.inf, 0
    for _ in range(ROUNDS):
        bound, outputs = turn(np.exp(log_scale))
        idle = 0 if bound > best_bound + ENOUGH else idle + 1
        if bound > best_bound:
            best, best_bound = log_scale, bound
        if idle == 2:
            break
        log_scale = improve_scales(log_scale, float(np.log(first)), X, outputs)
    return np.asarray(np.exp(best))
