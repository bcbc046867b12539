"""An average of many kernels on few columns: the same function, and the same doubt, from fewer of them.

The average keeps every member's columns, and they resemble each other. Columns are chosen one by one, each
the one that brings the projected function nearest to the average, in the metric of the likelihood's own
curvature at the training rows; mean and covariance follow by least squares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rowtrust.contracts import Array, Indices
from rowtrust.fitting.average import Average
from rowtrust.fitting.plan import Training
from rowtrust.likelihoods import Softmax
from rowtrust.numerics.blocks import block_rows, row_blocks
from rowtrust.numerics.magnitudes import ROUNDING

DEPENDENT = 1e-8
"""Share of a column's square that must be new for it to be chosen: what is less is rounding, which the
inverse would amplify: with 1e-10 rows and weights that mean the same differed by 2e-7. A guard."""


def projected(plan: Training, found: Average) -> Average:
    """Return the model on as few columns as say the same.

    ``sparsity`` is the mean squared change of the latent functions at the training rows, in units of their
    likelihood's curvature: half of it is the mean loss of log likelihood, in nats. Zero keeps all columns.
    """
    tolerance = plan.sparsity
    if tolerance == 0.0 or found.model.basis.n_columns < 2:
        return found
    grams = weighted_grams(plan, found)
    model = found.model
    # outputs that share a covariance share a metric too, and what carries them over
    shared = [model.coefficients.T] if len(grams) < len(model.coefficients) else list(model.coefficients)
    kept = chosen_columns(grams, shared, tolerance * float(plan.rows.weight.sum()))
    maps, centres = [carried(gram, kept) for gram in grams], kept[1:] - 1
    spread = model.spread
    if spread is not None:
        spread = np.stack([spread[:, o] @ each.T for o, each in enumerate(maps)], axis=1)
    lean = replace(
        model,
        basis=model.basis.only(centres),
        coefficients=np.vstack([(each @ mean).T for each, mean in zip(maps, shared, strict=True)]),
        covariance=np.stack(
            [each @ form @ each.T for each, form in zip(maps, model.covariance, strict=True)]
        ),
        spread=spread,
    )
    return replace(
        found,
        model=lean,
        positions=found.positions[centres],
        precision=found.precision[:, centres],
        latent=lean.fitted_moments(plan.rows.X, None)[0],
    )


def weighted_grams(plan: Training, found: Average) -> list[Array]:
    """Return ``Phi' R Phi`` of every output, R the curvature of its rows' log likelihood.

    Outputs that share a covariance have one.
    """
    model, rows = found.model, plan.rows
    mean, variance = model.fitted_moments(rows.X, model.covariance)
    weight = rows.weight * found.trust * found.best.problems[0].weights.whole
    if isinstance(model.likelihood, Softmax):
        curvature = (weight * model.likelihood.secant_curvature(mean))[None]
    else:
        sites = [
            model.likelihood.sites(coding(rows.y), mean[:, o], variance[:, o])
            for o, coding in enumerate(plan.codings)
        ]
        curvature = np.stack([weight * each.precision for each in sites])
    columns = np.arange(model.basis.n_columns)
    grams = [np.zeros((len(columns), len(columns))) for _ in plan.codings]
    for block in row_blocks(rows.X.shape[0], block_rows(len(columns))):
        phi = model.basis.columns(rows.X[block], columns)
        for gram, each in zip(grams, curvature, strict=True):
            gram += phi.T @ (each[block, None] * phi)
    return grams


@dataclass
class Pursuit:
    """Orthogonal matching pursuit for outputs of one metric: what of each column is orthogonal to others.

    Attributes
    ----------
    gram
        Inner products of all columns.
    product, square, least : (k, n_outputs), (k,) and (k,)
        Of every column's rest: its product with what is left of the functions, its square, and the least
        square that is not rounding.
    directions
        The columns chosen, made orthogonal, as their products with all columns.
    """

    gram: Array
    product: Array
    square: Array
    least: Array
    directions: list[Array]

    @classmethod
    def of(cls, gram: Array, coefficients: Array) -> Pursuit:
        """Return the beginning, with no column."""
        square = np.diag(gram).copy()
        product = (gram @ coefficients).reshape(len(gram), -1)
        return cls(gram, product, square, DEPENDENT * square, [])

    @property
    def gains(self) -> Array:
        """By how much each column would lower the squared distance."""
        new = self.square > self.least
        return np.where(new, np.square(self.product).sum(axis=1) / np.where(new, self.square, 1.0), 0.0)

    def choose(self, column: int) -> None:
        """Take a column in."""
        if self.square[column] <= self.least[column]:
            return
        root = np.sqrt(self.square[column])
        direction = self.gram[:, column].copy()
        for each in self.directions:
            direction -= each[column] * each
        direction /= root
        self.product = self.product - direction[:, None] * (self.product[column] / root)
        self.square = self.square - direction**2
        self.directions.append(direction)


def chosen_columns(grams: list[Array], coefficients: Sequence[Array], allowed: float) -> Indices:
    """Return the columns, bias first, whose span comes near enough to every output's function, summed.

    Coefficients are those of the outputs that share a Gram matrix, shape (k,) or (k, n_outputs).
    """
    pursuits = [Pursuit.of(gram, mean) for gram, mean in zip(grams, coefficients, strict=True)]
    pairs = list(zip(coefficients, pursuits, strict=True))
    left = sum(float(np.vdot(mean, each.product)) for mean, each in pairs)
    size = np.sum([np.sqrt(each.square) * np.abs(mean.T) for mean, each in pairs], axis=0)
    size = size.reshape(-1, len(grams[0])).sum(axis=0)
    kept, best = [], 0
    while True:
        left -= sum(float(each.gains[best]) for each in pursuits)
        for each in pursuits:
            each.choose(best)
        kept.append(best)
        gains = np.sum([each.gains for each in pursuits], axis=0)
        gains[kept] = 0.0
        # of columns as good the one that is largest in the average, not the one that rounding prefers
        best = int(np.argmax(np.where(gains >= (1.0 - ROUNDING) * gains.max(), size, -1.0)))
        if left <= allowed or gains[best] <= 0.0:
            return np.sort(np.array(kept, dtype=np.intp))


def carried(gram: Array, kept: Indices) -> Array:
    """Return what makes coefficients of the kept columns of those of all: ``(S' R S)^-1 S' R Phi``."""
    inner = gram[np.ix_(kept, kept)]
    scale = np.sqrt(np.maximum(np.diag(inner), np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(inner / np.outer(scale, scale))
    sound = values > DEPENDENT * values.max()
    root = vectors[:, sound] / np.sqrt(values[sound])
    return np.asarray((root @ (root.T @ (gram[kept] / scale[:, None]))) / scale[:, None])
