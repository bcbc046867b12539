"""Rows that are seen once: their sites are made, added to what is remembered of earlier rows, and forgotten.

What a solver knows of rows is their statistics, which add up. So the statistics of all candidate columns are
kept from block to block, those of earlier rows fading by a factor, and posterior and sparse prior follow from
the sum without the rows. The sites of a block are made where the posterior is once it has seen the block:
a few passes over the block alone find that.

Sites bound the rows' terms from below: they bend more than these do, and would keep the posterior where it
was when they were made. So what stays of a block is how its terms slope and bend at the posterior that had
seen it, a quadratic function of the coefficients, and with it how much their sites bend: sites that touch
that function wherever the posterior is now can be made of both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rowtrust.contracts import Array, Indices, Statistics
from rowtrust.inference.acceleration import with_newton_mean
from rowtrust.inference.passes import (
    LEAST_RESPONSE,
    SAME,
    RowMoments,
    block_statistics,
    curved_statistics,
    log_scale,
    one_pass,
    row_curvature,
    updated_parts,
    weighted_gram,
)
from rowtrust.inference.posterior import Posterior, expected_quadratic, solve_posterior
from rowtrust.inference.records import Problem, State
from rowtrust.inference.sequential import Selection, maximise_evidence, propose
from rowtrust.inference.working_set import FINE, MOST_CANDIDATES, ROUGH, WorkingSet
from rowtrust.priors import Prior

MOST_STEPS = 8
"""Passes over a block at most. A limit on time, not studied."""

ENOUGH = 0.05
"""Nats, per thousand rows that are remembered, below which another pass over a block is not worth it. Not
studied."""

LEAST_LOSS = 1e-7
"""Share of the targets' own squares below which the loss of rows that are gone is lost in rounding: a guard,
for targets without noise."""


@dataclass(frozen=True)
class Running:
    """What is remembered of the rows so far.

    Attributes
    ----------
    statistics
        Of all columns, in their order, with the parameters of the state. ``vector``, ``constant`` and
        ``curvature`` are of the rows' terms as they slope and bend, ``gram`` is of their sites.
    state
        The model that follows from them.
    bounds
        Lower bounds of the passes over the last rows.
    """

    statistics: Statistics
    state: State
    bounds: tuple[float, ...] = ()

    @property
    def posterior(self) -> Posterior:
        """That of the state, with the covariance to be told: the linear response."""
        columns, mean = self.state.columns, self.state.posterior.mean
        curvature = self.statistics.curvature
        curvature = self.statistics.gram if curvature is None else curvature
        curvature = curvature.take(columns, axis=0).take(columns, axis=1)
        return replace(solve_posterior(curvature, mean, self.state.precision), mean=mean)


def begun(problem: Problem, state: State) -> Running:
    """Return what is to be remembered of rows to which a state was fitted."""
    state = replace(state, memory=None, damping=None)
    order = all_columns(state, problem.engine.n_columns)
    seen: Statistics = one_pass(problem, state, order, lasting_statistics)
    return Running(seen.in_order(np.argsort(order)), state, (state.bound,))


def learned(problem: Problem, before: Running, factor: float, solver: WorkingSet) -> Running:
    """Return what is remembered after a block of rows, earlier rows counting ``factor`` times as much.

    Parameters
    ----------
    problem
        The block, and the model.
    before
        What is remembered so far.
    factor
        By how much that fades.
    solver
        Says how much a column must gain to enter.
    """
    old, state = before.statistics.scaled(factor), before.state
    safe: State | None = None
    bounds: list[float] = []
    for _ in range(MOST_STEPS):
        order = all_columns(state, problem.engine.n_columns)
        led, kept, total, restated = one_step(problem, state, old.in_order(order), order, solver)
        if safe is not None and not led.bound >= bounds[-1]:
            state, safe = safe, None
            continue
        rise = led.bound - bounds[-1] if bounds else np.inf
        bounds.append(led.bound)
        old = restated.in_order(np.argsort(order))
        settled = safe_end = led
        if rise < ENOUGH * max(1.0, total.count / 1000.0):
            break
        state, safe = onward(state, led, kept, total), safe_end
    order = all_columns(settled, problem.engine.n_columns)
    new: Statistics = one_pass(problem, settled, order, lasting_statistics)
    return Running(old + new.in_order(np.argsort(order)), settled, tuple(bounds))


def all_columns(state: State, n_columns: int) -> Indices:
    """Return every column, those of a state first."""
    return np.append(state.columns, np.setdiff1d(np.arange(n_columns), state.columns))


def one_step(
    problem: Problem, state: State, old: Statistics, order: Indices, solver: WorkingSet
) -> tuple[State, Indices, Statistics, Statistics]:
    """Make the sites of the block, and the model that follows from them and from what is remembered.

    Everything is in the order of the columns given. Returns the model, which of these columns it keeps, the
    statistics of all rows, and those that are remembered restated for its parameters.
    """
    is_bound = state.likelihood.is_bound
    reduce = curved_statistics if is_bound else block_statistics
    new: Statistics = one_pass(problem, state, order, reduce)
    total = touching(old, state) + new
    total = replace(total, loss=expected_loss_of(total, state))
    likelihood, weights, after = updated_parts(state, total)
    precision = np.full(len(order), np.inf)
    precision[: len(state.columns)] = state.precision
    chosen = choose(problem.prior, after, precision, solver.sized(after.count))
    bound = log_scale(after) + chosen.log_evidence
    led = State(order[chosen.kept], chosen.precision, chosen.posterior, likelihood, weights, bound)
    return led, chosen.kept, after, restated(old, total, after)


def touching(old: Statistics, state: State) -> Statistics:
    """Return the sites of rows that are known by slope and bend, at a state whose columns come first."""
    size, posterior = len(state.columns), state.posterior
    curvature = old.gram if old.curvature is None else old.curvature
    bend = old.gram[:, :size] - curvature[:, :size]
    shift = bend @ posterior.mean
    constant = 0.5 * expected_quadratic(bend[:size], posterior) - float(shift[:size] @ posterior.mean)
    return replace(old, vector=old.vector + shift, constant=old.constant + constant)


def expected_loss_of(statistics: Statistics, state: State) -> float:
    """Return the expected loss of all rows at a state, its columns first, from the sums of their sites."""
    size = len(state.columns)
    fit = float(statistics.vector[:size] @ state.posterior.mean)
    spread = expected_quadratic(statistics.gram[:size, :size], state.posterior)
    return max(0.5 * spread - fit - statistics.constant, LEAST_LOSS * abs(statistics.constant))


def restated(old: Statistics, total: Statistics, after: Statistics) -> Statistics:
    """Return a part of the statistics as the whole was restated when its parameters were re-estimated."""
    ratio, share = after.gram[0, 0] / total.gram[0, 0], old.count / total.count
    return replace(
        old,
        gram=ratio * old.gram,
        vector=ratio * old.vector,
        constant=ratio * old.constant,
        normaliser=old.normaliser + share * (after.normaliser - total.normaliser),
        loss=ratio * old.loss,
        curvature=None if old.curvature is None else ratio * old.curvature,
    )


def choose(prior: Prior, statistics: Statistics, precision: Array, solver: WorkingSet) -> Selection:
    """Run the sequential rule on the columns in the model and on those that are worth entering."""
    gram, vector = statistics.gram, statistics.vector
    now = maximise_evidence(prior, gram, vector, precision, np.inf)
    _, gain = propose(prior, gram, vector, now)
    gain[now.kept] = 0.0
    best = np.argsort(-gain, kind="stable")[:MOST_CANDIDATES]
    entering = best[gain[best] >= solver.entry]
    work = np.sort(np.append(now.kept, entering))
    tol = min(ROUGH, 0.1 * solver.entry) if len(entering) else FINE
    part = gram.take(work, axis=0).take(work, axis=1)
    chosen = maximise_evidence(prior, part, vector[work], precision[work], tol)
    return replace(chosen, kept=work[chosen.kept])


def onward(state: State, led: State, kept: Indices, statistics: Statistics) -> State:
    """Return where the next sites are made: where Newton's method leads, or half of the way."""
    if led.likelihood.is_bound:
        return with_newton_mean(state, led, kept, statistics)
    before = dict(zip(state.columns.tolist(), state.posterior.mean.tolist(), strict=True))
    old = np.array([before.get(column, 0.0) for column in led.columns.tolist()])
    return replace(led, posterior=replace(led.posterior, mean=0.5 * (old + led.posterior.mean)))


def lasting_statistics(rows: RowMoments, state: State) -> Statistics:
    """Reduce a block of rows to what stays of it: how its terms slope and bend, and how its sites do."""
    statistics = block_statistics(rows, state)
    curvature = row_curvature(rows, state, LEAST_RESPONSE)
    if np.allclose(curvature, rows.precision, rtol=SAME, atol=0.0):
        return replace(statistics, curvature=statistics.gram)
    less = rows.precision - curvature
    return replace(
        statistics,
        vector=statistics.vector - rows.phi.T @ (less * rows.mean),
        constant=statistics.constant + float(less @ (0.5 * rows.mean**2 - 0.5 * rows.variance)),
        curvature=weighted_gram(rows.phi, curvature),
    )
