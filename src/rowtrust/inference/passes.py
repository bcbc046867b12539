"""One pass over the rows: latent moments -> sites -> weights -> whatever is wanted of them, added up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rowtrust.contracts import Array, Indices, Sites, Statistics, WeightMoments
from rowtrust.engines import Block
from rowtrust.inference.coding import Coding
from rowtrust.inference.records import Problem, State
from rowtrust.likelihoods import Likelihood, Softmax
from rowtrust.numerics.array_api import at_least, namespace, side_by_side, times
from rowtrust.numerics.magnitudes import ROUNDING
from rowtrust.weights import Weights

DIFFERENCE = 1e-4
"""Share of the latent mean, or of one, over which the slope of a row's term is differenced. Ten times as
much, in both directions, ends 0.03 nats lower in the mean (classifiers, half A of the tables, up to 500 rows,
four widths)."""

LEAST_CURVATURE = 1e-3
"""Least share of its site's precision with which a row bends: a guard for rows whose terms bend the other
way, so that a Newton step stays finite. Not studied."""

LEAST_RESPONSE = 0.1
"""The same for the covariance that is reported: far from the boundary a logistic term is straight, but not a
Gaussian with that curvature. 0.03, 0.1, 0.3 and 1 give mean log losses of 0.376, 0.378, 0.383 and 0.388 on
half A of the tables (three splits, up to 1000 rows); the least of them loses on classes that are easy to tell
apart, for which two blobs, iris and wine were looked at too."""


@dataclass(frozen=True)
class RowMoments:
    """Everything known of a block of rows under a state, before it is added up.

    Attributes
    ----------
    block
        The rows.
    phi : (n, k)
        Basis functions at the rows; the first of them are the state's columns.
    target, mean, variance : (n,)
        Targets, and moments of the latent function; where a target has several, targets and means are of
        shape (n, n_outputs).
    sites, weights, loss
        What likelihood and weighting make of them.
    """

    block: Block
    phi: Array
    target: Array
    mean: Array
    variance: Array
    sites: Sites
    weights: WeightMoments
    loss: Array

    @property
    def precision(self) -> Array:
        """Weighted site precisions, the diagonal of R."""
        return self.block.weight * self.weights.expected * self.sites.precision

    @property
    def shift(self) -> Array:
        """Weighted site shifts, kappa."""
        return times(self.block.weight * self.weights.expected, self.sites.shift)

    @property
    def told(self) -> Array:
        """Expected weights and latent means, one below the other."""
        return side_by_side([self.weights.expected, self.mean]).T


@dataclass(frozen=True)
class RowPass:
    """A block function: the rows' moments under a state, reduced to what is wanted of them.

    ``columns`` begins with the columns of the state; further ones are candidates, whose basis functions
    are computed but have no say in the moments. It knows nothing of the engine, so that it can travel to the
    rows.
    """

    coding: Coding
    columns: Indices
    reduce: Callable[[RowMoments, State], Any]

    def __call__(self, block: Block, state: State) -> Any:
        """Reduce one block of rows."""
        return self.reduce(row_moments(self.coding, state, block, block.phi(self.columns)), state)


def row_moments(coding: Coding, state: State, block: Block, phi: Array) -> RowMoments:
    """Return what a state says of a block of rows."""
    likelihood, target = state.likelihood, coding(block.y)
    mean, variance = state.posterior.latent_moments(phi[:, : len(state.columns)])
    sites = likelihood.sites(target, mean, variance)
    loss = expected_loss(sites, mean, variance)
    weights = state.weights.learn(loss, likelihood.weight_exponent)
    return RowMoments(block, phi, target, mean, variance, sites, weights, loss)


def expected_loss(sites: Sites, mean: Array, variance: Array) -> Array:
    """Return minus the expectation, under ``f ~ N(mean, variance)``, of the part that weights multiply."""
    if mean.ndim > 1:
        xp = namespace(mean)
        second_moment = xp.sum(mean**2, axis=1) + (mean.shape[1] - 1) * variance
        fit: Array = xp.sum(sites.shift * mean, axis=1) + sites.constant
        joint: Array = 0.5 * sites.precision * second_moment - fit
        return joint
    second_moment = mean**2 + variance
    return 0.5 * sites.precision * second_moment - sites.shift * mean - sites.constant


def one_pass(
    problem: Problem,
    state: State,
    columns: Indices,
    reduce: Callable[[RowMoments, State], Any],
    widest: Indices | None = None,
) -> Any:
    """Go once over all rows; ``widest`` are the most columns asked for at a time, if not ``columns``."""
    function = RowPass(problem.coding, columns, reduce)
    return problem.engine.map_reduce(function, columns if widest is None else widest, state)


def gather(problem: Problem, state: State, columns: Indices, curved: bool = False) -> Statistics:
    """Return the statistics of all rows for ``columns``, with sites made from ``state``."""
    reduce = curved_statistics if curved else block_statistics
    statistics: Statistics = one_pass(problem, state, columns, reduce)
    return statistics


def block_statistics(rows: RowMoments, state: State) -> Statistics:
    """Reduce a block of rows to its additive statistics."""
    weights, copies = rows.weights, rows.block.weight
    weight = copies * weights.expected
    return Statistics(
        gram=weighted_gram(rows.phi, rows.precision),
        vector=phi_sum(rows.phi, rows.shift),
        constant=float(weight @ rows.sites.constant),
        normaliser=float(copies @ rows.sites.normaliser + copies @ weights.bound),
        loss=float(weight @ rows.loss),
        count=float(namespace(copies).sum(copies)),
        likelihood=likelihood_statistics(rows, state, weight),
        weights=weights.statistics @ copies,
    )


def weighted_gram(phi: Array, weight: Array) -> Array:
    """Return ``Phi' W Phi`` for weights that are not negative."""
    rooted = namespace(weight).sqrt(weight)[:, None] * phi
    gram: Array = rooted.T @ rooted  # a matrix by its own transpose is half the work
    return gram


