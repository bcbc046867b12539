"""One pass over the rows: latent moments -> sites -> weights -> statistics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array, Indices, Sites, Statistics, WeightMoments
from rowtrust.inference.records import Problem, State
from rowtrust.numerics.blocks import total


@dataclass(frozen=True)
class RowMoments:
    """Everything known of a block of rows under the current state, before it is added up."""

    phi: Array
    mean: Array
    sites: Sites
    weights: WeightMoments
    loss: Array
    copies: Array
    """The rows' sample weights."""

    @property
    def precision(self) -> Array:
        """Weighted site precisions, the diagonal of R."""
        return self.copies * self.weights.expected * self.sites.precision

    @property
    def shift(self) -> Array:
        """Weighted site shifts, kappa."""
        return self.copies * self.weights.expected * self.sites.shift


def row_moments(problem: Problem, state: State, columns: Indices, width: int = 0) -> Iterator[RowMoments]:
    """Yield the rows' moments block by block.

    ``columns`` begins with the columns of the state; further ones are candidates, whose basis
    functions are computed but have no say in the moments.
    """
    active = len(state.columns)
    for rows, phi in problem.design.blocks(columns, width):
        target = problem.target[rows]
        mean, variance = state.posterior.latent_moments(phi[:, :active])
        sites = state.noise.sites(target, mean, variance)
        loss = sites.expected_loss(mean, variance)
        weights = state.weights.learn(loss, state.noise.weight_exponent, rows)
        yield RowMoments(phi, mean, sites, weights, loss, problem.sample_weight[rows])


def block_statistics(block: RowMoments) -> Statistics:
    """Reduce a block of rows to its additive statistics."""
    weights, copies = block.weights, block.copies
    weight = copies * weights.expected
    return Statistics(
        gram=block.phi.T @ (block.precision[:, None] * block.phi),
        vector=block.phi.T @ block.shift,
        constant=float(weight @ block.sites.constant),
        normaliser=float((copies * weights.count) @ block.sites.normaliser + copies @ weights.bound),
        loss=float(weight @ block.loss),
        count=float(copies @ weights.count),
        log_trust=float(copies @ weights.log_trust),
    )


def gather(problem: Problem, state: State, columns: Indices) -> Statistics:
    """Return the statistics of all rows for ``columns``, with sites made from ``state``."""
    return total(block_statistics(block) for block in row_moments(problem, state, columns))


def expected_weights(problem: Problem, state: State) -> Array:
    """Return ``E w_i`` of every row: the one per-row quantity that is kept after a fit."""
    blocks = row_moments(problem, state, state.columns)
    return np.concatenate([block.weights.expected for block in blocks])


def latent_means(problem: Problem, state: State) -> Array:
    """Return the expected latent function at every row."""
    return np.concatenate([block.mean for block in row_moments(problem, state, state.columns)])
