"""Run a solver to its end."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rowtrust.contracts import Array
from rowtrust.inference.passes import LEAST_RESPONSE, RowMoments, one_pass, row_curvature, weighted_gram
from rowtrust.inference.posterior import Posterior, solve_posterior
from rowtrust.inference.records import Info, Problem, Solver, State
from rowtrust.numerics.blocks import single_blas_thread

Observer = Callable[[State, Info], bool]
"""Sees every step; returns True to end the run early."""


@dataclass(frozen=True)
class Solution:
    """Where a solver ended, how it got there, and what it says of the rows.

    Parameters
    ----------
    state, trace : State and list of Info
        The last state, and what every step reported.
    posterior : Posterior
        That of the state, with the covariance to be told: the linear response.
    expected_weight, latent_mean : ndarrays of shape (n,)
        ``E w_i`` and ``E f_i`` of every row, from one last pass; empty where nobody wants them of every row.
        Where a target has several latent functions, their means have shape (n, n_outputs).
    complaint : str
        How far from converged a run was that ``max_iter`` ended; empty where it came to its end.
    """

    state: State
    trace: list[Info]
    posterior: Posterior
    expected_weight: Array
    latent_mean: Array
    complaint: str = ""


def solve(
    problem: Problem,
    solver: Solver,
    max_iter: int,
    observe: Observer | None = None,
    first: State | None = None,
    of_rows: bool = True,
    warns: bool = True,
) -> Solution:
    """Step until the solver is content, ``max_iter`` is reached, or the observer wants no more.

    A run that ``max_iter`` ended warns, and says how far from converged it was.

    Parameters
    ----------
    problem : Problem
        The rows and the model.
    solver : Solver
        ``WorkingSet()`` or ``Variational()``, or one of your own.
    max_iter : int
        Steps at most.
    observe : callable or None, default=None
        Called as ``observe(state, info)`` after every step; True ends the run.
    first : State or None, default=None
        Where to begin: a state that this solver made to begin with (``resumed``).
    of_rows : bool, default=True
        Whether to say something of every row; without it nothing of their size is kept.
    warns : bool, default=True
        Whether to warn of a run that ``max_iter`` ended.

    Returns
    -------
    Solution
        Where it ended.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust.datasets import make_sinc
    >>> from rowtrust.engines import MemoryEngine
    >>> from rowtrust.inference import AsGiven, Problem, WorkingSet, solve
    >>> from rowtrust.kernels import Basis, Kernel
    >>> from rowtrust.likelihoods import Gaussian
    >>> from rowtrust.priors import ARD
    >>> from rowtrust.weights import Unit
    >>> X, y = make_sinc(100, random_state=0)
    >>> engine = MemoryEngine(X, y, np.ones(100), Basis(Kernel("rbf", 0.1), X))
    >>> problem = Problem(engine, AsGiven(), Gaussian(), Unit(), ARD())
    >>> solution = solve(problem, WorkingSet(), max_iter=100)
    >>> solution.trace[-1].converged, len(solution.state.columns) < 20  # few of 101 columns are left
    (True, True)
    """
    trace: list[Info] = []
    complaint = ""
    with single_blas_thread():
        state = solver.start(problem) if first is None else first
        while len(trace) < max_iter:
            state, info = solver.step(problem, state)
            trace.append(info)
            stopped = observe is not None and observe(state, info)
            if stopped or info.converged:
                break
        else:
            complaint = unfinished(solver, info, max_iter)
            if warns:
                warnings.warn(complaint, ConvergenceWarning, stacklevel=2)
        state = solver.finish(problem, state)
        return replace(judged(problem, state, trace, solver.is_reference, of_rows), complaint=complaint)


def judged(
    problem: Problem, state: State, trace: list[Info], as_it_is: bool, of_rows: bool = True
) -> Solution:
    """Return the solution, from one last pass: what it says of the rows, and how sure it is.

    The covariance of ``q(beta)`` comes from sites, which bend more than the rows' terms of the bound do: too
    small. That of the solution is the inverse of the bound's own curvature in the mean, the linear response
    of the fit to a small pull (Giordano, Broderick & Jordan 2015), unless ``q`` is to be told as it is.
    """
    last: LastPass = one_pass(problem, state, state.columns, last_pass if of_rows else last_sums)
    told = np.concatenate(last.rows, axis=-1) if last.rows else np.empty((2, 0))
    mean = told[1] if state.posterior.mean.ndim == 1 else told[1:].T
    posterior = state.posterior
    if not as_it_is:
        pull = np.zeros_like(posterior.mean)  # only the covariance is asked for
        response = solve_posterior(last.curvature, pull, state.precision)
        posterior = replace(response, mean=posterior.mean)
    return Solution(state, trace, posterior, told[0], mean)


@dataclass(frozen=True)
class LastPass:
    """Sums of blocks, and what is said of their rows, one after the other."""

    curvature: Array
    rows: tuple[Array, ...]

    def __add__(self, other: LastPass) -> LastPass:
        return LastPass(self.curvature + other.curvature, self.rows + other.rows)


def last_pass(rows: RowMoments, state: State) -> LastPass:
    """Reduce a block of rows to how its terms of the bound bend, its expected weights and latent means."""
    curvature = weighted_gram(rows.phi, row_curvature(rows, state, LEAST_RESPONSE))
    return LastPass(curvature, (rows.told,))


def last_sums(rows: RowMoments, state: State) -> LastPass:
    """Reduce a block of rows to how its terms of the bound bend."""
    curvature = weighted_gram(rows.phi, row_curvature(rows, state, LEAST_RESPONSE))
    return LastPass(curvature, ())


def unfinished(solver: Solver, info: Info, max_iter: int) -> str:
    """Say how far from converged the last step was, and what to do about it."""
    return (
        f"The {type(solver).__name__} solver stopped at max_iter={max_iter} before it converged: "
        f"its last step could still gain {info.distance:.3g} nats of evidence "
        f"(tol={getattr(solver, 'tol', float('nan')):.3g}). Raise max_iter, or tol if that is close "
        "enough."
    )
