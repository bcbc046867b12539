"""What the other rows say of each row: its own say divided out of the fitted posterior.

A fit that has seen a wrong row has bent towards it, so a row is judged by the model without it. The
covariance is the fit's linear response, so that one step of Newton's method takes a row out: no second fit is
needed. For Gaussian noise with known weights the step is exact. What stays is that the prior precisions were
chosen with the row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array, Matrix
from rowtrust.inference.passes import LEAST_RESPONSE, expected_loss, latent_curvature, weighted_slope
from rowtrust.likelihoods import Likelihood
from rowtrust.predictive.model import PredictiveModel

LEAST_REST = 1e-6
"""Share of a row's precision that the other rows must supply: a row that holds the model up alone would leave
nothing to judge it by. A guard against rounding, taken over without a study."""


@dataclass(frozen=True)
class LeftOut:
    """Latent moments of every row without its own target, shape (n, n_outputs), and the trust in it, (n,)."""

    mean: Array
    variance: Array
    trust: Array


def leave_each_out(
    model: PredictiveModel,
    X: Matrix,
    targets: Array,
    copies: Array | float = 1.0,
    likelihoods: Sequence[Likelihood] | None = None,
) -> LeftOut:
    """Return what the others say of rows.

    Parameters
    ----------
    model
        The fitted model.
    X, targets
        Rows, and their targets in the likelihood's coding, shape (n, n_outputs).
    copies
        How many copies of each row the fit has seen: 0 for a row that it has not, a membership for one whose
        likelihood was raised to that power.
    likelihoods
        Those of the targets of each output, if not the model's own.
    """
    mean, variance = model.fitted_moments(X, model.covariance)
    trust = np.empty_like(mean)
    for output, target in enumerate(targets.T):
        likelihood = model.likelihood if likelihoods is None else likelihoods[output]
        m, v = mean[:, output].copy(), variance[:, output].copy()
        sites = likelihood.sites(target, m, v)
        weights = model.weights.learn(expected_loss(sites, m, v), likelihood.weight_exponent)
        slope, precision = weighted_slope(sites, weights, m)
        bend = latent_curvature(likelihood, model.weights, target, m, v, slope, precision, LEAST_RESPONSE)
        rest = np.maximum(1.0 - copies * bend * v, LEAST_REST)
        mean[:, output] = m - v * copies * slope / rest
        variance[:, output] = v / rest
        trust[:, output] = weights.expected
    return LeftOut(mean, model.with_hidden(X, variance), np.minimum(trust.min(axis=1), 1.0))
