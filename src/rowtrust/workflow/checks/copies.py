"""Rows that are there more than once, exactly or nearly, and which rows must therefore stay together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from rowtrust.contracts import Array, Indices
from rowtrust.trust import alone_where, is_common

NEIGHBOUR = 4
"""Which neighbour's distance is the usual one: not the nearest, or a table of which every row is there twice,
a little changed, would have no near rows. Chosen by that."""

NEAR_SHARE = 0.005
"""Rows are nearly equal if they are closer than this share of the usual distance. In two dimensions one row
in 10 000 comes so close by chance, in more far fewer. Chosen by that."""

NEAR_MOST = 0.01
"""Nor may nearly equal rows differ by more than this, in standard deviations of a column: what rounding to
two or three digits does. Chosen by that, not by a study."""

NEAR_INPUTS = 2
"""Columns of numbers that nearly equal rows need: on a line one row in 50 comes so close by chance."""

FAR = 1000.0
"""Between rows of different categories, in standard deviations: more than any rows that count as near."""

ASKED_ROWS = 200
"""Rows that are asked what is usual: the median of so many is good to a tenth."""

DIRECTIONS = 6
"""Directions in which near rows are looked up: a tree is slow in many more, and lets too much through in
fewer. Timed with 50 000 rows of 30 columns: 0.4 s, against 24 s in all 30."""

MOST_PAIRS = 20
"""Pairs of nearly equal rows per row beyond which rows are not near but dense, and less counts as near."""

MOST_CELLS = 2_000_000
"""Cells among which the usual distance is sought; of a larger table a part of the rows, in which rows are
somewhat farther apart: by a quarter in ten dimensions if it is a tenth of them. For time."""

FEWEST_KINDS = 10
"""Different rows below which even rows whose targets agree are split one by one where they are very common:
so few cannot be divided into rows to fit and rows to judge by. As many as a study needs rows."""

NATURAL = 0.9
"""How much better than by chance the targets of rows with the same inputs must agree for these to be copies
and not cases that look alike: real copies agree wholly, but for wrong targets. On half A of the tables
titanic, where people who share every column are still others, has 0.75, taxis 0.28."""


@dataclass(frozen=True)
class Copies:
    """Which rows have the same inputs.

    Attributes
    ----------
    exact
        A number for every row, the same for rows of the same inputs.
    near
        The same for rows of nearly the same inputs, in chains.
    common
        Which rows are of a combination so common that its rows are not kept together.
    """

    exact: Indices
    near: Indices
    common: NDArray[np.bool_]

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return bool((sizes(self.near) > 1).any())


def find_copies(X: pd.DataFrame, y: NDArray[Any] | None = None, is_classes: bool = True) -> Copies:
    """Find rows of the same and of nearly the same inputs.

    Rows are compared by a tree, so the work grows as n log n.

    Parameters
    ----------
    X
        The inputs.
    y
        The targets, if known: rows that agree in them are copies, however many they are.
    is_classes
        Whether the targets are classes.
    """
    exact = row_numbers(X)
    first = np.unique(exact, return_index=True)[1]
    near = near_numbers(X.iloc[first])[exact]
    common = is_common(near)
    if y is not None and common.any() and len(np.unique(near)) >= FEWEST_KINDS:
        common &= agreement(near, y, is_classes) < NATURAL
    return Copies(exact, near, common)


def row_numbers(X: pd.DataFrame) -> Indices:
    """Return a number for every row, the same for equal rows; gaps are equal to gaps."""
    found = np.zeros(len(X), dtype=np.int64)
    for name in X.columns:
        codes, values = pd.factorize(X[name])
        found, distinct = pd.factorize(found * (len(values) + 1) + codes + 1)
        found = found.astype(np.int64)
        if len(distinct) == len(X):
            break
    return found.astype(np.intp)


def with_targets(exact: Indices, y: NDArray[Any]) -> Indices:
    """Return a number for every row, the same for rows of the same inputs and the same target."""
    values, codes = np.unique(y, return_inverse=True)
    return np.asarray(pd.factorize(exact.astype(np.int64) * len(values) + codes)[0], dtype=np.intp)


def near_numbers(distinct: pd.DataFrame) -> Indices:
    """Return a number for each of some different rows, the same for those that are nearly equal."""
    alone = np.arange(len(distinct))
    numbers = [name for name in distinct.columns if is_measured(distinct[name])]
    if len(numbers) < NEAR_INPUTS or len(distinct) < 2:
        return alone
    points = coordinates(distinct, numbers)
    pairs = close_pairs(points, reach(points))
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(alone), len(alone)))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.intp)


def close_pairs(points: Array, radius: float) -> Indices:
    """Return all pairs of points within a distance, less of it where there are very many of them.

    Points are first looked up in a few random directions, in which no two are farther apart than they are.
    """
    none = np.empty((0, 2), dtype=np.intp)
    if radius == 0.0:
        return none
    directions = np.random.default_rng(0).normal(size=(points.shape[1], DIRECTIONS))
    seen = points @ np.linalg.qr(directions)[0]
    slack = 1e-12 * np.abs(points).max()  # of the rounding of far points
    tree = cKDTree(seen, balanced_tree=False)
    some = some_of(seen)
    while tree.query_ball_point(some, radius + slack, return_length=True).mean() > MOST_PAIRS:
        radius /= 10.0
        if radius <= slack:
            return none
    pairs = tree.query_pairs(radius + slack, output_type="ndarray")
    apart = np.sqrt(((points[pairs[:, 0]] - points[pairs[:, 1]]) ** 2).sum(axis=1))
    return np.asarray(pairs[apart <= radius], dtype=np.intp)


def is_measured(values: pd.Series[Any]) -> bool:
    """Whether a column holds numbers of more than two values: others are equal or not."""
    return bool(is_numeric_dtype(values.dtype)) and values.nunique() > 2


def coordinates(X: pd.DataFrame, numbers: list[str]) -> Array:
    """Return rows as points: the distance is the root of the mean of squares over the columns of numbers.

    Gaps and categories are far from each other and from everything else.
    """
    parts = []
    for name in X.columns:
        if name in numbers:
            values = X[name].to_numpy(dtype=float, na_value=np.nan)
            middle, spread = np.nanmean(values), np.nanstd(values)
            scaled = (values - middle) / (spread or 1.0)
            parts.append(np.where(np.isnan(scaled), np.nanmax(scaled) + FAR, scaled) / np.sqrt(len(numbers)))
        else:
            parts.append(FAR * pd.factorize(X[name])[0].astype(float))
    return np.column_stack(parts)


def some_of(points: Array) -> Array:
    """Return a few of the points, from all over."""
    places = np.unique(np.linspace(0, len(points) - 1, ASKED_ROWS).astype(int))
    return np.asarray(points[places])


def reach(points: Array) -> float:
    """Return the distance up to which rows are nearly equal: a small share of the usual one."""
    asked = some_of(points)
    others = points[:: max(1, points.size // MOST_CELLS)]
    usual = cKDTree(others, balanced_tree=False).query(asked, k=[min(NEIGHBOUR + 1, len(others))])[0]
    return min(NEAR_MOST, NEAR_SHARE * float(np.median(usual)))


def sizes(numbers: Indices) -> Indices:
    """Return for every row how many have its number."""
    return np.asarray(np.bincount(numbers)[numbers], dtype=np.intp)


def kept_together(copies: Copies) -> Indices:
    """Return groups of rows that stay on one side of a split; combinations that are very common stand alone.

    Parameters
    ----------
    copies
        Which rows have the same inputs.
    """
    return alone_where(copies.near, copies.common)


def agreement(exact: Indices, y: NDArray[Any], is_classes: bool) -> float:
    """Return how much more than by chance targets of the same inputs agree: 1 wholly, 0 no more.

    Neighbours among the rows of the same inputs are compared, as the agreement of two raters is measured.
    Numbers agree if they are equal.
    """
    order = np.lexsort((np.arange(len(y)), exact))
    pairs = np.flatnonzero(np.diff(exact[order]) == 0)
    if not len(pairs):
        return 1.0
    agree = float((y[order][pairs] == y[order][pairs + 1]).mean())
    share = np.unique(y, return_counts=True)[1] / len(y)
    chance = float((share**2).sum()) if is_classes else 0.0
    return (agree - chance) / max(1.0 - chance, 1e-9)


def distinct_rows(X: pd.DataFrame, y: NDArray[Any], is_classes: bool) -> Indices:
    """Return the first row of each set of copies, target and all; all rows if they are none or look alike.

    Parameters
    ----------
    X, y
        Inputs and targets.
    is_classes
        Whether the targets are classes.
    """
    exact = row_numbers(X)
    first = np.unique(with_targets(exact, y), return_index=True)[1]
    are_copies = FEWEST_KINDS <= len(first) < len(y) and agreement(exact, y, is_classes) >= NATURAL
    return np.sort(first).astype(np.intp) if are_copies else np.arange(len(y))
