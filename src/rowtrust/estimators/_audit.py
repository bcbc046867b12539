"""The answer to "which of my rows are wrong?" as a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.kernels import with_holes
from rowtrust.likelihoods import Likelihood
from rowtrust.numerics.scattering import scattered
from rowtrust.predictive import LeftOut, PredictiveModel, leave_each_out

Keys = NDArray[np.uint64]


def row_keys(X: Matrix, y: NDArray[Any]) -> Keys:
    """Return a number for each row with its target: equal for equal rows, and for hardly any others.

    It is a sum over the entries that are not zero, so that dense and sparse rows get the same.
    """
    keys = scattered(bits_of(y))
    if issparse(X):
        rows = csr_array(X, copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        entries = scattered(scattered(rows.indices.astype(np.uint64)) + bits_of(rows.data))
        np.add.at(keys, np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), entries)
        return keys
    for number, column in enumerate(with_holes(X).T):
        entries = scattered(scattered(np.array([number], dtype=np.uint64)) + bits_of(column))
        keys += np.where(column != 0.0, entries, np.uint64(0))
    return keys


def bits_of(numbers: NDArray[Any]) -> Keys:
    """Return the bits of doubles as whole numbers; -0.0 and 0.0 are one value."""
    return np.ascontiguousarray(numbers + 0.0, dtype=np.float64).view(np.uint64)


def positions_in_fit(keys: Keys, fitted: Keys) -> Indices:
    """Return for each key its first position among those of the fit, -1 if it is none of them."""
    if not len(fitted):
        return np.full(len(keys), -1, dtype=np.intp)
    known, first = np.unique(fitted, return_index=True)
    place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.where(known[place] == keys, first[place], -1)


@dataclass(frozen=True)
class FitRows:
    """The rows of a fit, as an audit must know them again.

    Attributes
    ----------
    keys
        Of every row with its target.
    part
        With which power one copy of the row took part: class weight times membership, and a sample weight
        below one.
    trust
        The fit's trust in every row.
    likelihoods
        Of the targets of each output as they were given, where the model's own is of something else.
    """

    keys: Keys
    part: Array
    trust: Array
    likelihoods: tuple[Likelihood, ...] | None = None

    @classmethod
    def unknown(cls, likelihoods: tuple[Likelihood, ...] | None) -> FitRows:
        """Return what is kept of many rows: nothing. The own say of one of them is next to none."""
        return cls(np.empty(0, dtype=np.uint64), np.zeros(1), np.zeros(1), likelihoods)

    def positions(self, X: Matrix, y: NDArray[Any]) -> Indices:
        """Return for each row its position in the fit, -1 if it was not there."""
        return positions_in_fit(row_keys(X, y), self.keys)

    def left_out(self, model: PredictiveModel, X: Matrix, targets: Array, positions: Indices) -> LeftOut:
        """Return what a model says of rows, of a row of the fit without it."""
        seen = positions >= 0
        copies = np.where(seen, self.part[positions], 0.0)
        left_out = leave_each_out(model, X, targets, copies, self.likelihoods)
        trust = np.where(seen, self.trust[positions], left_out.trust)
        return replace(left_out, trust=np.minimum(trust, 1.0))

    def judged(self, model: PredictiveModel, X: Matrix, y: NDArray[Any], targets: Array) -> LeftOut:
        """Return what a model says of rows: of a row of the fit without it, of others as it predicts."""
        positions = self.positions(X, y)
        seen = positions >= 0
        left_out = self.left_out(model, X, targets, positions)
        mean, variance = model.latent_moments(X)
        return LeftOut(
            np.where(seen[:, None], left_out.mean, mean),
            np.where(seen[:, None], left_out.variance, variance),
            left_out.trust,
        )


def audit_table(X: Any, ranking: Indices, **columns: Any) -> Any:
    """Return the columns in the order of ``ranking``, the row of the table that comes first first.

    A DataFrame with the index of X where pandas is installed, otherwise a structured array with the
    field ``row``.
    """
    columns = {name: np.asarray(values)[ranking] for name, values in columns.items()}
    try:
        import pandas
    except ImportError:
        return _structured(ranking, columns)
    index = getattr(X, "index", None)
    rows = index[ranking] if isinstance(index, pandas.Index) else ranking
    return pandas.DataFrame(columns, index=pandas.Index(rows, name="row"))


def _structured(ranking: Indices, columns: dict[str, NDArray[Any]]) -> NDArray[Any]:
    columns = {"row": ranking, **columns}
    table = np.empty(len(ranking), dtype=[(name, values.dtype) for name, values in columns.items()])
    for name, values in columns.items():
        table[name] = values
    return table
