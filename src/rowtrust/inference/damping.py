"""Steps with sites that bound nothing: mixed with those before, and shortened when the bound falls.

Sites by quadrature make a full step of variational inference with a Gaussian posterior: natural gradients
with step one, which can overshoot and cycle. Their sums over rows are the posterior's natural parameters, so
that to mix the sums of two passes is to take a shorter step (Khan & Lin 2017), and no row's own site is
remembered. The fixed points are those of full steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rowtrust.contracts import Array, Indices, Statistics
from rowtrust.engines import Engine
from rowtrust.inference.posterior import Posterior
from rowtrust.inference.records import State

SHORTEN, LENGTHEN = 0.5, 1.2
"""Factors on the step after the bound fell, and after it rose. Of nine probit and Poisson fits eight end the
same with 0.25 or 0.7 and 1.2, and with 0.5 and 1.4; seven with 0.5 and 1.1, one 0.5 nats lower. The other, of
nearly separable classes, takes 82 steps here and 110 to 213 there, and ends 0.3 to 0.9 nats lower."""

SHORTEST = 1.0 / 64.0
"""The shortest step: a guard, as none of these fits needs one below 0.3. Four times or a quarter of it
changes nothing."""

LARGEST_CHANGE = 5.0
"""Largest change of the latent function in a step: far from a solution the curvature of a likelihood can
vanish, and a whole step would leave the range of numbers. No fit is limited at its end. Half of it ends 0.5
nats lower in one and 2 lower in another of these nine fits; with twice of it the one of nearly separable
classes has not converged after 400 steps, and one gains 0.3."""


@dataclass(frozen=True)
class Damping:
    """Sums of sites mixed over passes.

    Attributes
    ----------
    columns, gram, vector
        The sums, and the columns that they are of.
    bound
        The exact lower bound at the last pass.
    step
        Share of the new sites in the mixture.
    best
        The state with the highest bound so far: steps may fall, an answer may not.
    """

    columns: Indices
    gram: Array
    vector: Array
    bound: float = -np.inf
    step: float = 1.0
    best: State | None = None

    def after(self, state: State, bound: float) -> Damping:
        """Return the damping with a step that suits how the bound, measured at a state, has moved."""
        factor = SHORTEN if bound < self.bound else LENGTHEN
        step = float(np.clip(factor * self.step, SHORTEST, 1.0))
        is_best = self.best is None or bound > self.best.bound
        best = replace(state, bound=bound, damping=None) if is_best else self.best
        return replace(self, bound=bound, step=step, best=best)

    def best_of(self, state: State) -> State:
        """Return a state, or the best one so far if that is better."""
        return state if self.best is None or self.best.bound <= state.bound else self.best

    def mixed(self, columns: Indices, statistics: Statistics) -> tuple[Damping, Statistics]:
        """Mix new statistics of ``columns``; once columns enter, of which nothing is known, begin anew."""
        gram, vector = statistics.gram, statistics.vector
        if np.isin(columns, self.columns).all():
            order = np.argsort(self.columns)
            where = order[np.searchsorted(self.columns[order], columns)]
            gram = self.step * gram + (1.0 - self.step) * self.gram[np.ix_(where, where)]
            vector = self.step * vector + (1.0 - self.step) * self.vector[where]
        mixed = replace(statistics, gram=gram, vector=vector)
        return replace(self, columns=columns, gram=gram, vector=vector), mixed


def damped(
    state: State, columns: Indices, statistics: Statistics, updated: Statistics
) -> tuple[Damping, Statistics]:
    """Return the statistics to step with, and the damping to remember.

    Parameters
    ----------
    state, columns
        Where the statistics were gathered, and for which columns.
    statistics, updated
        As they were gathered, and restated after likelihood and weights were re-estimated.
    """
    so_far: Damping = state.damping or Damping(columns, updated.gram, updated.vector)
    return so_far.after(state, exact_bound(state, statistics)).mixed(columns, updated)


def exact_bound(state: State, statistics: Statistics) -> float:
    """Return ``E ln p(t|f) - KL(q || prior)`` at a state, from statistics that were gathered there."""
    posterior, precision = state.posterior, state.precision
    weighted = precision @ (posterior.variance + posterior.mean**2)
    divergence = 0.5 * (
        float(weighted) - len(precision) + posterior.log_determinant - float(np.log(precision).sum())
    )
    return statistics.normaliser - statistics.loss - divergence


def limited(engine: Engine, state: State, columns: Indices, posterior: Posterior) -> Posterior:
    """Return the posterior, its mean no further from the state's than ``LARGEST_CHANGE`` allows."""
    before, after = (
        engine.probe(each) @ mean
        for each, mean in ((state.columns, state.posterior.mean), (columns, posterior.mean))
    )
    change = float(np.abs(after - before).max())
    if change <= LARGEST_CHANGE:
        return posterior
    share = LARGEST_CHANGE / change
    old = dict(zip(state.columns.tolist(), state.posterior.mean.tolist(), strict=True))
    kept = np.array([old.get(column, 0.0) for column in columns.tolist()])
    return replace(posterior, mean=share * posterior.mean + (1.0 - share) * kept)
