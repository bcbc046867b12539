"""Anchors: a few training rows that stand for all of them when one asks what lies near the data.

The basis functions of a sparse model say nothing about where the data were: most rows have none. Anchors
are chosen by a pivoted Cholesky factorisation of the kernel, until the values at the anchors determine those
at every training row. From then on two questions cost one kernel evaluation per anchor: how many widths lie
between a new row and the data, and how much of the prior variance of a function there is not explained by
its values at the data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import solve_triangular

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.inference.linear_algebra import stable_cholesky
from rowtrust.kernels import Kernel, expected_rows
from rowtrust.numerics.array_api import is_elsewhere, like, namespace, to_numpy
from rowtrust.numerics.blocks import BLOCK_NUMBERS

MOST_ANCHORS, MOST_ROWS = 256, 10_000
"""Anchors at most, and rows from which they are chosen, drawn at random where there are more: they bound the
cost of a prediction and of the choice (2 to 17 % of a fit to 20000 rows). On twelve sets of the benchmarks
only Boston needs more than 256; half or twice as many move the unexplained deviation there by 0.02 of the
prior's, half by 0.05 at most elsewhere. Half or twice the rows: 0.02 on 20000 heavy-tailed rows."""

SLACK = 0.01
"""Share of the prior variance that the anchors may leave unexplained at a training row: a tenth of a
deviation. Half or twice as much changes their number by a tenth to a fifth, and the unexplained deviation
half a width from the rows by 0.03 of the prior's in the mean (0.18 at most), on twelve sets of the
benchmarks."""

TOO_MUCH, TOO_FAR = 0.5, 3.0
"""Where so many anchors leave more than this share unexplained, or rows further than so many widths from the
nearest of them, the kernel is widened. Set on heavy-tailed inputs, where narrower kernels left single rows
alone. No kernel is widened on twelve sets of the benchmarks (two splits each). On 20000 rows of Student's t
and of Cauchy inputs half of the first or 0.8 changes the widening by a factor of two at most and the
unexplained deviation by 0.02 of the prior's; half or twice of the second changes nothing."""

WIDENINGS = 40
"""Attempts, each with twice the width: inputs whose distances overflow are never near each other. A guard;
20000 rows of Cauchy inputs need two."""

OUTLYING = 1.0
"""Widths from its nearest anchor at which a row that was not among those drawn becomes an anchor too: half of
the distance at which a mean begins to let go. Half of it takes half as many anchors again, twice less than
half as many and a kernel two to four times wider; the unexplained deviation moves by 0.03 of the prior's at
most (20000 rows of Student's t and of Cauchy inputs)."""

FEW = 1e-3
"""Share of the training rows that may be further and explained worse than others: those that stand alone. It
acts beyond a thousand rows only, so no figure of docs/uncertainty.md depends on it. Half or twice as much
moves the unexplained deviation by 0.01 of the prior's on 20000 heavy-tailed rows; without it Cauchy inputs
widen the kernel 64 times instead of four."""

AWAY = 1e9 * np.sqrt([1.0, 2.0, 3.0, 5.0, 7.0])
"""Multiples of the inputs' size at which a kernel is asked for its limit; no period divides all of them.
Taken over without a study."""

JITTER = 1e-8
"""Noise on the values at the anchors, as a share of the prior variance: a guard for rows that ``outlying``
adds beside others. Pivots keep the whitener's entries below 10 without it; 1e-10 to 1e-6 moves the
unexplained share by 3e-5 at most on twelve sets of the benchmarks."""

NOT_POSITIVE = "The kernel between rows is not positive definite: fix the kernel, or scale the inputs."
"""What to say when no noise makes the anchors' kernel positive definite, with the cure."""

SETTLED = 1e-6
"""Share of a kernel's value at no distance by which far values may differ and still be its limit. Taken over
without a study: tails that are slower are left to the kernel."""


@dataclass(frozen=True)
class Anchors:
    """Training rows that determine the others, for a kernel that depends on the distance alone.

    Attributes
    ----------
    kernel
        Of the model; wider where so few rows could not stand for all.
    rows : (m, d)
        The anchors.
    whitener : (m, m)
        Inverse of the Cholesky factor of the kernel between anchors; None if nobody asks for variances.
    slack
        Largest share of the prior variance left unexplained at all but a few training rows.
    reach
        Largest distance, in widths, of all but a few training rows from their nearest anchor.
    """

    kernel: Kernel
    rows: Matrix
    whitener: Array | None
    slack: float
    reach: float

    def values(self, X: Matrix) -> Array:
        """Return the kernel between rows and anchors: one at no distance, zero far away."""
        return unit_values(self.kernel, expected_rows(X), self.rows)

    def distance(self, values: Array) -> Array:
        """Return how many widths lie between rows and the data, or fewer: never more.

        The width is the standard deviation of a Gaussian kernel. A row's nearest anchor may be further
        than its nearest training row, by ``reach`` at most.
        """
        return np.maximum(nearest(values) - self.reach, 0.0)

    def unexplained(self, values: Array) -> Array:
        """Return the share of the prior variance at rows that the data do not explain, 0 to 1."""
        if self.whitener is None:
            raise ValueError("These anchors were chosen without variances. Choose them with explain=True.")
        return np.asarray(np.maximum(0.0, 1.0 - explained(values, self.whitener) / (1.0 - self.slack)))


