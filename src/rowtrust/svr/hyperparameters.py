"""The hyperparameters of Bayesian support vector regression, and where they may go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array
from rowtrust.svr.evidence import Slopes

SMALLEST = 1e-300
"""Stands for zero where a logarithm is taken."""


@dataclass(frozen=True)
class Hyperparameters:
    """``theta``: noise and covariance parameters (Chu, Keerthi & Ong 2001, section 3.1).

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

    def rescaled(self, input_scale: Array, target_scale: float) -> Hyperparameters:
        """Return the same model with inputs and targets measured in units larger by these factors.

        ``SearchSpace`` and the solvers see standardised data; the user sees the data's own units.
        """
        return Hyperparameters(
            C=self.C / target_scale,
            epsilon=self.epsilon * target_scale,
            beta=self.beta,
            relevance=self.relevance / input_scale**2,
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
    """

    C: float | None
    epsilon: float | None
    beta: float
    relevance: Array | None
    kernel_variance: float | None
    bias_variance: float | None
    beta_is_given: bool = True
    tie: float | None = None

    def rescaled(self, input_scale: Array, target_scale: float) -> Choices:
        """Return the same choices for data measured in units larger by these factors."""
        square = target_scale**2
        return Choices(
            C=None if self.C is None else self.C / target_scale,
            epsilon=None if self.epsilon is None else self.epsilon * target_scale,
            beta=self.beta,
            relevance=None if self.relevance is None else self.relevance / input_scale**2,
            kernel_variance=None if self.kernel_variance is None else self.kernel_variance * square,
            bias_variance=None if self.bias_variance is None else self.bias_variance * square,
            beta_is_given=self.beta_is_given,
            tie=self.tie,
        )


class SearchSpace:
    """Logarithms of the hyperparameters between bounds, for standardised data.

    A vector is ``(ln C, ln epsilon, ln relevance..., ln kernel_variance, ln bias_variance)``; what the
    user fixed has equal bounds and is no part of the free vector.

    Parameters
    ----------
    choices
        What the user fixed.
    n_features
        Number of inputs.
    """

    def __init__(self, choices: Choices, n_features: int) -> None:
        self.choices = choices
        self.n_features = n_features
        everywhere = np.ones(n_features)
        lower = self._vector(1e-2, 1e-4, 1e-6 * everywhere, 1e-3, 1e-5)
        upper = self._vector(1e3, 1e1, 1e3 * everywhere, 1e3, 1e2)
        self.fixed_value, self.free = self._fixed(choices)
        self.lower, self.upper = lower[self.free], upper[self.free]

    def _vector(
        self, C: float, epsilon: float, relevance: Array, kernel_variance: float, bias_variance: float
    ) -> Array:
        values = np.concatenate([[C, epsilon], relevance, [kernel_variance, bias_variance]])
        return np.asarray(np.log(np.maximum(values, SMALLEST)))

    def _fixed(self, choices: Choices) -> tuple[Array, Array]:
        """Return a full vector of the fixed values (anything elsewhere), and a mask of the free ones."""
        relevance = np.full(self.n_features, np.nan) if choices.relevance is None else choices.relevance
        epsilon = 1.0 if choices.tie is not None else choices.epsilon
        scalars = [choices.C, epsilon, choices.kernel_variance, choices.bias_variance]
        C, epsilon, kernel_variance, bias_variance = (np.nan if each is None else each for each in scalars)
        values = self._vector(C, epsilon, relevance, kernel_variance, bias_variance)
        return values, np.isnan(values)

    def hyperparameters(self, free_vector: Array, beta: float) -> Hyperparameters:
        """Return the hyperparameters at a point of the space."""
        vector = self.fixed_value.copy()
        vector[self.free] = free_vector
        C, epsilon, *relevance, kernel_variance, bias_variance = np.exp(vector).tolist()
        if self.choices.tie is not None:
            epsilon = self.choices.tie / C
        return Hyperparameters(C, epsilon, beta, np.array(relevance), kernel_variance, bias_variance)

    def gradient(self, slopes: Slopes) -> Array:
        """Return the slopes of the free parameters in the order of a free vector."""
        slope_C = slopes.C if self.choices.tie is None else slopes.C - slopes.epsilon
        full = np.concatenate(
            [
                [slope_C, slopes.epsilon],
                slopes.relevance,
                [slopes.kernel_variance, slopes.bias_variance],
            ]
        )
        return np.asarray(full[self.free])

    def with_noise(self, free_vector: Array, C: float, epsilon: float) -> Array:
        """Return the point with another C and epsilon, as far as they are free."""
        full = np.zeros(len(self.free))
        full[self.free] = free_vector
        full[:2] = np.log([C, epsilon])
        return self._clipped(full)

    def first_start(self) -> Array:
        """Return a sober place to begin: a smooth, large function, distances below one, moderate noise."""
        relevance = np.full(self.n_features, 0.5 / self.n_features)
        return self._clipped(self._vector(2.0, 0.2, relevance, 3.0, 0.1))

    def random_start(self, generator: np.random.Generator) -> Array:
        """Draw a start as in section 4: one relevance for all inputs, C in [0.5, 2], epsilon in [0.05, 0.2].

        The paper draws the relevance from [0.5, 1]; divided here among the inputs beyond the second,
        or else no two rows in many dimensions would know of each other.
        """
        shared = generator.uniform(0.5, 1.0) * min(1.0, 2.0 / self.n_features)
        relevance = np.full(self.n_features, shared)
        return self._clipped(
            self._vector(generator.uniform(0.5, 2.0), generator.uniform(0.05, 0.2), relevance, 1.0, 0.1)
        )

    def _clipped(self, vector: Array) -> Array:
        return np.asarray(np.clip(vector[self.free], self.lower, self.upper))
