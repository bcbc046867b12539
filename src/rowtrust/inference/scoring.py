"""What a column would add to the evidence: one pass over the rows scores any number of candidates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from rowtrust.contracts import Array, Indices, Statistics
from rowtrust.inference.passes import RowMoments, block_statistics, curved_statistics, one_pass
from rowtrust.inference.posterior import solve_posterior
from rowtrust.inference.records import Problem, State
from rowtrust.inference.sequential import columns_out
from rowtrust.numerics.array_api import double, like, namespace
from rowtrust.numerics.blocks import TILE

SIMILAR = 0.95
"""Two candidates whose columns correlate more are not taken together: either makes the other superfluous. Set
while watching fits of Ripley's data. With 0.9, 0.975 and 0.99 mean bounds differ by 0.4 nats at most for
classes (single ones by 3) and by 0.8 on sinc; on Friedman #1 0.9 gains 3 in the mean, and single fits gain or
lose up to 46."""

SURPLUS = 6
"""How many times more candidates than wanted are compared with each other: after dropping similar ones enough
are left. Half of it moves mean bounds by 0.1 nats at most; twice is the same below 384 columns. A larger
surplus costs a larger matrix of correlations."""


@dataclass(frozen=True)
class TileScores:
    """Additive statistics of some columns that are out of the model, against those in it."""

    cross: Array
    diagonal: Array
    vector: Array

    def __add__(self, other: TileScores) -> TileScores:
        return TileScores(
            self.cross + other.cross, self.diagonal + other.diagonal, self.vector + other.vector
        )


@dataclass(frozen=True)
class Scores:
    """Additive statistics of the columns in the model, and of those that are out, tile by tile."""

    inside: Statistics
    tiles: tuple[TileScores, ...]

    def __add__(self, other: Scores) -> Scores:
        pairs = zip(self.tiles, other.tiles, strict=True)
        return Scores(self.inside + other.inside, tuple(mine + theirs for mine, theirs in pairs))


def scored_pass(
    problem: Problem, state: State, working: Indices, scored: Indices, curved: bool, thinning: int = 1
) -> Scores:
    """Go once over all rows: the statistics of the working set, and what is needed to score columns."""
    tiles = np.array_split(scored, -(-len(scored) // TILE)) if len(scored) else []
    widest = max((working, *tiles), key=len)
    scores: Scores = one_pass(
        problem, state, working, partial(block_scores, tiles=tiles, curved=curved, thinning=thinning), widest
    )
    return scores


def gains(problem: Problem, state: State, scored: Indices, scores: Scores) -> Array:
    """Return the gain in log evidence of each scored column, were it to enter the state's model alone.

    Columns that would gain nothing are ranked below zero by how little they miss; columns that are in
    the model already are minus infinity.
    """
    posterior = solve_posterior(scores.inside.gram, scores.inside.vector, state.precision)
    found = []
    for tile in scores.tiles:
        sparsity, quality = columns_out(tile.diagonal, tile.cross, tile.vector, posterior)
        out = np.full(len(sparsity), np.inf)
        _, gain = problem.prior.best_precision(out, sparsity, quality, 0.0, np.inf)
        found.append(np.where(gain > 0.0, gain, quality**2 / sparsity - 1.0))
    return np.where(np.isin(scored, state.columns), -np.inf, np.concatenate(found))


def block_scores(
    inside: RowMoments, state: State, tiles: list[Indices], curved: bool, thinning: int = 1
) -> Scores:
    """Reduce a block of rows: its columns in the model, and tile by tile those that are out."""
    statistics = curved_statistics(inside, state, thinning) if curved else block_statistics(inside, state)
    if not tiles:
        return Scores(statistics, ())
    precision, shift = like(inside.precision, inside.phi), like(inside.shift, inside.phi)
    weighted, square = (precision[:, None] * inside.phi).T, namespace(inside.phi).square
    found = []
    for tile in tiles:
        outside = inside.block.phi(tile)
        sums = weighted @ outside, precision @ square(outside), outside_sums(shift, outside)
        found.append(TileScores(*map(double, sums)))
    return Scores(statistics, tuple(found))


def outside_sums(shift: Array, outside: Array) -> Array:
    """Return ``Phi' kappa`` of columns that are out."""
    sums: Array = shift @ outside if shift.ndim == 1 else outside.T @ shift
    return sums


def probe_correlations(problem: Problem, columns: Indices) -> Array:
    """Return the sizes of the correlations between columns, measured on a few rows."""
    # On distinct rows: a repeated row must not make two columns look more alike than a weighted one.
    # Around their means: beside the bias, which is always in, wide kernels differ by little else.
    phi = problem.engine.probe(columns)
    phi = phi - phi.mean(axis=0)
    length = np.sqrt(np.einsum("ij,ij->j", phi, phi))
    phi = (phi / np.where(length > 0, length, 1.0)).astype(np.float32)  # digits enough to tell alike
    return np.asarray(np.abs(phi.T @ phi), dtype=float)


def dissimilar(problem: Problem, columns: Indices, gain: Array, size: int) -> Indices:
    """Choose up to ``size`` of the best columns, each unlike those chosen before it."""
    order = np.argsort(-gain, kind="stable")[: SURPLUS * size]
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