def range_of(kernel: Kernel, X: Matrix) -> tuple[float, float]:
    """Return the kernel of rows infinitely far apart, and how much greater it is of a row with itself.

    The latter is NaN for a kernel that tends to nothing, such as a periodic one.
    """
    if isinstance(kernel.function, str):
        return 0.0, 1.0
    here = X[:1]
    away = [here + far * (1.0 + np.abs(X).max()) for far in AWAY]
    nowhere = kernel(here, np.concatenate(away))[0]
    itself = float(kernel(here, here)[0, 0])
    settled = np.ptp(nowhere) <= SETTLED * abs(itself)
    return float(nowhere.min()), itself - float(nowhere.min()) if settled else float("nan")


def nearest(kernel_values: Array) -> Array:
    """Return the distance to the nearest centre, in widths."""
    smallest = np.finfo(float).tiny
    if is_elsewhere(kernel_values):
        largest = np.maximum(to_numpy(namespace(kernel_values).max(kernel_values, axis=1)), smallest)
    else:
        largest = kernel_values.max(axis=1, initial=smallest)
    return np.asarray(np.sqrt(np.maximum(-2.0 * np.log(largest), 0.0)))


def explained(values: Array, whitener: Array) -> Array:
    """Return the share of the prior variance at rows that values at the anchors explain."""
    xp, weighed = namespace(values), values @ like(whitener, values).T
    return np.asarray(to_numpy(xp.sum(xp.square(weighed), axis=1)))


def choose_anchors(X: Matrix, kernel: Kernel, explain: bool = True) -> Anchors | None:
    """Choose anchors among the training rows, at a cost of O(rows x anchors^2).

    Where they are too few for all rows, the kernel is widened. None if that does not help, or if it does not
    fall with distance. Without ``explain`` the anchors know of distances only.
    """
    if not range_of(kernel, X)[1] > 0.0:
        return None
    drawn = np.sort(np.random.default_rng(0).permutation(X.shape[0])[:MOST_ROWS])
    for _ in range(WIDENINGS):
        pivots, unexplained = pivoted_cholesky(X[drawn], kernel)
        if unexplained.max() <= TOO_MUCH:
            chosen = drawn[pivots]
            if len(drawn) < X.shape[0]:
                chosen = np.append(chosen, outlying(X, kernel, X[chosen]))
            anchors = with_slack_and_reach(X, kernel, X[chosen], explain)
            if anchors.slack <= TOO_MUCH and anchors.reach <= TOO_FAR:
                return anchors
        if not isinstance(kernel.function, str):
            break
        kernel = replace(kernel, gamma=kernel.gamma / 4.0)
    return None


def outlying(X: Matrix, kernel: Kernel, rows: Matrix) -> Indices:
    """Return rows far from all anchors and from each other, the furthest first."""
    size = BLOCK_NUMBERS // MOST_ANCHORS
    starts = range(0, X.shape[0], size)
    distance = np.concatenate([nearest(unit_values(kernel, X[at : at + size], rows)) for at in starts])
    found: list[int] = []
    while len(found) < MOST_ANCHORS and distance.max() > OUTLYING:
        found.append(int(np.argmax(distance)))
        distance = np.minimum(distance, nearest(unit_values(kernel, X, X[found[-1:]])))
    return np.array(found, dtype=np.intp)


def with_slack_and_reach(X: Matrix, kernel: Kernel, rows: Matrix, explain: bool) -> Anchors:
    """Return the anchors, with slack and reach such that nearly all training rows are explained and near."""
    whitener = inverse_factor(unit_values(kernel, rows, rows)) if explain else None
    distances, shares = [], []
    size = max(1, BLOCK_NUMBERS // rows.shape[0])
    for start in range(0, X.shape[0], size):
        values = unit_values(kernel, X[start : start + size], rows)
        distances.append(nearest(values))
        shares.append(explained(values, whitener) if whitener is not None else np.ones(len(values)))
    reach = float(np.quantile(np.concatenate(distances), 1.0 - FEW, method="higher"))
    least = float(np.quantile(np.concatenate(shares), FEW, method="lower"))
    return Anchors(kernel, rows, whitener, max(SLACK, 1.0 - least), reach)


def inverse_factor(gram: Array) -> Array:
    """Return the inverse of the Cholesky factor, lower triangular."""
    factor, _ = stable_cholesky(lambda jitter: gram + (JITTER + jitter) * np.eye(len(gram)), NOT_POSITIVE)
    return np.asarray(solve_triangular(factor, np.eye(len(gram)), lower=True))


def pivoted_cholesky(X: Matrix, kernel: Kernel) -> tuple[Indices, Array]:
    """Return the rows that explain the others best, one by one, and what they leave unexplained of each."""
    unexplained = np.ones(X.shape[0])
    columns = np.empty((min(X.shape[0], MOST_ANCHORS), X.shape[0]))
    pivots: list[int] = []
    while len(pivots) < len(columns) and unexplained.max() >= SLACK:
        pivot, found = int(np.argmax(unexplained)), len(pivots)
        column = unit_values(kernel, X, X[[pivot]])[:, 0] - columns[:found, pivot] @ columns[:found]
        columns[found] = column / np.sqrt(unexplained[pivot])
        unexplained = np.maximum(unexplained - columns[found] ** 2, 0.0)
        pivots.append(pivot)
    return np.array(pivots, dtype=np.intp), unexplained


def unit_values(kernel: Kernel, X: Matrix, rows: Matrix) -> Array:
    """Return the kernel, moved and scaled to one at no distance and zero far away."""
    nowhere, amplitude = range_of(kernel, rows)
    return (kernel(X, rows) - nowhere) / amplitude
