"""Fixed weights from a membership function, which may look at the kernel and at a plain fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils._param_validation import StrOptions

from rowtrust.contracts import Array
from rowtrust.kernels import Kernel
from rowtrust.memberships import MEMBERSHIPS, Membership, SideInformation, normalised, resolve
from rowtrust.search import FitPlan, TrainingRows, fit_kernel
from rowtrust.weights import Fixed, Unit, Weights

MEMBERSHIP_CONSTRAINTS: dict[str, list[Any]] = {
    "membership": [StrOptions(set(MEMBERSHIPS)), Membership, callable, "array-like"],
    "normalise_membership": ["boolean"],
}
"""What scikit-learn checks of the parameters that fuzzy machines have beside the others."""


def with_memberships(
    plan: FitPlan, rows: TrainingRows, membership: Any, normalise: bool, agreement: Callable[[Array], Array]
) -> FitPlan:
    """Return the plan with memberships as fixed weights, made anew for each kernel.

    Parameters
    ----------
    rows
        The rows with targets as the user gave them.
    agreement
        From the latent means of a plain fit to how each row agrees with it: a margin, or a residual.
    """
    given = given_membership(membership, rows)

    def weights(kernel: Kernel) -> Weights:
        precomputed = kernel.function == "precomputed"
        everyone = rows.index if precomputed else rows.X
        side = SideInformation(
            kernel_rows=lambda block: kernel(rows.X[block], everyone),
            first_fit=lambda: agreement(plain_latent(plan, kernel)),
            sample_weight=rows.copies,
            precomputed=precomputed,
        )
        values = resolve(given, rows.X, rows.y, side)
        return Fixed(normalised(values, rows.copies) if normalise else values)

    return replace(plan, weights=weights)


def plain_latent(plan: FitPlan, kernel: Kernel) -> Array:
    """Return the latent means of a fit in which every row counts once."""
    return fit_kernel(replace(plan, weights=Unit(), report=None), kernel).latent


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
