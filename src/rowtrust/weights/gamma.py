"""Weights with a Gamma prior, learnt row by row (Hwang & Jeong 2015, section 3.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import digamma, gammaln, polygamma

from rowtrust.contracts import Array, Statistics, WeightMoments
from rowtrust.weights.fixed import Unit

HWANG_TRUST_PRIOR = float(2.0 - np.log(2.0))
"""The ``r`` at which the weighted logistic loss ``r l / (r + l)`` has an inflection at zero."""


@dataclass(frozen=True)
class Gamma:
    """``w_i ~ Gamma(trust, trust)``, so that ``0 <= E w_i <= 1`` for power weights (Proposition 2).

    Under Gaussian noise the marginal is Student's t with ``2 * trust`` degrees of freedom
    (Tipping & Lawrence 2005).

    Parameters
    ----------
    trust
        Shape and rate of the prior, Hwang's ``c = d = r``. Small: few losses are forgiven late;
        large: rows are trusted whatever their loss.
    learnt
        Whether ``trust`` is re-estimated from the rows. Only sound where a weight has a normaliser
        to pay (Gaussian noise); a power weight would always prefer to trust nobody.
    """

    trust: float = HWANG_TRUST_PRIOR
    learnt: bool = False

    lower = 1.0
    upper = 10.0
    """Between these a prior is learnt: from tails without a variance to practically Gaussian ones."""

    def opening(self, exponent: float) -> Gamma | Unit:
        """Return unit weights for power weights: doubt before there is a model sticks to the wrong rows.

        Starting where a plain fit ends gives a higher bound and a lower error. Where weights scale a
        Gaussian's precision a plain fit may be ruined by one outlier, so that doubt comes first.
        """
        return Unit() if exponent == 0.0 else self

    def learn(self, loss: Array, exponent: float, rows: slice) -> WeightMoments:
        """Return the moments of ``q(w_i) = Gamma(trust + h, trust + loss_i)`` (eq. 9, 14, 15)."""
        shape = self.trust + exponent
        rate = self.trust + loss
        expected = shape / rate
        # E ln w has cancelled between prior, posterior and normaliser: see the tests for the sum.
        bound = (
            -self.trust * np.log1p(loss / self.trust)
            - exponent * np.log(rate)
            + (gammaln(shape) - gammaln(self.trust))
            + loss * expected
        )
        log_trust = digamma(shape) - np.log(rate) - expected
        return WeightMoments(expected, np.ones_like(loss), bound, log_trust)

    def update(self, statistics: Statistics) -> tuple[Gamma, Statistics]:
        """Maximise the bound over ``trust``, if it is to be learnt."""
        if not self.learnt:
            return self, statistics
        mean_log_trust = statistics.log_trust / statistics.count
        lower, upper = min(self.lower, self.trust), max(self.upper, self.trust)
        trust = float(np.clip(maximise_trust(mean_log_trust), lower, upper))
        gain = statistics.count * (log_prior(trust, mean_log_trust) - log_prior(self.trust, mean_log_trust))
        restated = replace(statistics, normaliser=statistics.normaliser + gain)
        return replace(self, trust=trust), restated


def log_prior(trust: float, mean_log_trust: float) -> float:
    """Return the part of ``E ln Gamma(w | trust, trust)`` that depends on ``trust``."""
    return float(trust * np.log(trust) - gammaln(trust) + trust * mean_log_trust)


def maximise_trust(mean_log_trust: float) -> float:
    """Solve ``ln c + 1 - digamma(c) + mean(E ln w - E w) = 0`` by Newton steps in ``ln c``."""
    # Since E ln w - E w <= -1 with equality for certain weights, the root is positive; for large c
    # ln c - digamma(c) ~ 1 / (2c), which gives the start.
    excess = max(-1.0 - mean_log_trust, 1e-9)
    trust = 0.5 / excess
    for _ in range(20):
        slope = (1.0 - trust * polygamma(1, trust)) / trust
        value = np.log(trust) - digamma(trust) - excess
        trust *= float(np.exp(np.clip(-value / (slope * trust), -2.0, 2.0)))
        if abs(value) < 1e-12 * max(excess, 1e-3):
            break
    return float(trust)
