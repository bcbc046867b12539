"""How much one more row changes a fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from rowtrust.contracts import Array

RESPONSES = ("decision_function", "predict_proba", "predict")
"""What is looked at unless it is named: the first of these that the model has; the smoothest first."""


def sensitivity_curve(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    X_outlier: ArrayLike,
    y_outlier: ArrayLike,
    at: ArrayLike,
    *,
    together: bool = False,
    response: str | Callable[[Any, Array], Array] | None = None,
) -> Array:
    """Return how a fitted function changes when outliers join the training rows.

    The finite-sample version of the influence function (Christmann & Steinwart 2004, definition 2): the
    change of the function, times the number of rows. A robust model keeps it bounded wherever the
    outlier lies.

    Parameters
    ----------
    estimator : estimator
        An unfitted scikit-learn estimator; it is cloned.
    X : array-like of shape (n_samples, n_features)
        Training rows.
    y : array-like of shape (n_samples,)
        Their labels or targets.
    X_outlier : array-like of shape (n_outliers, n_features)
        The rows to add.
    y_outlier : array-like of shape (n_outliers,)
        Their labels or targets.
    at : array-like of shape (n_points, n_features)
        Points at which to evaluate the function.
    together : bool, default=False
        Whether to add all outliers at once. Otherwise each is added alone and has its own curve.
    response : str, callable or None, default=None
        What is looked at: a method's name or a function of the fitted estimator and the points. None
        takes the decision function, else the probability of the last class, else the prediction.

    Returns
    -------
    ndarray of shape (n_points,) if ``together``, else (n_outliers, n_points)
        The change times the number of rows, at every point.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust import RVC, RobustRVC
    >>> from rowtrust.datasets import make_ripley, sensitivity_curve
    >>> X, y = make_ripley(100, random_state=0)
    >>> wrong = X[y == 0][:5] + 0.001
    >>> def change(model):
    ...     curve = sensitivity_curve(model, X, y, wrong, [1] * 5, X, together=True, response="predict_proba")
    ...     return np.abs(curve).mean()
    >>> bool(change(RobustRVC(gamma=4.0, random_state=0)) < change(RVC(gamma=4.0, random_state=0)))
    True
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    X_outlier, y_outlier = np.atleast_2d(np.asarray(X_outlier, dtype=float)), np.atleast_1d(y_outlier)
    if len(X_outlier) != len(y_outlier):
        raise ValueError(
            f"{len(X_outlier)} outliers have {len(y_outlier)} targets. Give one target per outlier."
        )
    at = np.atleast_2d(np.asarray(at, dtype=float))
    clean = responses(clone(estimator).fit(X, y), at, response)

    def change(rows: slice) -> Array:
        dirty_X, dirty_y = np.vstack([X, X_outlier[rows]]), np.concatenate([y, y_outlier[rows]])
        return len(dirty_y) * (responses(clone(estimator).fit(dirty_X, dirty_y), at, response) - clean)

    if together:
        return change(slice(None))
    return np.stack([change(slice(number, number + 1)) for number in range(len(y_outlier))])


def responses(model: Any, at: Array, response: str | Callable[[Any, Array], Array] | None) -> Array:
    """Return the responses of a fitted model at the points."""
    if callable(response):
        return np.asarray(response(model, at), dtype=float)
    known = [name for name in RESPONSES if hasattr(model, name)]
    values: NDArray[Any] = np.asarray(getattr(model, response or known[0])(at), dtype=float)
    return values[:, -1] if values.ndim == 2 else values
