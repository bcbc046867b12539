"""Run a solver to its end."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rowtrust.contracts import Array
from rowtrust.inference.passes import row_outputs
from rowtrust.inference.records import Info, Problem, Solver, State
from rowtrust.inference.threads import single_blas_thread

Observer = Callable[[State, Info], bool]
"""Sees every step; returns True to end the run early."""


@dataclass(frozen=True)
class Solution:
    """Where a solver ended, how it got there, and what it says of the rows.

    Attributes
    ----------
    state, trace
        The last state, and what every step reported.
    expected_weight, latent_mean : (n,)
        ``E w_i`` and ``E f_i`` of every row, from one last pass.
    """

    state: State
    trace: list[Info]
    expected_weight: Array
    latent_mean: Array


def solve(problem: Problem, solver: Solver, max_iter: int, observe: Observer | None = None) -> Solution:
    """Step until the solver is content, ``max_iter`` is reached, or the observer wants no more.

    A run that ``max_iter`` ended warns, and says how far from converged it was.
    """
    trace: list[Info] = []
    with single_blas_thread():
        state = solver.start(problem)
        while len(trace) < max_iter:
            state, info = solver.step(problem, state)
            trace.append(info)
            stopped = observe is not None and observe(state, info)
            if stopped or info.converged:
                break
        else:
            warnings.warn(unfinished(solver, info, max_iter), ConvergenceWarning, stacklevel=2)
        state = solver.finish(problem, state)
        rows = row_outputs(problem, state, lambda rows: np.stack([rows.weights.expected, rows.mean]))
        return Solution(state, trace, *rows)


def unfinished(solver: Solver, info: Info, max_iter: int) -> str:
    """Say how far from converged the last step was, and what to do about it."""
    return (
        f"The {type(solver).__name__} solver stopped at max_iter={max_iter} before it converged: "
        f"its last step could still gain {info.distance:.3g} nats of evidence "
        f"(tol={getattr(solver, 'tol', float('nan')):.3g}). Raise max_iter, or tol if that is close "
        "enough."
    )
