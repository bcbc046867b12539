"""The records that cross packages: what a likelihood and a weighting answer, and what a pass adds up.

Likelihoods, weights, priors and kernels never import each other; what they exchange with the solvers
stands here, below them all. Shapes are written in the docstrings: ``n`` rows of a block, ``k`` columns in
use.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
Matrix: TypeAlias = Any
"""A dense ``Array`` or a SciPy sparse matrix: rows of inputs as the user gave them. Where values are missing
it is complex: value or mean, and deviation (see ``kernels.missing``)."""


class LandmarksWarning(UserWarning):
    """Landmarks stand for the rows, as there are many of them, without having been asked for.

    Examples
    --------
    >>> import warnings
    >>> from rowtrust import LandmarksWarning
    >>> warnings.simplefilter("ignore", LandmarksWarning)  # if you know
    """


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


@dataclass(frozen=True)
class WeightMoments:
    """What a weighting says of a block of rows.

    Attributes
    ----------
    expected : (n,)
        ``E w``, the factor on the row's site.
    bound : (n,)
        What the weights add to the lower bound: ``h E ln w + E ln p(w) - E ln q(w)``.
    statistics : (s, n)
        Whatever the weighting learns its own prior from; summed over rows, it comes back to ``update``.
    """

    expected: Array
    bound: Array
    statistics: Array


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
    likelihood, weights : (s,)
        The sums that the likelihood and the weighting asked for, each its own.
    curvature : (k, k)
        As ``gram``, but with the curvature of each row's whole term of the bound in the latent mean, sites
        and weights following; None if nobody asked.
    """

    gram: Array
    vector: Array
    constant: float
    normaliser: float
    loss: float
    count: float
    likelihood: Array
    weights: Array
    curvature: Array | None = None

    def __add__(self, other: Statistics) -> Statistics:
        return Statistics(
            self.gram + other.gram,
            self.vector + other.vector,
            self.constant + other.constant,
            self.normaliser + other.normaliser,
            self.loss + other.loss,
            self.count + other.count,
            self.likelihood + other.likelihood,
            self.weights + other.weights,
            None if self.curvature is None or other.curvature is None else self.curvature + other.curvature,
        )

    def scaled(self, factor: float) -> Statistics:
        """Return the statistics of rows that each count so many times as much: less than one forgets."""
        return Statistics(
            factor * self.gram,
            factor * self.vector,
            factor * self.constant,
            factor * self.normaliser,
            factor * self.loss,
            factor * self.count,
            factor * self.likelihood,
            factor * self.weights,
            None if self.curvature is None else factor * self.curvature,
        )

    def in_order(self, columns: Indices) -> Statistics:
        """Return the statistics of some of the columns, in this order."""
        return replace(
            self,
            gram=self.gram.take(columns, axis=0).take(columns, axis=1),
            vector=self.vector[columns],
            curvature=(
                None if self.curvature is None else self.curvature.take(columns, axis=0).take(columns, axis=1)
            ),
        )
