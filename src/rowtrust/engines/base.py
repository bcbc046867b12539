"""Where rows live: the one seam between the solvers and the data.

A solver never sees all rows. It hands an engine a function of one block of rows, and gets back the sum of
what that function returns. A new engine writes ``blocks``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.kernels import Basis, JointBasis

State = TypeVar("State")
BlockFunction: TypeAlias = Callable[["Block", State], Any]
"""Reduces a block of rows under a state to something that can be added up."""


@dataclass(frozen=True)
class Block:
    """Some rows, with all that is known of them.

    Attributes
    ----------
    X : (n, d)
        Inputs.
    y : (n,)
        Targets as the user coded them: class numbers, or numbers.
    weight : (n,)
        How many rows each stands for.
    offset
        Position of the first of them among all rows.
    basis
        Basis functions, of which ``phi`` are the values.
    """

    X: Matrix
    y: Array
    weight: Array
    offset: int
    basis: Basis | JointBasis

    def phi(self, columns: Indices) -> Array:
        """Return basis functions at the rows, shape ``(n, len(columns))``; column 0 is the bias."""
        return self.basis.columns(self.X, columns)


class Engine(ABC):
    """Rows somewhere, and the basis functions at them.

    Parameters
    ----------
    basis
        Kernel and centres; column 0 is the bias.
    probes
        Inputs of a few distinct rows, at which columns are compared with each other.
    """

    def __init__(self, basis: Basis | JointBasis, probes: Matrix) -> None:
        self.basis = basis
        self.probes = probes
        self.n_columns = basis.n_columns

    @abstractmethod
    def blocks(self, width: int) -> Iterator[Block]:
        """Yield all rows once, always in the same order, in blocks fit for ``width`` columns at a time."""

    def map_reduce(self, function: BlockFunction[State], columns: Indices, state: State) -> Any:
        """Return the sum over blocks of ``function(block, state)``: one pass over the rows.

        ``columns`` is the largest set of columns that the function asks a block for at a time.
        """
        total = None
        for block in self.blocks(len(columns)):
            part = function(block, state)
            total = part if total is None else total + part
        return total

    def probe(self, columns: Indices) -> Array:
        """Return basis functions at a few distinct rows, the same for every call."""
        return self.basis.columns(self.probes, columns)

    def cache(self, columns: Indices) -> None:  # noqa: B027
        """Learn which columns will be asked for again and again; an engine may ignore it."""
