"""The scale of the inputs: columns in unlike units made comparable, and models said in the user's units."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csc_array, issparse

from rowtrust.contracts import Array, Matrix
from rowtrust.kernels.basis import JointBasis, joined
from rowtrust.kernels.kernels import Basis, Kernel, times
from rowtrust.kernels.missing import expected_rows
from rowtrust.numerics.array_api import like
from rowtrust.numerics.magnitudes import refuse_spreads, unit_of
from rowtrust.numerics.statistics import CONSTANT, weighted_quantiles

MIDDLE = (0.05, 0.95)
"""The quantiles between which most values of a column lie, and their distance is how far outside of them a
value is clipped before the deviation is taken: at five deviations of a Gaussian column. So clean columns have
their standard deviation, and one outlier in twenty does not squash the rest. The interquartile range as a
deviation, or fences around it, blow up columns whose values are mostly alike: yacht's data had two columns
seven times too large, and six times the error (RVR, one split)."""


@dataclass(frozen=True)
class ColumnScaling:
    """Inputs less their ``centre``, divided by their ``scale``.

    Parameters
    ----------
    centre : ndarray of shape (d,) or None
        What is taken off each column; None: sparse inputs are not moved.
    scale : ndarray of shape (d,)
        What each column is divided by.
    variance : ndarray of shape (d,)
        That of the scaled inputs, outliers clipped: one, and none of constant columns.

    See Also
    --------
    robust_scaling : Finds one from rows.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import ColumnScaling
    >>> scaling = ColumnScaling(centre=np.array([10.0]), scale=np.array([2.0]), variance=np.array([1.0]))
    >>> scaling(np.array([[8.0], [14.0]]))
    array([[-1.],
           [ 2.]])
    >>> scaling.rows(np.array([[2.0]]))  # back in the user's units
    array([[14.]])
    """

    centre: Array | None
    scale: Array
    variance: Array

    def __call__(self, X: Matrix) -> Matrix:
        """Return rows in scaled units."""
        return times(X if self.centre is None else X - like(self.centre, X), 1.0 / self.scale)

    def kernel(self, kernel: Kernel) -> Kernel:
        """Return a kernel of scaled inputs as one of inputs in the user's units."""
        metric = np.ones_like(self.scale) if kernel.metric is None else kernel.metric
        # Even kernels of differences: an input far from zero loses its spread when it is multiplied.
        return replace(kernel, metric=(metric.T / self.scale).T, origin=self.centre)

    def rows(self, X: Matrix) -> Matrix:
        """Return scaled rows in the user's units."""
        X = times(X, self.scale)
        return X if self.centre is None else X + self.centre

    def basis(self, basis: Basis | JointBasis) -> Basis | JointBasis:
        """Return basis functions of scaled inputs as those of inputs in the user's units."""
        return joined([Basis(self.kernel(part.kernel), self.rows(part.centres)) for part in basis.parts])


def robust_scaling(X: Matrix, weight: Array) -> ColumnScaling:
    """Return the centre and the scale of every column, rows weighted.

    The scale is the standard deviation after outliers were clipped; where nine tenths of the values are
    equal there are none. Constant columns have a scale of one. Sparse inputs keep their zeros.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Rows.
    weight : ndarray of shape (n,)
        How many copies of it each row counts as.

    Returns
    -------
    ColumnScaling
        To be called with rows.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import robust_scaling
    >>> X = np.random.default_rng(0).standard_normal((200, 1))
    >>> X[0] = 1e6  # a decimal point that slipped
    >>> scaling = robust_scaling(X, np.ones(200))
    >>> bool(scaling.scale[0] < 2.0 < 1e4 < X.std())
    True
    """
    if issparse(X):
        columns = csc_array(X)
        dense = (columns[:, [j]].toarray().ravel() for j in range(X.shape[1]))
        found = [location_and_spread(column, weight) for column in dense]
    else:
        found = [location_and_spread(column, weight) for column in expected_rows(X).T]
    centre, spread = np.array(found).reshape(-1, 2).T
    refuse_spreads(spread)
    varies = spread > 0.0
    return ColumnScaling(
        None if issparse(X) else centre, np.where(varies, spread, 1.0), np.where(varies, 1.0, 0.0)
    )


def fences(column: Array, weight: Array) -> tuple[float, float]:
    """Return between what the values of a column lie, but for wild ones; none is where most are equal."""
    lower, upper = weighted_quantiles(column, weight, np.array(MIDDLE))
    reach = upper - lower if upper > lower else np.inf
    return float(lower - reach), float(upper + reach)


def location_and_spread(column: Array, weight: Array) -> tuple[float, float]:
    """Return the mean and the deviation of a column, its wildest values clipped; none if it is constant."""
    if not column.any():
        return 0.0, 0.0
    share, unit = weight / weight.sum(), float(unit_of(column))
    column = column / unit  # squares must neither overflow nor vanish
    size = float(np.abs(column).max())
    column = np.clip(column, *fences(column, share))
    mean = float(share @ column)
    spread = float(np.sqrt(share @ (column - mean) ** 2))
    return unit * mean, unit * spread if spread > CONSTANT * size else 0.0
