"""The fast solver: price many columns in one pass, decide among few of them without the data.

Each step makes one pass over the rows with the columns in the model, and runs the sequential rule on
the small Gram matrix of that pass: a refresh of sites, weights and noise. When the model has settled, a
second pass prices the columns that are out, and the best, mutually dissimilar ones join the working set
of that step. While there are more columns than a pool holds, a pool is priced, and all columns only once
the pool has nothing more to give: column generation, as linear programming knows it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rowtrust.contracts import Array, Indices, Statistics
from rowtrust.inference.passes import gather
from rowtrust.inference.posterior import Posterior
from rowtrust.inference.records import Info, Problem, State
from rowtrust.inference.scoring import dissimilar, price
from rowtrust.inference.sequential import COLLINEAR, Selection, maximise_evidence

CROWD, LAST_CROWDS = 1e-2, (1e-4, 1e-6)
"""Prior precision, as a share of what the rows say beside the bias, with which a crowd is let in; the
smaller ones, before the end, find columns that are large and of opposite sign."""

RESTLESS = 5.0
"""A model that still moved by this many nats when it was shown every column is not certified."""

OPENING_HASTE = 100.0
"""How many times ``tol`` settles the opening, which need not be exact."""

WORTH = 0.1
"""Nats that a column must bring when a crowd of them replaces a settled model."""


@dataclass(frozen=True)
class Memory:
    """What travels between steps besides the model.

    Attributes
    ----------
    pool
        Columns that are priced at every pricing; those in the model are among them.
    due
        Whether the next step prices before it refreshes.
    settled
        Whether the last step gained less than ``tol``.
    opening
        Whether the weights are still those with which the fit began.
    certified
        Whether every column was priced, and none would have gained enough to enter.
    patience
        Refreshing goes on, unpriced, while it gains more than this many nats.
    """

    pool: Indices
    due: bool = True
    settled: bool = False
    opening: bool = False
    certified: bool = False
    patience: float = 0.0


@dataclass(frozen=True)
class Offer:
    """Columns that may enter the model.

    Attributes
    ----------
    entering
        The columns, best first.
    gain
        What the best of them gains alone, in nats.
    complete
        Whether every column was priced.
    pool
        Columns to price from now on.
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
        Columns priced at each pricing; all of them only to certify the end.
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
        """Begin with the bias alone, and with the weights' opening."""
        weights = problem.weights.opening(problem.noise.weight_exponent)
        pool = self._first_pool(problem.design.n_columns)
        return State(
            columns=np.zeros(1, dtype=np.intp),
            precision=np.ones(1),
            posterior=Posterior(np.zeros(1), np.zeros((1, 1)), 0.0),
            noise=problem.noise,
            weights=weights,
            bound=-np.inf,
            memory=Memory(pool, opening=weights is not problem.weights),
        )

    def step(self, problem: Problem, state: State) -> tuple[State, Info]:
        """Price if due; then one pass with the working set, and the sequential rule on it."""
        memory: Memory = state.memory
        offer = self._offer(problem, state)
        working = np.concatenate([state.columns, offer.entering])
        precision = np.concatenate([state.precision, np.full(len(offer.entering), np.inf)])
        statistics = gather(problem, state, working)
        noise, statistics = state.noise.update(statistics)
        weights, statistics = state.weights.update(statistics)
        chosen = maximise_evidence(statistics.gram, statistics.vector, precision, self.tol)
        if memory.due:
            chosen = escape(statistics, precision, chosen, CROWD, self.tol)
        for crowd in LAST_CROWDS if self._certifies(memory, offer) else ():
            chosen = escape(statistics, precision, chosen, crowd, self.tol)
        bound = statistics.log_scale + chosen.log_evidence
        rise = bound - state.bound
        memory = self._remember(memory, offer, rise)
        kept = working[chosen.kept]
        if memory.opening and memory.certified:
            weights, memory = problem.weights, Memory(memory.pool, due=False)
        new = State(kept, chosen.precision, chosen.posterior, noise, weights, bound, memory)
        distance = max(offer.gain, rise)
        return new, Info(bound, distance, len(kept), memory.certified and memory.settled)

    def finish(self, problem: Problem, state: State) -> State:
        """Return the state with the problem's own weights, should it have ended in the opening."""
        return replace(state, weights=problem.weights) if state.memory.opening else state

    def _first_pool(self, n_columns: int) -> Indices:
        """Draw the columns that are priced first; the bias is one of them."""
        if n_columns <= self.pool_size:
            return np.arange(n_columns)
        drawn = 1 + np.random.default_rng(self.seed).permutation(n_columns - 1)[: self.pool_size]
        return np.union1d(0, drawn)

    def _enters(self, gain: float) -> bool:
        return gain >= 100.0 * self.tol

    def _certifies(self, memory: Memory, offer: Offer) -> bool:
        """Whether a settled model was shown every column, and none is worth entering.

        The opening is content with the pool.
        """
        shown = offer.complete or memory.opening
        return memory.due and memory.settled and shown and not self._enters(offer.gain)

    def _remember(self, memory: Memory, offer: Offer, rise: float) -> Memory:
        """Decide what comes next: price once a refresh gains little beside the last pricing."""
        tol = OPENING_HASTE * self.tol if memory.opening else self.tol
        settled = rise < tol
        if not memory.due:
            due = not memory.certified and rise < max(tol, memory.patience)
            return replace(memory, due=due, settled=settled)
        return Memory(
            pool=offer.pool,
            due=False,
            settled=settled,
            opening=memory.opening,
            certified=self._certifies(memory, offer) and rise < RESTLESS,
            patience=0.1 * rise if self._enters(offer.gain) else 0.0,
        )

    def _offer(self, problem: Problem, state: State) -> Offer:
        """Offer columns from the pool or, once it has nothing more to give, from everywhere."""
        memory: Memory = state.memory
        pool, n_columns = memory.pool, problem.design.n_columns
        if not memory.due:
            return Offer(_NONE, 0.0, False, pool)
        problem.design.hold(pool)
        priced, gain = pool, price(problem, state, pool)
        exhausted = memory.settled and not memory.opening and not self._enters(gain.max())
        if exhausted and len(pool) < n_columns:
            priced = np.arange(1, n_columns)
            gain = price(problem, state, priced)
            best = priced[np.argsort(-gain, kind="stable")[: self.pool_size]]
            pool = np.union1d(state.columns, best)
        entering = dissimilar(problem, priced, gain, self.candidates)
        complete = len(priced) >= n_columns - 1
        return Offer(entering, float(gain.max(initial=0.0)), complete, pool)


_NONE = np.empty(0, dtype=np.intp)


def escape(
    statistics: Statistics, precision: Array, stuck: Selection, crowd_precision: float, tol: float
) -> Selection:
    """Try to leave a local maximum: let every column of the working set in, and prune.

    Adding one column at a time cannot find two that are only good together. A crowd that wins by little
    for each column it adds is the same model with copies, and is sent away.
    """
    gram = statistics.gram
    beside_bias = np.diagonal(gram) - gram[0] ** 2 / gram[0, 0]
    newcomers = np.where(beside_bias > COLLINEAR * np.diagonal(gram), crowd_precision * beside_bias, np.inf)
    crowd = np.where(np.isfinite(precision), precision, newcomers)
    pruned = maximise_evidence(statistics.gram, statistics.vector, crowd, tol)
    more_columns = max(1, len(pruned.kept) - len(stuck.kept))
    return pruned if pruned.log_evidence > stuck.log_evidence + WORTH * more_columns else stuck
