"""Fits at one kernel to the rows outside a fold, fold by fold: what the others say of every row."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rowtrust.contracts import Array, Indices, Matrix
from rowtrust.inference import Solution
from rowtrust.kernels import Kernel, distinct_rows
from rowtrust.likelihoods import Likelihood
from rowtrust.search.fits import FitPlan, KernelProblem, problem_at, resume_output, solve_output
from rowtrust.search.rows import Centres, TrainingRows

FOLDS = 3
"""Folds. Five take a quarter of a fit longer, and gain 0.3 points of error under one-sided noise and lose 0.1
under uniform noise (RobustRVC, half A of the tables, three splits of up to 500 rows)."""

MOST_ROWS, FEWEST_ROWS = 1500, 100
"""Distinct rows that are cross-fitted, spread evenly where there are more, and of every class at least, if it
has them: a few numbers are learnt from them. Not studied."""

LOOSENESS = 100.0
"""How many times further from converged a cross-fit may end than the fit itself: a fifth of a nat by default.
Fits 25 times and not looser move no error by more than 0.3 points and no log loss by more than 0.007, in 1.1
and 1.2 times the time of the whole fit (the same tables)."""


@dataclass(frozen=True)
class Fold:
    """A fit to the rows outside a fold, one solution an output, and the rows in it."""

    plan: FitPlan
    problem: KernelProblem
    solutions: list[Solution]
    left_out: Indices
    X: Matrix

    def resumed(self, likelihoods: Sequence[Likelihood]) -> list[Solution]:
        """Return the solutions after the fit went on, with its columns, with other likelihoods."""
        pairs = zip(self.solutions, likelihoods, strict=True)
        return [
            resume_output(self.plan, self.problem, output, solution.state, likelihood, grows=False)
            for output, (solution, likelihood) in enumerate(pairs)
        ]

    def log_odds(self, solutions: list[Solution]) -> Array:
        """Return the log-odds of the rows left out, shape (n, n_outputs)."""
        return np.column_stack([self._log_odds(solution) for solution in solutions])

    def _log_odds(self, solution: Solution) -> Array:
        phi = self.problem.engine.basis.columns(self.X, solution.state.columns)
        return self.plan.likelihood.log_odds(*solution.posterior.latent_moments(phi))


@dataclass(frozen=True)
class CrossFit:
    """One fit a fold; ``rows``, in order, are those that some fold leaves out, and what each counts."""

    folds: list[Fold]
    rows: Indices
    copies: Array

    def log_odds(self, likelihoods: Sequence[Likelihood] | None = None) -> Array:
        """Return the left-out log-odds of the rows, shape (n, n_outputs).

        With other likelihoods than those of the fits these go on first.
        """
        found = np.empty((len(self.rows), len(self.folds[0].solutions)))
        with unfinished_is_enough():
            for fold in self.folds:
                solutions = fold.solutions if likelihoods is None else fold.resumed(likelihoods)
                found[np.searchsorted(self.rows, fold.left_out)] = fold.log_odds(solutions)
        return found


@contextmanager
def unfinished_is_enough() -> Iterator[None]:
    """Say nothing of fits that do not converge: they are means to an end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def cross_fit(plan: FitPlan, kernel: Kernel) -> CrossFit | None:
    """Fit to the rows outside each fold; None where some class would be missing there."""
    number, stands_for = fold_numbers(plan.rows)
    y, rows = plan.rows.y, np.flatnonzero(number >= 0)
    if min(len(np.unique(number[rows[y[rows] == label]])) for label in np.unique(y)) < 2:
        return None
    part = replace(plan.rows, weight=stands_for * plan.rows.weight, copies=stands_for * plan.rows.copies)
    plan = replace(plan, rows=part)
    with unfinished_is_enough():
        folds = [
            fit_fold(plan, kernel, rows[number[rows] != each], rows[number[rows] == each])
            for each in range(FOLDS)
        ]
    return CrossFit(folds, rows, part.copies[rows])


def fit_fold(plan: FitPlan, kernel: Kernel, kept: Indices, left_out: Indices) -> Fold:
    """Fit to the rows that are kept."""
    part = part_of(plan, kept)
    problem = problem_at(part, kernel)
    solutions = [solve_output(part, problem, 0, output) for output in range(len(plan.codings))]
    return Fold(part, problem, solutions, left_out, plan.rows.X[left_out])


def part_of(plan: FitPlan, kept: Indices) -> FitPlan:
    """Return the plan of a fit to some of the rows, which tells nobody of itself."""
    rows, centres = plan.rows, plan.centres
    part = rows.only(kept)
    stands = np.isin(centres.positions, part.index) | (not centres.follow_rows)
    return replace(
        plan,
        rows=part,
        centres=Centres(
            centres.rows[stands], centres.positions[stands], distinct_rows(part.X), centres.follow_rows
        ),
        solver=plan.solver.looser(LOOSENESS),
        every_start=False,
        report=None,
        n_jobs=None,
    )


def fold_numbers(rows: TrainingRows) -> tuple[Indices, Array]:
    """Return the fold of every row, -1 for rows that are not needed, and what a row counts beside others.

    Distinct rows are dealt out class by class, in an order that only their content decides: copies of a row
    share a fold, and neither the order of the rows, nor that or the units of the inputs, nor the names of the
    classes change anything. Copies of several classes are dealt out by themselves. Where there are too many,
    rare classes are thinned out less, and each of their rows counts less.
    """
    group = rows.groups
    lowest, highest = np.full(group.max() + 1, np.iinfo(np.intp).max), np.full(group.max() + 1, -1)
    np.minimum.at(lowest, group, rows.y)
    np.maximum.at(highest, group, rows.y)
    stratum = np.where(lowest == highest, lowest, -1)
    number, step = np.full(len(stratum), -1, dtype=np.intp), np.ones(len(stratum))
    for each in np.unique(stratum):
        own = np.flatnonzero(stratum == each)
        wanted = max(FEWEST_ROWS, MOST_ROWS * len(own) // len(stratum))
        step[own] = -(-len(own) // wanted)
        kept = own[:: int(step[own[0]])]
        number[kept] = np.arange(len(kept)) % FOLDS
    return number[group], (step / step.max())[group]
