"""One scale per input, learnt by the evidence (Tipping 2001, appendix C).

The evidence has many local optima in the scales: a wide common scale makes a nearly linear model, which has
no reason to leave, and a narrow one in many inputs sees no row near another. So the climb does not begin
at a common scale. How steeply a fitted function changes along each input says which inputs matter
(the average gradient of Radhakrishnan et al. 2024, Science 383); scales in proportion to that, at
several widths, are where it begins, and the highest of two climbs on. A prior shrinks the scales to a common
one, and the fit is averaged with those of common scales: by rows left out where noise is learnt, by
evidence otherwise, where every scale that was maximised over costs half the logarithm of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rowtrust.contracts import Array
from rowtrust.kernels import Kernel, expected_rows
from rowtrust.kernels.kernels import rbf
from rowtrust.search.alternate import (
    Climb,
    FitAt,
    FrozenSites,
    Start,
    Trial,
    best_bound,
    best_score,
    climb_from,
    design_log_evidence,
    fit_along,
    frozen_posterior,
    learn_kernel,
)
from rowtrust.search.cross_fitting import unfinished_is_enough
from rowtrust.search.fits import FitPlan, KernelFit, shared
from rowtrust.search.left_out import can_be_stacked, folds_of, left_out_scores, stacked_shares
from rowtrust.search.scores import tempered_shares
from rowtrust.search.starts import fits_along
from rowtrust.search.widths import SQUARED_WIDTHS

SMALLEST, LARGEST = -9.0, 7.0
"""Bounds of the logarithms, relative to the common scales at the start: guards against scales that run away.
Not studied."""

UNLIKE = 2.0
"""Deviation of the logarithms of the scales from their mean, under their prior: a factor of seven. Not
studied."""

WIDTHS_BETWEEN = 2
"""Every second of the common scales is in the average with learnt ones, as in the average of families."""

SHARPENINGS = 3
"""How often the scales are set in proportion to the steepness before the climb; set on Friedman #1 and moons
with useless inputs, seeds 0 to 4, and about as good on seeds 20 to 24. One instead makes a quarter more error
on Friedman #1 and three quarters more on moons; six 3 % less and half as many again (120 rows, 2 seeds each;
the same below)."""

FLATTEST = 1e-4
"""Smallest scale of an input relative to the largest, when set by steepness: it may come back, as the climb
goes on from there. A tenth of it costs 4 nats and 1 % of error on Friedman #1, 0.5 nats and a point of error
on moons."""


def basis_functions(log_scale: Array, X: Array, frozen: FrozenSites) -> tuple[Array, Array, Array]:
    """Return the scaled rows, the scaled centres, and the design matrix, bias first."""
    root = np.exp(0.5 * log_scale)
    origin = X.mean(axis=0)
    scaled, centres = (X - origin) * root, (frozen.centres - origin) * root
    kernel = rbf(scaled, centres, 1.0) if len(centres) else np.empty((len(X), 0))
    return scaled, centres, np.column_stack([np.ones(len(X)), kernel])


def scaled_log_evidence(log_scale: Array, X: Array, frozen: FrozenSites) -> tuple[float, Array]:
    """Return the log evidence of frozen sites and its gradient in the logarithms of the scales.

    The basis functions are ``exp(-sum_l eta_l (x_l - c_l)**2)``. With ``D`` the derivative of the log
    evidence by the design matrix the gradient is ``-eta_l sum_nm D_nm phi_nm (x_nl - c_ml)**2``.
    """
    scaled, centres, phi = basis_functions(log_scale, X, frozen)
    value, by_design = design_log_evidence(phi, frozen)
    change = (by_design * phi)[:, 1:]
    spread = (
        change.sum(axis=1) @ scaled**2
        - 2.0 * np.einsum("nl,nl->l", scaled, change @ centres)
        + change.sum(axis=0) @ centres**2
    )
    return value, -spread


def steepness(log_scale: Array, X: Array, frozen: FrozenSites) -> Array:
    """Return the squared derivative of the latent function by each input, one row a row of X."""
    scaled, centres, phi = basis_functions(log_scale, X, frozen)
    parts = phi[:, 1:] * frozen_posterior(phi, frozen).mean[1:]
    root = np.exp(0.5 * log_scale)
    return np.asarray((2.0 * root * (parts.sum(axis=1)[:, None] * scaled - parts @ centres)) ** 2)


def log_prior(log_scale: Array) -> tuple[float, Array]:
    """Return the log density of scales that are alike, but for a constant, and its gradient."""
    apart = (log_scale - log_scale.mean()) / UNLIKE
    return -0.5 * float(apart @ apart), -apart / UNLIKE


def learn_scales(fit_at: FitAt, common: Sequence[float], X: Array, weight: Array) -> Array:
    """Return the scales ``eta`` of the inputs with the highest bound that was met, their prior included.

    Parameters
    ----------
    fit_at
        Fits the model at given scales.
    common
        Common scales, from wide to narrow.
    X, weight
        Training rows, and how many copies of itself each stands for.
    """
    middle = np.log(common)

    def trial_at(log_scale: Array) -> Trial:
        found, prior = fit_at(np.exp(log_scale)), log_prior(log_scale)[0]
        return replace(found, bound=found.bound + prior, score=found.score + prior)

    def evidence(log_scale: Array, frozen: FrozenSites) -> tuple[float, Array]:
        value, gradient = scaled_log_evidence(log_scale, X, frozen)
        prior, slope = log_prior(log_scale)
        return value + prior, gradient + slope

    climb = Climb(
        fit_at=trial_at,
        evidence=evidence,
        lower=np.full(X.shape[1], middle.min() + SMALLEST),
        upper=np.full(X.shape[1], middle.max() + LARGEST),
    )
    starts = first_fits(climb, [np.full(X.shape[1], each) for each in middle], X, weight)
    # The score stays too long with a nearly linear model, the bound goes narrow too soon: try both.
    return np.asarray(np.exp(climb_from(climb, best_score(starts), best_bound(starts))))


def first_fits(climb: Climb, path: Sequence[Array], X: Array, weight: Array) -> list[Start]:
    """Return fits along a path of scales that the steepness has sharpened, and the best common scale."""
    starts = fit_along(climb, path)
    common = best_score(starts)
    for _ in range(SHARPENINGS):
        path = sharpened(best_score(starts), X, weight)
        if not path:
            return [common]
        starts = fit_along(climb, [np.clip(at, climb.lower, climb.upper) for at in path])
    return [*starts, common]


def sharpened(start: Start, X: Array, weight: Array) -> list[Array]:
    """Return scales in proportion to the steepness of a fit, from wide to narrow; none if it is flat."""
    share = weight / weight.sum()
    steep = sum(share @ steepness(start.at, X, frozen) for frozen in start.trial.outputs)
    relative = np.maximum(steep, FLATTEST * np.max(steep))
    total = float(relative @ (share @ (X - share @ X) ** 2))
    return [np.log(relative / (total * width)) for width in SQUARED_WIDTHS] if total > 0.0 else []


def search_length_scales(plan: FitPlan, common: Sequence[float]) -> list[KernelFit]:
    """Average fits of common scales with one of a scale per input, learnt by evidence gradients."""

    def members(plan: FitPlan) -> list[KernelFit]:
        alike = list(fits_along(plan, [Kernel("rbf", gamma) for gamma in common[::WIDTHS_BETWEEN]]))
        return [*alike, *fits_of_learnt_scales(plan, common)]

    folds = folds_of(plan) if can_be_stacked(plan) and len(common) > 1 else []
    if folds:
        with unfinished_is_enough():
            scores = left_out_scores(plan, folds, [members(fold.plan) for fold in folds])
        return shared(members(plan), stacked_shares(scores))
    fits = members(plan) if len(common) > 1 else fits_of_learnt_scales(plan, common)
    paid = 0.5 * np.count_nonzero(plan.rows.deviations) * np.log(plan.rows.copies.sum())
    return shared(fits, tempered_shares([*(fit.score for fit in fits[:-1]), fits[-1].score - paid]))


def fits_of_learnt_scales(plan: FitPlan, common: Sequence[float]) -> list[KernelFit]:
    """Fit with one scale per input, learnt by evidence gradients that alternate with the solver."""
    rows = replace(plan.rows, X=expected_rows(plan.rows.X))
    return learn_kernel(
        plan,
        lambda eta: Kernel("rbf", 1.0, scales=np.sqrt(eta)),
        lambda fit_at: learn_scales(fit_at, common, rows.X, rows.copies),
    )