def phi_sum(phi: Array, shift: Array) -> Array:
    """Return ``Phi' kappa``."""
    total: Array = phi.T @ shift
    return total


def curved_statistics(rows: RowMoments, state: State, thinning: int = 1) -> Statistics:
    """Reduce a block of rows, and add up how its terms of the bound bend in the latent mean.

    Of many rows every ``thinning``-th tells that: it only guides guesses.
    """
    statistics = block_statistics(rows, state)
    curvature = row_curvature(rows, state)
    xp = namespace(curvature)
    exact = bool(xp.all(xp.abs(curvature - rows.precision) <= ROUNDING * rows.precision))
    if exact and (thinning == 1 or state.likelihood.is_location_scale):  # else it would hang on the block
        return replace(statistics, curvature=statistics.gram)
    first = -rows.block.offset % thinning  # the same rows, however they are cut into blocks
    bent = weighted_gram(rows.phi[first::thinning, :], thinning * curvature[first::thinning])
    return replace(statistics, curvature=bent)


def row_curvature(rows: RowMoments, state: State, least: float = LEAST_CURVATURE) -> Array:
    """Return how the rows' weighted terms of the bound bend in the latent mean."""
    slope, precision = weighted_slope(rows.sites, rows.weights, rows.mean)
    parts, moments = (state.likelihood, state.weights), (rows.target, rows.mean, rows.variance)
    return rows.block.weight * latent_curvature(*parts, *moments, slope, precision, least)


def weighted_slope(sites: Sites, weights: WeightMoments, mean: Array) -> tuple[Array, Array]:
    """Return the slope of rows' terms of the bound in the latent mean, and the precision of their sites."""
    precision = weights.expected * sites.precision
    return times(weights.expected, sites.shift) - times(precision, mean), precision


def latent_curvature(
    likelihood: Likelihood,
    weights: Weights,
    target: Array,
    mean: Array,
    variance: Array,
    slope: Array,
    precision: Array,
    least: float,
) -> Array:
    """Return how rows' terms of the bound bend in the latent mean, sites and weights following it.

    Slope and precision are those at the mean. Sites bend no less than the terms. Terms that bend upwards,
    as those of rows that are doubted, or less than a share ``least`` of their sites, count as bent by that.
    """
    xp = namespace(mean)
    if isinstance(likelihood, Softmax):
        bend = likelihood.contrast_curvature(target, mean)
        joint: Array = xp.minimum(xp.maximum(bend, least * precision), precision)
        return joint
    step = DIFFERENCE * at_least(xp.abs(mean), 1.0)
    sites = likelihood.sites(target, mean + step, variance)
    loss = expected_loss(sites, mean + step, variance)
    beyond, _ = weighted_slope(sites, weights.learn(loss, likelihood.weight_exponent), mean + step)
    curvature: Array = xp.minimum(xp.maximum((slope - beyond) / step, least * precision), precision)
    return curvature


def likelihood_statistics(rows: RowMoments, state: State, weight: Array) -> Array:
    """Return the sums from which a likelihood that learns re-estimates itself."""
    if not state.likelihood.learns:
        return np.empty(0)
    return state.likelihood.row_statistics(rows.target, rows.mean, rows.variance) @ weight


def updated_parts(state: State, statistics: Statistics) -> tuple[Likelihood, Weights, Statistics]:
    """Return likelihood and weighting with their parameters re-estimated, and the statistics restated."""
    likelihood, weights = state.likelihood, state.weights
    if likelihood.learns:
        likelihood, statistics = likelihood.update(statistics)
    if weights.learns:
        weights, statistics = weights.update(statistics)
    return likelihood, weights, statistics


def log_scale(statistics: Statistics) -> float:
    """Return every term of the bound that does not depend on the coefficients."""
    return statistics.constant + statistics.normaliser


@dataclass(frozen=True)
class Stacked:
    """Row outputs of consecutive blocks: to add is to put them one after the other."""

    parts: tuple[Array, ...]

    def __add__(self, other: Stacked) -> Stacked:
        return Stacked(self.parts + other.parts)


def row_outputs(problem: Problem, state: State, output: Callable[[RowMoments], Array]) -> Array:
    """Return something of every row, stacked in order along the last axis: the pass after a fit."""
    stacked: Stacked = one_pass(problem, state, state.columns, lambda rows, _: Stacked((output(rows),)))
    return np.concatenate(stacked.parts, axis=-1)
