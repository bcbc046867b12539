"""Many rows: one joint model of the kernels that count, and then as few passes over all rows as will do.

Of a million rows a few hundred tell which kernels are worth having. Their columns, all landmarks at every
kernel that counts, then stand side by side in one sparse problem, where kernels need not be weighed: their
columns compete. It is solved on a sample, and goes on from there on all rows, wherever they are. What a
pass costs is the columns in the model; all candidates are scored once or twice.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from rowtrust.contracts import Array, Indices
from rowtrust.engines import Chunk, Engine, MemoryEngine, RowSource, StreamEngine, together
from rowtrust.fitting.average import Average, member, weights_of_new_rows
from rowtrust.fitting.candidates import narrower
from rowtrust.fitting.fits import KernelFit, reported
from rowtrust.fitting.plan import Training
from rowtrust.fitting.rows import refuse_missing
from rowtrust.inference import Info, Observer, Problem, Solution, State, row_outputs, solve
from rowtrust.inference.posterior import Posterior
from rowtrust.inference.scoring import gains, scored_pass
from rowtrust.inference.sequential import sizes
from rowtrust.kernels import WITH_A_WIDTH, Basis, Columns, JointBasis, Kernel, joined
from rowtrust.likelihoods import Likelihood
from rowtrust.numerics.array_api import double, like, numbered
from rowtrust.numerics.blocks import single_blas_thread
from rowtrust.predictive import PredictiveModel

WORTH_JOINING = 10.0
"""Nats that a column of a narrower kernel must gain on the sample for the kernel to join. The best of 500
columns of noise gains about six."""

MUCH = 1e-3
"""Nats per row that an ended fit may still gain without a warning. No mean log score is known better."""


@dataclass(frozen=True)
class Preparation:
    """Makes rows of a fit of rows as they are stored, where they are.

    Attributes
    ----------
    classes, factors
        The labels in order, and what the weights of each are multiplied by; None where targets are numbers,
        or are coded and weighted already.
    columns, scaling, offset, scale
        What fills and scales the inputs, and the units of targets: of the plan that was made of a sample.
    """

    classes: NDArray[Any] | None = None
    factors: Array | None = None
    columns: Columns | None = None
    scaling: Any = None
    offset: float = 0.0
    scale: float = 1.0

    def __call__(self, chunk: Chunk) -> Chunk:
        """Return the rows of the fit."""
        X, y, weight = chunk.X, chunk.y, chunk.weight
        if self.columns is None:
            refuse_missing(X)
        else:
            X = self.columns.filled(X)
        X = X if self.scaling is None else self.scaling(X)
        if self.classes is not None and self.factors is not None:
            y = numbered(self.classes, y)
            factor = like(self.factors, X)[y]
            weight = factor if weight is None else weight * factor
        elif (self.offset, self.scale) != (0.0, 1.0):
            y = (double(y) - self.offset) / self.scale
        return Chunk(X, y, weight, chunk.offset)


@dataclass(frozen=True)
class AllRows:
    """All rows of a fit, wherever they are.

    Attributes
    ----------
    source
        What reads them.
    total
        What they weigh.
    classes, factors
        Of their labels as they are stored, see ``Preparation``.
    """

    source: RowSource
    total: float
    classes: NDArray[Any] | None = None
    factors: Array | None = None

    def engine(self, plan: Training, basis: Basis | JointBasis, probes: Any) -> StreamEngine:
        """Return what adds up the rows of a plan's fit, block by block."""
        prepare = Preparation(self.classes, self.factors, plan.columns, plan.scaling, plan.offset, plan.scale)
        return StreamEngine(self.source, basis, probes, prepare)


def fit_sample(plan: Training, found: Average, narrow: bool) -> Average:
    """Return the joint model of the sample, from what a search on some of its rows has found.

    ``narrow`` tells whether narrower kernels may join, as more rows tell them apart. Labels are taken as they
    are: behind noise a model that is too smooth takes what it misses for noise.
    """
    kernels = [kernel for kernel, _ in sorted(found.shares, key=lambda pair: -pair[1])]
    problems = joint_problems(plan, found, sample_engine(plan, kernels))
    states = first_states(plan, found, kernels, problems)
    for left in reversed(range(plan.budget.narrower + 1)):
        solutions = on_sample(plan, problems, states)
        states = [solution.state for solution in solutions]
        finer = finer_kernels(plan, found, kernels, states) if narrow and left else []
        if not finer:
            break
        kernels = [*kernels, *finer]
        problems = joint_problems(plan, found, sample_engine(plan, kernels))
    return as_average(plan, found, problems, solutions, float(plan.rows.weight.sum()))


