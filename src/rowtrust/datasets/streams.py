"""Rows in blocks from a distribution that drifts."""

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

Block = tuple[Array, NDArray[np.intp]]
"""Inputs and labels of some rows."""

STEEPNESS = 5.0
"""How fast the log-odds grow with the distance from the boundary; our choice: the best classifier has an
error of about 9 %."""


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
        return np.asarray(expit(STEEPNESS * (X @ np.array([np.cos(angle), np.sin(angle)]))))


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
