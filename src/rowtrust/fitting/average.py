"""Fits with several kernels as one sparse model: the average of their latent functions, on few columns.

The average keeps every member's columns, and they resemble each other. Columns are chosen one by one, each
the one that brings the projected function nearest to the average, in the metric of the likelihood's own
curvature at the training rows; mean and covariance follow by least squares.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsRegressor

from rowtrust.contracts import Array, Indices
from rowtrust.fitting.decide import UNEXPLAINED, WORST, LeftOutNumbers
from rowtrust.fitting.fits import KernelFit
from rowtrust.fitting.plan import Training
from rowtrust.kernels import WITH_A_WIDTH, Basis, JointBasis, Kernel, joined
from rowtrust.likelihoods import Likelihood, Softmax
from rowtrust.numerics.blocks import block_rows, row_blocks
from rowtrust.numerics.magnitudes import HALF_DIGITS, ROUNDING
from rowtrust.predictive import PredictiveModel
from rowtrust.weights import Unit, Weights


@dataclass(frozen=True)
class Member:
    """The columns of one kernel that any output keeps; the bias comes first in means and covariances.

    Of shapes (n_outputs, 1 + k), (n_outputs, 1 + k, 1 + k) and (n_outputs, 1 + k); outputs that share a
    covariance have one.
    """

    mean: Array
    covariance: Array
    precision: Array
    columns: Indices


def member(fit: KernelFit) -> Member:
    """Return the union of the outputs' columns, with zeros where an output has none."""
    columns = np.unique(np.concatenate([state.columns for state in fit.states]))
    shape = (fit.latent.shape[1], len(columns))
    mean, precision = np.zeros(shape), np.full(shape, np.inf)
    covariance = np.zeros((len(fit.states), len(columns), len(columns)))
    for output, solution in enumerate(fit.solutions):
        own = slice(None) if len(fit.states) < len(mean) else output  # outputs that share a covariance
        where = np.searchsorted(columns, solution.state.columns)
        mean[own, where] = solution.posterior.mean.T
        precision[own, where] = solution.state.precision
        covariance[output][np.ix_(where, where)] = solution.posterior.covariance
    return Member(mean, covariance, precision, columns[1:] - 1)


def averaged_moments(members: list[Member], shares: Array) -> tuple[Array, Array, Array]:
    """Return coefficients and covariance, bias first, of the average of the members' latent functions.

    The mean is linear in the columns, the covariance the average of the members' own. The last array is how
    far each member lies from the average, times the root of its share, shape (members, n_outputs, 1 + k).
    """
    ends = np.cumsum([1] + [len(part.columns) for part in members])
    n_outputs = len(members[0].mean)
    placed = np.zeros((len(members), n_outputs, ends[-1]))
    covariance = np.zeros((len(members[0].covariance), ends[-1], ends[-1]))
    for number, part in enumerate(members):
        where = np.r_[0, ends[number] : ends[number + 1]]
        placed[number][:, where] = part.mean
        covariance[:, where[:, None], where] += shares[number] * part.covariance
    mean = np.tensordot(shares, placed, axes=1)
    return mean, covariance, np.sqrt(shares)[:, None, None] * (placed - mean)


@dataclass(frozen=True)
class Average:
    """One model of several fits, and what is known of it.

    Attributes
    ----------
    model
        The average, ready to predict.
    best
        The fit with the most evidence.
    positions : (k,)
        Position of each centre's row in what the user gave.
    precision : (n_outputs, k)
        Prior precisions of the coefficients, infinite where an output has none.
    bias_precision : (n_outputs,)
        Prior precisions of the intercepts, averaged over kernels.
    shares
        The kernels, and how much each counts.
    trust, latent
        Trust in every training row, and the latent means at them, shape (n, n_outputs).
    count
        What all rows weigh.
    likelihoods
        Of the targets of each output as they were given, where the model's own is of something else.
    held
        What fits outside of folds say of the targets; None where none was made of all rows.
    """

    model: PredictiveModel
    best: KernelFit
    positions: Indices
    precision: Array
    bias_precision: Array
    shares: list[tuple[Kernel, float]]
    trust: Array
    latent: Array
    count: float
    likelihoods: tuple[Likelihood, ...] | None = None
    held: LeftOutNumbers | None = None


