"""The fast solver: score many columns in one pass, decide among few of them without the data.

Each step makes one pass over the rows with the columns in the model, and runs the sequential rule on
the small Gram matrix of that pass: a refresh of sites, weights and likelihood. When little more is gained, a
second pass scores the columns that are out, and the best, mutually dissimilar ones join the working set
of that step. While there are more columns than a pool holds, the pool is scored, and all columns only once
the pool has nothing more to give: column generation, as linear programming knows it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

import numpy as np

from rowtrust.contracts import Array, Indices, Statistics
from rowtrust.inference.passes import gather, log_scale, updated_parts
from rowtrust.inference.posterior import Posterior
from rowtrust.inference.records import Info, Problem, State
from rowtrust.inference.scoring import dissimilar, score_candidates
from rowtrust.inference.sequential import COLLINEAR, Selection, maximise_evidence
from rowtrust.priors import Prior

JOINT_RESTART, LAST_RESTARTS = 1e-2, (1e-4, 1e-6)
"""Prior precision, as a share of what the rows say beside the bias, with which all candidates are let in at
once; the smaller ones, before the end, find columns that are large and of opposite sign. Set while watching
bounds on Ripley's data and moons; a factor of ten either way finds much the same maxima."""

RESTLESS = 5.0
"""A model that still moved by this many nats when it was shown every column has not converged: it is looked
at again. Set with the former; the last passes decide, not this."""

WARM_START_FACTOR = 100.0
"""How many times ``tol`` ends the warm start, which need not be exact."""

ENTRY_FACTOR = 100.0
"""How many times ``tol`` a column must gain to enter: every column costs passes."""

PATIENCE = 0.1
"""Refreshing goes on, unscored, while it gains more than this share of what the last scoring gained."""

WORTH = 0.1
"""Nats that a column must bring when a joint restart replaces a converged model."""

NONE = np.empty(0, dtype=np.intp)


class Phase(Enum):
    """What the next step is for."""

    REFRESH = auto()
    """Sites, weights and likelihood are made again from the model."""

    SCORE = auto()
    """Candidates from the pool may enter first."""

    VERIFY = auto()
    """As SCORE, for a settled model: if the pool has nothing more to give, all columns are scored."""

    POLISH = auto()
    """Every column was scored and none is worth entering: refresh until converged."""


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
    patience
        Refreshing goes on, unscored, while it gains more than this many nats.
    """

    pool: Indices
    phase: Phase = Phase.SCORE
    warm_start: bool = False
    patience: float = 0.0


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
    pool
        Columns to score from now on.
    """

    entering: Indices
    gain: float
    complete: bool
    pool: Indices


