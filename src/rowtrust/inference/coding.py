"""What makes a likelihood's targets of the targets that rows carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rowtrust.contracts import Array


class Coding(Protocol):
    """Maps the ``y`` of some rows to one output's targets."""

    def __call__(self, y: NDArray[Any]) -> Array:
        """Return the targets of one output, shape ``(n,)``."""
        ...


@dataclass(frozen=True)
class AsGiven:
    """The targets are ``y`` itself."""

    def __call__(self, y: NDArray[Any]) -> Array:
        """Return ``y``."""
        return y


@dataclass(frozen=True)
class OneAgainstRest:
    """1 for rows of one class, 0 for all others."""

    label: int

    def __call__(self, y: NDArray[Any]) -> Array:
        """Return which rows are of the class."""
        return np.asarray(y == self.label, dtype=float)
