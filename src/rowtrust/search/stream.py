"""Fits that go on with every block of rows: kernels and landmarks stay, old rows fade, at several speeds.

The kernels of an ordinary fit to the first rows stand on landmarks among these rows. From then on every
kernel remembers the statistics of its columns alone (see ``inference.running``), once for each of several
memories, from one that never forgets to one of few rows. Each predicts a block before it learns from it, and
what it said of the last rows decides how much it counts: rows in random order are all remembered, a world
that changes is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import softmax

from rowtrust.contracts import Array, Indices
from rowtrust.engines import MemoryEngine
from rowtrust.inference import Info, Problem, Solution, State, WorkingSet, solve
from rowtrust.inference.passes import row_outputs
from rowtrust.inference.running import Running, begun, learned
from rowtrust.kernels import Basis, Kernel
from rowtrust.numerics.threads import single_blas_thread
from rowtrust.predictive import PredictiveModel
from rowtrust.search.averaging import Average, average
from rowtrust.search.cross_fitting import unfinished_is_enough
from rowtrust.search.fits import FitPlan, KernelFit, shared
from rowtrust.search.rows import TrainingRows
from rowtrust.search.scores import tempered_shares, without_negligible

MEMORIES = (np.inf, 800.0, 200.0, 50.0)
"""Rows after which what was seen counts e times less, one model each. Of a boundary that rotates once in 20
blocks of 100 rows the next block is said with -0.52 nats a row where the shortest memory has 200 rows, with
-0.37 where it has 50 and with -0.34 where it has 15; the truth has -0.22. Once in 20 blocks of 50: -0.65,
-0.42 and -0.35 (RVC, one seed each). Four of them is a limit on time."""

JUDGED = 1000.0
"""The same for what the models said of rows before they learnt from them. Not studied."""

PREFERENCE = 3.0
"""Nats by which a memory is believed less than the next longer one before the rows have spoken. Without it a
memory of 3200 rows counts 0.35 beside one that forgets nothing after 1000 rows of Ripley's mixture in random
order, with it 0.09 (one seed)."""

MOST_NUMBERS = 8_000_000
"""Doubles that are remembered, about, 64 MB: they decide how many landmarks there are. A limit on memory."""

MOST_LANDMARKS = 400
"""Landmarks of a kernel at most, beside the vectors of the first fit: these bring a stream of 1000 rows of
Ripley's mixture to the log score of the fit itself, which 400 landmarks alone miss by 2 % (one seed)."""

Score = Callable[[PredictiveModel, TrainingRows], Array]
"""Returns the log score of every row of a block under a model that has not seen it."""


@dataclass(frozen=True)
class KernelStream:
    """One kernel of a fit that goes on.

    Attributes
    ----------
    kernel
        The kernel.
    chosen
        Its landmarks, by their numbers among the centres of the plan.
    runs
        What is remembered, by memory and output.
    """

    kernel: Kernel
    chosen: Indices
    runs: tuple[tuple[Running, ...], ...]

    def engine(self, plan: FitPlan, rows: TrainingRows) -> MemoryEngine:
        """Return rows, and the basis functions on the landmarks."""
        return engine_of(plan, self.kernel, self.chosen, rows)

    def fit(self, plan: FitPlan, memory: int) -> KernelFit:
        """Return what one memory knows as a fit, seen from the plan's rows."""
        rows, gamma = plan.rows, float(np.max(self.kernel.gamma))
        basis = Basis(self.kernel, plan.centres.rows)
        engine = MemoryEngine(rows.X, rows.y, rows.weight, basis, plan.centres.distinct)
        problems, solutions = [], []
        for coding, run in zip(plan.codings, self.runs[memory], strict=True):
            state = replace(run.state, columns=np.append(0, 1 + self.chosen)[run.state.columns])
            problem = Problem(engine, coding, state.likelihood, state.weights, plan.prior)
            problems.append(problem)
            solutions.append(solution_of(problem, state, run))
        return KernelFit(gamma, engine, np.ones(len(rows.y)), problems, solutions)

    def after(self, plan: FitPlan, rows: TrainingRows, solver: WorkingSet) -> KernelStream:
        """Return what is known after a block of rows."""
        engine, copies = self.engine(plan, rows), float(rows.copies.sum())
        engine.cache(np.arange(engine.n_columns))

        def one(run: Running, output: int, memory: float) -> Running:
            state = run.state
            problem = Problem(engine, plan.codings[output], state.likelihood, state.weights, plan.prior)
            return learned(problem, run, fading(memory, copies), solver)

        pairs = zip(MEMORIES, self.runs, strict=True)
        runs = [tuple(one(run, k, memory) for k, run in enumerate(outputs)) for memory, outputs in pairs]
        return replace(self, runs=tuple(runs))


