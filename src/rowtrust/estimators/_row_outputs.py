"""What a fitted model says of every row, for as many rows as there are: to an array, or to a file."""

from __future__ import annotations

from os import PathLike
from typing import Any, ClassVar

import numpy as np
from numpy.lib.format import open_memmap
from sklearn.utils.validation import check_is_fitted, column_or_1d

from rowtrust.contracts import Array, Matrix
from rowtrust.engines import ArraySource, Chunk, RowSource
from rowtrust.engines.finding import as_source
from rowtrust.estimators._audit import FitRows
from rowtrust.estimators._missing import fill_holes
from rowtrust.estimators._targets import single_target_only
from rowtrust.estimators._validation import checked_targets, label_numbers
from rowtrust.predictive import PredictiveModel
from rowtrust.weights import Unit


class RowOutputsMixin:
    """Adds what is written row by row."""

    _travels: ClassVar[bool]
    predictive_model_: PredictiveModel
    _fit_rows: FitRows

    def write_trust(self, X: Any, y: Any = None, out: Any = None) -> Array:
        """Write the trust in every row, in order; nothing else of the size of the rows is kept.

        A fit to rows that are not in memory has no ``sample_trust_``: this is what it would be.

        Parameters
        ----------
        X, y : array-like, path, dataset or blocks
            Rows with their labels or targets, as ``fit`` takes them: arrays, a path or a pyarrow dataset with
            the name of the target's column, or blocks ``(X, y)``.
        out : ndarray of shape (n_samples,), or path, default=None
            Where to write: an array, or a ``.npy`` file, which may be larger than memory. None makes a new
            array.

        Returns
        -------
        ndarray of shape (n_samples,)
            ``out``, or what was made for it.

        Examples
        --------
        >>> from sklearn.datasets import make_moons
        >>> from rowtrust import RobustRVC
        >>> from rowtrust.datasets import flip_labels
        >>> X, y = make_moons(200, noise=0.15, random_state=0)
        >>> given, wrong = flip_labels(y, 0.1, random_state=1)
        >>> trust = RobustRVC(gamma=1.0).fit(X, given).write_trust(X, given)
        >>> bool(trust[wrong].mean() < 0.5 < trust[~wrong].mean())
        True
        """
        check_is_fitted(self)
        single_target_only(self, "write_trust")
        if not self._travels:
            raise ValueError(
                f"{type(self).__name__} trusts rows by their memberships, which it has for the rows of its "
                "fit alone: see sample_trust_."
            )
        source = checked_source(self, X, y)
        n_rows = source.map_reduce(length)
        found = place_for(out, n_rows)
        for chunk in source.chunks():
            rows = slice(chunk.offset, chunk.offset + chunk.X.shape[0])
            found[rows] = trust_in(self, chunk)
        return found

    def _row_trust(self, X: Matrix, y: Any) -> Array:
        """Return the trust in rows, checked and coded, by the model as it is."""
        if isinstance(self.predictive_model_.weights, Unit):
            return np.ones(len(y))
        nowhere = np.full(len(y), -1)
        return self._fit_rows.left_out(self.predictive_model_, X, y[:, None], nowhere).trust


def checked_source(estimator: Any, X: Any, y: Any) -> RowSource:
    """Return what reads rows of the columns of the fit."""
    source = as_source(X, y)
    if source is None:
        _, filled = estimator._validated_model(X)
        return ArraySource(filled, column_or_1d(y))
    fitted = getattr(estimator, "feature_names_in_", None)
    if source.names is not None and fitted is not None and list(source.names) != list(fitted):
        raise ValueError(
            f"The columns of the fit were {', '.join(fitted)}; these are {', '.join(source.names)}. Give "
            "the same, in the same order."
        )
    return source


def length(chunk: Chunk) -> int:
    """Return how many rows a chunk has."""
    return int(chunk.X.shape[0])


def place_for(out: Any, n_rows: int) -> Array:
    """Return where to write as many numbers."""
    if out is None:
        return np.empty(n_rows)
    if isinstance(out, str | PathLike):
        return open_memmap(out, mode="w+", dtype=np.float64, shape=(n_rows,))
    if getattr(out, "shape", None) != (n_rows,):
        raise ValueError(
            f"out must be a path or an array of shape ({n_rows},), one number a row; got "
            f"{getattr(out, 'shape', type(out).__name__)}."
        )
    return np.asanyarray(out)


def trust_in(estimator: Any, chunk: Chunk) -> Array:
    """Return the trust in the rows of a chunk."""
    if chunk.X.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {chunk.X.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    X = fill_holes(estimator, chunk.X)
    classes = getattr(estimator, "classes_", None)
    y: Any = checked_targets(chunk.y, len(X)) if classes is None else None
    if classes is not None:
        y, _ = label_numbers(chunk.y, classes, len(X))
    trust: Array = estimator._row_trust(X, y)
    return trust
