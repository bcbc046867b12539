"""The fast solver: score many columns in one pass, decide among few of them without the data.

Each step makes one pass over the rows with the columns in the model, and runs the sequential rule on
the small Gram matrix of that pass: a refresh of sites, weights and likelihood. When little more is gained, a
second pass scores the columns that are out, and the best, mutually dissimilar ones join the working set
of that step. While there are more columns than a pool holds, the pool is scored, and all columns only once
the pool has nothing more to give: column generation, as linear programming knows it.

Figures in the lines of the constants, here and in ``scoring`` and ``sequential``: bounds at two fixed widths
each, eight seeds, of RVC and RobustRVC on Ripley's data (250 rows) and moons (300), both with 10 % flips, of
RVR and RobustRVR on Friedman #1 (240, the latter with a tenth of outliers), and of RobustRVR on sinc (100,
likewise). On Friedman #1 a narrow width has maxima dozens of nats apart, and any change leads to another one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

import numpy as np

from rowtrust.contracts import Array, Indices, Statistics
from rowtrust.inference.damping import Damping, damped, limited
from rowtrust.inference.passes import gather, log_scale, updated_parts
from rowtrust.inference.posterior import first_posterior
from rowtrust.inference.records import Info, Problem, State
from rowtrust.inference.scoring import dissimilar, score_candidates
from rowtrust.inference.sequential import COLLINEAR, Selection, maximise_evidence
from rowtrust.priors import Prior

JOINT_RESTART, LAST_RESTARTS = 1e-2, (1e-4, 1e-6)
"""Prior precision, as a share of what the rows say beside the bias, with which all candidates are let in at
once; the smaller ones, before the end, find columns that are large and of opposite sign. Set while watching
bounds on Ripley's data and moons. A tenth or ten times the first moves the mean bound of classifiers by 0.3
nats at most, single ones by 3; that of RVR on Friedman #1 by +9 and -6, and one sinc fit in sixteen loses
more than 20. A tenth or ten times the last ones moves no mean by more than 0.3; without them sinc loses 4
nats in the mean."""

RESTLESS = 5.0
"""A model that still moved by this many nats when it was shown every column has not converged: it is looked
at again. Set with the former. Half of it changes one fit in 112, by +33 nats on Friedman #1; twice costs sinc
0.1 in the mean."""

WARM_START_FACTOR = 100.0
"""How many times ``tol`` ends the warm start of a robust classifier, which need not be exact. A tenth or ten
times as many moves mean bounds by less than 0.1 nats (one fit in 32 by 1.2) and takes 12 % more or 6 % fewer
steps."""

ENTRY_FACTOR = 100.0
"""How many times ``tol`` a column must gain to enter: every column costs passes, and with less the second
scoring of all columns took longer than the rest of a fit to thousands of rows. A tenth of it raises the mean
bound by 0.2 nats at most for classes, by 1 to 3 on Friedman #1; ten times as much costs 0.1 there and 3 to 4
here."""

PATIENCE = 0.1
"""Refreshing goes on, unscored, while it gains more than this share of what the last scoring gained. It does
not matter much: with half or twice of it mean bounds differ by less than 0.1 nats, but for RobustRVR on
Friedman #1, which gains 0.8 and loses 0.3."""

WORTH = 0.1
"""Nats that a column must bring when a joint restart replaces a converged model. Half of it moves no mean
bound by more than 0.8 nats; twice costs up to 0.8, on sinc 1.5 (one fit in sixteen 22), and ten times 15 on
Friedman #1."""

POOL_SIZE = 512
"""Columns that are scored at each scoring while there are more. Half or twice as many end 0.4 and 0.7 nats
lower in the mean, in 0.8 and 1.2 times the time (RVC, Ripley's data and moons, 2000 rows, four seeds each):
other maxima, not better ones."""

MOST_CANDIDATES = 64
"""Columns that may enter the working set at a time. Half as many end 1.0 nats lower in the mean, a quarter
1.8, and twice as many 0.6 higher in the same time (the same fits): more might serve."""

