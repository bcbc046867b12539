"""Predictions of every row by fits that have seen neither the row, nor its copies, nor its group."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, issparse
from scipy.sparse.csgraph import connected_components
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.utils import _safe_indexing

from rowtrust.contracts import Array, Indices, Mask
from rowtrust.numerics.magnitudes import ROUNDING
from rowtrust.numerics.statistics import NORMAL_CONSISTENT

FOLDS = 5
"""Folds, as cleanlab's users have them. A habit, not studied."""

DIGITS = 12
"""Digits to which loads of folds are compared: sums of copies and a weight differ by rounding. A guard."""

COMMON_ROWS, COMMON_SHARE = 20, 0.05
"""Rows of the same inputs, and their share of all, beyond which they are no copies: a combination of inputs
that is so common describes many cases, and rows to come have it as well. In a small table a few rows are 5 %
already, and may well be one case entered several times. By reason alone."""


def left_out_probabilities(estimator: Any, X: Any, y: NDArray[Any], groups: Any = None) -> Array:
    """Return class probabilities of every row, in the order of the sorted labels, by fits without it."""
    classes = np.unique(y)
    if not hasattr(estimator, "predict_proba"):
        name = type(estimator).__name__
        raise TypeError(
            f"{name} has no predict_proba, so it cannot judge rows. Wrap it: "
            f"CalibratedClassifierCV({name}(...))."
        )
    fewest = int(np.unique(y, return_counts=True)[1].min())
    if fewest < 2 or len(classes) < 2:
        raise ValueError(
            "to judge rows by the others there must be two classes, each with at least two rows. "
            f"The rarest of {len(classes)} classes has {fewest}."
        )
    folds = folds_apart(X, y, groups, is_classes=True)
    return np.asarray(cross_val_predict(estimator, X, y, cv=folds, method="predict_proba"), dtype=float)


def left_out_numbers(estimator: Any, X: Any, target: Array, groups: Any = None) -> tuple[Array, Array]:
    """Return the mean of every row's target, from fits without its fold, and one deviation for all rows.

    The deviation is that of most residuals: outliers do not widen it.
    """
    folds = folds_apart(X, target, groups, is_classes=False)
    mean = np.asarray(cross_val_predict(estimator, X, target, cv=folds), dtype=float)
    residual = target - mean
    spread = NORMAL_CONSISTENT * float(np.median(np.abs(residual - np.median(residual))))
    least = ROUNDING * float(np.std(target)) or 1.0
    return mean, np.full(len(target), max(spread, least))


