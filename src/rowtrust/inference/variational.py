"""The paper's loop: variational inference with every column kept (Hwang & Jeong 2015, section 3.4).

Correct, monotone, and far too slow to prune: the faithful reference for the working-set solver.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rowtrust.contracts import Indices, Statistics
from rowtrust.inference.acceleration import with_newton_mean
from rowtrust.inference.damping import damped, limited
from rowtrust.inference.passes import gather, log_scale, updated_parts
from rowtrust.inference.posterior import Posterior, expected_quadratic, first_posterior, solve_posterior
from rowtrust.inference.records import Info, Problem, State

MOST_COLUMNS = 10_000
"""Columns at most: each step factors a matrix of this order, 0.8 GB, in minutes. A guard, not measured."""


@dataclass(frozen=True)
class Variational:
    """Coordinate ascent on the lower bound (17).

    Parameters
    ----------
    tol : float, default=1e-5
        Stop when a step raises the bound by less than this many nats.
    accelerated : bool, default=False
        Whether sites are made where Newton's method leads, instead of where the last step did. Not the
        paper's steps, and seldom fewer: what takes so many is the pruning, not the sites.

    See Also
    --------
    WorkingSet : Fast and sparse; ends with few columns.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.datasets import make_sinc
    >>> from rowtrust.engines import MemoryEngine
    >>> from rowtrust.inference import AsGiven, Problem, Variational, solve
    >>> from rowtrust.kernels import Basis, Kernel
    >>> from rowtrust.likelihoods import Gaussian
    >>> from rowtrust.priors import ARD
    >>> from rowtrust.weights import Unit
    >>> X, y = make_sinc(100, random_state=0)
    >>> engine = MemoryEngine(X, y, np.ones(100), Basis(Kernel("rbf", 0.1), X))
    >>> problem = Problem(engine, AsGiven(), Gaussian(), Unit(), ARD())
    >>> solution = solve(problem, Variational(tol=0.01), max_iter=1000)
    >>> bounds = [info.bound for info in solution.trace]
    >>> bounds == sorted(bounds)  # no step lowers the bound
    True
    """

    is_reference: ClassVar[bool] = True

    tol: float = 1e-5
    accelerated: bool = False

    def start(self, problem: Problem) -> State:
        """Step 1: vague moments, so that the first sites are made around ``f = 0``."""
        size = problem.engine.n_columns
        if size > MOST_COLUMNS:
            raise ValueError(
                f"solver='variational' keeps every column, and handles up to {MOST_COLUMNS} of them; got "
                f"{size}. Use solver='working_set', or fewer centres with basis=1000."
            )
        return State(
            columns=np.arange(size),
            precision=np.ones(size),
            posterior=first_posterior(size, problem.likelihood.is_bound),
            likelihood=problem.likelihood,
            weights=problem.weights,
            bound=-np.inf,
        )

    def looser(self, factor: float) -> Variational:
        """Return the loop that ends so many times further from converged."""
        return replace(self, tol=factor * self.tol)

    def frugal(self, scoring_steps: int, candidates: int, thinning: int) -> Variational:
        """Return the loop itself, which has all columns anyway."""
        return self

    def resumed(
        self, problem: Problem, state: State, grows: bool = True, pool: Indices | None = None
    ) -> State:
        """Go on from a state; every column is in it already."""
        return replace(
            state,
            likelihood=problem.likelihood,
            weights=problem.weights,
            bound=-np.inf,
            memory=None,
            damping=None,
        )

    def step(self, problem: Problem, state: State) -> tuple[State, Info]:
        """Steps 2 to 4: one pass over the rows, then ``q(beta)``, then ``q(alpha)``, then the bound."""
        problem.engine.cache(state.columns)
        curved = self.accelerated and state.likelihood.is_bound
        gathered = gather(problem, state, state.columns, curved)
        likelihood, weights, statistics = updated_parts(state, gathered)
        damping = None
        if not likelihood.is_bound:
            damping, statistics = damped(state, state.columns, gathered, statistics)
        posterior = solve_posterior(statistics.gram, statistics.vector, state.precision)
        if damping is not None:
            posterior = limited(problem.engine, state, state.columns, posterior)
        second_moment = posterior.mean**2 + posterior.variance
        bound = lower_bound(statistics, posterior, problem.prior.bound(second_moment))
        if damping is not None:
            bound = damping.bound
        if state.memory is not None and not bound >= state.bound:
            return self.step(problem, state.memory)
        increase = bound - state.bound
        new = replace(
            state,
            precision=problem.prior.expected_precision(second_moment),
            posterior=posterior,
            likelihood=likelihood,
            weights=weights,
            bound=bound,
            memory=None,
            damping=damping,
        )
        moved = increase if damping is None else abs(increase) / damping.step
        info = Info(bound, moved, len(state.columns), moved < self.tol)
        if statistics.curvature is None:
            return new, info
        guess = with_newton_mean(state, new, state.columns, statistics)
        return replace(guess, memory=new), info

    def finish(self, problem: Problem, state: State) -> State:
        """Return the best state with every column: leaving some out would be another model."""
        state = state if state.memory is None else state.memory
        return state if state.damping is None else state.damping.best_of(state)


def lower_bound(statistics: Statistics, posterior: Posterior, prior_bound: float) -> float:
    """Return the bound (17): expected sites, prior terms, and the entropy of ``q(beta)``."""
    expected_sites = (
        log_scale(statistics)
        + float(statistics.vector @ posterior.mean)
        - 0.5 * expected_quadratic(statistics.gram, posterior)
    )
    size = len(posterior.mean)
    entropy = 0.5 * (size * (1.0 + float(np.log(2 * np.pi))) - posterior.log_determinant)
    return expected_sites + prior_bound + entropy
