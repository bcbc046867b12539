"""What displays ask of estimators: alone, at the end of a pipeline, or found by a search."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from rowtrust.contracts import Array
from rowtrust.displays._frames import dense
from rowtrust.displays.marks import Mask
from rowtrust.trust import Findings, find_wrong_rows


def steps_and_machine(estimator: Any) -> tuple[list[Any], Any]:
    """Return what prepares the inputs, in order, and the fitted machine behind it.

    Pipelines in pipelines, and the best estimators of searches, are seen through.
    """
    check_is_fitted(estimator)
    steps: list[Any] = []
    while True:
        if isinstance(estimator, Pipeline):
            if len(estimator) > 1:
                steps.append(estimator[:-1])
            estimator = estimator[-1]
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "cv_results_"):
            raise ValueError(f"this {type(estimator).__name__} kept no estimator. Search with refit=True.")
        else:
            return steps, estimator


def machine_of(estimator: Any) -> Any:
    """Return the fitted machine, of a pipeline its last step, of a search its best."""
    return steps_and_machine(estimator)[1]


def inputs_of(estimator: Any, X: Any) -> Any:
    """Return inputs as the machine has them: prepared by the steps before it."""
    for step in steps_and_machine(estimator)[0]:
        X = step.transform(X)
    return X


def findings_of(estimator: Any, X: Any, y: Any) -> Findings:
    """Return which rows are wrong.

    Machines of this library leave rows out of their fit by themselves, and get the inputs that their pipeline
    prepares. Others are fitted again without each fold, and with them all that prepares their inputs:
    otherwise it would have seen the rows that are left out.
    """
    machine = machine_of(estimator)
    if hasattr(machine, "judge_rows"):
        return find_wrong_rows(machine, inputs_of(estimator, X), y)
    return find_wrong_rows(estimator, X, y)


def vectors_of(machine: Any) -> Array | None:
    """Return the relevance or support vectors; None where a machine has none."""
    found = getattr(machine, "relevance_vectors_", getattr(machine, "support_vectors_", None))
    if found is None:
        return None
    return np.asarray(found.toarray() if issparse(found) else found, dtype=float)


def drawn_vectors(estimator: Any, X: Any, rows: Array) -> Array | None:
    """Return a machine's vectors in the units of rows; None where it has none.

    Vectors of a pipeline are the rows that they were, or else are taken back through its steps. Where that
    cannot be done there are none to be drawn.
    """
    steps, machine = steps_and_machine(estimator)
    vectors = vectors_of(machine)
    if vectors is None or not steps:
        return vectors
    found = is_vector(estimator, X)
    if found.any() or vectors.shape[1] < rows.shape[1]:  # fewer columns do not say which row it was
        return rows[found]
    for step in reversed(steps):
        if not hasattr(step, "inverse_transform"):
            return rows[found]
        vectors = dense(step.inverse_transform(vectors))
    return vectors if vectors.shape[1] == rows.shape[1] else rows[found]


def vector_word(machine: Any) -> str:
    """Return what a machine's vectors are called."""
    return "relevance vector" if hasattr(machine, "relevance_vectors_") else "support vector"


def is_vector(estimator: Any, X: Any) -> Mask:
    """Return which rows are vectors of a machine: none where they are not the rows of its fit."""
    machine, inputs = machine_of(estimator), dense(inputs_of(estimator, X))
    found = np.zeros(len(inputs), dtype=bool)
    vectors = vectors_of(machine)
    places = getattr(machine, "relevance_", getattr(machine, "support_", None))
    if vectors is None or places is None or not len(places) or np.max(places) >= len(inputs):
        return found
    if vectors.shape == inputs[places].shape and np.allclose(inputs[places], vectors, equal_nan=True):
        found[places] = True
    return found


def flagged_of(estimator: Any, X: Any, y: Any, asked: Any) -> Mask | None:
    """Return which rows are flagged: as given, by an audit, or None where nobody asked.

    Parameters
    ----------
    estimator
        A fitted one, or a pipeline that ends with one.
    X, y
        Rows, and their labels or targets.
    asked
        None, "audit", or one truth value per row.
    """
    if asked is None:
        return None
    if isinstance(asked, str):
        if asked != "audit":
            raise ValueError(f'flagged must be None, "audit" or one truth value per row, got {asked!r}.')
        if y is None:
            raise ValueError('flagged="audit" needs y: an audit judges labels and targets. Give y.')
        return flagged_mask(findings_of(estimator, X, y))
    return checked_mask(asked, np.shape(X)[0], "flagged")


def flagged_mask(found: Findings) -> Mask:
    """Return the flagged rows as one truth value per row."""
    mask = np.zeros(len(found.p_wrong), dtype=bool)
    mask[found.flagged] = True
    return mask


def checked_mask(mask: Any, n_rows: int, name: str) -> Mask:
    """Return a mask of rows, or say what is wrong with it."""
    found = np.asarray(mask)
    if found.dtype == object and found.ndim == 1 and all(isinstance(each, bool | np.bool_) for each in found):
        found = found.astype(bool)  # truth values of a table that could have had missing ones
    if found.dtype != bool or found.shape != (n_rows,):
        raise ValueError(
            f"{name} must hold one truth value for each of {n_rows} rows; got {found.dtype} of shape "
            f"{found.shape}. Of positions make it by numpy.isin(numpy.arange({n_rows}), positions)."
        )
    return found
