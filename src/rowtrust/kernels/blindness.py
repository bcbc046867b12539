"""Kernels that say nothing of the rows, because of the size of the inputs: refused, with the cure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.gaussian_process.kernels import Kernel as KernelObject

from rowtrust.contracts import Array, Matrix
from rowtrust.kernels.kernels import WITH_A_WIDTH, Kernel
from rowtrust.kernels.missing import MOST_COLUMNS, expected_rows
from rowtrust.numerics.magnitudes import HALF_DIGITS, SMALL, cure

SAMPLED = 20
"""Rows whose kernel to all others is looked at, spread evenly over the widest column. Enough to find a kernel
that is far too narrow, which is so for all rows. Not studied."""


def extreme_rows(X: Matrix, deviation: Array) -> Matrix:
    """Return the rows with the smallest or largest value of some column: hardly any are further apart."""
    columns = np.argsort(-deviation, kind="stable")[:MOST_COLUMNS]
    some = X[:, columns].toarray() if issparse(X) else X[:, columns]
    return X[np.unique(np.concatenate([some.argmin(axis=0), some.argmax(axis=0)]))]


def refuse_blind(X: Matrix, deviation: Array, kernels: Iterable[Kernel]) -> None:
    """Refuse a fit if one of some kernels has values that vanish, or if all say nothing of the rows.

    Those are too wide to tell any two rows apart, or so narrow that no row is like another: a constant model
    in both cases. Rows that are all the same are let pass: they have nothing to tell apart.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Rows.
    deviation : ndarray of shape (d,)
        That of every column of the rows, in the user's units.
    kernels : iterable of Kernel
        The kernels that are to be used.

    Raises
    ------
    ValueError
        If they are blind; the message names the cure.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import Kernel, refuse_blind
    >>> X = np.linspace(0.0, 1e6, 50)[:, None]
    >>> refuse_blind(X, X.std(axis=0), [Kernel("rbf", 1.0)])
    Traceback (most recent call last):
        ...
    ValueError: The kernel "rbf" with gamma=1 is zero between all rows, and would make a constant...
    """
    spread = float(np.hypot.reduce(deviation))
    if spread == 0.0:
        return
    X = expected_rows(X)
    ends, kernels, faults = extreme_rows(X, deviation), list(kernels), []
    for kernel in kernels:
        values = np.abs(kernel(ends, ends))
        if values.max() < SMALL:
            raise ValueError(
                f"All values of the kernel {named(kernel)} are below {SMALL:.0e}, too small to square: "
                f"the inputs spread over {spread:.1e}. {cure(spread, 'X')}"
            )
        if np.ptp(values) <= HALF_DIGITS * values.max():
            faults.append("the same between all rows, but for rounding")
        elif is_stationary(kernel) and is_alone(X, deviation, kernel):
            faults.append("zero between all rows")
    if len(faults) == len(kernels):
        raise ValueError(
            f"The kernel {named(kernels[0])} is {faults[0]}, and would make a constant of the model: the "
            f"inputs spread over {spread:.1e}. {cure(spread, 'X')} Or give a kernel of their width."
        )


def is_alone(X: Matrix, deviation: Array, kernel: Kernel) -> bool:
    """Tell whether the kernel between some rows and all others is zero, and none of them has a copy."""
    widest = X[:, [int(np.argmax(deviation))]]
    order = np.argsort(np.ravel(widest.toarray() if issparse(X) else widest), kind="stable")
    some = order[np.linspace(0, len(order) - 1, min(SAMPLED, len(order))).astype(np.intp)]
    values = np.abs(kernel(X, X[some]))
    return bool((np.count_nonzero(values, axis=0) <= 1).all())


def is_stationary(kernel: Kernel) -> bool:
    """Whether a kernel depends on the distance alone."""
    function = kernel.function
    return bool(function.is_stationary()) if isinstance(function, KernelObject) else function in WITH_A_WIDTH


def named(kernel: Kernel) -> Any:
    """Return what to call a kernel."""
    if isinstance(kernel.function, str):
        width = "" if kernel.function == "linear" else f" with gamma={float(np.max(kernel.gamma)):.3g}"
        return f'"{kernel.function}"{width}'
    return repr(kernel.function)
