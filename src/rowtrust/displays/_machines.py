"""What displays ask of estimators, alone or at the end of a pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from rowtrust.auditing import find_wrong_rows
from rowtrust.contracts import Array
from rowtrust.displays.marks import Mask


def machine_of(estimator: Any) -> Any:
    """Return the fitted estimator, of a pipeline its last step."""
    check_is_fitted(estimator)
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def inputs_of(estimator: Any, X: Any) -> Any:
    """Return inputs as the last step of a pipeline has them, otherwise as they are."""
    return estimator[:-1].transform(X) if isinstance(estimator, Pipeline) and len(estimator) > 1 else X


def vectors_of(machine: Any) -> Array | None:
    """Return the relevance or support vectors; None where a machine has none."""
    found = getattr(machine, "relevance_vectors_", getattr(machine, "support_vectors_", None))
    if found is None:
        return None
    return np.asarray(found.toarray() if issparse(found) else found, dtype=float)


def vector_word(machine: Any) -> str:
    """Return what a machine's vectors are called."""
    return "relevance vector" if hasattr(machine, "relevance_vectors_") else "support vector"


def is_vector(estimator: Any, X: Any) -> Mask:
    """Return which rows are vectors of a machine: none where they are not the rows of its fit."""
    machine, inputs = machine_of(estimator), inputs_of(estimator, X)
    inputs = np.asarray(inputs.toarray() if issparse(inputs) else inputs, dtype=float)
    found = np.zeros(len(inputs), dtype=bool)
    vectors = vectors_of(machine)
    places = getattr(machine, "relevance_", getattr(machine, "support_", None))
    if vectors is None or places is None or not len(places) or np.max(places) >= len(inputs):
        return found
    if vectors.shape == inputs[places].shape and np.allclose(inputs[places], vectors, equal_nan=True):
        found[places] = True
    return found


def suspects_of(estimator: Any, X: Any, y: Any, asked: Any) -> Mask | None:
    """Return which rows are suspects: as given, by an audit, or None where nobody asked.

    Parameters
    ----------
    estimator
        A fitted one, or a pipeline that ends with one.
    X, y
        Rows, and their labels or targets.
    asked
        None, "audit", or one truth value a row.
    """
    if asked is None:
        return None
    if isinstance(asked, str):
        if asked != "audit":
            raise ValueError(f'suspects must be None, "audit" or one truth value a row, got {asked!r}.')
        if y is None:
            raise ValueError('suspects="audit" needs y: an audit judges labels and targets. Give y.')
        found = np.zeros(len(y), dtype=bool)
        found[find_wrong_rows(machine_of(estimator), inputs_of(estimator, X), y).suspects] = True
        return found
    return checked_mask(asked, len(X), "suspects")


def checked_mask(mask: Any, n_rows: int, name: str) -> Mask:
    """Return a mask of rows, or say what is wrong with it."""
    found = np.asarray(mask)
    if found.dtype != bool or found.shape != (n_rows,):
        raise ValueError(
            f"{name} must hold one truth value for each of {n_rows} rows; got {found.dtype} of shape "
            f"{found.shape}. Of positions make it by numpy.isin(numpy.arange({n_rows}), positions)."
        )
    return found


def column_names(X: Any) -> list[str] | None:
    """Return the names of a dataframe's columns; None where there are none."""
    columns = getattr(X, "columns", None)
    return None if columns is None else [str(name) for name in columns]


def framed_like(X: Any, values: NDArray[Any]) -> Any:
    """Return values as a dataframe with the columns of X where that is one of pandas."""
    return type(X)(values, columns=X.columns) if hasattr(X, "iloc") and hasattr(X, "columns") else values
