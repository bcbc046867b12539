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

    Parameters
    ----------
    engine : Engine
        The rows and the basis functions at them.
    coding : Coding
        What makes the likelihood's targets of the rows' ``y``.
    likelihood, weights : Likelihood and Weights
        As they stand before the first pass; the current ones are in the state.
    prior : Prior
        Prior on the coefficients.
    first_weights : Weights or None, default=None
        Weights with which a fit begins, until it has settled; None for its own.

    See Also
    --------
    solve : Solves it.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.datasets import make_sinc
    >>> from rowtrust.engines import MemoryEngine
    >>> from rowtrust.inference import AsGiven, Problem
    >>> from rowtrust.kernels import Basis, Kernel
    >>> from rowtrust.likelihoods import Gaussian
    >>> from rowtrust.priors import ARD
    >>> from rowtrust.weights import Unit
    >>> X, y = make_sinc(100, random_state=0)
    >>> engine = MemoryEngine(X, y, np.ones(100), Basis(Kernel("rbf", 0.1), X))
    >>> problem = Problem(engine, AsGiven(), Gaussian(), Unit(), ARD())
    >>> problem.engine.n_columns  # the bias and a Gaussian at every row
    101
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

    Parameters
    ----------
    columns : ndarray of int of shape (k,)
        Columns of the design in the model; the bias, 0, is always first.
    precision : ndarray of shape (k,)
        Prior precision of their coefficients.
    posterior : Posterior
        Posterior of their coefficients.
    likelihood, weights : Likelihood and Weights
        With their current parameters.
    bound : float
        Lower bound on the log evidence.
    memory : object, default=None
        What this solver alone needs to remember.
    damping : object, default=None
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

    Parameters
    ----------
    bound : float
        Lower bound after the step.
    distance : float
        How far from converged the step found the fit, in nats of the bound.
    n_columns : int
        Columns in the model, the bias included.
    converged : bool
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
