"""What a reproduction runs with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from papers.experiments import Experiment, Record
from papers.store import Progress, Store


@dataclass(frozen=True)
class RunContext:
    """How a reproduction runs.

    Parameters
    ----------
    store
        Where finished repeats are kept, and with which seed.
    quick
        Whether to run few repeats on small grids.
    repeats
        Repeats per cell instead of the protocol's; None keeps them.
    progress
        Shows a bar; None is silent.
    """

    store: Store
    quick: bool = False
    repeats: int | None = None
    progress: Progress | None = None

    @property
    def grid(self) -> str:
        """The name of the grid of settings to choose from."""
        return "quick" if self.quick else "full"

    def count(self, full: int, quick: int) -> int:
        """Return how many repeats a cell gets."""
        return self.repeats or (quick if self.quick else full)

    def collect(self, experiments: Iterable[Experiment]) -> dict[str, list[Record]]:
        """Return all records of some experiments, after running what is missing."""
        return self.store.collect(experiments, self.progress)
