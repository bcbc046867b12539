"""What the fast solver remembers between steps: the phase it is in, and what it has found."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum, auto

import numpy as np

from rowtrust.contracts import Indices
from rowtrust.inference.acceleration import Hyper, Secants
from rowtrust.inference.records import State

SLOWEST = 0.97
"""The slowest rate of convergence that is believed when what is left is estimated. Not studied by itself:
with it 3 % of fits end more than 0.1 nats below a run of ten times the length (``benchmarks passes``)."""

SETTLED = 0.1
"""Nats that hardly matter. A model with fewer left to gain, if ``tol`` is not more, is shown every column: a
tenth takes 3 passes more in the median and ends 0.05 nats higher for classes; three times as much ends 0.1
lower, 1 lower for RVR (the fits of ``working_set``). A column must bring as many when a joint restart
replaces a converged model: half of it moves no mean bound by more than 0.8 nats; twice costs up to 0.8, on
sinc 1.5 (one fit in sixteen 22), and ten times 15 on Friedman #1. And a fit from another start must end so
much higher to win."""

NO_COLUMNS: Indices = np.array([], dtype=np.intp)
"""What enters while nothing was scored."""


class Phase(Enum):
    """What the next step is for, beside making sites, weights and likelihood again."""

    REFRESH = auto()
    """Nothing else."""

    SCORE = auto()
    """The pool is scored."""

    SURVEY = auto()
    """All columns are scored: the pool has nothing more to give."""

    ENTER = auto()
    """The best of the scored columns join the working set."""

    POLISH = auto()
    """Every column was scored and none is worth entering: refresh until converged."""


@dataclass(frozen=True)
class Candidates:
    """Columns that may enter the model.

    Attributes
    ----------
    entering
        The columns, best first.
    gain
        What the best of them gains alone, in nats.
    complete
        Whether every column was scored.
    """

    entering: Indices = field(default_factory=lambda: NO_COLUMNS)
    gain: float = 0.0
    complete: bool = False


@dataclass(frozen=True)
class Memory:
    """What travels between steps besides the model.

    Attributes
    ----------
    pool
        Columns that are scored at every scoring; those in the model are among them.
    phase
        What the next step is for.
    warm_start
        Whether the weights are still those with which the fit began.
    growing
        Whether the last scoring found columns worth entering.
    patience
        Refreshing goes on, unscored, while it gains more than this many nats.
    settled
        Whether little was left to gain when columns were last scored.
    found
        What the last scoring found.
    steps
        How many steps there were.
    rise
        What the last step gained.
    safe
        Where the last step led, if the state is a guess beyond it.
    hyper
        What the last step did to the parameters of likelihood and weights.
    verified_bound
        The highest exact bound of a damped fit when it was last shown every column.
    secants
        How the slopes of outputs that share a covariance have changed in the last steps.
    """

    pool: Indices
    phase: Phase = Phase.SCORE
    warm_start: bool = False
    growing: bool = True
    patience: float = 0.0
    settled: bool = False
    found: Candidates = field(default_factory=Candidates)
    steps: int = 0
    rise: float = np.inf
    safe: State | None = None
    hyper: Hyper | None = None
    verified_bound: float = -np.inf
    secants: Secants = field(default_factory=Secants)

    def without_guess(self) -> Memory:
        """Return the memory of a state that no guess was made from."""
        return replace(self, safe=None, hyper=None, secants=Secants())


def left_to_gain(rise: float, state: State, led: State) -> float:
    """Return how many nats are left to gain, as far as the last two steps tell.

    Damped steps, which may fall, tell what a whole step would change.
    """
    if led.damping is not None:
        same = np.array_equal(led.columns, state.columns)
        return abs(rise) / float(led.damping.step) if same else np.inf
    before: float = state.memory.rise
    if not np.isfinite(rise):
        return np.inf
    rate = min(rise / before, SLOWEST) if 0.0 < before < np.inf else SLOWEST
    return max(rise, 0.0) / (1.0 - max(rate, 0.0))
