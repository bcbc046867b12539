"""A sample of rows by one pass over all, and what is to be known of all of them before a fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.engines.sources import Chunk, RowSource
from rowtrust.numerics.array_api import rows_at, to_numpy
from rowtrust.numerics.blocks import FIRST_MIX, scattered


@dataclass(frozen=True)
class Labels:
    """The labels met so far, how many rows of positive weight have each, and what these weigh."""

    values: NDArray[Any]
    counts: Array
    weights: Array

    def __add__(self, other: Labels) -> Labels:
        values, place = np.unique(np.concatenate([self.values, other.values]), return_inverse=True)
        counts, weights = (
            np.bincount(place, np.concatenate(pair)).astype(float)
            for pair in ((self.counts, other.counts), (self.weights, other.weights))
        )
        return Labels(values, counts, weights)


@dataclass(frozen=True)
class Drawn:
    """Rows that were drawn: inputs, targets, what each weighs, positions among all, and random keys."""

    X: Matrix
    y: NDArray[Any]
    weight: Array
    index: Indices
    key: NDArray[np.uint64]

    def only(self, kept: Indices) -> Drawn:
        """Return some of the rows."""
        return Drawn(self.X[kept], self.y[kept], self.weight[kept], self.index[kept], self.key[kept])

    def __add__(self, other: Drawn) -> Drawn:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Drawn(*(np.concatenate(pair) for pair in pairs))


@dataclass(frozen=True)
class Sample:
    """Rows drawn of all those read so far; the sum of two is the sample of both.

    Every row has a random key, made of its position: the rows with the smallest keys are drawn, of all and of
    every class. So the sample does not depend on how rows are stored.

    Attributes
    ----------
    rows
        The rows drawn.
    n_rows, total
        How many rows were read, and what they weigh.
    labels
        What classes there are; None for numbers.
    sizes
        How many rows are drawn, and of every class at least.
    """

    rows: Drawn
    n_rows: int
    total: float
    labels: Labels | None
    sizes: tuple[int, int]

    def __add__(self, other: Sample) -> Sample:
        labels = None if self.labels is None or other.labels is None else self.labels + other.labels
        both = self.rows + other.rows
        kept = both.only(smallest(both.key, both.y, labels is not None, self.sizes))
        return Sample(kept, self.n_rows + other.n_rows, self.total + other.total, labels, self.sizes)

    @property
    def stands_for(self) -> Array:
        """How many rows each drawn row stands for beside the others: less where a class was thinned less."""
        if self.labels is None:
            return np.ones(len(self.rows.y))
        place = np.searchsorted(self.labels.values, self.rows.y)
        share = self.labels.counts[place] / np.bincount(place)[place]
        return np.asarray(share / share.mean())


def smallest(key: NDArray[np.uint64], y: NDArray[Any], classes: bool, sizes: tuple[int, int]) -> Indices:
    """Return the places of the smallest keys, of all rows and of every class, in order."""
    of_all, of_class = sizes
    if len(key) <= (of_class if classes else of_all):
        return np.arange(len(key))
    kept = [first_of(key, of_all)]
    if classes:
        places = [np.flatnonzero(y == label) for label in np.unique(y)]
        kept += [own[first_of(key[own], of_class)] for own in places]
    return np.unique(np.concatenate(kept))


def first_of(key: NDArray[np.uint64], size: int) -> Indices:
    """Return the places of so many smallest keys, in any order."""
    return np.argpartition(key, size)[:size] if len(key) > size else np.arange(len(key))


def draw_sample(source: RowSource, seed: int, classes: bool, sizes: tuple[int, int]) -> Sample:
    """Draw a sample by one pass over all rows, stratified where the targets are classes."""
    return source.map_reduce(partial(sample_chunk, seed=seed, classes=classes, sizes=sizes))


def sample_chunk(chunk: Chunk, seed: int, classes: bool, sizes: tuple[int, int]) -> Sample:
    """Draw the sample of one chunk; rows of weight zero are never drawn."""
    n_rows, y = chunk.X.shape[0], np.asarray(to_numpy(chunk.y))
    weight = np.ones(n_rows) if chunk.weight is None else np.asarray(to_numpy(chunk.weight), dtype=np.float64)
    takes_part = np.flatnonzero(weight > 0.0)
    key = random_keys(chunk.offset + takes_part, seed)
    drawn = smallest(key, y[takes_part], classes, sizes)
    kept = takes_part[drawn]
    X = to_numpy(rows_at(chunk.X, kept))
    rows = Drawn(np.asarray(X, dtype=np.float64), y[kept], weight[kept], chunk.offset + kept, key[drawn])
    labels = labels_of(y[takes_part], weight[takes_part]) if classes else None
    return Sample(rows, n_rows, float(weight.sum()), labels, sizes)


def labels_of(y: NDArray[Any], weight: Array) -> Labels:
    """Return the labels of some rows."""
    values = np.unique(y)
    place = np.searchsorted(values, y)
    return Labels(values, np.bincount(place).astype(float), np.bincount(place, weight).astype(float))


def random_keys(index: Indices, seed: int) -> NDArray[np.uint64]:
    """Return a random number for every position, by SplitMix64 (Steele et al. 2014)."""
    start = np.uint64(seed * int(FIRST_MIX) % 2**64)
    return scattered(index.astype(np.uint64) + start)


def collected(source: RowSource, most_bytes: int) -> tuple[Any, Any, Any] | None:
    """Return all rows of a source as arrays, with their targets and weights; None if they are too large.

    Names of columns are kept in a frame, where the rows have some.
    """
    parts: list[Chunk] = []
    size = 0
    if 8 * (source.n_numbers or 0) > most_bytes:
        return None
    for chunk in source.chunks():
        parts.append(chunk)
        size += 8 * int(np.prod(chunk.X.shape))
        if size > most_bytes:
            return None
    if not parts:
        raise ValueError("There are no rows to read. Give at least two.")
    X = np.concatenate([np.asarray(to_numpy(part.X), dtype=np.float64) for part in parts])
    y = np.concatenate([np.asarray(to_numpy(part.y)) for part in parts])
    if all(part.weight is None for part in parts):
        return named(X, source.names), y, None
    weights = [np.ones(len(part.X)) if part.weight is None else to_numpy(part.weight) for part in parts]
    return named(X, source.names), y, np.concatenate(weights)


def named(X: Array, names: Sequence[str] | None) -> Any:
    """Return rows as a frame where their columns have names."""
    if names is None:
        return X
    import pandas

    return pandas.DataFrame(X, columns=list(names), copy=False)
