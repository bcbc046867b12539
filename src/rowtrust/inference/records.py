"""Frozen records that solvers carry and report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from rowtrust.contracts import Array, Indices
from rowtrust.engines import Engine
from rowtrust.inference.coding import Coding
from rowtrust.inference.posterior import Posterior
from rowtrust.likelihoods import Likelihood
from rowtrust.priors import Prior
from rowtrust.weights import Weights


@dataclass(frozen=True)
class Problem:
    """What is to be solved: the rows, and the model as likelihood x weights x prior x basis.

    Attributes
    ----------
    engine
        The rows and the basis functions at them.
    coding
        What makes the likelihood's targets of the rows' ``y``.
    likelihood, weights
        As they stand before the first pass; the current ones are in the state.
    prior
        Prior on the coefficients.
    first_weights
        Weights with which a fit begins, until it has settled; None for its own.
    """

    engine: Engine
    coding: Coding
    likelihood: Likelihood
    weights: Weights
    prior: Prior
    first_weights: Weights | None = None


@dataclass(frozen=True)
class State:
    """Where a solver stands: all that travels from one pass over the rows to the next.

    Attributes
    ----------
    columns : (k,)
        Columns of the design in the model; the bias, 0, is always first.
    precision : (k,)
        Prior precision of their coefficients.
    posterior
        Posterior of their coefficients.
    likelihood, weights
        With their current parameters.
    bound
        Lower bound on the log evidence.
    memory
        What this solver alone needs to remember.
    damping
        Of a likelihood whose sites are no bound: what the next pass is mixed with.
    """

    columns: Indices
    precision: Array
    posterior: Posterior
    likelihood: Likelihood
    weights: Weights
    bound: float
    memory: Any = None
    damping: Any = None


@dataclass(frozen=True)
class Info:
    """What one step did: reported to callbacks and kept in the trace, never carried.

    Attributes
    ----------
    bound
        Lower bound after the step.
    distance
        How far from converged the step found the fit, in nats of the bound.
    n_columns
        Columns in the model, the bias included.
    converged
        Whether the solver wants no further step.
    """

    bound: float
    distance: float
    n_columns: int
    converged: bool


class Solver(Protocol):
    """A first state, and a step that improves a state."""

    is_reference: ClassVar[bool]
    """Whether it is a paper's own loop: with one start, and told as it ends."""

    def start(self, problem: Problem) -> State:
        """Return the state before anything was learnt."""
        ...

    def looser(self, factor: float) -> Solver:
        """Return a solver that ends so many times further from converged."""
        ...

    def frugal(self, scoring_steps: int, candidates: int, thinning: int) -> Solver:
        """Return a solver for many rows: the pool is scored in the first steps, and so many columns enter."""
        ...

    def resumed(
        self, problem: Problem, state: State, grows: bool = True, pool: Indices | None = None
    ) -> State:
        """Return where another problem on the same rows and columns begins if it goes on from a state.

        ``grows`` tells whether columns may still enter, ``pool`` which are looked at first.
        """
        ...

    def step(self, problem: Problem, state: State) -> tuple[State, Info]:
        """Return a better state, and what was done."""
        ...

    def finish(self, problem: Problem, state: State) -> State:
        """Return the state to be kept."""
        ...
