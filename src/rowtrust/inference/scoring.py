"""What a column would add to the evidence: one pass over the rows prices any number of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rowtrust.contracts import Array, Indices, Statistics
from rowtrust.inference.passes import RowMoments, block_statistics, row_moments
from rowtrust.inference.posterior import solve_posterior
from rowtrust.inference.records import Problem, State
from rowtrust.inference.sequential import columns_out
from rowtrust.numerics.blocks import total
from rowtrust.priors.ard import log_evidence_share, optimal_precision

TILE = 2048
"""Columns that are priced together."""

SIMILAR = 0.95
"""Two candidates whose columns correlate more are not taken together."""


@dataclass(frozen=True)
class Prices:
    """Additive statistics that price columns out of the model against those in it."""

    inside: Statistics
    cross: Array
    diagonal: Array
    vector: Array

    def __add__(self, other: Prices) -> Prices:
        return Prices(
            self.inside + other.inside,
            self.cross + other.cross,
            self.diagonal + other.diagonal,
            self.vector + other.vector,
        )


def block_prices(inside: RowMoments, outside: Array) -> Prices:
    """Reduce a block of rows: its columns in the model, and its columns ``outside`` it."""
    return Prices(
        inside=block_statistics(inside),
        cross=(inside.precision[:, None] * inside.phi).T @ outside,
        diagonal=inside.precision @ np.square(outside),
        vector=inside.shift @ outside,
    )


def price(problem: Problem, state: State, columns: Indices) -> Array:
    """Return the gain in log evidence of each column, were it to enter alone.

    Columns that would gain nothing are ranked below zero by how little they miss; columns that are in
    the model already are minus infinity.
    """
    # Tiles of columns keep the row blocks long: a block of few rows is all overhead.
    tiles = np.array_split(columns, -(-len(columns) // TILE))
    return np.concatenate([_price_tile(problem, state, tile) for tile in tiles])


def _price_tile(problem: Problem, state: State, columns: Indices) -> Array:
    width = max(len(columns), len(state.columns))
    moments = row_moments(problem, state, state.columns, width)
    candidates = problem.design.blocks(columns, width)
    prices = total(block_prices(inside, phi) for inside, (_, phi) in zip(moments, candidates, strict=True))
    posterior = solve_posterior(prices.inside.gram, prices.inside.vector, state.precision)
    sparsity, quality = columns_out(prices.diagonal, prices.cross, prices.vector, posterior)
    gain = log_evidence_share(optimal_precision(sparsity, quality), sparsity, quality)
    gain = np.where(gain > 0.0, gain, quality**2 / sparsity - 1.0)
    return np.where(np.isin(columns, state.columns), -np.inf, gain)


def probe_correlations(problem: Problem, columns: Indices) -> Array:
    """Return the sizes of the correlations between columns, measured on a few rows."""
    # On distinct rows: a repeated row must not make two columns look more alike than a weighted one.
    # Around their means: beside the bias, which is always in, wide kernels differ by little else.
    phi = problem.design.probe(columns)
    phi = phi - phi.mean(axis=0)
    length = np.sqrt(np.einsum("ij,ij->j", phi, phi))
    phi = phi / np.where(length > 0, length, 1.0)
    return np.asarray(np.abs(phi.T @ phi))


def dissimilar(problem: Problem, columns: Indices, gain: Array, size: int) -> Indices:
    """Choose up to ``size`` of the best columns, each unlike those chosen before it."""
    order = np.argsort(-gain, kind="stable")[: 6 * size]
    order = order[np.isfinite(gain[order])]
    unlike = probe_correlations(problem, columns[order]) < SIMILAR
    free = np.ones(len(order), dtype=bool)
    chosen: list[int] = []
    while free.any() and len(chosen) < size:
        first = int(free.argmax())
        chosen.append(first)
        free &= unlike[first]
        free[first] = False
    return columns[order[chosen]]
