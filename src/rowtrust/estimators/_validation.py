"""What the sparse machines ask of rows, weights and centres, in scikit-learn's manner."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.kernels import distinct_rows, landmarks
from rowtrust.numerics.magnitudes import cure
from rowtrust.search import Centres, TrainingRows

LARGEST_WEIGHT = 1e100
"""Sum of the sample weights beyond which products with them overflow. A guard: any size that can be squared
would do."""

LARGEST_TARGET, SMALLEST_TARGET = 1e100, 1e-100
"""Sizes of targets whose squares can still be computed with. A guard, with exponents to spare."""

ROWS_WITHOUT_LANDMARKS, LANDMARKS = 3000, 1000
"""Distinct rows up to which each has a basis function, and landmarks beyond. Not studied yet."""

SHOWN_LABELS = 5
"""Unknown labels that a message lists; readability alone."""


def weighted_rows(X: Matrix, y: NDArray[Any], sample_weight: Any) -> TrainingRows:
    """Leave out rows of weight zero; refuse weights that are negative, not finite, or all zero."""
    weight: Array = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weight < 0).any():
        raise ValueError(
            "Negative values in data passed to `sample_weight`. A sample weight counts copies of a "
            "row and must be zero or more."
        )
    index = np.flatnonzero(weight > 0)
    if len(index) == 0:
        raise ValueError(
            "All sample weights are zero, so no row is left to fit. Give at least two rows a positive weight."
        )
    if not weight.sum() < LARGEST_WEIGHT:
        raise ValueError("The sample weights are too large to be summed. Divide them by their mean.")
    if len(index) < len(weight):
        X, y = X[index], y[index]
    return TrainingRows(X, y, weight[index], weight[index], index, len(weight))


def arranged(rows: TrainingRows, precomputed: bool, merges: bool) -> tuple[Indices, TrainingRows, Indices]:
    """Return rows as a fit sees them: neither their order nor how copies are given matters to it.

    Before them the positions of the rows that take part, after them which of them each of these is. Those of
    a precomputed kernel stay in their order, which its columns have too.
    """
    if precomputed:
        return rows.index, rows.known(), np.arange(len(rows.y))
    ordered = rows.ordered()
    return ordered.index, *(ordered.merged() if merges else (ordered, np.arange(len(rows.y))))


def check_target_size(y: Array) -> None:
    """Refuse targets whose squares overflow or vanish."""
    largest = float(np.abs(y).max())
    if largest > LARGEST_TARGET or 0.0 < largest < SMALLEST_TARGET:
        raise ValueError(
            f"The targets are of size {largest:.1e}, beyond what can be squared. Rescale y. "
            f"{cure(largest, 'y')}"
        )


class LandmarksWarning(UserWarning):
    """Basis functions stand on some of the rows only, as there are many."""


def automatic_basis(n_distinct: int, n_given: int) -> int | None:
    """Return how many landmarks so many distinct rows want, None for a basis function on each of them."""
    if n_distinct <= ROWS_WITHOUT_LANDMARKS:
        return None
    warnings.warn(
        f"Basis functions stand on {LANDMARKS} of {n_given} rows (all rows are fitted). "
        "basis=None puts one on every row, an int on that many.",
        LandmarksWarning,
        stacklevel=2,
    )
    return LANDMARKS


def place_centres(
    rows: TrainingRows, basis: Any, method: str, precomputed: bool, random_state: np.random.RandomState
) -> Centres:
    """Choose the centres, the same ones for all that is fitted to the rows."""
    distinct = distinct_rows(rows.X)
    if isinstance(basis, str):
        basis = automatic_basis(len(distinct), rows.n_given)
    if basis is not None and not isinstance(basis, Integral):
        centres, positions = given_columns(rows, basis) if precomputed else given_centres(rows, basis)
        return Centres(centres, positions, distinct, follow_rows=False)
    chosen = distinct
    if basis is not None:
        chosen = landmarks(rows.X, rows.y, distinct, int(basis), method, random_state)
    positions = rows.index[chosen]
    follow = len(chosen) == len(distinct)
    return Centres(positions if precomputed else rows.X[chosen], positions, distinct, follow)


def given_columns(rows: TrainingRows, basis: Any) -> tuple[Indices, Indices]:
    """Return the columns of a precomputed kernel that the user named."""
    columns = np.asarray(basis)
    if columns.ndim != 1 or not np.issubdtype(columns.dtype, np.integer):
        raise ValueError(
            "With kernel='precomputed', basis must be an int, or a one-dimensional array of "
            f"column numbers of the kernel matrix; got {columns.dtype} of shape {columns.shape}."
        )
    if len(columns) == 0 or columns.min() < 0 or columns.max() >= rows.X.shape[1]:
        raise ValueError(f"basis must name columns 0 to {rows.X.shape[1] - 1} of the precomputed kernel.")
    return columns, columns


def given_centres(rows: TrainingRows, basis: Any) -> tuple[Matrix, Indices]:
    """Return the centres that the user gave, each once, stored as the rows are."""
    centres = check_array(basis, accept_sparse="csr", dtype=np.float64, input_name="basis")
    if centres.shape[1] != rows.X.shape[1]:
        raise ValueError(
            f"The centres in basis have {centres.shape[1]} features, X has {rows.X.shape[1]}. "
            "Give centres with the columns of X."
        )
    if issparse(rows.X) != issparse(centres):
        centres = centres.toarray() if issparse(centres) else centres
    centres = centres[distinct_rows(centres)]
    return centres, np.arange(centres.shape[0])


def label_numbers(y: Any, classes: NDArray[Any], n_rows: int) -> tuple[Indices, NDArray[Any]]:
    """Return labels as positions in ``classes`` and as given."""
    given = column_or_1d(y)
    if len(given) != n_rows:
        raise ValueError(f"X has {n_rows} rows but y has {len(given)} labels; give one per row.")
    unknown = given[~np.isin(given, classes)]
    if len(unknown):
        raise ValueError(
            f"y holds labels that were not in the fit: {unknown[:SHOWN_LABELS].tolist()}. "
            f"The classes are {classes.tolist()}."
        )
    return np.searchsorted(classes, given), given


def checked_targets(y: Any, n_rows: int) -> Array:
    """Return numbers, one per row."""
    target: Array = column_or_1d(check_array(y, ensure_2d=False, dtype=np.float64, input_name="y"))
    if len(target) != n_rows:
        raise ValueError(f"X has {n_rows} rows but y has {len(target)} targets; give one per row.")
    return target
