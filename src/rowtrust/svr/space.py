"""Where the hyperparameters of Bayesian support vector regression may go, and where a search begins."""

from __future__ import annotations

import numpy as np

from rowtrust.contracts import Array
from rowtrust.numerics.magnitudes import TINY
from rowtrust.svr.hyperparameters import Choices, Hyperparameters, Slopes

LOWER = (1e-2, 1e-4, 1e-6, 1e-3, 1e-5)
"""Smallest C, epsilon, relevance, kernel variance and bias variance, for standardised data. Ten times
smaller ones change the evidence by less than a nat (three Boston splits, eight samples of sinc); ten
times larger ones cut off useful values: 20 nats, and a squared error of 6.8 instead of 5.7 on Boston."""

UPPER = (1e3, 1e1, 1e3, 1e3, 1e2)
"""The largest ones, in the same order: a limit for a search that runs away. A tenth or ten times as much
changes the errors on Boston and sinc by 2 % at most, though Boston's evidence ended 1 and 13 nats lower."""

FIRST_START = (2.0, 0.2, 0.5, 3.0, 0.1)
"""C, epsilon, the relevances' sum, kernel variance and bias variance of the smoothest start: a large function
and heavy-tailed noise. Alone it returned a constant on four of six samples of sin(2x)cos(2y)."""

SHORT_START = (10.0, 0.2, 1.0, 0.1)
"""C, epsilon, kernel variance and bias variance of the other starts: a function as large as the targets and
little noise. With C = 2 the start of relevance 2 lost its function to noise on 3 of 17 synthetic sets where
this one found it."""

SHORT_RELEVANCES = (2.0, 8.0, 32.0)
"""Sums of the relevances of the other starts. On 11 random functions and six samples of sin(2x)cos(2y) 8
always reached the highest evidence seen; on four of half A's tables 2 came within 3 nats of it."""

SHORTEST_RELEVANCES = (128.0, 512.0)
"""Sums tried too where so short a function could still be seen (see ``NEIGHBOURS``): the same factor on, up
to about the largest relevance of a search. Not tuned."""

NEIGHBOURS = 3.5
"""Standard deviations that the rows span, a uniform column's width: a grid of n rows in d dimensions has
``n**(1/d)`` rows over it, and a shorter length than their distance cannot be told from noise. Not tuned."""

DRAWN = ((0.5, 1.0), (0.5, 2.0), (0.05, 0.2))
"""Ranges of a random start's relevance, for one or two inputs, its C and its epsilon: the paper's, section 4.
Its variances are those of the short starts: that of the standardised targets, as in the paper's prior, and
for the level, whose median is zero already, much less."""


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
        self.fixed_value, self.free = self._fixed(choices)
        steepest = min(UPPER[0], np.sqrt(2.0) / choices.least_noise) if choices.least_noise else UPPER[0]
        self.lower = self._vector(*LOWER)[self.free]
        self.upper = np.maximum(self._vector(steepest, *UPPER[1:])[self.free], self.lower)

    def _vector(
        self, C: float, epsilon: float, relevance: float | Array, kernel_variance: float, bias_variance: float
    ) -> Array:
        """Return the full vector; one relevance stands for all."""
        relevances = np.broadcast_to(relevance, self.n_features)
        values = np.concatenate([[C, epsilon], relevances, [kernel_variance, bias_variance]])
        return np.asarray(np.log(np.maximum(values, TINY)))

    def _fixed(self, choices: Choices) -> tuple[Array, Array]:
        """Return a full vector of the fixed values (anything elsewhere), and a mask of the free ones."""
        relevance = np.nan if choices.relevance is None else choices.relevance
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

    def with_likelihood(self, free_vector: Array, C: float, epsilon: float) -> Array:
        """Return the point with another C and epsilon, as far as they are free."""
        full = np.zeros(len(self.free))
        full[self.free] = free_vector
        full[:2] = np.log([C, epsilon])
        return self._clipped(full)

    def first_start(self) -> Array:
        """Return where the first search begins: the values of ``FIRST_START``, the relevance divided."""
        C, epsilon, relevance, kernel_variance, bias_variance = FIRST_START
        return self._clipped(
            self._vector(C, epsilon, relevance / self.n_features, kernel_variance, bias_variance)
        )

    def designed_starts(self, n_rows: int) -> list[Array]:
        """Return starts from long to short scales, as short as so many rows could show."""
        C, epsilon, kernel_variance, bias_variance = SHORT_START
        shortest = self.n_features * (n_rows ** (1.0 / self.n_features) / NEIGHBOURS) ** 2
        sums = [*SHORT_RELEVANCES, *(total for total in SHORTEST_RELEVANCES if total <= shortest)]
        vectors = [
            self._vector(C, epsilon, total / self.n_features, kernel_variance, bias_variance)
            for total in sums
        ]
        return [self.first_start(), *(self._clipped(vector) for vector in vectors)]

    def random_start(self, generator: np.random.Generator) -> Array:
        """Draw a start as in section 4: one relevance for all inputs, C and epsilon.

        The paper's relevance is divided here among the inputs beyond the second, or else no two rows
        in many dimensions would know of each other.
        """
        relevance, C, epsilon = (generator.uniform(*each) for each in DRAWN)
        relevance *= min(1.0, 2.0 / self.n_features)
        return self._clipped(self._vector(C, epsilon, relevance, *SHORT_START[2:]))

    def _clipped(self, vector: Array) -> Array:
        return np.asarray(np.clip(vector[self.free], self.lower, self.upper))