@dataclass(frozen=True)
class Stream:
    """A fit that goes on.

    Attributes
    ----------
    plan
        Of the fit to the first rows, which stay as a sample of inputs.
    kernels
        Those that counted in it.
    shares
        How much each counts; None: as the evidence says.
    disagreement
        Whether models that disagree add to the variance of their average.
    scores
        What each memory said of the last rows before it learnt from them, in nats.
    """

    plan: FitPlan
    kernels: tuple[KernelStream, ...]
    shares: Array | None
    disagreement: bool
    scores: Array

    def after(self, rows: TrainingRows, score: Score) -> Stream:
        """Return the fit that has seen a block of rows too, scaled and coded as the plan's are."""
        copies = float(rows.copies.sum())
        said = [
            float(rows.copies @ score(self._average(self._fits(memory)).model, rows))
            for memory in range(len(MEMORIES))
        ]
        with single_blas_thread():
            kernels = tuple(each.after(self.plan, rows, solver_of(self.plan)) for each in self.kernels)
        return replace(self, kernels=kernels, scores=fading(JUDGED, copies) * self.scores + said)

    @property
    def memory_shares(self) -> Array:
        """How much each memory counts."""
        prior = PREFERENCE * np.arange(len(MEMORIES))
        return without_negligible(np.asarray(softmax(self.scores - prior)))

    def average(self) -> Average:
        """Return the average over kernels and memories, each as it has predicted."""
        fits = [
            replace(fit, share=float(share) * fit.share)
            for memory, share in enumerate(self.memory_shares)
            for fit in (self._fits(memory) if share > 0.0 else ())
        ]
        return self._average(fits)

    def _average(self, fits: list[KernelFit]) -> Average:
        return average(self.plan, fits, self.disagreement)

    def _fits(self, memory: int) -> list[KernelFit]:
        """Return the fits at every kernel with one memory, and how much each counts."""
        fits = [each.fit(self.plan, memory) for each in self.kernels]
        return shared(fits, tempered_shares([f.score for f in fits]) if self.shares is None else self.shares)


def fading(memory: float, copies: float) -> float:
    """Return by which factor what was remembered counts after so many rows more."""
    return float(np.exp(-copies / memory))


def solver_of(plan: FitPlan) -> WorkingSet:
    """Return the solver of a plan, which must be the fast one."""
    if not isinstance(plan.solver, WorkingSet):
        raise TypeError("A fit that goes on needs the solver WorkingSet.")
    return plan.solver


def most_landmarks(n_kernels: int, n_outputs: int) -> int:
    """Return how many landmarks a kernel may have."""
    squares = 2 * n_kernels * n_outputs * len(MEMORIES)
    return min(MOST_LANDMARKS, int(np.sqrt(MOST_NUMBERS / squares)))


def begin_stream(
    plan: FitPlan,
    fits: Sequence[KernelFit],
    shares: Array | None,
    disagreement: bool,
    rows: TrainingRows,
    age: Array,
    landmarks: Indices,
) -> Stream:
    """Return fits to the first rows as ones that can go on.

    Parameters
    ----------
    plan, fits
        The kernels that count, fitted to all of the rows or to a part of them.
    shares, disagreement
        See :class:`Stream`.
    rows, age
        The first rows, as the plan has its own, and how many rows came after each.
    landmarks
        Which centres of the plan every kernel has, beside those of its fit.
    """
    with unfinished_is_enough():
        kernels = [begin_kernel(plan, fit, rows, age, landmarks) for fit in fits]
    plan = replace(plan, report=None)  # without what fits share while they are made
    return Stream(plan, tuple(kernels), shares, disagreement, np.zeros(len(MEMORIES)))


def begin_kernel(
    plan: FitPlan, fit: KernelFit, rows: TrainingRows, age: Array, landmarks: Indices
) -> KernelStream:
    """Let a fit go on with the first rows, as each memory has them."""
    own = np.unique(np.concatenate([state.columns[1:] - 1 for state in fit.states]))
    chosen = np.union1d(own, landmarks)
    place = np.append(0, 1 + chosen)
    runs = []
    for memory in MEMORIES:
        faded = replace(rows, weight=rows.weight * np.exp(-age / memory))
        engine = engine_of(plan, fit.kernel, chosen, faded)
        outputs = []
        for coding, state in zip(plan.codings, fit.states, strict=True):
            problem = Problem(engine, coding, state.likelihood, state.weights, plan.prior)
            state = replace(state, columns=np.searchsorted(place, state.columns))
            outputs.append(begun(problem, settled(plan, problem, state, len(rows.y), memory)))
        runs.append(tuple(outputs))
    return KernelStream(fit.kernel, chosen, tuple(runs))


def settled(plan: FitPlan, problem: Problem, state: State, n_rows: int, memory: float) -> State:
    """Return where a state leads on these rows: it stays where it was fitted to the same."""
    if np.isinf(memory) and n_rows == len(plan.rows.y):
        return state
    solver = solver_of(plan)
    return solve(problem, solver, plan.max_iter, None, solver.resumed(problem, state)).state


def engine_of(plan: FitPlan, kernel: Kernel, chosen: Indices, rows: TrainingRows) -> MemoryEngine:
    """Return rows, and the basis functions of a kernel on some of the centres."""
    return MemoryEngine(rows.X, rows.y, rows.weight, Basis(kernel, plan.centres.rows[chosen]))


def solution_of(problem: Problem, state: State, run: Running) -> Solution:
    """Return what is remembered as a solution, with what it says of the problem's rows."""
    said = row_outputs(problem, state, lambda rows: np.stack([rows.weights.expected, rows.mean]))
    trace = [Info(bound, 0.0, len(state.columns), True) for bound in run.bounds]
    return Solution(state, trace, run.posterior, said[0], said[1])
