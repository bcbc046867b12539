"""The hyperparameters of Bayesian support vector regression: what the user fixed, and in which units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from rowtrust.contracts import Array, Indices
from rowtrust.likelihoods.soft_insensitive import SoftInsensitive
from rowtrust.numerics.magnitudes import (
    LAST_DIGITS,
    refuse_spreads,
    shown,
    unit_of,
    within_doubles,
    within_reach,
)
from rowtrust.numerics.statistics import CONSTANT, location_and_scale, mean_and_deviation


class InUnits:
    """Numbers that belong to units of the data; those that are None are unknown."""

    C: Any
    epsilon: Any
    relevance: Any
    kernel_variance: Any
    bias_variance: Any

    def rescaled(self, input_scale: Array, target_scale: float) -> Self:
        """Return the same for inputs and targets measured in units larger by these factors.

        ``SearchSpace`` and the solvers see standardised data; the user sees the data's own units.
        """
        powers = {"C": -1, "epsilon": 1, "kernel_variance": 2, "bias_variance": 2}
        known = {name: getattr(self, name) for name in powers if getattr(self, name) is not None}
        found: dict[str, Any] = {name: value * target_scale ** powers[name] for name, value in known.items()}
        if self.relevance is not None:
            with np.errstate(over="ignore", under="ignore"):
                found["relevance"] = within_doubles(self.relevance / input_scale / input_scale)
        return replace(self, **found)  # type: ignore[type-var]


@dataclass(frozen=True)
class Hyperparameters(InUnits):
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


@dataclass(frozen=True)
class Choices(InUnits):
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
            kernel_variance=LAST_DIGITS if variance is None else variance,  # none, but for logarithms
        )

    def rescaled(self, input_scale: Array, target_scale: float) -> Choices:
        """Return the same choices for data measured in units larger by these factors."""
        found = super().rescaled(input_scale, target_scale)
        return replace(found, least_noise=self.least_noise * target_scale)


@dataclass(frozen=True)
class Slopes:
    """Derivatives of the negative log evidence in the logarithm of each hyperparameter."""

    C: float
    epsilon: float
    relevance: Array
    kernel_variance: float
    bias_variance: float


DEFAULT_BETA = {"soft_insensitive": 0.3, "huber": 1.0, "epsilon_insensitive": 1e-3, "laplace": 1.0}
"""Beta of each loss. 0.3 is the paper's; Huber's loss is one by definition, and so is the smoothed absolute
loss. Vapnik's would be zero, where no row has curvature and the evidence sees nothing: with half or twice
of 0.001 the errors on Boston and sinc differ by 0.2 and 2 %."""

EXACT_ROWS = 3000
"""Rows beyond which ``basis="auto"`` takes landmarks: about where an exact fit takes half a minute, and eight
times as long with twice as many. A limit on the cost, not tuned."""

LANDMARKS = 1000
"""Landmarks that ``basis="auto"`` takes. On 20000 rows of a sum of six waves in four inputs, 300 give an
error of 0.349 and 800 of 0.310 (noise 0.3); on Friedman's first function 300 and 800 agree to four digits."""

LAPLACE_ZONE = 0.02
"""Half-width of the quadratic zone that stands for the kink of the absolute loss, times C / 2. Small beside
the tails, so that the loss remains absolute. Half or twice as much changes the error by 1 % on Boston and
3 % on sinc, though the evidence rises with the zone."""


@dataclass(frozen=True)
class Settings:
    """Arguments of ``BayesianSVR`` that a search needs, each under its own name.

    A hyperparameter is a number, or a string if it is to be learnt.
    """

    loss: str
    C: str | float
    epsilon: str | float
    beta: str | float
    relevance: Any
    kernel_variance: str | float
    bias_variance: str | float
    n_restarts: int
    max_iter: int
    tol: float
    n_jobs: int | None
    basis: str | int | None = None

    def n_landmarks(self, n_rows: int) -> int | None:
        """Return how many landmarks stand for so many distinct rows; None where the rows do themselves."""
        if self.basis == "auto":
            return LANDMARKS if n_rows > EXACT_ROWS else None
        return int(self.basis) if self.basis is not None and int(self.basis) < n_rows else None

    def choices(self, n_features: int) -> Choices:
        """Translate into what is fixed and what is learnt; refuse what contradicts itself."""
        self._check()
        return Choices(
            C=number_or_none(self.C),
            epsilon=number_or_none(self.epsilon),
            beta=DEFAULT_BETA[self.loss] if isinstance(self.beta, str) else float(self.beta),
            relevance=relevance_or_none(self.relevance, n_features),
            kernel_variance=number_or_none(self.kernel_variance),
            bias_variance=number_or_none(self.bias_variance),
            beta_is_given=self.beta != "auto" or self.loss != "soft_insensitive",
            tie=LAPLACE_ZONE if self.loss == "laplace" else None,
        )

    def _check(self) -> None:
        if self.beta != "auto" and self.loss != "soft_insensitive":
            raise ValueError(
                f"beta={shown(self.beta)} has no meaning for loss={self.loss!r}, which is one value of it: "
                'leave beta="auto" or use loss="soft_insensitive".'
            )
        if self.loss == "laplace" and not isinstance(self.epsilon, str):
            raise ValueError(
                f'epsilon={shown(self.epsilon)} has no meaning for loss="laplace", which is the limit of '
                'epsilon going to zero: leave epsilon="evidence" or use loss="soft_insensitive".'
            )


