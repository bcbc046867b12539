"""Rows with missing values: what the other values of a row say of them, and kernels averaged over the rest.

The columns of the training rows get a Gaussian with a full covariance. Given the values that a row has, each
missing one has a mean and a deviation. Such a row is a complex array: the real part of a cell is its value,
or the mean if it is missing; the imaginary part is the deviation, zero only where the value is known. The
kernel of two such rows is its expectation, factor by factor, as if the missing values of a row were
independent of each other, given the others.

Chosen on six tables of half A (``python -m benchmarks missing``). The kernel averaged over the column's own
distribution, whatever else is known of the row, is no better than the mean of the column; the conditional
mean alone has as few errors on classes, but up to a tenth more on Boston.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from scipy.special import log_ndtr, ndtri

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.numerics.array_api import is_elsewhere
from rowtrust.numerics.blocks import block_rows, row_blocks
from rowtrust.numerics.magnitudes import FURTHEST, deviations, unit_of, within_reach

HIDDEN = 1.0 / FURTHEST
"""Smallest deviation of a missing value, so that it can be told from a known one: in units of the column's
own, and of the smallest that any has. Its square vanishes beside theirs."""

MOST_ROWS = 2000
"""Rows from which the Gaussian is learnt, spread evenly where there are more. A limit on time: with 15 %
missing so many rows take 0.2 s with 20 columns and 5 s with 100. Not studied."""

MOST_COLUMNS = 100
"""Columns up to which their covariances are learnt and kept: beyond, a missing value has the mean and the
deviation of its column. And columns whose smallest and largest values a kernel is asked for. A limit on time
and on the size of a model file, not studied."""

ROUNDS, SETTLED = 30, 1e-3
"""Rounds of expectation and maximisation at most, and the change of all covariances at which they end."""

Holes = NDArray[np.bool_]


def is_uncertain(X: Matrix) -> bool:
    """Whether some values of the rows were missing.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Rows, as ``Columns.filled`` returns them.

    Returns
    -------
    bool
        True for complex rows: their imaginary parts are the deviations of missing values.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import is_uncertain
    >>> is_uncertain(np.array([[1.0, 2.0]])), is_uncertain(np.array([[1.0, 2.0 + 0.5j]]))
    (False, True)
    """
    return not (issparse(X) or is_elsewhere(X)) and bool(np.iscomplexobj(X))


def expected_rows(X: Matrix) -> Matrix:
    """Return the rows with the mean where a value was missing.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Rows, as ``Columns.filled`` returns them.

    Returns
    -------
    array or sparse matrix of shape (n, d)
        Real numbers; X itself if none was missing.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import expected_rows
    >>> expected_rows(np.array([[1.0, 2.0 + 0.5j]]))
    array([[1., 2.]])
    """
    return np.ascontiguousarray(X.real) if is_uncertain(X) else X


def with_holes(X: Matrix) -> Matrix:
    """Return the rows with NaN where a value was missing.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Rows, as ``Columns.filled`` returns them.

    Returns
    -------
    array or sparse matrix of shape (n, d)
        As they were given; X itself if none was missing.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import with_holes
    >>> with_holes(np.array([[1.0, 2.0 + 0.5j]]))
    array([[ 1., nan]])
    """
    return np.where(X.imag > 0.0, np.nan, X.real) if is_uncertain(X) else X


def spreads(X: Matrix, weight: Array) -> Array:
    """Return the standard deviations of the columns, rows weighted, those of missing values included.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        Rows.
    weight : ndarray of shape (n,)
        How many copies of it each row counts as.

    Returns
    -------
    ndarray of shape (d,)
        The deviations.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import spreads
    >>> spreads(np.array([[0.0], [2.0]]), np.ones(2))
    array([1.])
    """
    known = deviations(expected_rows(X), weight)
    if not is_uncertain(X):
        return known
    unit = unit_of(X.imag)
    return np.asarray(np.hypot(known, unit * np.sqrt(weight @ (X.imag / unit) ** 2 / weight.sum())))


# The kernel.


def expected_kernel(function: Any, gamma: float | Array, X: Matrix, centres: Matrix) -> Array:
    """Return the expectation of the rbf or laplacian kernel over the missing values of both sides."""
    is_rbf = function == "rbf"
    means, deviations = within_reach(X.real), X.imag
    centre_means, centre_deviations = within_reach(centres.real), centres.imag
    rates = np.broadcast_to(np.asarray(gamma, dtype=float), (len(centres),))
    distances = cdist(means, centre_means, "sqeuclidean" if is_rbf else "cityblock")
    exponent = -rates * distances
    change = rbf_change if is_rbf else laplacian_change
    for column in np.flatnonzero((deviations > 0.0).any(axis=0) | (centre_deviations > 0.0).any(axis=0)):
        for rows, which in touched(deviations[:, column] > 0.0, centre_deviations[:, column] > 0.0):
            difference = np.subtract.outer(means[rows, column], centre_means[which, column])
            variance = np.add.outer(deviations[rows, column] ** 2, centre_deviations[which, column] ** 2)
            exponent[np.ix_(rows, which)] += change(difference, variance, rates[which])
    return np.asarray(np.exp(exponent, out=exponent))


def touched(rows: Holes, centres: Holes) -> Iterator[tuple[Indices, Indices]]:
    """Yield the pairs of rows and centres of which one has a missing value, as two rectangles."""
    everywhere = np.arange(len(centres))
    for first, second in ((rows, everywhere), (~rows, np.flatnonzero(centres))):
        if first.any() and len(second):
            yield np.flatnonzero(first), second


def rbf_change(difference: Array, variance: Array, gamma: Array) -> Array:
    """Return ``ln E exp(-gamma d**2) + gamma m**2`` for ``d ~ N(m, variance)``."""
    stretch = 1.0 + 2.0 * gamma * variance
    return np.asarray(gamma * difference**2 * (1.0 - 1.0 / stretch) - 0.5 * np.log(stretch))


def laplacian_change(difference: Array, variance: Array, gamma: Array) -> Array:
    """Return ``ln E exp(-gamma |d|) + gamma |m|`` for ``d ~ N(m, variance)``."""
    deviation = np.maximum(np.sqrt(variance), HIDDEN)
    size, shift = np.abs(difference), gamma * deviation
    # One half of the line each: there the kernel is a single exponential, which shifts the Gaussian.
    near = log_ndtr(size / deviation - shift)
    far = 2.0 * gamma * size + log_ndtr(-size / deviation - shift)
    return np.asarray(0.5 * shift**2 + np.logaddexp(near, far))


# The columns.


@dataclass(frozen=True)
class Columns:
    """A Gaussian of the training columns, which says what a missing value of a row is likely to be.

    Parameters
    ----------
    mean, scale : ndarrays of shape (d,)
        In which columns are standardised; the scale of one that is constant or has no values is zero.
    is_known : ndarray of bool of shape (d,)
        Whether the training rows have any value of a column. One without is ignored in every row.
    covariance : ndarray of shape (d, d) or None
        Of the standardised columns; None for uncorrelated ones.
    spreads : bool, default=True
        Whether the deviations of missing values matter, or their means alone.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.kernels import Columns, expected_rows
    >>> x = np.random.default_rng(0).standard_normal(500)
    >>> columns = Columns.of(np.column_stack([x, 2.0 * x]), np.ones(500))
    >>> filled = columns.filled(np.array([[1.5, np.nan]]))
    >>> bool(abs(expected_rows(filled)[0, 1] - 3.0) < 0.1)  # the first column tells the second
    True
    """

    mean: Array
    scale: Array
    is_known: Holes
    covariance: Array | None
    spreads: bool = True

    @classmethod
    def of(cls, X: Array, weight: Array, spreads: bool = True) -> Columns:
        """Learn from rows with NaN where values are missing, each as often as its weight says."""
        seen = ~np.isnan(X)
        total = weight @ seen
        is_known = total > 0.0
        total = np.where(is_known, total, 1.0)
        middle = np.where(is_known, np.nanmax(np.where(seen, X, -np.inf), axis=0, initial=-np.inf), 0.0)
        centred = np.where(seen, X - middle, 0.0)  # a constant column is exactly zero
        shift = weight @ centred / total
        mean = middle + shift
        off = np.where(seen, centred - shift, 0.0)
        size = unit_of(off)  # squares of large numbers overflow, those of small ones vanish
        scale = size * np.sqrt(weight @ (off / size) ** 2 / total)
        known = cls(mean, scale, is_known, None, spreads)
        if X.shape[1] > MOST_COLUMNS:
            return known
        kept = np.unique(np.linspace(0, len(X) - 1, min(len(X), MOST_ROWS)).astype(np.intp))
        moved, covariance = learn_moments(known.standardised(X[kept]), weight[kept])
        return cls(mean + scale * moved, scale, is_known, covariance, spreads)

    def standardised(self, X: Array) -> Array:
        """Return the rows in the units of the columns, still with NaN; columns without values have none."""
        divisor = np.where(self.scale > 0.0, self.scale, 1.0)
        return np.where(self.is_known, (X - self.mean) / divisor, np.nan)

    def filled(self, X: Matrix) -> Matrix:
        """Return rows without NaN: as they are if no value is missing, else complex, or the means alone."""
        if issparse(X) or is_elsewhere(X) or (self.is_known.all() and not np.isnan(X).any()):
            return X
        holes = np.isnan(X) | ~self.is_known
        given = np.flatnonzero(holes.any(axis=1))
        value, deviation = np.where(holes, 0.0, X), np.zeros_like(X)
        mean, variance = self._conditional(self.standardised(X[given]))
        value[given] = np.where(holes[given], self.mean + self.scale * mean, value[given])
        if not self.spreads:
            return value
        least = np.maximum(HIDDEN * np.where(self.scale > 0.0, self.scale, 1.0), HIDDEN**2)
        spread = np.maximum(self.scale * np.sqrt(variance), least)
        deviation[given] = np.where(holes[given], spread, 0.0)
        return value + 1j * deviation

    def _conditional(self, Z: Array) -> tuple[Array, Array]:
        """Return mean and variance of every value of standardised rows, given those that are known."""
        if self.covariance is None:
            return np.nan_to_num(Z), np.ones_like(Z)
        mean, variance = np.empty_like(Z), np.empty_like(Z)
        for rows, regression, left in by_pattern(~np.isnan(Z), self.covariance):
            mean[rows] = np.nan_to_num(Z[rows]) @ regression
            variance[rows] = np.maximum(np.diag(left), 0.0)
        return mean, variance


def by_pattern(seen: Holes, covariance: Array) -> Iterator[tuple[Indices, Array, Array]]:
    """Yield rows with the same values missing, and what predicts these from the others.

    That is a matrix of regressions, zero from missing values, the identity between known ones, and the
    covariance of what is left, zero for known ones.
    """
    patterns, of_row = np.unique(seen, axis=0, return_inverse=True)
    order = np.argsort(of_row.ravel(), kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(of_row.ravel()))[:-1])
    size = len(covariance)
    for block in row_blocks(len(patterns), block_rows(size**2)):
        known = patterns[block].astype(float)
        # Missing values made independent of all: then one system serves every pattern.
        between = known[:, :, None] * covariance
        system = between * known[:, None, :] + (1.0 - known)[:, :, None] * np.eye(size)
        regression = np.linalg.solve(system, between)
        left = covariance - np.swapaxes(between, 1, 2) @ regression
        left *= (1.0 - known)[:, :, None] * (1.0 - known)[:, None, :]
        yield from zip(groups[block], regression, left, strict=True)


def learn_moments(Z: Array, weight: Array) -> tuple[Array, Array]:
    """Return mean and covariance of standardised rows with NaN, by expectation and maximisation.

    One row of uncorrelated columns is added, so that the covariance can be inverted however many values are
    missing. It does not matter much: from 0.1 to 20 rows the mean error over six tables of half A with 15 and
    30 % missing moves by 0.5 points at most, and no way is better at both (RVC and RVR, 300 rows, 3 splits).
    """
    seen, holes = ~np.isnan(Z), np.isnan(Z).any(axis=1)
    mean, covariance = np.zeros(Z.shape[1]), np.eye(Z.shape[1])
    for _ in range(ROUNDS):
        filled, left = np.where(seen, Z - mean, 0.0), np.eye(Z.shape[1])
        for rows, regression, remaining in by_pattern(seen[holes], covariance):
            rows = np.flatnonzero(holes)[rows]
            filled[rows] = filled[rows] @ regression
            left += weight[rows].sum() * remaining
        moved = weight @ filled / weight.sum()
        filled -= moved
        before, covariance = covariance, ((weight * filled.T) @ filled + left) / (weight.sum() + 1.0)
        mean = mean + moved
        if not holes.any() or np.abs(covariance - before).max() < SETTLED:
            break
    return mean, covariance


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
