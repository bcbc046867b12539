"""What makes a likelihood's targets of the targets that rows carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from rowtrust.contracts import Array
from rowtrust.numerics.array_api import namespace


class Coding(Protocol):
    """Maps the ``y`` of some rows to one output's targets.

    Examples
    --------
    Any function that does so is one:

    >>> import numpy as np
    >>> from rowtrust.inference import Coding
    >>> logarithm: Coding = np.log1p
    >>> logarithm(np.array([0.0]))
    array([0.])
    """

    def __call__(self, y: NDArray[Any]) -> Array:
        """Return the targets of one output, shape ``(n,)``."""
        ...


@dataclass(frozen=True)
class AsGiven:
    """The targets are ``y`` itself.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.inference import AsGiven
    >>> AsGiven()(np.array([0.5, 1.5]))
    array([0.5, 1.5])
    """

    def __call__(self, y: NDArray[Any]) -> Array:
        """Return ``y``."""
        return y


@dataclass(frozen=True)
class OneAgainstRest:
    """1 for rows of one class, 0 for all others.

    Parameters
    ----------
    label : int
        Number of the class.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.inference import OneAgainstRest
    >>> OneAgainstRest(2)(np.array([0, 2, 1, 2]))
    array([0., 1., 0., 1.])
    """

    label: int

    def __call__(self, y: NDArray[Any]) -> Array:
        """Return which rows are of the class."""
        xp = namespace(y)
        target: Array = xp.asarray(y == self.label, dtype=xp.float64)
        return target


@dataclass(frozen=True)
class EachClass:
    """A row of the unit matrix: 1 for the row's class, 0 for the others.

    Parameters
    ----------
    n_classes : int
        How many classes there are.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.inference import EachClass
    >>> EachClass(3)(np.array([0, 2]))
    array([[1., 0., 0.],
           [0., 0., 1.]])
    """

    n_classes: int

    def __call__(self, y: NDArray[Any]) -> Array:
        """Return which class each row is of, shape ``(n, n_classes)``."""
        xp = namespace(y)
        target: Array = xp.stack([xp.asarray(y == k, dtype=xp.float64) for k in range(self.n_classes)]).T
        return target
