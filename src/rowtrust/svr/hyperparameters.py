"""The hyperparameters of Bayesian support vector regression, and what the user fixed of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rowtrust.contracts import Array
from rowtrust.likelihoods.soft_insensitive import SoftInsensitive
from rowtrust.numerics.magnitudes import within_doubles

NO_VARIANCE = 1e-12
"""Variance of a function that is none, beside targets of deviation one: zero, but for logarithms."""


@dataclass(frozen=True)
class Hyperparameters:
    """``theta``: parameters of likelihood and covariance (Chu, Keerthi & Ong 2001, section 3.1).

    Attributes
    ----------
    C, epsilon, beta
        Of the soft insensitive loss.
    relevance : (d,)
        ARD weight of each input.
    kernel_variance, bias_variance
        Of the covariance.
    """

    C: float
    epsilon: float
    beta: float
    relevance: Array
    kernel_variance: float
    bias_variance: float

    @property
    def likelihood(self) -> SoftInsensitive:
        """The likelihood with these parameters."""
        return SoftInsensitive(self.C, self.epsilon, self.beta)

    @property
    def noise_variance(self) -> float:
        """Variance of the noise that the likelihood stands for."""
        return self.likelihood.variance

    def rescaled(self, input_scale: Array, target_scale: float) -> Hyperparameters:
        """Return the same model with inputs and targets measured in units larger by these factors.

        ``SearchSpace`` and the solvers see standardised data; the user sees the data's own units.
        """
        with np.errstate(over="ignore", under="ignore"):
            relevance = within_doubles(self.relevance / input_scale / input_scale)
        return Hyperparameters(
            C=self.C / target_scale,
            epsilon=self.epsilon * target_scale,
            beta=self.beta,
            relevance=relevance,
            kernel_variance=self.kernel_variance * target_scale**2,
            bias_variance=self.bias_variance * target_scale**2,
        )


@dataclass(frozen=True)
class Choices:
    """What the user fixed. None: to be learnt.

    Attributes
    ----------
    C, epsilon, relevance, kernel_variance, bias_variance
        Fixed values, in the same units as the data.
    beta
        Share of epsilon that is softened; never learnt, because it decides how many rows the
        evidence sees (section 3.3).
    beta_is_given
        Whether beta stays as it is even when its quadratic zone shrinks to almost no row.
    tie
        If not None, ``epsilon`` is this over ``C``: a zone that stays narrow beside the tails, which
        is how the Laplace corner is approached.
    least_noise
        Standard deviation of the noise that targets have at least: that of their rounding.
    """

    C: float | None
    epsilon: float | None
    beta: float
    relevance: Array | None
    kernel_variance: float | None
    bias_variance: float | None
    beta_is_given: bool = True
    tie: float | None = None
    least_noise: float = 0.0

    @property
    def learns_function(self) -> bool:
        """Whether the size or the scales of the function are learnt."""
        return self.relevance is None or self.kernel_variance is None

    @property
    def learns_noise(self) -> bool:
        """Whether anything of the likelihood is learnt: noise that the user fixed stays as it is."""
        return self.C is None or (self.epsilon is None and self.tie is None)

    def constant(self, n_features: int) -> Choices:
        """Return the same choices without a function: as far as they leave it to the evidence."""
        relevance, variance = self.relevance, self.kernel_variance
        return replace(
            self,
            relevance=np.zeros(n_features) if relevance is None else relevance,
            kernel_variance=NO_VARIANCE if variance is None else variance,
        )

    def rescaled(self, input_scale: Array, target_scale: float) -> Choices:
        """Return the same choices for data measured in units larger by these factors."""
        square = target_scale**2
        relevance = self.relevance
        if relevance is not None:
            with np.errstate(over="ignore", under="ignore"):
                relevance = within_doubles(relevance / input_scale / input_scale)
        return Choices(
            C=None if self.C is None else self.C / target_scale,
            epsilon=None if self.epsilon is None else self.epsilon * target_scale,
            beta=self.beta,
            relevance=relevance,
            kernel_variance=None if self.kernel_variance is None else self.kernel_variance * square,
            bias_variance=None if self.bias_variance is None else self.bias_variance * square,
            beta_is_given=self.beta_is_given,
            tie=self.tie,
            least_noise=self.least_noise * target_scale,
        )
