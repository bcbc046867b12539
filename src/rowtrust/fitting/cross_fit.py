"""Fits to the rows outside each fold, and what they say of the rows inside: one table of left-out moments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rowtrust.contracts import Array, Indices
from rowtrust.fitting.candidates import fit_narrower
from rowtrust.fitting.decide import LeftOutNumbers
from rowtrust.fitting.fits import KernelFit, resumed
from rowtrust.fitting.plan import Candidate, Training, known_factors
from rowtrust.fitting.rows import TrainingRows
from rowtrust.likelihoods import Likelihood
from rowtrust.numerics.magnitudes import ROUNDING
from rowtrust.weights import Gamma

FitAll = Callable[[Training], list[KernelFit]]
"""Fits the candidates to some rows: the same ones, in the same order, whatever the rows."""


@dataclass(frozen=True)
class Fold:
    """The plan of a fit to the rows outside a fold, and the rows inside."""

    plan: Training
    inside: Indices


@dataclass(frozen=True)
class CrossFit:
    """The candidates' fits to the rows outside each fold."""

    plan: Training
    folds: list[Fold]
    fits: list[list[KernelFit]]

    @property
    def rows(self) -> Indices:
        """The rows that some fold leaves out, fold by fold."""
        return np.concatenate([fold.inside for fold in self.folds])

    @property
    def candidates(self) -> list[Candidate]:
        """The candidates, as far as they are no kernels of the user's."""
        return [fit.candidate for fit in self.fits[0] if fit.candidate is not None]

    @property
    def labels(self) -> tuple[Indices, Array]:
        """The labels of these rows, and how many copies of itself each stands for."""
        return self.plan.rows.y[self.rows], self.plan.rows.copies[self.rows]

    def with_narrower(self, place: int) -> CrossFit:
        """Return the table with one more candidate, a step narrower than one of those that are there."""
        pairs = zip(self.folds, self.fits, strict=True)
        return replace(self, fits=[[*own, fit_narrower(fold.plan, own[place])] for fold, own in pairs])

    def numbers(self) -> LeftOutNumbers:
        """Return what the candidates say of the targets."""
        moments = [
            [target_moments(self.plan, fit, fold.inside) for fit in own]
            for fold, own in zip(self.folds, self.fits, strict=True)
        ]
        rows, plan = self.rows, self.plan
        factors = known_factors(plan.weights, plan.rows)
        weight = plan.rows.weight if factors is None else plan.rows.weight * factors
        mean, variance = (
            np.vstack([np.column_stack([each[part] for each in own]) for own in moments]) for part in (0, 1)
        )
        freedom = float(np.mean([each[2] for own in moments for each in own]))
        return LeftOutNumbers(
            plan.rows.y[rows], weight[rows], mean, variance, freedom, plan.rows.copies[rows]
        )

    def log_odds(self, likelihoods: Sequence[Likelihood] | None = None) -> Array:
        """Return the log-odds of the rows by the first candidate, shape (n, n_outputs).

        With other likelihoods than those of the fits these go on first, with the columns that they have.
        """
        found = []
        for fold, (fit, *_) in zip(self.folds, self.fits, strict=True):
            after = fit if likelihoods is None else resumed(fold.plan, fit, likelihoods, grows=False)
            X = self.plan.rows.X[fold.inside]
            phi = [after.engine.basis.columns(X, state.columns) for state in after.states]
            predicted = [
                each.posterior.latent_moments(at) for each, at in zip(after.solutions, phi, strict=True)
            ]
            found.append(np.column_stack([self.plan.likelihood.log_odds(*each) for each in predicted]))
        return np.vstack(found)


def cross_fit(plan: Training, fit_all: FitAll) -> CrossFit | None:
    """Fit the candidates to the rows outside each fold; None where there are too few rows to ask."""
    number, stands_for = fold_numbers(plan)
    if not can_be_left_out(plan, number):
        return None
    rows = plan.rows
    rows = replace(rows, weight=stands_for * rows.weight, copies=stands_for * rows.copies)
    plan = replace(plan, rows=rows)
    folds = folds_of(plan, number)
    return CrossFit(plan, folds, [fit_all(fold.plan) for fold in folds])


def can_be_left_out(plan: Training, number: Indices) -> bool:
    """Whether there are rows enough for folds: of all, and of every class outside each."""
    if not plan.is_of_classes:
        return len(plan.rows.distinct) >= plan.budget.fewest_rows
    y = plan.rows.y
    return min(len(np.unique(number[(y == label) & (number >= 0)])) for label in np.unique(y)) > 1


def folds_of(plan: Training, number: Indices) -> list[Fold]:
    """Return the plans of fits to the rows outside each fold."""
    rows = np.flatnonzero(number >= 0)
    return [
        Fold(few_steps(plan.part(rows[number[rows] != each])), rows[number[rows] == each])
        for each in range(number.max() + 1)
    ]


def few_steps(plan: Training) -> Training:
    """Return a plan whose fits of numbers take few steps: those that interpolate take hundreds."""
    return plan if plan.is_of_classes else replace(plan, max_iter=min(plan.budget.fold_steps, plan.max_iter))


def fold_numbers(plan: Training) -> tuple[Indices, Array]:
    """Return the fold of every row, -1 for rows that are not needed, and what a row counts beside others.

    Distinct rows are dealt out class by class, in an order that only their content decides: copies of a row
    share a fold, and neither the order of the rows, nor that or the units of the inputs, nor the names of the
    classes change anything. Copies of several classes are dealt out by themselves. Where there are too many,
    rare classes are thinned out less, and each of their rows counts less.
    """
    group, budget = plan.rows.groups, plan.budget
    if not plan.is_of_classes:
        dealt = np.random.RandomState(0).permutation(int(group.max()) + 1)
        return dealt[group] % budget.number_folds, np.ones(len(group))
    stratum = strata(plan.rows, group)
    number, step = np.full(len(stratum), -1, dtype=np.intp), np.ones(len(stratum))
    for each in np.unique(stratum):
        own = np.flatnonzero(stratum == each)
        wanted = max(budget.held_out_class_rows, budget.held_out_rows * len(own) // len(stratum))
        step[own] = -(-len(own) // wanted)
        kept = own[:: int(step[own[0]])]
        number[kept] = np.arange(len(kept)) % budget.class_folds
    return number[group], (step / step.max())[group]


def strata(rows: TrainingRows, group: Indices) -> Indices:
    """Return the class of every distinct row, -1 where its copies have several."""
    lowest, highest = np.full(group.max() + 1, np.iinfo(np.intp).max), np.full(group.max() + 1, -1)
    np.minimum.at(lowest, group, rows.y)
    np.maximum.at(highest, group, rows.y)
    return np.where(lowest == highest, lowest, -1)


def target_moments(plan: Training, fit: KernelFit, rows: Indices) -> tuple[Array, Array, float]:
    """Return mean and variance of the targets of rows, and the degrees of freedom of their noise."""
    solution = fit.solutions[0]
    state = solution.state
    phi = fit.engine.basis.columns(plan.rows.X[rows], state.columns)
    predicted = state.likelihood.predict(*solution.posterior.latent_moments(phi))
    freedom = 2.0 * state.weights.trust if isinstance(state.weights, Gamma) else np.inf
    return predicted.mean, np.maximum(predicted.variance, ROUNDING), float(freedom)