@dataclass(frozen=True)
class WorkingSet:
    """Column generation for the sparse prior.

    Parameters
    ----------
    tol
        Stop when a refresh gains less than this many nats, and no single column more than a hundred times
        as many.
    pool_size
        Columns scored at each scoring; all of them only to verify the end.
    candidates
        Columns that may enter the working set at a time.
    seed
        Of the draw of the pool.
    """

    tol: float = 1e-3
    pool_size: int = 512
    candidates: int = 64
    seed: int = 0

    def start(self, problem: Problem) -> State:
        """Begin with the bias alone, and with the weights with which a fit had better begin."""
        weights = problem.weights.start(problem.likelihood.weight_exponent)
        memory = Memory(self._first_pool(problem.engine.n_columns), warm_start=weights is not problem.weights)
        return State(
            columns=np.zeros(1, dtype=np.intp),
            precision=np.ones(1),
            posterior=Posterior(np.zeros(1), np.zeros((1, 1)), 0.0),
            likelihood=problem.likelihood,
            weights=weights,
            bound=-np.inf,
            memory=memory,
        )

    def step(self, problem: Problem, state: State) -> tuple[State, Info]:
        """Score if it is time; then one pass with the working set, and the sequential rule on it."""
        memory: Memory = state.memory
        found = self._find_candidates(problem, state)
        working = np.concatenate([state.columns, found.entering])
        precision = np.concatenate([state.precision, np.full(len(found.entering), np.inf)])
        likelihood, weights, statistics = updated_parts(state, gather(problem, state, working))
        chosen = self._choose(problem.prior, statistics, precision, memory, found)
        bound = log_scale(statistics) + chosen.log_evidence
        rise = bound - state.bound
        # A bound that never falls has settled when it hardly rises; another value when it hardly moves.
        moved = rise if state.likelihood.is_bound else abs(rise)
        settled = moved < self.tol * (WARM_START_FACTOR if memory.warm_start else 1.0)
        memory = self._next(memory, found, rise, settled)
        if memory.warm_start and memory.phase is Phase.POLISH:
            weights, memory = problem.weights, Memory(memory.pool, Phase.REFRESH)
        kept = working[chosen.kept]
        new = State(kept, chosen.precision, chosen.posterior, likelihood, weights, bound, memory)
        converged = settled and memory.phase is Phase.POLISH
        return new, Info(bound, max(found.gain, moved), len(kept), converged)

    def finish(self, problem: Problem, state: State) -> State:
        """Return the state with the problem's own weights, should it have ended in the warm start."""
        return replace(state, weights=problem.weights) if state.memory.warm_start else state

    def _first_pool(self, n_columns: int) -> Indices:
        """Draw the columns that are scored first; the bias is one of them."""
        if n_columns <= self.pool_size:
            return np.arange(n_columns)
        drawn = 1 + np.random.default_rng(self.seed).permutation(n_columns - 1)[: self.pool_size]
        return np.union1d(0, drawn)

    def _enters(self, gain: float) -> bool:
        return gain >= ENTRY_FACTOR * self.tol

    def _is_verified(self, memory: Memory, found: Candidates) -> bool:
        """Whether a settled model was shown every column, and none is worth entering.

        The warm start is content with the pool.
        """
        shown = found.complete or memory.warm_start
        return memory.phase is Phase.VERIFY and shown and not self._enters(found.gain)

    def _choose(
        self, prior: Prior, statistics: Statistics, precision: Array, memory: Memory, found: Candidates
    ) -> Selection:
        """Run the sequential rule; after a scoring, also from joint restarts, and keep the best."""
        chosen = maximise_evidence(prior, statistics.gram, statistics.vector, precision, self.tol)
        restarts = [JOINT_RESTART] if memory.phase in (Phase.SCORE, Phase.VERIFY) else []
        restarts += LAST_RESTARTS if self._is_verified(memory, found) else ()
        for share in restarts:
            chosen = joint_restart(prior, statistics, precision, chosen, share, self.tol)
        return chosen

    def _next(self, memory: Memory, found: Candidates, rise: float, settled: bool) -> Memory:
        """Decide what comes next: score once a refresh gains little beside the last scoring."""
        if memory.phase is Phase.POLISH:
            return memory
        if memory.phase is Phase.REFRESH:
            if not (settled or rise < memory.patience):
                return memory
            return replace(memory, phase=Phase.VERIFY if settled else Phase.SCORE)
        verified = self._is_verified(memory, found) and rise < RESTLESS
        return replace(
            memory,
            pool=found.pool,
            phase=Phase.POLISH if verified else Phase.REFRESH,
            patience=PATIENCE * rise if self._enters(found.gain) else 0.0,
        )

    def _find_candidates(self, problem: Problem, state: State) -> Candidates:
        """Find columns in the pool or, once it has nothing more to give, everywhere."""
        memory: Memory = state.memory
        pool, n_columns = memory.pool, problem.engine.n_columns
        if memory.phase not in (Phase.SCORE, Phase.VERIFY):
            return Candidates(NONE, 0.0, False, pool)
        problem.engine.cache(pool)
        scored, gain = pool, score_candidates(problem, state, pool)
        exhausted = memory.phase is Phase.VERIFY and not memory.warm_start and not self._enters(gain.max())
        if exhausted and len(pool) < n_columns:
            scored = np.arange(1, n_columns)
            gain = score_candidates(problem, state, scored)
            best = scored[np.argsort(-gain, kind="stable")[: self.pool_size]]
            pool = np.union1d(state.columns, best)
        entering = dissimilar(problem, scored, gain, self.candidates)
        complete = len(scored) >= n_columns - 1
        return Candidates(entering, float(gain.max(initial=0.0)), complete, pool)


def joint_restart(
    prior: Prior, statistics: Statistics, precision: Array, stuck: Selection, share: float, tol: float
) -> Selection:
    """Try to leave a local maximum: let every column of the working set in at once, and prune.

    Adding one column at a time cannot find two that are only good together. A restart that wins by little
    for each column it adds is the same model with copies, and is dropped.
    """
    gram = statistics.gram
    beside_bias = np.diagonal(gram) - gram[0] ** 2 / gram[0, 0]
    newcomers = np.where(beside_bias > COLLINEAR * np.diagonal(gram), share * beside_bias, np.inf)
    everyone = np.where(np.isfinite(precision), precision, newcomers)
    pruned = maximise_evidence(prior, gram, statistics.vector, everyone, tol)
    more_columns = max(1, len(pruned.kept) - len(stuck.kept))
    return pruned if pruned.log_evidence > stuck.log_evidence + WORTH * more_columns else stuck
