"""NaN in the inputs: refused by name, or filled with what the other values of a row say."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from rowtrust.contracts import Array, Matrix
from rowtrust.kernels import Columns
from rowtrust.kernels.kernels import WITH_A_WIDTH
from rowtrust.numerics.array_api import is_elsewhere


def learn_columns(estimator: Any, X: Matrix, copies: Array) -> Columns | None:
    """Learn from training rows what a missing value may be; None if an estimator takes no NaN."""
    if estimator.missing is None or issparse(X) or is_precomputed(estimator):
        return None
    if np.isnan(X).all():
        raise ValueError("Input X contains NaN and no value at all: nothing can be learnt from it.")
    named = isinstance(estimator.kernel, str) and estimator.kernel in ("auto", *WITH_A_WIDTH)
    return Columns.of(X, copies, spreads=named and estimator.length_scales is None)


def fill_holes(estimator: Any, X: Matrix) -> Matrix:
    """Return rows without NaN, as the fit has learnt to fill them; refuse NaN where it has not."""
    columns: Columns | None = getattr(estimator, "_columns", None)
    if columns is not None and not issparse(X):
        return columns.filled(X)
    refuse_holes(X, type(estimator).__name__)
    return X


def refuse_holes(X: Matrix, name: str = "estimator") -> None:
    """Refuse rows with missing values, and name the cure. Rows on a device were looked at before."""
    if is_elsewhere(X):
        return
    holes = np.isnan(X.data if issparse(X) else X)
    if holes.any():
        raise ValueError(
            f"Input X contains NaN, {holes.sum()} of its values, and this {name} takes none. Fit "
            f'{name}(missing="expected") to dense rows, or put an imputer such as SimpleImputer before it.'
        )


def is_precomputed(estimator: Any) -> bool:
    """Whether the inputs are kernel values."""
    return isinstance(estimator.kernel, str) and estimator.kernel == "precomputed"
