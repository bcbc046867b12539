"""Fixed weights from a membership function, which may look at the kernel and at a plain fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions

from rowtrust.contracts import Array
from rowtrust.kernels import expected_rows
from rowtrust.likelihoods import Gaussian
from rowtrust.memberships import MEMBERSHIPS, Membership, SideInformation, normalised, resolve
from rowtrust.predictive import PredictiveModel
from rowtrust.search import Average, FitPlan, TrainingRows
from rowtrust.search.fits import KernelFit
from rowtrust.search.rows import inverse_width
from rowtrust.weights import Fixed, Unit

MEMBERSHIP_CONSTRAINTS: dict[str, list[Any]] = {
    "membership": [StrOptions(set(MEMBERSHIPS)), Membership, callable, "array-like"],
    "normalise_membership": ["boolean"],
}
"""What scikit-learn checks of the parameters that fuzzy machines have beside the others."""


def with_memberships(
    plan: FitPlan,
    rows: TrainingRows,
    membership: Any,
    normalise: bool,
    agreement: Callable[[Array], Array],
    search: Callable[[FitPlan], Average],
    precomputed: bool,
) -> FitPlan:
    """Return the plan with memberships as fixed weights, the same at every kernel.

    The evidence compares kernels on the same data only: memberships that ask for a kernel or for a plain fit
    are told those with the most evidence while every row counts once.

    Parameters
    ----------
    rows
        The rows with targets as the user gave them.
    agreement
        From the latent means of a plain fit to how each row agrees with it: a margin, or a residual.
    search
        Finds the kernel of a plan.
    precomputed
        Whether the rows hold kernel values.
    """

    @cache
    def plain() -> KernelFit:
        return search(replace(plan, weights=Unit(), report=None)).best

    if not precomputed:
        inverse_width(plan.rows, "rbf")  # inputs whose squares overflow are refused by name
    given_order = np.argsort(rows.index)  # some memberships go by time
    rows = rows.only(given_order)
    X = plan.rows.X[given_order]  # scaled, where the rows hold what the user gave
    everyone = rows.index if precomputed else X

    side = SideInformation(
        kernel_rows=lambda block: plain().kernel(X[block], everyone),
        first_fit=lambda: agreement(plain().latent)[given_order],
        sample_weight=rows.copies,
        precomputed=precomputed,
    )
    values = resolve(given_membership(membership, rows), expected_rows(X), rows.y, side)
    whole = 1.0 / float(np.average(values, weights=rows.copies)) if normalise else 1.0
    given = np.ones(rows.n_given)  # one a row that was given, so that fits to some of them know their own
    given[rows.index] = normalised(values, rows.copies) if normalise else values
    return replace(plan, weights=Fixed(given, whole))


def given_membership(membership: Any, rows: TrainingRows) -> Any:
    """Return the membership; of an array, the entries of the rows that take part."""
    if isinstance(membership, str | Membership) or callable(membership):
        return membership
    values = np.asarray(membership, dtype=float)
    if values.shape != (rows.n_given,):
        raise ValueError(
            f"membership has shape {values.shape} but X has {rows.n_given} rows; give one membership per row."
        )
    return values[rows.index]


def known_membership(membership: Any) -> Membership | None:
    """Return the membership that a name or an instance stands for; None for anything else."""
    found = MEMBERSHIPS.get(membership) if isinstance(membership, str) else membership
    return found if isinstance(found, Membership) else None


NOISE_ROUNDS = 50
"""Rounds in which the noise is brought into balance with the share of it that was found. A guard: each leaves
about a third of the difference."""


FARTHEST = 3.5
"""Standard deviations beyond which a residual tells no more about the noise of right rows: of Gaussian ones
one in two thousand is larger."""


def missing_noise(membership: Membership, residual: Array, copies: Array, trust: Array) -> float:
    """Return how many times larger the noise is than rows weighted by their memberships say, in variance.

    One where memberships say nothing of errors. Otherwise what Gaussian noise would have lost; or, where
    tails are heavier, what these rows have lost, none of them counted as farther than ``FARTHEST``.

    Parameters
    ----------
    residual : (n,)
        Sizes of the residuals, in standard deviations of the noise that was found.
    copies, trust : (n,)
        What each row counts without its membership, and the membership.
    """
    factor, largest = 1.0, float(residual.max())
    for _ in range(NOISE_ROUNDS):
        factor = 1.0 / membership.noise_share(largest / np.sqrt(factor))
    if factor == 1.0:
        return 1.0
    square = np.minimum(residual, FARTHEST * np.sqrt(factor)) ** 2
    found = float(np.average(square, weights=copies * trust))
    return max(factor, float(np.average(square, weights=copies)) / found) if found > 0.0 else factor


def widened(model: PredictiveModel, factor: float) -> PredictiveModel:
    """Return the model with so many times the variance of noise and coefficients."""
    if factor == 1.0 or not isinstance(model.likelihood, Gaussian):
        return model
    noise = replace(model.likelihood, precision=model.likelihood.precision / factor)
    return replace(model, likelihood=noise, covariance=factor * model.covariance)