NO_COLUMNS = np.empty(0, dtype=np.intp)
"""What enters while nothing is scored."""


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
    verified_bound
        The highest exact bound of a damped fit when it was last shown every column.
    """

    pool: Indices
    phase: Phase = Phase.SCORE
    warm_start: bool = False
    patience: float = 0.0
    verified_bound: float = -np.inf


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
    pool_size: int = POOL_SIZE
    candidates: int = MOST_CANDIDATES
    seed: int = 0

    def start(self, problem: Problem) -> State:
        """Begin with the bias alone, and with the weights with which a fit had better begin."""
        weights = problem.weights.start(problem.likelihood.weight_exponent)
        # Sites that bound nothing tell which columns to take only near a solution: first the bias alone.
        memory = Memory(
            pool=self._first_pool(problem.engine.n_columns),
            phase=Phase.SCORE if problem.likelihood.is_bound else Phase.REFRESH,
            warm_start=weights is not problem.weights,
        )
        return State(
            columns=np.zeros(1, dtype=np.intp),
            precision=np.ones(1),
            posterior=first_posterior(1, problem.likelihood.is_bound),
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
        gathered = gather(problem, state, working)
        likelihood, weights, statistics = updated_parts(state, gathered)
        damping = None
        if not likelihood.is_bound:
            damping, statistics = damped(state, working, gathered, statistics)
        chosen = self._choose(problem.prior, statistics, precision, memory, found, damping is None)
        bound = log_scale(statistics) + chosen.log_evidence if damping is None else damping.bound
        rise = bound - state.bound
        kept, posterior = working[chosen.kept], chosen.posterior
        settled = self._is_settled(rise, memory, damping)
        if damping is not None:
            posterior = limited(problem.engine, state, kept, posterior)
            settled = settled and np.array_equal(kept, state.columns)
        memory = self._next(memory, found, rise, settled, damping)
        if memory.warm_start and memory.phase is Phase.POLISH:
            weights, memory = problem.weights, Memory(memory.pool, Phase.REFRESH)
        new = State(kept, chosen.precision, posterior, likelihood, weights, bound, memory, damping)
        converged = settled and memory.phase is Phase.POLISH
        return new, Info(bound, max(found.gain, abs(rise) if damping else rise), len(kept), converged)

    def finish(self, problem: Problem, state: State) -> State:
        """Return the best state, with the problem's own weights should it have ended in the warm start."""
        state = state if state.damping is None else state.damping.best_of(state)
        return replace(state, weights=problem.weights) if state.memory.warm_start else state

    def _first_pool(self, n_columns: int) -> Indices:
        """Draw the columns that are scored first; the bias is one of them."""
        if n_columns <= self.pool_size:
            return np.arange(n_columns)
        drawn = 1 + np.random.default_rng(self.seed).permutation(n_columns - 1)[: self.pool_size]
        return np.union1d(0, drawn)

    def _enters(self, gain: float) -> bool:
        return gain >= ENTRY_FACTOR * self.tol

    def _is_settled(self, rise: float, memory: Memory, damping: Damping | None) -> bool:
        """Whether a step gained less than ``tol``; a damped one, whether it moved by less, were it whole."""
        tol = self.tol * (WARM_START_FACTOR if memory.warm_start else 1.0)
        return rise < tol if damping is None else abs(rise) < tol * damping.step

    def _is_verified(self, memory: Memory, found: Candidates) -> bool:
        """Whether a settled model was shown every column, and none is worth entering.

        The warm start is content with the pool.
        """
        shown = found.complete or memory.warm_start
        return memory.phase is Phase.VERIFY and shown and not self._enters(found.gain)

    def _choose(
        self,
        prior: Prior,
        statistics: Statistics,
        precision: Array,
        memory: Memory,
        found: Candidates,
        may_restart: bool,
    ) -> Selection:
        """Run the sequential rule; after a scoring, also from joint restarts, and keep the best.

        A restart goes far from where the sites were made, so that only a bound can tell whether it is better.
        """
        chosen = maximise_evidence(prior, statistics.gram, statistics.vector, precision, self.tol)
        restarts = [JOINT_RESTART] if memory.phase in (Phase.SCORE, Phase.VERIFY) else []
        restarts += LAST_RESTARTS if self._is_verified(memory, found) else ()
        for share in restarts if may_restart else ():
            chosen = joint_restart(prior, statistics, precision, chosen, share, self.tol)
        return chosen

    def _next(
        self, memory: Memory, found: Candidates, rise: float, settled: bool, damping: Damping | None
    ) -> Memory:
        """Decide what comes next: score once a refresh gains little beside the last scoring."""
        if memory.phase is Phase.POLISH:
            return memory
        if memory.phase is Phase.REFRESH:
            fell = damping is not None and rise < 0.0  # a damped step may: it says nothing of what is left
            if not (settled or rise < memory.patience) or (fell and not settled):
                return memory
            return replace(memory, phase=Phase.VERIFY if settled else Phase.SCORE)
        best = np.inf if damping is None or damping.best is None else damping.best.bound
        # Sites that bound nothing may promise again and again what a column then does not keep.
        in_vain = memory.phase is Phase.VERIFY and best < memory.verified_bound + ENTRY_FACTOR * self.tol
        verified = in_vain or (self._is_verified(memory, found) and rise < RESTLESS)
        return replace(
            memory,
            pool=found.pool,
            verified_bound=best if memory.phase is Phase.VERIFY else memory.verified_bound,
            phase=Phase.POLISH if verified else Phase.REFRESH,
            patience=PATIENCE * rise if self._enters(found.gain) else 0.0,
        )

    def _find_candidates(self, problem: Problem, state: State) -> Candidates:
        """Find columns in the pool or, once it has nothing more to give, everywhere."""
        memory: Memory = state.memory
        pool, n_columns = memory.pool, problem.engine.n_columns
        if memory.phase not in (Phase.SCORE, Phase.VERIFY):
            return Candidates(NO_COLUMNS, 0.0, False, pool)
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
