"""The distribution of new targets: a Gaussian latent value and noise around it, or a mixture of such."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logsumexp, ndtr, ndtri

from rowtrust.contracts import Array
from rowtrust.likelihoods import Gaussian, Likelihood
from rowtrust.numerics.blocks import block_rows, row_blocks
from rowtrust.predictive.noise import TargetNoise
from rowtrust.weights import Weights

STEP = 0.1
"""Distance of the latent values over which noise is averaged, in latent deviations. Noise narrower than a
step is widened to one, so that the sum stays smooth: with a tenth the deviation is 0.5 % too large at most.
Quantiles of Gaussian noise by this sum are right to 3e-6 of the deviation where the noise is wider than a
step."""

NODES = STEP * np.arange(-64, 65)
"""Latent values, in deviations from the mean, that stand for a Gaussian."""

NODE_WEIGHTS = np.exp(-0.5 * NODES**2) / np.exp(-0.5 * NODES**2).sum()
"""A rule of equal steps for a standard Gaussian: its ends, 6.4 deviations away, weigh 1e-10."""

FINENESS, REACH, TABLE_NODES = 0.05, 18.0, 4001
"""Residuals at which noise is tabulated: equal steps of ``asinh(residual / (FINENESS * width))`` up to
``REACH``, two million widths away. Around one width they lie 0.009 widths apart; the distribution functions
of Gaussian and Laplace noise are right to 1e-5. Not studied further."""

MOST_STEPS, ACCURACY = 60, 1e-8
"""Steps to a quantile at most, and the error in its probability at which they end: guards. Ten steps are
usual."""

Density = Callable[[Array, Array], Array]
"""The log density of targets given latent values."""


@dataclass(frozen=True)
class Noise:
    """How targets scatter around latent values.

    Attributes
    ----------
    log_density
        Of a target given a latent value.
    name
        What to call it where it cannot answer.
    width
        Its size, in units of the target; zero where the latent function has other units.
    residual, below
        Residuals, and the probability to lie below each of them; empty where the latent function has other
        units.
    """

    log_density: Density
    name: str
    width: float
    residual: Array
    below: Array

    def cdf(self, residual: Array) -> Array:
        """Return the probability of a residual to lie below."""
        return np.interp(residual, self.residual, self.below)

    def quantile(self, level: float) -> float:
        """Return the residual below which this share of the noise lies."""
        if not len(self.residual):
            raise ValueError(
                f"quantiles need noise around the latent function, in its units; {self.name} has a link. Use "
                "predict(X, return_std=True)."
            )
        return float(np.interp(level, self.below, self.residual))


def noise_of(likelihood: Likelihood) -> Noise | None:
    """Return the noise of a new row under a likelihood; None for Gaussian noise."""
    name = type(likelihood).__name__
    if isinstance(likelihood, Gaussian):
        return None
    if not likelihood.is_location_scale:
        return Noise(likelihood.log_density, name, 0.0, np.empty(0), np.empty(0))
    width = float(np.sqrt(likelihood.conditional_variance(np.zeros(1))[0]))
    residual = tabulated(width)
    density = np.exp(likelihood.log_density(residual, np.zeros_like(residual)))
    steps = 0.5 * (density[1:] + density[:-1]) * np.diff(residual)
    below = np.append(0.0, np.cumsum(steps))
    return Noise(likelihood.log_density, name, width, residual, below / below[-1])


def tabulated(width: float) -> Array:
    """Return residuals, close to each other near zero and reaching far."""
    return np.asarray(FINENESS * width * np.sinh(np.linspace(-REACH, REACH, TABLE_NODES)))


@dataclass(frozen=True)
class Part:
    """A member of the mixture.

    Attributes
    ----------
    share
        How much it counts.
    mean, deviation : (n,)
        Of the latent values; where the noise is Gaussian, of the targets.
    noise
        Around the latent values; None for Gaussian noise.
    """

    share: float
    mean: Array
    deviation: Array
    noise: Noise | None

    @classmethod
    def of(cls, mean: Array, variance: Array, likelihood: Likelihood, weights: Weights) -> Part:
        """Return new targets under latent moments, a likelihood and its weights."""
        noise = noise_of(likelihood)
        if noise is None:
            widening = weights.widening(likelihood.weight_exponent)
            variance = variance + widening * likelihood.conditional_variance(mean)
        return cls(1.0, mean, np.sqrt(variance), noise)

    def at(self, rows: slice) -> Part:
        """Return some rows of it."""
        return replace(self, mean=self.mean[rows], deviation=self.deviation[rows])

    def cdf(self, target: Array) -> Array:
        """Return the probability of a new target to lie below."""
        if self.noise is None:
            return np.asarray(ndtr((target - self.mean) / self.deviation))
        residual = target[:, None] - self._latent()
        return np.asarray(self.noise.cdf(residual / self._stretch()[:, None]) @ NODE_WEIGHTS)

    def log_density(self, target: Array) -> Array:
        """Return the log density of new targets."""
        if self.noise is None:
            scaled = (target - self.mean) / self.deviation
            return np.asarray(-0.5 * scaled**2 - np.log(self.deviation * np.sqrt(2.0 * np.pi)))
        target, latent = np.broadcast_arrays(target[:, None], self._latent())
        if self.noise.width > 0.0:
            stretch = self._stretch()
            values = self.noise.log_density((target - latent) / stretch[:, None], np.zeros_like(latent))
            return np.asarray(logsumexp(values, b=NODE_WEIGHTS, axis=1) - np.log(stretch))
        return np.asarray(logsumexp(self.noise.log_density(target, latent), b=NODE_WEIGHTS, axis=1))

    def quantile(self, level: float) -> Array | None:
        """Return the value below which targets lie with this probability; None where it must be searched."""
        return None if self.noise else np.asarray(self.mean + self.deviation * ndtri(level))

    def bracket(self, level: float) -> tuple[Array, Array]:
        """Return values below and above the quantile.

        A sum lies below both quantiles of half the level only if one of its terms does.
        """
        ends = (0.5 * level, 0.5 * (1.0 + level))
        low, high = (
            self.mean + self.deviation * ndtri(end) + (self.noise.quantile(end) if self.noise else 0.0)
            for end in ends
        )
        return low, high

    def _latent(self) -> Array:
        return np.asarray(self.mean[:, None] + self.deviation[:, None] * NODES)

    def _stretch(self) -> Array:
        width = self.noise.width if self.noise is not None else 0.0
        return np.maximum(1.0, STEP * self.deviation / width)


@dataclass(frozen=True)
class ShapedPart:
    """A member of the mixture whose targets scatter as held-out rows have.

    Attributes
    ----------
    share
        How much it counts.
    mean, deviation : (n,)
        Of the targets, as the model predicts them.
    noise
        Their distribution around that.
    """

    share: float
    mean: Array
    deviation: Array
    noise: TargetNoise

    def at(self, rows: slice) -> ShapedPart:
        """Return some rows of it."""
        return replace(self, mean=self.mean[rows], deviation=self.deviation[rows])

    def cdf(self, target: Array) -> Array:
        """Return the probability of a new target to lie below."""
        return self.noise.cdf(self.mean, self.deviation, target)

    def log_density(self, target: Array) -> Array:
        """Return the log density of new targets."""
        return self.noise.log_density(self.mean, self.deviation, target)

    def quantile(self, level: float) -> Array:
        """Return the value below which targets lie with this probability."""
        return self.noise.quantile(self.mean, self.deviation, level)

    def bracket(self, level: float) -> tuple[Array, Array]:
        """Return the quantile twice: no search is needed."""
        return self.quantile(level), self.quantile(level)


@dataclass(frozen=True)
class TargetDistribution:
    """The distribution of the target of each of n rows: a mixture of parts whose shares sum to one."""

    parts: tuple[Part | ShapedPart, ...]

    def cdf(self, target: Array) -> Array:
        """Return the probability of each row's target to lie below the one given."""
        return np.asarray(np.sum([part.share * part.cdf(target) for part in self.parts], axis=0))

    def log_density(self, target: Array) -> Array:
        """Return the log density at each row's target."""
        found = np.empty(len(target))
        for rows in row_blocks(len(target), block_rows(len(NODES))):
            parts = [part.at(rows).log_density(target[rows]) + np.log(part.share) for part in self.parts]
            found[rows] = logsumexp(parts, axis=0)
        return found

    def quantile(self, level: float) -> Array:
        """Return the value below which each row's target lies with this probability."""
        if len(self.parts) == 1 and (exact := self.parts[0].quantile(level)) is not None:
            return exact
        found = np.empty(len(self.parts[0].mean))
        for rows in row_blocks(len(found), block_rows(len(NODES))):
            found[rows] = TargetDistribution(tuple(part.at(rows) for part in self.parts))._found(level)
        return found

    def _found(self, level: float) -> Array:
        """Return the quantiles by the Illinois rule: a secant that never leaves its bracket."""
        brackets = [part.bracket(level) for part in self.parts]
        low = np.min([bracket[0] for bracket in brackets], axis=0)
        high = np.max([bracket[1] for bracket in brackets], axis=0)
        below, above = self.cdf(low) - level, self.cdf(high) - level
        was_low = was_high = np.zeros(len(low), dtype=bool)
        for _ in range(MOST_STEPS):
            between = low.copy()
            np.divide(low * above - high * below, above - below, out=between, where=above > below)
            off = self.cdf(between) - level
            if np.abs(off).max() < ACCURACY:
                break
            is_low = off < 0.0
            # An end that stays twice pulls half as much, or it would stay for ever.
            above = np.where(is_low, np.where(was_low, 0.5, 1.0) * above, off)
            below = np.where(is_low, off, np.where(was_high, 0.5, 1.0) * below)
            low, high = np.where(is_low, between, low), np.where(is_low, high, between)
            was_low, was_high = is_low, ~is_low
        return np.asarray(between)
