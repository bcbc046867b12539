"""The words that cross rooms: what a noise, a weighting and a basis must answer.

Noise, weights, priors and basis never import each other; the records they exchange stand here,
below them all. Shapes are written in the docstrings: ``n`` rows of a block, ``k`` columns in use.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
Matrix: TypeAlias = Any
"""A dense ``Array`` or a SciPy sparse matrix: rows of inputs as the user gave them."""


@dataclass(frozen=True)
class Sites:
    """Gaussian sites of a block of rows, in natural parameters.

    ``ln p(t_i | f) >= normaliser_i + constant_i + shift_i f - precision_i f**2 / 2``.

    A learnt weight multiplies constant, shift and precision; a power weight (a repeated row)
    multiplies the normaliser too. Every field has shape ``(n,)``.
    """

    precision: Array
    shift: Array
    constant: Array
    normaliser: Array

    def expected_loss(self, mean: Array, variance: Array) -> Array:
        """Negative expectation, under ``f ~ N(mean, variance)``, of the part that weights multiply."""
        second_moment = mean**2 + variance
        return 0.5 * self.precision * second_moment - self.shift * mean - self.constant


@dataclass(frozen=True)
class WeightMoments:
    """What a weighting says of a block of rows; every field has shape ``(n,)``.

    Attributes
    ----------
    expected
        ``E w``, the factor on the row's site.
    count
        How many observations the row stands for: 1 for a learnt weight, the weight itself for a
        power weight.
    bound
        What the weights add to the lower bound: ``h E ln w + E ln p(w) - E ln q(w)``.
    log_trust
        ``E ln w - E w``, the statistic from which a Gamma prior is learnt.
    """

    expected: Array
    count: Array
    bound: Array
    log_trust: Array


@dataclass(frozen=True)
class Statistics:
    """Everything a solver needs to know of the rows; additive over row blocks.

    Attributes
    ----------
    gram : (k, k)
        ``G = sum_i w_i precision_i phi_i phi_i'``.
    vector : (k,)
        ``g = sum_i w_i shift_i phi_i``.
    constant
        ``sum_i w_i constant_i``.
    normaliser
        ``sum_i`` of the site normalisers and of the weights' own bound terms.
    loss
        ``sum_i w_i loss_i``, the expected loss at the moments the sites were made from.
    count
        The effective number of rows.
    log_trust
        ``sum_i (E ln w_i - E w_i)``.
    """

    gram: Array
    vector: Array
    constant: float
    normaliser: float
    loss: float
    count: float
    log_trust: float

    def __add__(self, other: Statistics) -> Statistics:
        return Statistics(
            self.gram + other.gram,
            self.vector + other.vector,
            self.constant + other.constant,
            self.normaliser + other.normaliser,
            self.loss + other.loss,
            self.count + other.count,
            self.log_trust + other.log_trust,
        )

    @property
    def log_scale(self) -> float:
        """Every term of the bound that does not depend on the coefficients."""
        return self.constant + self.normaliser

    def rescaled(self, ratio: float) -> Statistics:
        """Return the statistics after every site precision was multiplied by ``ratio``."""
        return replace(
            self,
            gram=ratio * self.gram,
            vector=ratio * self.vector,
            constant=ratio * self.constant,
            normaliser=self.normaliser + 0.5 * self.count * float(np.log(ratio)),
            loss=ratio * self.loss,
        )


class Noise(Protocol):
    """How targets scatter around the latent function."""

    weight_exponent: float
    """Power of a learnt weight in the normaliser: 1/2 where it scales a Gaussian's precision."""

    def sites(self, target: Array, mean: Array, variance: Array) -> Sites:
        """Return the tightest Gaussian sites for the latent moments ``mean`` and ``variance``."""
        ...

    def update(self, statistics: Statistics) -> tuple[Noise, Statistics]:
        """Re-estimate the noise's own parameters; return it with the statistics restated."""
        ...


class Weights(Protocol):
    """How far each row is believed."""

    def opening(self, exponent: float) -> Weights:
        """Return the weighting with which a fit had better begin."""
        ...

    def learn(self, loss: Array, exponent: float, rows: slice) -> WeightMoments:
        """Return the moments of the weights of these rows, given their expected losses."""
        ...

    def update(self, statistics: Statistics) -> tuple[Weights, Statistics]:
        """Re-estimate the weights' own prior; return it with the statistics restated."""
        ...


class DesignMatrix(Protocol):
    """The basis functions at the training rows, one block of rows at a time; column 0 is the bias."""

    n_rows: int
    n_columns: int

    def blocks(self, columns: Indices, width: int = 0) -> Iterator[tuple[slice, Array]]:
        """Yield ``(rows, phi)`` with ``phi`` of shape ``(n, len(columns))``.

        Blocks are as long as ``max(width, len(columns))`` columns allow.
        """
        ...

    def probe(self, columns: Indices) -> Array:
        """Return the basis functions at a few distinct rows, the same for every call."""
        ...

    def hold(self, columns: Indices) -> None:
        """Keep these columns in memory if they fit, because they will be asked for again."""
        ...
