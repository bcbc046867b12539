"""Noise and coefficients brought into balance on the statistics of one pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rowtrust.contracts import Statistics
from rowtrust.inference.passes import log_scale
from rowtrust.inference.posterior import expected_quadratic
from rowtrust.inference.sequential import Selection, maximise_evidence
from rowtrust.likelihoods import Likelihood
from rowtrust.numerics.magnitudes import ROUNDING
from rowtrust.priors import Prior

ROUNDS = 10
"""Rounds at most. Without any, a fit of RVR to Friedman #1 that keeps nearly every column takes 224 passes,
one of RobustRVR 356, and with these less than 180: noise converges more slowly the less of it there is."""

MANY_COLUMNS = 50
"""Columns from which on it is worth it: with fewer the noise converges in a few passes. Not studied."""


def with_settled_noise(
    prior: Prior, likelihood: Likelihood, statistics: Statistics, chosen: Selection, tol: float
) -> tuple[Likelihood, Statistics, Selection]:
    """Re-estimate likelihood and coefficients in turn until that gains less than ``tol`` nats.

    Only for a likelihood that learns from the loss alone, which the statistics tell at any coefficients: no
    pass is needed, and no round lowers the bound.
    """
    if not likelihood.learns or len(statistics.likelihood):
        return likelihood, statistics, chosen
    for _ in range(ROUNDS):
        kept = chosen.kept
        gram = statistics.gram.take(kept, axis=0).take(kept, axis=1)
        fit = float(statistics.vector[kept] @ chosen.posterior.mean)
        loss = 0.5 * expected_quadratic(gram, chosen.posterior) - fit - statistics.constant
        if loss < ROUNDING * abs(statistics.constant):
            break
        other, restated = likelihood.update(replace(statistics, loss=loss))
        precision = np.full(len(statistics.vector), np.inf)
        precision[kept] = chosen.precision
        better = maximise_evidence(prior, restated.gram, restated.vector, precision, tol)
        gain = log_scale(restated) + better.log_evidence - log_scale(statistics) - chosen.log_evidence
        likelihood, statistics, chosen = other, restated, better
        if gain < tol:
            break
    return likelihood, statistics, chosen
