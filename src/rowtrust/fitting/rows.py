"""Training rows, as the solvers want them: checked, weighted, without rows that count for nothing."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array

from rowtrust.contracts import Array, Indices, LandmarksWarning, Matrix
from rowtrust.fitting.budget import Budget
from rowtrust.kernels import (
    Kernel,
    Keys,
    content_keys,
    distinct_rows,
    expected_rows,
    landmarks,
    numbered,
    refuse_blind,
    spreads,
    times,
)
from rowtrust.numerics.array_api import is_elsewhere
from rowtrust.numerics.magnitudes import MOST_SQUARED, cure, small_or_large
from rowtrust.trust import alone_where, is_common


@dataclass(frozen=True)
class TrainingRows:
    """Rows that take part in a fit.

    Attributes
    ----------
    X
        Inputs, dense or CSR; for a precomputed kernel the rows of the kernel matrix.
    y : (n,)
        Class numbers, or targets.
    copies : (n,)
        Sample weights: how many copies of itself each row stands for; all positive.
    weight : (n,)
        The factor on each row's likelihood: sample weight times class weight.
    index : (n,)
        Positions of the rows in what the user gave; of merged rows that of the first.
    n_given
        How many rows the user gave.
    variance : (d,)
        Of the inputs, where it is not that of all rows: outliers are left out of it. None otherwise.
    keys : (n, 3)
        Numbers that the content of each row decides (``content_keys``); None: not made yet.
    """

    X: Matrix
    y: NDArray[Any]
    copies: Array
    weight: Array
    index: Indices
    n_given: int
    variance: Array | None = None
    keys: Keys | None = None

    def ordered(self) -> TrainingRows:
        """Return the rows with their keys, scattered into an order that only their content decides.

        Of copies of a row that with the smaller target comes first, then that of the smaller weight.
        """
        keys = content_keys(self.X)
        order = np.lexsort((self.weight, self.copies, self.y, keys[:, 2], keys[:, 1]))
        return replace(self, keys=keys).only(order)

    def merged(self) -> tuple[TrainingRows, Indices]:
        """Return ordered rows, equal ones of equal targets as one that stands for all, and which each is in.

        A weight of two and a row given twice are then one problem to the last digit: where there is no noise
        a fit may carry roundings far.
        """
        keys = content_keys(self.X) if self.keys is None else self.keys
        differs = (self.y[1:] != self.y[:-1]) | (keys[1:] != keys[:-1]).any(axis=1)
        starts = np.append(True, differs)
        which, first = np.cumsum(starts) - 1, np.flatnonzero(starts)
        rows, copies = self.only(first), np.bincount(which, weights=self.copies).astype(float)
        return replace(rows, copies=copies, weight=copies * (rows.weight / rows.copies)), which

    @property
    def groups(self) -> Indices:
        """A number for each row, equal for copies, in an order that only their content decides."""
        return numbered(content_keys(self.X) if self.keys is None else self.keys)

    @property
    def distinct(self) -> Indices:
        """The first row of each set of copies, in order."""
        return distinct_rows(self.X, self.keys)

    @property
    def is_of_classes(self) -> bool:
        """Whether the targets are class numbers."""
        return bool(np.issubdtype(self.y.dtype, np.integer))

    def thinned(self, size: int, of_class: int) -> Indices | None:
        """Return the places of about so many distinct rows, drawn by their values; None for all, if few."""
        group = self.groups
        n_distinct = int(group.max()) + 1
        if n_distinct <= 2 * size:
            return None
        place = np.empty(n_distinct, dtype=np.intp)
        place[np.random.RandomState(0).permutation(n_distinct)] = np.arange(n_distinct)
        kept = place < size
        for label in np.unique(self.y) if self.is_of_classes else ():
            own = np.unique(group[self.y == label])
            kept[own[np.argsort(place[own])[:of_class]]] = True
        return np.flatnonzero(kept[group])

    @property
    def expected(self) -> Matrix:
        """The inputs, with the mean of what it may be in place of a missing value."""
        return expected_rows(self.X)

    @property
    def deviations(self) -> Array:
        """The deviations of the inputs, in units of which widths are."""
        return spreads(self.X, self.copies) if self.variance is None else np.sqrt(self.variance)

    @property
    def variances(self) -> Array:
        """Their squares, where ``inverse_width`` has not refused them."""
        return np.asarray(self.deviations**2)

    def measured(self, metric: Array) -> TrainingRows:
        """Return the rows in a metric."""
        variance = (self.deviations * metric) ** 2 if metric.ndim == 1 else None
        return replace(self, X=times(self.X, metric), variance=variance)

    def refuse_blind(self, kernels: Iterable[Kernel]) -> None:
        """Refuse kernels that say nothing of the rows, because of the size of the inputs."""
        refuse_blind(self.X, self.deviations, kernels)

    def only(self, kept: Indices) -> TrainingRows:
        """Return some of the rows, their widths in the same units."""
        return replace(
            self,
            X=self.X[kept],
            y=self.y[kept],
            copies=self.copies[kept],
            weight=self.weight[kept],
            index=self.index[kept],
            keys=None if self.keys is None else self.keys[kept],
        )

    @property
    def part(self) -> Array:
        """With which power one copy of each row takes part: class weight, and a sample weight below one."""
        return np.minimum(self.copies, 1.0) * self.weight / self.copies

    def with_copies(self) -> tuple[Array, Indices]:
        """Return with which power each row is left out, and a number for rows that are left out together.

        All copies of a row are, whatever their targets; of a very common combination of inputs one copy is.
        """
        common = is_common(self.groups, self.copies)
        return np.where(common, self.part, self.weight), alone_where(self.groups, common)


@dataclass(frozen=True)
class Centres:
    """Where basis functions may stand, chosen once a fit.

    Attributes
    ----------
    rows
        Inputs of the centres; for a precomputed kernel column numbers of its matrix.
    positions
        For each centre the position of its row in what the user gave, or its own in the centres given.
    distinct
        Positions of the distinct training rows.
    follow_rows
        Whether there is one on every distinct row, so that a fit to fewer rows has fewer of them.
    """

    rows: Matrix
    positions: Indices
    distinct: Indices
    follow_rows: bool = True

    def of(self, rows: TrainingRows) -> Centres:
        """Return the centres of a fit to some of the rows."""
        stands = np.isin(self.positions, rows.index) | (not self.follow_rows)
        return Centres(self.rows[stands], self.positions[stands], rows.distinct, self.follow_rows)


def inverse_width(rows: TrainingRows, function: str) -> float:
    """Return one over the inputs' spread, in the unit in which a kernel's ``gamma`` is one over its width.

    The spread is the sum of the variances for a Gaussian or polynomial kernel and that of the deviations for
    a Laplacian one; one if the inputs are constant.
    """
    deviation = rows.deviations
    total = float(np.hypot.reduce(deviation))
    if total == 0.0:
        return 1.0
    if not 1.0 / MOST_SQUARED < total * total < MOST_SQUARED:
        raise ValueError(
            f"The inputs spread over {total:.1e}, too {small_or_large(total)} to be squared. "
            f"{cure(total, 'X')} Or leave scaling at its default, which scales every input by itself."
        )
    return 1.0 / float(deviation.sum() if function == "laplacian" else total * total)


def arranged(rows: TrainingRows, is_precomputed: bool, merges: bool) -> tuple[Indices, TrainingRows, Indices]:
    """Return rows as a fit sees them: neither their order nor how copies are given matters to it.

    Before them the positions of the rows that take part, after them which of them each of these is. Those of
    a precomputed kernel stay in their order, which its columns have too.
    """
    if is_precomputed:
        return rows.index, replace(rows, keys=content_keys(rows.X)), np.arange(len(rows.y))
    ordered = rows.ordered()
    return ordered.index, *(ordered.merged() if merges else (ordered, np.arange(len(rows.y))))


def scattered(values: Array | None, given: Indices, which: Indices, n_given: int) -> Array | None:
    """Return what is known of the rows of a fit, in the order of the rows that were given."""
    if values is None:
        return None
    found = np.zeros(n_given)
    found[given] = values[which]
    return found


def place_centres(rows: TrainingRows, basis: Any, is_precomputed: bool, seed: int, budget: Budget) -> Centres:
    """Choose the centres, the same ones for all that is fitted to the rows."""
    distinct = rows.distinct
    if isinstance(basis, str):
        basis = automatic_basis(len(distinct), rows.n_given, budget)
    if basis is not None and not isinstance(basis, Integral):
        centres, positions = given_columns(rows, basis) if is_precomputed else given_centres(rows, basis)
        return Centres(centres, positions, distinct, follow_rows=False)
    chosen = distinct
    if basis is not None:
        chosen = landmarks(rows.y, distinct, int(basis), seed)
    positions = rows.index[chosen]
    follow = len(chosen) == len(distinct)
    return Centres(positions if is_precomputed else rows.X[chosen], positions, distinct, follow)


def automatic_basis(n_distinct: int, n_given: int, budget: Budget) -> int | None:
    """Return how many landmarks so many distinct rows want, None for a basis function on each of them."""
    if n_distinct <= budget.centre_rows:
        return None
    warnings.warn(
        f"Basis functions stand on {budget.landmarks} of {n_given} rows (all rows are fitted). "
        "basis=None puts one on every row, an int on that many.",
        LandmarksWarning,
        stacklevel=2,
    )
    return budget.landmarks


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


def refuse_missing(X: Matrix, name: str = "estimator") -> None:
    """Refuse rows with missing values, and say what to do. Rows on a device were looked at before."""
    if is_elsewhere(X):
        return
    missing = np.isnan(X.data if issparse(X) else X)
    if missing.any():
        raise ValueError(
            f"Input X contains NaN, {missing.sum()} of its values, and this {name} takes none. Fit "
            f'{name}(missing="expected") to dense rows, or put an imputer such as SimpleImputer before it.'
        )
