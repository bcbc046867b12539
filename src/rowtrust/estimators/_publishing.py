"""Fitted attributes that say what was found out about kernels, inputs, and where the data are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rowtrust.numerics.magnitudes import within_doubles
from rowtrust.predictive import FarFromData
from rowtrust.search import Average, FitPlan


def added_up(shares: Sequence[tuple[Any, float]]) -> dict[Any, float]:
    """Return the sum of the shares of each name."""
    found: dict[Any, float] = {}
    for name, share in shares:
        found[name] = found.get(name, 0.0) + share
    return found


def publish_kernels(estimator: Any, plan: FitPlan, found: Average) -> None:
    """Set what was found out about kernels and inputs."""
    best, kernels = found.best.kernel, [kernel for kernel, _ in found.shares]
    shares = [share for _, share in found.shares]
    estimator.gamma_, estimator.kernel_ = found.best.gamma, best.function
    widths = [float(np.max(kernel.gamma)) for kernel in kernels]
    estimator.gamma_share_ = added_up(list(zip(widths, shares, strict=True)))
    named = [each.function if isinstance(each.function, str) else repr(each.function) for each in kernels]
    estimator.kernel_share_ = added_up(list(zip(named, shares, strict=True)))
    unit = np.ones(plan.rows.X.shape[1]) if plan.scaling is None else plan.scaling.scale
    estimator.scale_ = None if plan.scaling is None else plan.scaling.scale
    estimator.feature_relevance_ = None
    if best.scales is not None:
        with np.errstate(over="ignore", under="ignore"):
            relevance = 2.0 * best.gamma * (best.scales / unit) ** 2
        estimator.feature_relevance_ = within_doubles(relevance)


def publish_far(estimator: Any, far: FarFromData | None) -> None:
    """Set what is remembered of where the data are."""
    estimator.prior_mean_ = None if far is None else far.mean
    estimator.prior_variance_ = None if far is None else far.variance
    anchors = None if far is None else far.anchors
    estimator.anchors_ = None if anchors is None else anchors.rows
    estimator.anchor_whitener_ = None if anchors is None else anchors.whitener
    estimator.anchor_gamma_ = None if anchors is None else float(anchors.kernel.gamma)
    estimator.anchor_slack_ = None if anchors is None else anchors.slack
    estimator.anchor_reach_ = None if anchors is None else anchors.reach
