"""The kernels of the regressions that Chu, Keerthi & Ong (2001) compare with in table 7."""

from __future__ import annotations

import numpy as np

from rowtrust.contracts import Array


def linear_splines(X: Array, Y: Array) -> Array:
    """Return the product over inputs of Vapnik's linear spline kernel with infinitely many knots.

    Parameters
    ----------
    X, Y : arrays of shape (n, d) and (m, d)
        Inputs of zero and more.

    Returns
    -------
    ndarray of shape (n, m)

    Examples
    --------
    >>> import numpy as np
    >>> from papers.chu.spline_kernels import linear_splines
    >>> linear_splines(np.array([[0.0]]), np.array([[1.0]])).tolist()
    [[1.0]]
    """
    return np.asarray(np.prod(one_plus_splines(X, Y), axis=0))


def one_plus_splines(X: Array, Y: Array) -> Array:
    """Return one plus the linear spline kernel of every input, of shape (d, n, m)."""
    x, y = X.T[:, :, None], Y.T[:, None, :]
    least = np.minimum(x, y)
    return np.asarray(1.0 + x * y + x * y * least - 0.5 * (x + y) * least**2 + least**3 / 3.0)


def anova_splines(X: Array, Y: Array, order: int) -> Array:
    """Return the ANOVA kernel: the sum over all products of spline kernels of ``order`` inputs.

    Parameters
    ----------
    X, Y : arrays of shape (n, d) and (m, d)
    order
        How many inputs interact.

    Returns
    -------
    ndarray of shape (n, m)
    """
    parts = one_plus_splines(X, Y)
    sums = [np.ones(parts.shape[1:])] + [np.zeros(parts.shape[1:]) for _ in range(order)]
    for part in parts:
        # From the highest order down, so that no input enters a product twice.
        for size in range(order, 0, -1):
            sums[size] = sums[size] + part * sums[size - 1]
    return sums[order]


def polynomials(X: Array, Y: Array, degree: int) -> Array:
    """Return the polynomial kernel, scaled by the number of inputs."""
    return np.asarray((1.0 + X @ Y.T / X.shape[1]) ** degree)
