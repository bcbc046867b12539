"""The fast solver: score many columns in one pass, decide among few of them without the data.

Each step is one pass over the rows with the columns in the model, and the sequential rule on the small Gram
matrix of that pass. Sites, weights and likelihood are made again where the pass leads, or where Newton's
method says that it would lead. When little more is gained a pass also scores columns that are out, and the
best, mutually dissimilar ones join the working set of the next step. While there are more columns than a pool
holds, the pool is scored, and all columns only once the pool has nothing more to give: column generation, as
linear programming knows it.

Figures in the lines of the constants, here and in ``scoring``, ``restarts`` and ``sequential``: bounds at two
fixed widths each, eight seeds, of RVC and RobustRVC on Ripley's data (250 rows) and moons (300), both with
10 % flips, of RVR and RobustRVR on Friedman #1 (240, the latter with a tenth of outliers), and of RobustRVR
on sinc (100, likewise). On Friedman #1 a narrow width has maxima dozens of nats apart, and any change leads
to another one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rowtrust.contracts import Array, Indices, Statistics
from rowtrust.inference.acceleration import (
    hyper_step,
    next_secants,
    with_extrapolated_parts,
    with_newton_mean,
    with_secant_mean,
)
from rowtrust.inference.damping import Damping, damped, limited
from rowtrust.inference.noise import MANY_COLUMNS, with_settled_noise
from rowtrust.inference.passes import log_scale, updated_parts
from rowtrust.inference.phases import NO_COLUMNS, SETTLED, Candidates, Memory, Phase, left_to_gain
from rowtrust.inference.posterior import first_posterior
from rowtrust.inference.records import Info, Problem, State
from rowtrust.inference.restarts import JOINT_RESTART, LAST_RESTART, joint_restart
from rowtrust.inference.scoring import Scores, dissimilar, gains, scored_pass
from rowtrust.inference.sequential import Selection, maximise_evidence
from rowtrust.priors import Prior

RESTLESS = 5.0
"""A model that still moved by this many nats when it was shown every column has not converged: it is looked
at again. Half of it changes one fit in 112, by +33 nats on Friedman #1; twice costs sinc 0.1 in the mean."""

FEW_ROWS = 1000.0
"""Rows up to which a nat is a nat. With more, ``tol``, ``entry`` and ``SETTLED`` grow in proportion: a column
that gains a tenth of a nat among ten thousand rows changes hardly a prediction and costs as many passes as
any. On a synthetic table of 8600 x 4 with a tenth of outliers RobustRVR takes 168 passes at the best width
instead of 306, at the same bound within 4 nats; the error of the function is 0.069 instead of 0.060, where
the noise has 0.1."""

MANY_STEPS, TIRING = 100, 10.0
"""Steps after which ``tol`` and ``entry`` begin to grow, and in how many they double. After 200 steps a fit
ends with two nats left to gain: classes that hardly overlap drift apart for ever, each step by less."""

WARM = 1.0
"""Both of them while the weights are not yet the fit's own, which need not be exact. A tenth takes 23 passes
in the median instead of 20 and ends 0.07 nats higher in the mean; five times as much gains nothing
(RobustRVC, half A of the tables, up to 500 rows, four widths)."""

PATIENCE = 0.1
"""Refreshing goes on, unscored, while it gains more than this share of what the last scoring gained. It does
not matter much: with half or twice of it mean bounds differ by less than 0.1 nats, but for RobustRVR on
Friedman #1, which gains 0.8 and loses 0.3."""

ROUGH, FINE = 1e-2, 1e-3
"""The sequential rule ends when no action gains more nats: the first where columns may enter, which the next
step looks at again, the second elsewhere. The second in place of the first takes a tenth longer and moves no
mean by more than 0.2 nats; the first in place of the second leaves four fits in ten more than 0.1 nats short
(the same fits)."""

LATE_STEPS = 10
"""Steps with a fit's own weights where ``max_iter`` ended it before it came to them: a robust fit is robust
however early it is stopped. Newton's method needs about as many."""

JOINT_LOOSENESS = 100.0
"""How many times further from converged a softmax may end: its sites bend too much where classes are far
apart, and the last nats, a few dozen on digits, take nine passes in ten and delete columns that left-out rows
miss. A tenth of it gives errors of 14.6 % for 13.5 % and log losses of 0.338 for 0.336 on half A's tables of
several classes, in 1.3 times the time (three splits)."""