def number_or_none(value: str | float) -> float | None:
    """Return None for what is to be learnt."""
    return None if isinstance(value, str) else float(value)


def relevance_or_none(relevance: Any, n_features: int) -> Array | None:
    """Return one weight per input, or None if they are to be learnt."""
    if isinstance(relevance, str):
        return None
    values = np.asarray(relevance, dtype=np.float64)
    if values.ndim == 0:
        return np.full(n_features, float(values))
    wrong = ~(np.isfinite(values) & (values >= 0))
    if values.shape != (n_features,) or wrong.any():
        raise ValueError(
            f"relevance must be one number of at least 0 per input, {n_features} of them; got shape "
            f"{values.shape} with {np.count_nonzero(wrong)} numbers below 0 or not finite."
        )
    return values


KEPT_BITS = 30
"""Binary digits of a standardised number that are kept, counted from one or from its own size if that is
larger: a billionth of a standard deviation. The same table in other units differs by some 1e-13 of one, and
a search over a jumping evidence can carry that far; rounded, both are the same table. No study: 2**-30 lies
between rounding and any error of measurement."""


@dataclass(frozen=True)
class Units:
    """Offsets and scales of the inputs and of one target.

    The target's are its median and its median absolute deviation, which gross outliers do not move. Its scale
    carries a sign, such that the longer tail of the standardised target is the upper one: a target and its
    negative are the same problem.

    Attributes
    ----------
    columns : (k,)
        The inputs in use: those that vary. A constant one says nothing.
    input_offset, input_scale : (k,)
        Of these.
    target_offset, target_scale
        Of the target.
    n_features
        Number of all inputs.
    """

    columns: Indices
    input_offset: Array
    input_scale: Array
    target_offset: float
    target_scale: float
    n_features: int

    @classmethod
    def of(cls, X: Array, y: Array, weight: Array, keep_constant: bool = False) -> Units:
        """Measure weighted rows; a row of weight two counts as two rows."""
        moments = np.array([column_moments(column, weight) for column in X.T])
        varying = np.flatnonzero(np.isfinite(moments[:, 1]))
        columns = np.arange(X.shape[1]) if keep_constant or not len(varying) else varying
        scale = np.where(np.isfinite(moments[:, 1]), moments[:, 1], 1.0)
        refuse_spreads(scale)
        location, spread = location_and_scale(y, weight, robust=True)
        sign = longer_tail((y - location) / spread, weight)
        return cls(columns, moments[columns, 0], scale[columns], location, sign * spread, X.shape[1])

    @property
    def size(self) -> float:
        """The target's scale without its sign."""
        return abs(self.target_scale)

    def inputs(self, X: Array) -> Array:
        """Return standardised inputs."""
        with np.errstate(over="ignore"):
            return within_reach((X[:, self.columns] - self.input_offset) / self.input_scale)

    def target(self, y: Array) -> Array:
        """Return the standardised target."""
        return (y - self.target_offset) / self.target_scale

    def spread_out(self, values: Array, fill: Array | float = 0.0) -> Array:
        """Return one value per input from those in use, on the last axis; ``fill`` for the others."""
        full = np.empty((*values.shape[:-1], self.n_features))
        full[...] = fill
        full[..., self.columns] = values
        return full


def longer_tail(standardised: Array, weight: Array) -> float:
    """Return 1 or -1: the side on which standardised numbers reach further, each counted up to three."""
    return -1.0 if float(weight @ np.clip(standardised, -3.0, 3.0) ** 3) < 0.0 else 1.0


def rounded(values: Array) -> Array:
    """Return numbers without the digits that are rounding: see ``KEPT_BITS``."""
    exponent = np.maximum(np.frexp(values)[1], 1) - KEPT_BITS
    return np.asarray(np.ldexp(np.rint(np.ldexp(values, -exponent)), exponent)) + 0.0


def column_moments(column: Array, weight: Array) -> tuple[float, float]:
    """Return mean and standard deviation of one input; infinity as that of a constant one."""
    # Dividing by the size first keeps the squares of very large or very small numbers representable.
    unit = float(unit_of(column))
    mean, deviation = mean_and_deviation(column / unit, weight)
    is_constant = deviation <= CONSTANT * float(np.abs(column / unit).max())
    return unit * mean, np.inf if is_constant else unit * deviation