def average(plan: Training, fits: list[KernelFit]) -> Average:
    """Return all kernels' columns side by side, weighted by their shares.

    As a mixture of posteriors the average has the spread of its members as a part of its variance, if
    the plan says so: kernels that disagree make it less sure. The average of log-odds is a logarithmic pool
    of opinions instead: one member that is twice as sure of the same class is no reason for doubt, and spread
    has no place in it.
    """
    fits = by_family(fits)
    members = [member(fit) for fit in fits]
    shares = np.array([fit.share for fit in fits])
    coefficients, covariance, spread = averaged_moments(members, shares)
    best = max(fits, key=lambda fit: fit.score)
    states = [fit.states[0] for fit in fits]
    model = PredictiveModel(
        basis=joint_basis(plan, fits, members),
        coefficients=coefficients,
        covariance=covariance,
        spread=spread if plan.disagreement and len(members) > 1 else None,
        likelihood=averaged_part([state.likelihood for state in states], shares),
        weights=weights_of_new_rows(averaged_part([state.weights for state in states], shares)),
    )
    return Average(
        model=model,
        best=best,
        positions=np.concatenate([plan.centres.positions[part.columns] for part in members]),
        precision=np.column_stack([part.precision[:, 1:] for part in members]),
        bias_precision=np.tensordot(shares, [part.precision[:, 0] for part in members], axes=1),
        shares=[(fit.kernel, fit.share) for fit in fits],
        trust=np.tensordot(shares, [fit.trust for fit in fits], axes=1),
        latent=np.tensordot(shares, [fit.latent for fit in fits], axes=1),
        count=float(plan.rows.weight @ best.known),
    )


def averaged_part(parts: list[Any], shares: Array) -> Any:
    """Return one likelihood or weighting for all kernels: the average of what each of them learnt."""
    return parts[0].average(parts, shares) if parts[0].learns else parts[0]


def weights_of_new_rows(weights: Weights) -> Weights:
    """Return the weighting without what it knows of the training rows alone."""
    return weights if weights.membership is None else Unit()


def by_family(fits: list[KernelFit]) -> list[KernelFit]:
    """Return fits of the same family beside each other, otherwise in their order."""
    first = [[other.kernel.family == fit.kernel.family for other in fits].index(True) for fit in fits]
    return [fits[place] for place in np.argsort(first, kind="stable")]


def joint_basis(plan: Training, fits: list[KernelFit], members: list[Member]) -> Basis | JointBasis:
    """Return the basis functions of all members, one part a family: its centres come in several widths."""
    parts, first = [], 0
    while first < len(fits):
        kernel, end = fits[first].kernel, first + 1
        while end < len(fits) and fits[end].kernel.family == kernel.family:
            end += 1
        columns = [part.columns for part in members[first:end]]
        if kernel.function in WITH_A_WIDTH:
            widths = [fit.gamma for fit in fits[first:end]]
            kernel = replace(kernel, gamma=np.repeat(widths, [len(each) for each in columns]))
        parts.append(Basis(kernel, plan.centres.rows[np.concatenate(columns)]))
        first = end
    return joined(parts)


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
        return cls(gram, product, square, HALF_DIGITS * square, [])

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
    sound = values > HALF_DIGITS * values.max()
    root = vectors[:, sound] / np.sqrt(values[sound])
    return np.asarray((root @ (root.T @ (gram[kept] / scale[:, None]))) / scale[:, None])


def warn_if_constant(plan: Training, found: Average) -> None:
    """Warn of a model without vectors where ridge regression or a few neighbours explain held-out rows."""
    if found.model.basis.n_columns > 1 or issparse(plan.rows.X) or plan.kernel.is_precomputed:
        return
    rows = plan.sample().rows
    if len(rows.distinct) < plan.budget.fewest_rows:
        return
    target = np.column_stack([coding(rows.y) for coding in plan.codings])
    Z = rows.expected / np.where(rows.deviations > 0.0, rows.deviations, 1.0)
    simple = {
        "ridge regression": RidgeCV(10.0 ** np.arange(-8, 3, 2)),
        "the nearest rows": KNeighborsRegressor(),
    }
    simple_predictions = {
        name: cross_val_predict(each, Z, target).reshape(target.shape) for name, each in simple.items()
    }
    left = {name: usual_squares(target - each) for name, each in simple_predictions.items()}
    whole, name = usual_squares(target - np.median(target, axis=0)), min(left, key=lambda each: left[each])
    share = 1.0 - left[name] / whole if whole > 0.0 else 0.0
    if share > UNEXPLAINED:
        warnings.warn(
            f"The model is a constant: it keeps no vector, but {name} explains {share:.0%} of held-out rows. "
            "Try another kernel, or whitened principal components as inputs.",
            ConvergenceWarning,
            stacklevel=2,
        )


def usual_squares(residuals: Array) -> float:
    """Return the sum of their squares, none larger than that of an outlier."""
    return float((np.minimum(np.abs(residuals), WORST) ** 2).sum())