@dataclass(frozen=True)
class WorkingSet:
    """Column generation for the sparse prior.

    Parameters ---------- tol : float, default=2e-3 Stop when fewer nats than this are left to gain with the
    columns in the model, as far as the last two steps tell. entry : float, default=0.2 Nats that a column
    must gain to enter: every column costs passes. Half and twice and a half of it end 0.01 nats higher and
    lower in the mean for classes, 1 to 3 in regression, where single fits differ by 30 either way (half A of
    the tables, up to 500 rows, four widths). With 0.3 and more one split of yacht's data in eight ends in a
    maximum of three times the error. Passes on diamonds, of half B, were looked at too: with half of it
    RobustRVR takes up to 290 for 3000 rows. pool_size : int, default=512 Columns scored at each scoring; all
    of them only to verify the end. Half or twice as many end 0.4 and 0.7 nats lower in the mean, in 0.8 and
    1.2 times the time (RVC, Ripley's data and moons, 2000 rows, four seeds each): other maxima, not better
    ones. candidates : int, default=64 Columns that may enter the working set at a time. Half as many end 1.0
    nats lower in the mean, a quarter 1.8, and twice as many 0.6 higher in the same time (the same fits): more
    might serve. seed : int, default=0 Of the draw of the pool. accelerated : bool, default=True Whether sites
    are made where Newton's method leads, or where the last step did. scoring_steps : int or None,
    default=None Steps in which the pool may be scored, and never all columns; None: until none is worth
    entering. thinning : int, default=1 Every how manyth row tells the curvature for guesses.

    Examples -------- :func:`solve` runs it; ``looser`` and ``replace`` make others of it:

    >>> from rowtrust.inference import WorkingSet
    >>> WorkingSet(tol=0.5).looser(4.0).tol
    2.0
    """

    is_reference: ClassVar[bool] = False

    tol: float = 2e-3
    entry: float = 0.2
    pool_size: int = 512
    candidates: int = 64
    seed: int = 0
    accelerated: bool = True
    scoring_steps: int | None = None
    thinning: int = 1

    def start(self, problem: Problem) -> State:
        """Begin with the bias alone, and with the weights with which the fit is to begin."""
        weights = problem.first_weights or problem.weights
        shape = problem.coding(np.zeros(1, dtype=np.intp)).shape[1:]
        # Sites that bound nothing tell which columns to take only near a solution: first the bias alone.
        memory = Memory(
            pool=self._first_pool(problem.engine.n_columns),
            phase=Phase.SCORE if problem.likelihood.is_bound else Phase.REFRESH,
            warm_start=weights is not problem.weights,
        )
        return State(
            columns=np.zeros(1, dtype=np.intp),
            precision=np.ones(1),
            posterior=first_posterior(1, problem.likelihood.is_bound, shape),
            likelihood=problem.likelihood,
            weights=weights,
            bound=-np.inf,
            memory=memory,
        )

    def resumed(
        self, problem: Problem, state: State, grows: bool = True, pool: Indices | None = None
    ) -> State:
        """Go on from the columns of a state, as after a warm start; a pool that is given is scored first."""
        phase = Phase.REFRESH if pool is None else Phase.SCORE
        pool = np.union1d(self._first_pool(problem.engine.n_columns) if pool is None else pool, state.columns)
        memory = Memory(pool, phase, patience=PATIENCE)
        if not grows:
            memory = Memory(pool, Phase.POLISH, growing=False)
        return replace(
            state,
            likelihood=problem.likelihood,
            weights=problem.weights,
            bound=-np.inf,
            memory=memory,
            damping=None,
        )

    def looser(self, factor: float) -> WorkingSet:
        """Return a solver that ends so many times further from converged, with the same columns."""
        return replace(self, tol=factor * self.tol)

    def frugal(self, scoring_steps: int, candidates: int, thinning: int) -> WorkingSet:
        """Return a solver for many rows: the pool is scored in the first steps, and so many columns enter."""
        return replace(self, scoring_steps=scoring_steps, candidates=candidates, thinning=thinning)

    def sized(self, count: float, steps: int = 0) -> WorkingSet:
        """Return the solver for so many rows: beyond ``FEW_ROWS`` it is the gain of each row that counts.

        And after many steps it asks for more of what is left.
        """
        late = min(max(0, steps - MANY_STEPS), MANY_STEPS)
        factor = max(1.0, count / FEW_ROWS) * 2.0 ** (late / TIRING)
        return self if factor == 1.0 else replace(self, tol=factor * self.tol, entry=factor * self.entry)

    def step(self, problem: Problem, state: State) -> tuple[State, Info]:
        """Go over the rows once, score columns if it is time, and run the sequential rule."""
        memory: Memory = state.memory
        scored, entering = self._scored(problem, memory), self._entering(memory)
        working = np.concatenate([state.columns, entering])
        precision = np.concatenate([state.precision, np.full(len(entering), np.inf)])
        is_bound = state.likelihood.is_bound
        curved = self.accelerated and is_bound and not state.likelihood.is_joint
        scores = scored_pass(problem, state, working, scored, curved, self.thinning)
        sized = self.sized(scores.inside.count, memory.steps)
        sized = sized.looser(JOINT_LOOSENESS) if state.likelihood.is_joint else sized
        likelihood, weights, statistics = updated_parts(state, scores.inside)
        damping = None
        if not is_bound:
            damping, statistics = damped(state, working, scores.inside, statistics)
        chosen = sized._choose(problem.prior, statistics, precision, memory, is_bound)
        if is_bound and not memory.growing and len(chosen.kept) >= MANY_COLUMNS:
            likelihood, statistics, chosen = with_settled_noise(
                problem.prior, likelihood, statistics, chosen, FINE
            )
        bound = log_scale(statistics) + chosen.log_evidence if damping is None else damping.bound
        if memory.safe is not None and not bound >= state.bound:
            return self.step(problem, replace(memory.safe, memory=memory.without_guess()))
        if state.likelihood.is_joint and not bound >= state.bound:
            # Sites of rows that became less clear bend more, and cost more than was left to gain.
            ended = replace(memory, phase=Phase.POLISH, growing=False)
            return replace(state, memory=ended), Info(state.bound, 0.0, len(state.columns), True)
        model = (working[chosen.kept], chosen.precision, chosen.posterior)
        led = State(*model, likelihood, weights, bound, None, damping)
        rise = bound - state.bound
        left = left_to_gain(rise, state, led)
        memory = sized._next(memory, self._found(problem, state, scored, scores), rise, left, damping)
        if memory.warm_start and memory.phase is Phase.POLISH:
            # The bound is of other weights: not to compare.
            led = replace(led, weights=problem.weights, bound=-np.inf, damping=None)
            memory = Memory(memory.pool, Phase.REFRESH, patience=PATIENCE)
        if damping is not None:
            led = replace(led, posterior=limited(problem.engine, state, led.columns, led.posterior))
        new = self._onward(state, replace(led, memory=memory), chosen.kept, statistics)
        converged = memory.phase is Phase.POLISH and left < sized.tol
        return new, Info(bound, max(memory.found.gain, left), len(led.columns), converged)

    def finish(self, problem: Problem, state: State) -> State:
        """Return the best state; one that ended in the warm start goes on a little with its own weights."""
        memory: Memory = state.memory
        state = state if memory.safe is None else memory.safe
        if not memory.warm_start:
            return state if state.damping is None else state.damping.best_of(state)
        memory = Memory(memory.pool, Phase.POLISH, growing=False)
        state = replace(state, weights=problem.weights, bound=-np.inf, memory=memory, damping=None)
        for _ in range(LATE_STEPS):
            state, _ = self.step(problem, state)
        return self.finish(problem, state)

    # what enters --------------------------------------------------------------------------------

    def _first_pool(self, n_columns: int) -> Indices:
        """Draw the columns that are scored first; the bias is one of them."""
        if n_columns <= self.pool_size:
            return np.arange(n_columns)
        drawn = 1 + np.random.default_rng(self.seed).permutation(n_columns - 1)[: self.pool_size]
        return np.union1d(0, drawn)

    def _scored(self, problem: Problem, memory: Memory) -> Indices:
        """Return the columns to score in this step."""
        if memory.phase is Phase.SCORE:
            problem.engine.cache(memory.pool)
            return memory.pool
        return np.arange(1, problem.engine.n_columns) if memory.phase is Phase.SURVEY else NO_COLUMNS

    def _entering(self, memory: Memory) -> Indices:
        return memory.found.entering if memory.phase is Phase.ENTER else NO_COLUMNS

    def _found(
        self, problem: Problem, state: State, scored: Indices, scores: Scores
    ) -> tuple[Candidates, Indices]:
        """Return the best of the scored columns, and the pool to score from now on."""
        memory: Memory = state.memory
        if not len(scored):
            return memory.found, memory.pool
        gain = gains(problem, state, scored, scores)
        pool = memory.pool
        if memory.phase is Phase.SURVEY:
            pool = np.union1d(state.columns, scored[np.argsort(-gain, kind="stable")[: self.pool_size]])
        entering = dissimilar(problem, scored, gain, self.candidates)
        complete = len(scored) >= problem.engine.n_columns - 1
        return Candidates(entering, float(gain.max(initial=0.0)), complete), pool

    def _enters(self, gain: float, memory: Memory) -> bool:
        return gain >= max(WARM if memory.warm_start else 0.0, self.entry)

    def _is_verified(self, memory: Memory) -> bool:
        """Whether a settled model was shown every column, and none is worth entering.

        The warm start is content with the pool.
        """
        shown = memory.settled and (memory.found.complete or memory.warm_start)
        return memory.phase is Phase.ENTER and shown and not self._enters(memory.found.gain, memory)

    def _choose(
        self, prior: Prior, statistics: Statistics, precision: Array, memory: Memory, may_restart: bool
    ) -> Selection:
        """Run the sequential rule; where columns may enter, also from joint restarts, and keep the best.

        A restart goes far from where the sites were made, so that only a bound can tell whether it is better.
        """
        entering = memory.phase is Phase.ENTER
        tol = min(ROUGH, 0.1 * self.entry) if entering else FINE
        chosen = maximise_evidence(prior, statistics.gram, statistics.vector, precision, tol)
        restarts = [JOINT_RESTART] * entering + [LAST_RESTART] * self._is_verified(memory)
        for share in restarts if may_restart else ():
            chosen = joint_restart(prior, statistics, precision, chosen, share, tol)
        return chosen

    # what comes next ----------------------------------------------------------------------------

    def _next(
        self,
        memory: Memory,
        found: tuple[Candidates, Indices],
        rise: float,
        left: float,
        damping: Damping | None,
    ) -> Memory:
        """Decide what comes next: score once a refresh gains little beside the last scoring."""
        memory = replace(memory, rise=rise, found=found[0], pool=found[1], steps=memory.steps + 1)
        if memory.phase is Phase.POLISH:
            return memory
        if memory.phase is Phase.REFRESH:
            little = WARM if memory.warm_start else SETTLED
            settled = left < max(little, 0.5 * self.entry, self.tol)
            fell = damping is not None and rise < 0.0  # a damped step may: it says nothing of what is left
            if not (settled or rise < memory.patience) or (fell and not settled):
                return memory
            if self.scoring_steps is not None and memory.steps >= self.scoring_steps:
                return replace(memory, phase=Phase.POLISH, growing=False)
            return replace(memory, phase=Phase.SCORE, settled=settled)
        if memory.phase is not Phase.ENTER:
            content = memory.settled and not memory.warm_start and self.scoring_steps is None
            exhausted = content and not self._enters(memory.found.gain, memory)
            surveys = exhausted and not memory.found.complete
            return replace(memory, phase=Phase.SURVEY if surveys else Phase.ENTER)
        best = np.inf if damping is None or damping.best is None else damping.best.bound
        # Sites that bound nothing may promise again and again what a column then does not keep.
        in_vain = memory.settled and best < memory.verified_bound + self.entry
        verified = in_vain or (self._is_verified(memory) and rise < RESTLESS)
        growing = self._enters(memory.found.gain, memory)
        return replace(
            memory,
            verified_bound=best if memory.settled else memory.verified_bound,
            phase=Phase.POLISH if verified else Phase.REFRESH,
            growing=growing,
            patience=PATIENCE * rise if growing else 0.0,
            rise=0.0,  # what columns gained says nothing of how a refresh converges
        )

    def _onward(self, state: State, led: State, kept: Indices, statistics: Statistics) -> State:
        """Return the state to go on from: a guess beyond where the step led, unless columns are to enter."""
        before, memory = state.memory, led.memory
        if not (self.accelerated and led.likelihood.is_bound) or memory.phase is Phase.ENTER:
            return replace(led, memory=memory.without_guess())
        if led.likelihood.is_joint:
            memory = replace(memory, secants=next_secants(before.secants, state, led, kept, statistics))
            guess = with_secant_mean(led, memory.secants)
        else:
            guess = with_newton_mean(state, led, kept, statistics)
        last = hyper_step(state, led)
        # While columns enter, noise that falls slowly leads to better maxima: it anneals.
        if not memory.growing and before.hyper is not None:
            guess = with_extrapolated_parts(guess, before.hyper, last)
        return replace(guess, memory=replace(memory, safe=replace(led, memory=None), hyper=last))
