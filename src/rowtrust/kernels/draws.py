"""How far a function varies over what the missing values of a row may be.

The mean of a prediction is averaged over them, but its error bars must have room for them too. The noise that
was learnt from rows with missing values has this variance in it already, in the mean. So a row gets what it
has more than the training rows, and a row without missing values less. On three tables (boston, yacht and mpg
of half A, 300 rows, 3 splits) 90 % intervals of rows with 30 % missing cover 91.6, 94.8 and 90.5 % after a
fit to rows without holes; without this 84.3, 67.0 and 87.7 %. After a fit to rows with as many holes the log
score gains 0.08, 0.05 and 0.01 nats per row. For classes it gains nothing, and they are left alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from rowtrust.contracts import Array, Matrix
from rowtrust.kernels.missing import MOST_ROWS, is_uncertain

DRAWS = 32
"""Draws of the missing values of a row. The function is evaluated at each: they cost as many predictions of
the rows with missing values. A deviation over so many is right to an eighth or better. Not studied."""


def latin_normals(n_columns: int) -> Array:
    """Return draws of independent standard Gaussians, one row a draw, each column with the same values."""
    values = ndtri((np.arange(DRAWS) + 0.5) / DRAWS)
    columns = np.tile(values / values.std(), (n_columns, 1))
    return np.asarray(np.random.default_rng(0).permuted(columns, axis=1).T)


def function_spread(mean_at: Callable[[Matrix], Array], X: Matrix, n_outputs: int) -> Array:
    """Return the variance of functions over what the missing values of each row may be.

    Parameters
    ----------
    mean_at : callable
        Returns the functions at rows, shape (n, n_outputs).
    X : array or sparse matrix of shape (n, d)
        Rows, as ``Columns.filled`` returns them.
    n_outputs : int
        How many functions there are.

    Returns
    -------
    ndarray of shape (n, n_outputs)
        Zeros for rows without missing values.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import function_spread
    >>> X = np.array([[1.0], [2.0 + 0.5j]])
    >>> function_spread(lambda rows: 2.0 * rows, X, 1).round(6)
    array([[0.],
           [1.]])
    """
    found = np.zeros((X.shape[0], n_outputs))
    holed = np.flatnonzero((X.imag > 0.0).any(axis=1)) if is_uncertain(X) else np.empty(0, dtype=np.intp)
    if len(holed):
        rows = X[holed]
        draws = [mean_at(rows.real + rows.imag * draw) for draw in latin_normals(X.shape[1])]
        found[holed] = np.var(draws, axis=0)
    return found


def mean_spread(mean_at: Callable[[Matrix], Array], X: Matrix, weight: Array, n_outputs: int) -> Array:
    """Return the variance over missing values in the mean over training rows.

    Parameters
    ----------
    mean_at : callable
        Returns the functions at rows, shape (n, n_outputs).
    X : array or sparse matrix of shape (n, d)
        Rows, as ``Columns.filled`` returns them.
    weight : ndarray of shape (n,)
        How much each row counts.
    n_outputs : int
        How many functions there are.

    Returns
    -------
    ndarray of shape (n_outputs,)
        Zeros where no value is missing.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import mean_spread
    >>> X = np.array([[1.0], [2.0 + 0.5j]])
    >>> mean_spread(lambda rows: 2.0 * rows, X, np.ones(2), 1).round(6)
    array([0.5])
    """
    if not is_uncertain(X):
        return np.zeros(n_outputs)
    kept = np.unique(np.linspace(0, len(X) - 1, min(len(X), MOST_ROWS)).astype(np.intp))
    return np.asarray(np.average(function_spread(mean_at, X[kept], n_outputs), axis=0, weights=weight[kept]))
