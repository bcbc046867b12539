"""Rows made block by block: many of them, and a stream in which the boundary turns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils import check_random_state

from rowtrust.contracts import Array
from rowtrust.datasets.generators import Seed

N_INPUTS = 10
"""Inputs of a row, five of which are of use. Our choice."""

STEEPNESS = 3.0
"""Log-odds per unit of the latent function. Our choice: the best possible classifier errs on 7.4 % of rows
whose labels are not flipped."""

DRAWN_ROWS = 4096
"""Rows that are drawn by one generator. Blocks of any size are cut out of these, so that the rows do not
depend on it. To begin a generator takes a fiftieth of the time of these draws."""


TURNING_STEEPNESS = 5.0
"""How fast the log-odds grow with the distance from the boundary; our choice: the best classifier has an
error of about 9 %."""


def make_many_rows(
    n_samples: int = 100_000, *, flipped: float = 0.1, block_rows: int = 2**16, random_state: Seed = None
) -> ManyRows:
    """Draw rows of two classes, block by block, as often as they are asked for.

    Inputs are standard normal. The log-odds of class 1 are three times
    ``2 sin(2 x0) + 1.5 x1 x2 + x3 - 0.5 x4**2 + 0.5``; the other five inputs are of no use.

    Parameters
    ----------
    n_samples : int, default=100000
        Rows.
    flipped : float, default=0.1
        Share of the labels that are changed after they were drawn.
    block_rows : int, default=65536
        Rows of a block. The rows are the same whatever it is.
    random_state : int, RandomState instance or None, default=None
        Seed or generator.

    Returns
    -------
    ManyRows
        Blocks ``(X, y)``, generated anew, and identical, in every iteration.

    Examples
    --------
    >>> from rowtrust.datasets import make_many_rows
    >>> rows = make_many_rows(1000, block_rows=400, random_state=0)
    >>> [X.shape for X, y in rows]
    [(400, 10), (400, 10), (200, 10)]
    """
    if n_samples < 1 or block_rows < 1:
        raise ValueError(f"n_samples and block_rows must be at least 1; got {n_samples} and {block_rows}.")
    if not 0.0 <= flipped <= 1.0:
        raise ValueError(f"flipped is a share of the labels, from 0 to 1; got {flipped}.")
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    return ManyRows(n_samples, flipped, block_rows, seed)


@dataclass(frozen=True)
class ManyRows:
    """Rows generated on demand: blocks ``(X, y)``, the same in every pass.

    Parameters
    ----------
    n_samples : int
        Rows.
    flipped : float
        Share of labels that are changed.
    block_rows : int
        Rows of a block.
    seed : int
        The seed of all rows.

    See Also
    --------
    make_many_rows : Makes one, with a seed.

    Examples
    --------
    >>> from rowtrust.datasets import ManyRows
    >>> rows = ManyRows(n_samples=1000, flipped=0.1, block_rows=400, seed=0)
    >>> [len(y) for X, y in rows]
    [400, 400, 200]
    >>> X, y = rows.between(990, 1000)  # any of them, without the others
    >>> bool((X == rows.arrays()[0][990:]).all())
    True
    """

    n_samples: int
    flipped: float
    block_rows: int
    seed: int

    def __iter__(self) -> Iterator[tuple[Array, NDArray[np.intp]]]:
        for start in range(0, self.n_samples, self.block_rows):
            yield self.between(start, min(start + self.block_rows, self.n_samples))

    def between(self, start: int, end: int) -> tuple[Array, NDArray[np.intp]]:
        """Return inputs and labels of the rows from ``start`` up to ``end``.

        Parameters
        ----------
        start, end : int
            Numbers of the first row and of the one after the last.

        Returns
        -------
        X : ndarray of shape (end - start, 10)
            Inputs.
        y : ndarray of shape (end - start,)
            Labels, 0 and 1.
        """
        X, y = np.empty((end - start, N_INPUTS)), np.empty(end - start, dtype=np.intp)
        for number in range(start // DRAWN_ROWS, -(-end // DRAWN_ROWS)):
            first = number * DRAWN_ROWS
            low, high = max(start, first), min(end, first + DRAWN_ROWS)
            drawn, labels = self._drawn(number)
            X[low - start : high - start] = drawn[low - first : high - first]
            y[low - start : high - start] = labels[low - first : high - first]
        return X, y

    def arrays(self) -> tuple[Array, NDArray[np.intp]]:
        """Return all rows at once.

        Returns
        -------
        X : ndarray of shape (n_samples, 10)
            Inputs.
        y : ndarray of shape (n_samples,)
            Labels, 0 and 1.
        """
        return self.between(0, self.n_samples)

    def _drawn(self, number: int) -> tuple[Array, NDArray[np.intp]]:
        """Draw so many rows as one generator draws."""
        generator = np.random.default_rng([self.seed, number])
        X = generator.standard_normal((DRAWN_ROWS, N_INPUTS))
        y = generator.random(DRAWN_ROWS) < expit(STEEPNESS * latent(X))
        return X, (y ^ (generator.random(DRAWN_ROWS) < self.flipped)).astype(np.intp)


def latent(X: Array) -> Array:
    """Return the function whose multiple the log-odds of class 1 are."""
    waves, together = 2.0 * np.sin(2.0 * X[:, 0]), 1.5 * X[:, 1] * X[:, 2]
    return np.asarray(waves + together + X[:, 3] - 0.5 * X[:, 4] ** 2 + 0.5)


Block = tuple[Array, NDArray[np.intp]]
"""Inputs and labels of some rows."""


@dataclass(frozen=True)
class RotatingStream:
    """Blocks of rows whose boundary rotates, the same ones however often they are read.

    Parameters
    ----------
    n_blocks, block_size : int
        How many blocks there are, and the rows of each.
    period : float
        Blocks after which the boundary has turned once.
    seed : int
        Of the rows.

    See Also
    --------
    make_rotating_stream : Makes one, with a seed.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.datasets import RotatingStream
    >>> stream = RotatingStream(n_blocks=3, block_size=50, period=20.0, seed=0)
    >>> [X.shape for X, y in stream]
    [(50, 2), (50, 2), (50, 2)]
    >>> X = np.array([[1.0, 0.0]])
    >>> stream.probability(X, 0).round(2), stream.probability(X, 10).round(2)  # half a turn later
    (array([0.99]), array([0.01]))
    """

    n_blocks: int
    block_size: int
    period: float
    seed: int

    def __len__(self) -> int:
        return self.n_blocks

    def __iter__(self) -> Iterator[Block]:
        return (self.block(number) for number in range(self.n_blocks))

    def block(self, number: int) -> Block:
        """Return the rows of one block, which may be any beyond the last too.

        Parameters
        ----------
        number : int
            Of the block, from 0.

        Returns
        -------
        X : ndarray of shape (block_size, 2)
            Inputs.
        y : ndarray of shape (block_size,)
            Labels, 0 and 1.
        """
        generator = np.random.default_rng([self.seed, number])
        X = generator.standard_normal((self.block_size, 2))
        y = generator.random(self.block_size) < self.probability(X, number)
        return X, y.astype(np.intp)

    def probability(self, X: Array, number: int) -> Array:
        """Return the true probability of class 1 at rows of a block.

        Parameters
        ----------
        X : ndarray of shape (n, 2)
            Rows.
        number : int
            Of the block, from 0.

        Returns
        -------
        ndarray of shape (n,)
            The probabilities.
        """
        angle = 2.0 * np.pi * number / self.period
        return np.asarray(expit(TURNING_STEEPNESS * (X @ np.array([np.cos(angle), np.sin(angle)]))))


def make_rotating_stream(
    n_blocks: int = 60, block_size: int = 100, *, period: float = 20.0, random_state: Seed = None
) -> RotatingStream:
    """Return a stream of rows in the plane whose classes are divided by a line that rotates.

    After half a period every label is the other one; all rows together carry no information on the classes.

    Parameters
    ----------
    n_blocks : int, default=60
        Blocks of rows.
    block_size : int, default=100
        Rows of a block.
    period : float, default=20.0
        Blocks after which the line has turned once. It does not move within a block.
    random_state : int, RandomState instance or None, default=None
        Seed or generator.

    Returns
    -------
    RotatingStream
        An iterable of blocks ``(X, y)`` that can be read again.

    Examples
    --------
    >>> from rowtrust.datasets import make_rotating_stream
    >>> stream = make_rotating_stream(4, 50, period=2, random_state=0)
    >>> X, y = next(iter(stream))
    >>> len(stream), X.shape, sorted(set(y.tolist()))
    (4, (50, 2), [0, 1])
    >>> bool(((X[:, 0] > 0) == y).mean() > 0.8)
    True
    """
    if n_blocks < 1 or block_size < 1 or not period > 0.0:
        raise ValueError(
            "A stream needs at least one block of one row and a period above zero; got "
            f"n_blocks={n_blocks}, block_size={block_size}, period={period}."
        )
    generator: Any = check_random_state(random_state)
    return RotatingStream(n_blocks, block_size, float(period), int(generator.randint(np.iinfo(np.int32).max)))