def refit_sample(plan: Training, found: Average) -> Average:
    """Return the joint model of the sample after it went on with other likelihoods."""
    problems = joint_problems(plan, found, found.best.engine)
    solutions = on_sample(plan, problems, found.best.states)
    return as_average(plan, found, problems, solutions, found.count)


def sample_engine(plan: Training, kernels: Sequence[Kernel]) -> Engine:
    """Return the rows of the sample with the columns of several kernels side by side."""
    basis = joined([Basis(kernel, plan.centres.rows) for kernel in kernels])
    few = MemoryEngine(plan.rows.X, plan.rows.y, plan.rows.weight, basis, plan.centres.distinct)
    return few if plan.on_device is None else StreamEngine(plan.on_device, basis, few.probes)


def on_sample(plan: Training, problems: Sequence[Problem], states: Sequence[State]) -> list[Solution]:
    """Let the outputs go on with the sample."""
    pairs = enumerate(zip(problems, states, strict=True))
    every = np.arange(1, problems[0].engine.n_columns)
    return [continued(plan, *pair, f"output {output}, sample", every) for output, pair in pairs]


def finer_kernels(
    plan: Training, found: Average, kernels: Sequence[Kernel], states: Sequence[State]
) -> list[Kernel]:
    """Return kernels a step narrower than any of their family, a column of which would gain much."""
    size = int(plan.centres.rows.shape[0])
    used = np.unique(np.concatenate([(state.columns[1:] - 1) // size for state in states]))
    tried = []
    for place, kernel in enumerate(kernels):
        own = [other.gamma for other in kernels if other.family == kernel.family]
        if place in used and kernel.function in WITH_A_WIDTH and kernel.gamma == max(own):
            tried.append(narrower(kernel))
    if not tried:
        return []
    problems = joint_problems(plan, found, sample_engine(plan, [*kernels, *tried]))
    new = 1 + size * len(kernels) + np.arange(size * len(tried))
    gain = np.max([column_gains(*pair, new) for pair in zip(problems, states, strict=True)], axis=0)
    best_gain = gain.reshape(len(tried), size).max(axis=1)
    return [kernel for kernel, most in zip(tried, best_gain, strict=True) if most > WORTH_JOINING]


def column_gains(problem: Problem, state: State, scored: Indices) -> Array:
    """Return what columns that are out of a model would gain each, on the sample."""
    state = replace(state, likelihood=problem.likelihood)
    return gains(problem, state, scored, scored_pass(problem, state, state.columns, scored, curved=False))


def refit_on_all(plan: Training, found: Average, everything: AllRows) -> Average:
    """Return the model of all rows, from that of the sample."""
    few = found.best.engine
    problems = joint_problems(plan, found, few)
    engine = everything.engine(plan, few.basis, few.probes)
    solutions = on_all_rows(plan, problems, found.best.solutions, engine, everything.total)
    known = [of_sample(*pair) for pair in zip(problems, solutions, strict=True)]
    return as_average(plan, found, problems, known, everything.total)


def joint_problems(plan: Training, found: Average, engine: Engine) -> list[Problem]:
    """Return the problem of every output, with the likelihood and the weights that the search has found."""
    model = found.model
    likelihoods: Sequence[Likelihood] = found.likelihoods or [model.likelihood] * len(plan.codings)
    pairs = zip(plan.codings, likelihoods, strict=True)
    return [Problem(engine, coding, likelihood, model.weights, plan.prior) for coding, likelihood in pairs]


def first_states(
    plan: Training, found: Average, kernels: list[Kernel], problems: list[Problem]
) -> list[State]:
    """Return where the joint problems begin: at the function that was found, in their columns."""
    columns = np.r_[0, joint_columns(plan, found, kernels)]
    model, states = found.model, []
    for output, problem in enumerate(problems):
        mean = model.coefficients.T if model.likelihood.is_joint else model.coefficients[output]
        spread = np.diag(model.total_covariance[output])
        precision = 1.0 / np.maximum(sizes(mean) ** 2 + spread, np.finfo(float).tiny)
        posterior = Posterior(mean, np.zeros((len(mean), len(mean))), 0.0)
        states.append(State(columns, precision, posterior, problem.likelihood, problem.weights, -np.inf))
    return states


def joint_columns(plan: Training, found: Average, kernels: list[Kernel]) -> Indices:
    """Return the columns of the joint basis that a model's centres are."""
    place = {int(position): number for number, position in enumerate(plan.centres.positions)}
    which = []
    for part in found.model.basis.parts:
        own = [number for number, kernel in enumerate(kernels) if kernel.family == part.kernel.family]
        widths = np.array([float(np.max(kernels[number].gamma)) for number in own])
        which += [own[int(np.argmin(np.abs(widths - gamma)))] for gamma in part.gamma]
    size = len(place)
    pairs = zip(which, found.positions, strict=True)
    return np.array([1 + number * size + place[int(at)] for number, at in pairs], dtype=np.intp)


def continued(
    plan: Training, problem: Problem, state: State, name: str, pool: Indices, source: RowSource | None = None
) -> Solution:
    """Let a state go on with a pool of columns, on the sample or on all rows of a source."""
    budget = plan.budget
    often, thinning = (budget.sample_scorings, 1) if source is None else (budget.scorings, budget.thinning)
    solver = plan.solver.frugal(often, budget.entering, thinning).looser(budget.many_looseness)
    with reported(plan, name) as observe:
        watch = observe if source is None else until_read(source, budget.passes, observe)
        first = solver.resumed(problem, state, pool=pool)
        return solve(problem, solver, plan.max_iter, watch, first, of_rows=source is None)


def until_read(source: RowSource, most: int, observe: Observer | None) -> Observer:
    """Return an observer that makes an end once the rows were read so many times more."""
    last = source.reads + most

    def enough(state: State, info: Info) -> bool:
        stopped = observe is not None and observe(state, info)
        return bool(stopped) or source.reads >= last

    return enough


def most_gaining(problem: Problem, state: State, pool: int) -> Indices:
    """Return the columns that would gain most on the sample."""
    scored = np.arange(1, problem.engine.n_columns)
    gain = column_gains(problem, state, scored)
    return np.asarray(scored[np.argsort(-gain, kind="stable")[:pool]])


def on_all_rows(
    plan: Training, problems: list[Problem], solutions: list[Solution], engine: StreamEngine, total: float
) -> list[Solution]:
    """Let the outputs go on with all rows; every reading serves all of them."""
    source = engine.source

    def one(engine: Engine, output: int) -> Solution:
        state = solutions[output].state
        pool = most_gaining(problems[output], state, plan.budget.pool)
        problem = replace(problems[output], engine=engine)
        return continued(plan, problem, state, f"output {output}, all rows", pool, source)

    with single_blas_thread():  # whichever of them ends first
        found = together(engine, [partial(one, output=output) for output in range(len(problems))])
    warn_if_far(found, total, plan.budget.passes)
    return found


def warn_if_far(solutions: Sequence[Solution], total: float, passes: int) -> None:
    """Warn of fits that were ended while they still had much to gain."""
    left = max(0.0 if each.trace[-1].converged else each.trace[-1].distance for each in solutions)
    if left > MUCH * total:
        warnings.warn(
            f"The fit to all rows stopped after {passes} passes, when it could still gain "
            f"{left / total:.2g} nats per row. Fewer landmarks (basis) or a wider kernel converge sooner.",
            ConvergenceWarning,
            stacklevel=2,
        )


def of_sample(problem: Problem, solution: Solution) -> Solution:
    """Return a solution with what it says of the rows of the sample."""
    weight, *means = row_outputs(problem, solution.state, lambda rows: rows.told)
    mean = means[0] if solution.state.posterior.mean.ndim == 1 else np.transpose(means)
    return replace(solution, expected_weight=weight, latent_mean=mean)


def as_average(
    plan: Training, found: Average, problems: list[Problem], solutions: list[Solution], total: float
) -> Average:
    """Return the joint model as an average: its kernels count what their columns do."""
    engine = problems[0].engine
    fit = KernelFit(engine, np.ones(len(plan.rows.y)), problems, solutions)
    own = member(fit)
    size = len(plan.centres.positions)
    state = solutions[0].state
    model = PredictiveModel(
        basis=engine.basis.only(own.columns),
        coefficients=own.mean,
        covariance=own.covariance,
        likelihood=found.model.likelihood if found.likelihoods else state.likelihood,
        weights=weights_of_new_rows(state.weights),
    )
    return replace(
        found,
        count=total,
        model=model,
        best=fit,
        positions=plan.centres.positions[own.columns % size],
        precision=own.precision[:, 1:],
        bias_precision=own.precision[:, 0],
        shares=kernel_shares(engine.basis, own.columns, size),
        trust=fit.trust,
        latent=fit.latent,
    )


def kernel_shares(basis: Basis | JointBasis, columns: Indices, size: int) -> list[tuple[Kernel, float]]:
    """Return the kernels that are in a model, and the share of its columns that each has."""
    counts = np.bincount(columns // size, minlength=len(basis.parts))
    if not counts.sum():
        return [(basis.parts[0].kernel, 1.0)]
    pairs = zip(basis.parts, counts / counts.sum(), strict=True)
    return [(part.kernel, float(share)) for part, share in pairs if share > 0.0]