def folds_apart(
    X: Any, y: NDArray[Any], groups: Any = None, *, is_classes: bool
) -> list[tuple[Indices, Indices]]:
    """Return the rows outside and inside of each fold; copies of a row, and rows of a group, share a fold."""
    label = y if is_classes else np.zeros(len(y))
    refuse_one_group(groups)
    together = kept_together(X, label, groups)
    if is_classes:
        units = np.arange(len(y)) if together is None else together
        fewest = max(2, min(len(np.unique(units[y == each])) for each in np.unique(y)))
        kind = StratifiedKFold if together is None else StratifiedGroupKFold
    else:
        fewest = len(y) if together is None else len(np.unique(together))
        kind = KFold if together is None else GroupKFold
    folds = kind(min(FOLDS, fewest), shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a class of a single row
        return list(folds.split(np.zeros(len(y)), label if is_classes else None, together))


def refuse_one_group(groups: Any) -> None:
    """Refuse groups of which there is but one: no row would be left to judge it by."""
    if groups is not None and len(np.unique(np.asarray(groups))) < 2:
        raise ValueError(
            "all rows are of one group, and rows are judged by those of other groups. "
            "Give at least two groups, or leave groups out."
        )


def dealt_folds(
    X: Any, label: Indices, weight: Array, key: Indices, groups: Any = None
) -> list[tuple[Indices, Indices]]:
    """Return folds that neither the order of the rows moves nor whether a row has copies or a weight.

    Distinct rows, or groups of them, are dealt out one after another, each to the fold that has the least of
    its classes so far. ``key`` is a number for each row that only its content decides; ``label`` its class, 0
    for all where targets are numbers. Rows of weight zero train no fit, and lie in the first fold.
    """
    refuse_one_group(groups)
    counted = np.flatnonzero(weight > 0.0)
    rows, label, weight, key = (_safe_indexing(each, counted) for each in (X, label, weight, key))
    unit = kept_together(rows, label, None if groups is None else _safe_indexing(groups, counted), weight)
    if unit is None:
        unit = alone_where(key, is_common(np.unique(key, return_inverse=True)[1], weight))
    number = np.zeros(X.shape[0], dtype=np.intp)
    number[counted] = dealt(np.unique(unit, return_inverse=True)[1], key, label, weight)
    return [(np.flatnonzero(number != each), np.flatnonzero(number == each)) for each in np.unique(number)]


def dealt(unit: Indices, key: Indices, label: Indices, weight: Array) -> Indices:
    """Return the fold of every row, the same for all of a unit."""
    first = np.full(unit.max() + 1, np.iinfo(np.intp).max)
    np.minimum.at(first, unit, key)
    share = np.zeros((len(first), label.max() + 1))
    np.add.at(share, (unit, label), weight)
    n_folds = max(2, min(FOLDS, int((share > 0.0).sum(axis=0)[np.unique(label)].min())))
    share = share / np.maximum(share.sum(axis=0), ROUNDING)
    order = np.argsort(first, kind="stable")[np.random.RandomState(0).permutation(len(first))]
    load, found = np.zeros((n_folds, share.shape[1])), np.empty(len(first), dtype=np.intp)
    for each in order:
        classes = np.flatnonzero(share[each])
        crowd = np.column_stack([load[:, classes] @ share[each, classes], load.sum(axis=1)])
        found[each] = np.lexsort(np.round(crowd.T[::-1], DIGITS))[0]
        load[found[each]] += share[each]
    return found[unit]


def kept_together(
    X: Any, label: NDArray[Any], groups: Any, weight: Array | None = None
) -> NDArray[Any] | None:
    """Return a number for every row, equal for rows that share a fold: copies, and rows of a group.

    Rows are connected by either. None where every row stands alone. Where all rows of a class are connected,
    nothing would be left to judge them by: then the groups alone count.
    """
    copies, asked = row_numbers(X), [] if groups is None else [np.asarray(groups)]
    by_groups = asked[0] if asked else None
    if len(copies) == copies.max() + 1 or any(len(each) != len(copies) for each in asked):
        return by_groups
    joined = united(alone_where(copies, is_common(copies, weight)), *asked)
    few = joined is None or any(np.ptp(joined[label == each]) == 0 for each in np.unique(label))
    return by_groups if few else joined


def is_common(numbers: Indices, weight: Array | None = None) -> Mask:
    """Return which rows are of a combination of inputs, a number each, that very many rows have."""
    count = np.bincount(numbers, weight)
    return np.asarray((count > max(COMMON_ROWS, COMMON_SHARE * float(count.sum())))[numbers])


def alone_where(numbers: Indices, which: NDArray[np.bool_]) -> Indices:
    """Return group numbers in which some rows stand alone."""
    return np.where(which, numbers.max(initial=-1) + 1 + np.arange(len(numbers)), numbers).astype(np.intp)


def united(*groupings: NDArray[Any]) -> Indices | None:
    """Return the groups of rows that any of several groupings joins, in chains; None if all stand alone."""
    n_rows = len(groupings[0])
    ends, start = [], n_rows
    for each in groupings:
        codes = np.unique(each, return_inverse=True)[1]
        ends.append(codes + start)
        start += int(codes.max(initial=-1)) + 1
    rows = np.tile(np.arange(n_rows), len(groupings))
    graph = coo_array((np.ones(len(rows)), (rows, np.concatenate(ends))), shape=(start, start))
    joined = connected_components(graph, directed=False)[1][:n_rows]
    found = np.unique(joined, return_inverse=True)[1].astype(np.intp)
    return found if len(np.unique(found)) < n_rows else None


def row_numbers(X: Any) -> Indices:
    """Return a number for every row, equal for rows of the same inputs; gaps are equal to each other."""
    known: dict[Any, int] = {}
    return np.array([known.setdefault(key, len(known)) for key in row_contents(X)], dtype=np.intp)


def row_contents(X: Any) -> list[Any]:
    """Return the content of every row, so that it can be compared."""
    if issparse(X):
        rows = csr_array(X, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
        return [(rows.indices[a:b].tobytes(), rows.data[a:b].tobytes()) for a, b in ends]
    try:
        values = np.asarray(X)
    except ValueError:  # rows of several lengths, which only the estimator knows how to read
        return [content(row) for row in X]
    if values.dtype.kind in "biuf":
        return [row.tobytes() for row in values + 0.0]  # minus zero is zero
    return [content(row) for row in values]


def content(value: Any) -> Any:
    """Return what is in a row, a cell or a text."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.tobytes()
    return tuple(map(content, value)) if isinstance(value, np.ndarray | list | tuple) else repr(value)
