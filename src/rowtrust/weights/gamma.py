"""Weights with a Gamma prior, learnt row by row (Hwang & Jeong 2015, section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.special import digamma, gammaln, polygamma
from scipy.stats import norm
from scipy.stats import t as student

from rowtrust.contracts import Array, Statistics, WeightMoments
from rowtrust.numerics.array_api import at_least, namespace, nothing_of
from rowtrust.weights.base import Weights
from rowtrust.weights.fixed import Unit

HWANG_TRUST_PRIOR = float(2.0 - np.log(2.0))
"""The ``r`` at which the weighted logistic loss ``r l / (r + l)`` has an inflection at zero: derived, not
chosen."""


WHOLE_TRUST = 1e6
"""Prior of weights that are all but one: Student's t with so many degrees of freedom is a Gaussian."""


@dataclass(frozen=True)
class Gamma(Weights):
    """``w_i ~ Gamma(trust, trust)``, so that ``0 <= E w_i <= 1`` for power weights (Proposition 2).

    Under Gaussian noise the marginal is Student's t with ``2 * trust`` degrees of freedom
    (Tipping & Lawrence 2005).

    Parameters
    ----------
    trust : float, default=2 - ln 2
        Shape and rate of the prior, Hwang's ``c = d = r``. Small values down-weight large losses soon;
        large values trust rows whatever their loss.
    learns : bool, default=False
        Whether ``trust`` is re-estimated from the rows. Only sound where a weight has a normaliser
        to pay (Gaussian noise); a power weight would always prefer to trust no row.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.weights import Gamma
    >>> Gamma(trust=1.0).learn(np.array([0.0, 1.0, 9.0]), 0.0).expected  # the larger the loss, the less
    array([1. , 0.5, 0.1])
    """

    trust: float = HWANG_TRUST_PRIOR
    learns: bool = False

    lower: ClassVar[float] = 1.0
    upper: ClassVar[float] = 10.0
    """Between these a prior is learnt: from tails without a variance to practically Gaussian ones (Student's
    t with 2 and 20 degrees of freedom). Twice the upper one gains half a nat on clean sinc and Friedman #1
    and changes no error by more than 0.4 % in the mean; half costs 0.6 and 4 nats. Half the lower one changes
    nothing on clean data, but with outliers the evidence goes there: on sinc with 10 and 30 % of them it
    gains 9 and 27 nats, and the error rises by 4 % or falls by 43 % (10 seeds)."""

    def starts(self, exponent: float) -> tuple[Weights, ...]:
        """Return unit weights and doubt from the beginning; which comes first depends on the likelihood.

        For power weights a fit that begins where a plain one ends has mostly the higher bound and the lower
        error: doubt before there is a model sticks to the wrong rows. But a lone outlier may be absorbed
        before doubt begins. Where weights scale a Gaussian's precision a plain fit may be ruined by one
        outlier, so that doubt comes first; but it may take the steep part of a clean function for outliers.
        """
        return (Unit(), self) if exponent == 0.0 else (self, Unit())

    def learn(self, loss: Array, exponent: float) -> WeightMoments:
        """Return the moments of ``q(w_i) = Gamma(trust + h, trust + loss_i)`` (eq. 9, 14, 15)."""
        xp = namespace(loss)
        loss = at_least(loss, 0.0)  # a far outlier that a narrow column fits cancels to less than nothing
        shape = self.trust + exponent
        rate = self.trust + loss
        expected = shape / rate
        # E ln w has cancelled between prior, posterior and normaliser: see the tests for the sum.
        bound = (
            -self.trust * xp.log1p(loss / self.trust)
            - exponent * xp.log(rate)
            + float(gammaln(shape) - gammaln(self.trust))
            + loss * expected
        )
        if not self.learns:
            return WeightMoments(expected, bound, nothing_of(loss))
        log_trust = float(digamma(shape)) - xp.log(rate) - expected
        return WeightMoments(expected, bound, log_trust[None, :])

    def update(self, statistics: Statistics) -> tuple[Gamma, Statistics]:
        """Maximise the bound over ``trust``, if it is to be learnt: from the mean of ``E ln w - E w``."""
        if not self.learns:
            return self, statistics
        mean_log_trust = float(statistics.weights[0]) / statistics.count
        trust = self._allowed(maximise_trust(mean_log_trust))
        gain = statistics.count * (log_prior(trust, mean_log_trust) - log_prior(self.trust, mean_log_trust))
        restated = replace(statistics, normaliser=statistics.normaliser + gain)
        return replace(self, trust=trust), restated

    @property
    def coordinates(self) -> Array:
        """The logarithm of ``trust``, if it is learnt."""
        return np.array([np.log(self.trust)]) if self.learns else np.empty(0)

    def moved_to(self, coordinates: Array) -> Gamma:
        """Return the weighting with this logarithm of ``trust``, within its limits."""
        return replace(self, trust=self._allowed(float(np.exp(coordinates[0])))) if self.learns else self

    def _allowed(self, trust: float) -> float:
        return float(np.clip(trust, min(self.lower, self.trust), max(self.upper, self.trust)))

    @classmethod
    def average(cls, parts: Sequence[Weights], shares: Array) -> Gamma:
        """Return the weighting with the average of the priors."""
        gammas = [part for part in parts if isinstance(part, Gamma)]
        trust = sum(share * part.trust for share, part in zip(shares, gammas, strict=True))
        return replace(gammas[0], trust=float(trust))

    def widening(self, exponent: float) -> float:
        """Return the factor with which a Gaussian has the 95 % interval of the noise, Student's t."""
        if exponent == 0.0:
            return 1.0
        return float((student.ppf(0.975, 2.0 * self.trust) / norm.ppf(0.975)) ** 2)


def log_prior(trust: float, mean_log_trust: float) -> float:
    """Return the part of ``E ln Gamma(w | trust, trust)`` that depends on ``trust``."""
    return float(trust * np.log(trust) - gammaln(trust) + trust * mean_log_trust)


LEAST_DOUBT = 1e-9
"""How far from certain the weights must be for a finite prior: 5e8 here. The clipping that follows hides any
value below 1e-2."""

NEWTON_STEPS, LONGEST_STEP, NEWTON_TOLERANCE = 20, 2.0, 1e-12
"""Steps of Newton's method in ln c, how long one may be, and the relative accuracy at which it ends. Guards:
from the asymptote a root between 1 and 50 takes five steps, none longer than 0.14, and none is longer than
0.5 from 0.01 to 5e8."""


LEAST_SCALE = 1e-3
"""Doubt below which the accuracy is absolute: there the root is far beyond the clipping. A guard."""


def maximise_trust(mean_log_trust: float) -> float:
    """Solve ``ln c + 1 - digamma(c) + mean(E ln w - E w) = 0`` by Newton steps in ``ln c``."""
    # Since E ln w - E w <= -1 with equality for certain weights, the root is positive; for large c
    # ln c - digamma(c) ~ 1 / (2c), which gives the start.
    excess = max(-1.0 - mean_log_trust, LEAST_DOUBT)
    trust = 0.5 / excess
    for _ in range(NEWTON_STEPS):
        slope = (1.0 - trust * polygamma(1, trust)) / trust
        value = np.log(trust) - digamma(trust) - excess
        trust *= float(np.exp(np.clip(-value / (slope * trust), -LONGEST_STEP, LONGEST_STEP)))
        if abs(value) < NEWTON_TOLERANCE * max(excess, LEAST_SCALE):
            break
    return float(trust)
