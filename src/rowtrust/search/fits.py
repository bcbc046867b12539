"""Fits at one kernel: every output solved on shared rows and centres."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from rowtrust.contracts import Array
from rowtrust.engines import Engine, MemoryEngine, RowSource
from rowtrust.inference import Coding, Problem, Solution, Solver, State, solve
from rowtrust.inference.run import Observer
from rowtrust.kernels import Basis, ColumnScaling, Kernel, SharedDistances
from rowtrust.likelihoods import Likelihood
from rowtrust.numerics.shown import shown
from rowtrust.priors import Prior
from rowtrust.search.rows import Centres, TrainingRows
from rowtrust.search.scores import width_score
from rowtrust.weights import Gamma, Weights

Reporter: TypeAlias = Callable[[str], AbstractContextManager[Observer | None]]
"""Opens a task of this name, and gives the function that is told of its steps."""

LEAST_TRUST = 0.05
"""Least prior of weights that multiply a precision: Student's t with a tenth of a degree of freedom, whose
95 % interval is 1e12 times as wide as a Gaussian's. At 0.001 it is 1e152 times as wide, and its square
overflowed. A guard."""


@dataclass(frozen=True)
class FitPlan:
    """Everything about a fit but the kernel.

    Attributes
    ----------
    rows, centres
        Training rows, and where basis functions may stand.
    codings
        One per output: what makes its targets of the rows' ``y``.
    likelihood, prior
        Of every output.
    weights
        Of every output; or what makes them of the kernel (memberships may look at it).
    solver, max_iter
        What fits every output, and its steps at most.
    n_jobs
        Kernels, or outputs of a single kernel, that are fitted at the same time; None for one.
    report
        Tells the user's callbacks; None if there are none.
    offset, scale
        Of the targets, which the rows hold standardised.
    scaling
        Of the inputs, which the rows hold scaled; None: as they were given.
    every_start
        Whether a fit is tried from every start, or from the best guess of one only.
    nearby
        What reads the rows where passes over them are faster; None: in memory.
    """

    rows: TrainingRows
    centres: Centres
    codings: tuple[Coding, ...]
    likelihood: Likelihood
    weights: Weights | Callable[[Kernel], Weights]
    prior: Prior
    solver: Solver
    max_iter: int
    n_jobs: int | None = None
    report: Reporter | None = None
    offset: float = 0.0
    scale: float = 1.0
    scaling: ColumnScaling | None = None
    every_start: bool = True
    nearby: RowSource | None = None

    @cached_property
    def distances(self) -> SharedDistances:
        """Distances between rows and centres, which fits at several widths share."""
        return SharedDistances(self.rows.X, self.centres.rows)

    def check(self) -> None:
        """Refuse parts that cannot be composed, and name the cure."""
        likelihood, weights = self.likelihood, self.weights
        if isinstance(weights, Weights) and weights.learns and likelihood.weight_exponent == 0.0:
            raise ValueError(
                f"{weights!r} learns its own prior, which needs a likelihood whose normaliser pays for a "
                f"weight, such as Gaussian(). With {type(likelihood).__name__} it would always prefer to "
                "trust nobody. Give it a fixed prior, such as Gamma(1.3)."
            )
        if isinstance(weights, Gamma) and not 0.0 < weights.trust < np.inf:
            raise ValueError(
                f"the trust of Gamma must be a finite number above zero, got {shown(weights.trust)}."
            )
        if isinstance(weights, Gamma) and likelihood.weight_exponent > 0.0 and weights.trust < LEAST_TRUST:
            raise ValueError(
                f"the trust prior must be at least {LEAST_TRUST} for noise of numbers, got "
                f"{weights.trust:.3g}: with less the tails are so heavy that no interval can be told."
            )
        if isinstance(weights, Weights):
            known_factors(weights, self.rows)
        if likelihood.is_location_scale and type(likelihood).rescaled is Likelihood.rescaled:
            raise ValueError(
                f"{type(likelihood).__name__} has a location and a scale, but does not say how it changes "
                "with the unit of the targets: give it a method rescaled(scale)."
            )


def known_factors(weights: Weights, rows: TrainingRows) -> Array | None:
    """Return the factors that a weighting knows of the rows that take part, None for ones."""
    factors = weights.membership
    if factors is None:
        return None
    factors = np.asarray(factors, dtype=float)
    if not ((factors > 0.0) & np.isfinite(factors)).all():
        raise ValueError(
            f"{type(weights).__name__} must know one factor above zero per row, {rows.n_given} of them, all "
            "finite. Give rows that are not to count sample_weight=0 instead."
        )
    if factors.shape not in ((len(rows.y),), (rows.n_given,)):
        raise ValueError(
            f"{type(weights).__name__} must know one factor above zero per row, {rows.n_given} of them; got "
            f"shape {factors.shape}. Give rows that are not to count sample_weight=0 instead."
        )
    if len(factors) == rows.n_given:
        return factors[rows.index]
    return factors[np.argsort(np.argsort(rows.index))]  # of the rows that take part, as they were given


@dataclass(frozen=True)
class KernelFit:
    """One kernel: its problems, one per output, and their solutions.

    Attributes
    ----------
    gamma
        Inverse squared width.
    engine
        Rows and basis functions.
    known : (n,)
        Factors on the rows that were known before the fit.
    share
        How much the fit counts in an average.
    """

    gamma: float
    engine: Engine
    known: Array
    problems: list[Problem]
    solutions: list[Solution]
    share: float = 1.0

    @property
    def asked(self) -> KernelProblem:
        """What was solved."""
        return KernelProblem(self.kernel, self.engine, self.known, self.problems)

    @property
    def states(self) -> list[State]:
        """Where the solver ended, output by output."""
        return [solution.state for solution in self.solutions]

    @property
    def kernel(self) -> Kernel:
        """The kernel of the fit."""
        return self.engine.basis.parts[0].kernel

    @cached_property
    def score(self) -> float:
        """The evidence for this kernel, summed over outputs."""
        n_columns = self.engine.n_columns - 1
        return sum(width_score(state.bound, n_columns, len(state.columns) - 1) for state in self.states)

    @property
    def kept_share(self) -> float:
        """The share of columns kept, on average over outputs."""
        kept = np.mean([len(state.columns) - 1 for state in self.states])
        return float(kept) / (self.engine.n_columns - 1)

    @property
    def bound(self) -> float:
        """The lower bound, summed over outputs."""
        return sum(state.bound for state in self.states)

    @property
    def traces(self) -> list[Array]:
        """The bounds of the steps, one array per output."""
        return [np.array([info.bound for info in solution.trace]) for solution in self.solutions]

    @property
    def trust(self) -> Array:
        """Trust in every row, the smallest over outputs."""
        part = self.known / self.problems[0].weights.whole
        return np.asarray(part * np.min([each.expected_weight for each in self.solutions], axis=0))

    @property
    def latent(self) -> Array:
        """Latent means at the rows, shape (n, n_outputs)."""
        return np.column_stack([each.latent_mean for each in self.solutions])


@dataclass(frozen=True)
class KernelProblem:
    """What is to be solved at a kernel: one problem per output, on the same rows and basis functions."""

    kernel: Kernel
    engine: Engine
    known: Array
    problems: list[Problem]

    @property
    def starts(self) -> tuple[Weights, ...]:
        """The weights with which a fit may begin, the best guess first."""
        one = self.problems[0]
        return one.weights.starts(one.likelihood.weight_exponent)

    def fitted(self, solutions: list[Solution]) -> KernelFit:
        """Return the fit that these solutions are."""
        gamma = float(np.max(self.kernel.gamma))
        return KernelFit(gamma, self.engine, self.known, self.problems, solutions)


def problem_at(plan: FitPlan, kernel: Kernel) -> KernelProblem:
    """Return what is to be solved at a kernel."""
    weights = plan.weights if isinstance(plan.weights, Weights) else plan.weights(kernel)
    factors = known_factors(weights, plan.rows)
    known = np.ones(len(plan.rows.y)) if factors is None else factors
    basis, rows = Basis(kernel, plan.centres.rows), plan.rows
    weight = rows.weight if factors is None else rows.weight * factors
    engine = MemoryEngine(rows.X, rows.y, weight, basis, plan.centres.distinct, plan.distances)
    problems = [Problem(engine, coding, plan.likelihood, weights, plan.prior) for coding in plan.codings]
    return KernelProblem(kernel, engine, known, problems)


def fit_kernel(plan: FitPlan, kernel: Kernel) -> KernelFit:
    """Solve every output at a kernel, from the best guess of a start."""
    problem = problem_at(plan, kernel)
    return problem.fitted([solve_output(plan, problem, 0, output) for output in range(len(plan.codings))])


def solve_output(plan: FitPlan, problem: KernelProblem, start: int, output: int) -> Solution:
    """Run the solver on one output, from one of the starts."""
    one, first = problem.problems[output], problem.starts[start]
    name = f"gamma={np.max(problem.kernel.gamma):.3g}, output {output}" + (
        f", start {start}" if start else ""
    )
    with reported(plan, name) as observe:
        one = replace(one, first_weights=None if first is one.weights else first)
        return solve(one, plan.solver, plan.max_iter, observe)


def resume_output(
    plan: FitPlan, problem: KernelProblem, output: int, state: State, likelihood: Likelihood, grows: bool
) -> Solution:
    """Let a fit of one output go on with another likelihood."""
    one = replace(problem.problems[output], likelihood=likelihood)
    problem.engine.cache(state.columns)  # wherever the fit was made, it goes on from the same
    with reported(plan, f"gamma={np.max(problem.kernel.gamma):.3g}, output {output}, label noise") as observe:
        return solve(one, plan.solver, plan.max_iter, observe, plan.solver.resumed(one, state, grows))


def reported(plan: FitPlan, name: str) -> AbstractContextManager[Observer | None]:
    """Open a task for the user's callbacks, if there are any."""
    return nullcontext() if plan.report is None else plan.report(name)


def shared(fits: list[KernelFit], shares: Array) -> list[KernelFit]:
    """Return the fits that count, with how much each counts."""
    return [replace(fit, share=float(share)) for fit, share in zip(fits, shares, strict=True) if share > 0]
