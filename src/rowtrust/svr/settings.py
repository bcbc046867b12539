"""What the user asked for: the constructor's arguments, and what they fix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rowtrust.contracts import Array
from rowtrust.numerics.shown import shown
from rowtrust.svr.hyperparameters import Choices

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
