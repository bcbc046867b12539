"""Fits at one kernel: every output solved on shared rows and centres, from the starts that are worth it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed

from rowtrust.contracts import Array
from rowtrust.engines import Engine, MemoryEngine
from rowtrust.fitting.decide import width_score
from rowtrust.fitting.plan import Candidate, Training, known_factors
from rowtrust.inference import Observer, Problem, Solution, State, lower_bound, solve
from rowtrust.inference.phases import SETTLED
from rowtrust.kernels import Basis, Kernel
from rowtrust.likelihoods import Likelihood
from rowtrust.weights import Weights

Answer = dict[int, list[Solution]]
"""The solutions of every output, by the start that they are from."""


@dataclass(frozen=True)
class KernelFit:
    """One kernel: its problems, one per output, and their solutions.

    Attributes
    ----------
    engine
        Rows and basis functions.
    known : (n,)
        Factors on the rows that were known before the fit.
    problems, solutions
        Of every output; no solutions before they are found.
    share
        How much the fit counts in an average.
    candidate
        Of which candidate's kernel it is; None: the kernel is the user's.
    """

    engine: Engine
    known: Array
    problems: list[Problem]
    solutions: list[Solution] = field(default_factory=list)
    share: float = 1.0
    candidate: Candidate | None = None

    @property
    def states(self) -> list[State]:
        """Where the solver ended, output by output."""
        return [solution.state for solution in self.solutions]

    @property
    def kernel(self) -> Kernel:
        """The kernel of the fit."""
        return self.engine.basis.parts[0].kernel

    @property
    def gamma(self) -> float:
        """The width, as the kernel says it."""
        return float(np.max(self.kernel.gamma))

    @property
    def starts(self) -> tuple[Weights, ...]:
        """The weights with which the fit may begin, the best guess first."""
        one = self.problems[0]
        return one.weights.starts(one.likelihood.weight_exponent)

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
        """What was maximised, summed over outputs."""
        return sum(state.bound for state in self.states)

    @property
    def lower_bound(self) -> float:
        """The lower bound on the log evidence, summed over outputs."""
        return sum(lower_bound(state.bound, state.precision, state.posterior) for state in self.states)

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


def problem_at(plan: Training, kernel: Kernel) -> KernelFit:
    """Return what is to be solved at a kernel: a fit without solutions."""
    factors = known_factors(plan.weights, plan.rows)
    known = np.ones(len(plan.rows.y)) if factors is None else factors
    basis, rows = Basis(kernel, plan.centres.rows), plan.rows
    weight = rows.weight if factors is None else rows.weight * factors
    engine = MemoryEngine(rows.X, rows.y, weight, basis, plan.centres.distinct, plan.distances)
    problems = [Problem(engine, coding, plan.likelihood, plan.weights, plan.prior) for coding in plan.codings]
    return KernelFit(engine, known, problems)


def fit_kernel(plan: Training, kernel: Kernel) -> KernelFit:
    """Solve every output at a kernel, from the best guess of a start."""
    problem = problem_at(plan, kernel)
    return replace(problem, solutions=[solve_output(plan, problem, 0, k) for k in range(len(plan.codings))])


def solve_output(plan: Training, problem: KernelFit, start: int, output: int) -> Solution:
    """Run the solver on one output, from one of the starts."""
    one, first = problem.problems[output], problem.starts[start]
    name = f"gamma={problem.gamma:.3g}, output {output}" + (f", start {start}" if start else "")
    with reported(plan, name) as observe:
        one = replace(one, first_weights=None if first is one.weights else first)
        return solve(one, plan.solver, plan.max_iter, observe, warns=plan.warns)


def resumed(
    plan: Training, fit: KernelFit, likelihoods: Sequence[Likelihood], grows: bool = True
) -> KernelFit:
    """Let a fit go on with other likelihoods; ``grows`` tells whether columns may still enter."""
    solutions = []
    for output, (state, likelihood) in enumerate(zip(fit.states, likelihoods, strict=True)):
        one = replace(fit.problems[output], likelihood=likelihood)
        fit.engine.cache(state.columns)  # wherever the fit was made, it goes on from the same
        with reported(plan, f"gamma={fit.gamma:.3g}, output {output}, label noise") as observe:
            first = plan.solver.resumed(one, state, grows)
            solutions.append(solve(one, plan.solver, plan.max_iter, observe, first, warns=plan.warns))
    return replace(fit, solutions=solutions)


def reported(plan: Training, name: str) -> AbstractContextManager[Observer | None]:
    """Open a task for the user's callbacks, if there are any."""
    return nullcontext() if plan.report is None else plan.report(name)


def shared(fits: list[KernelFit], shares: Array) -> list[KernelFit]:
    """Return the fits that count, with how much each counts."""
    return [replace(fit, share=float(share)) for fit, share in zip(fits, shares, strict=True) if share > 0]


def fits_along(plan: Training, kernels: Sequence[Kernel]) -> Iterator[KernelFit]:
    """Fit kernels one after the other, each from the starts that are worth it.

    Every start is tried at the first kernel; one that does not win is not tried again. The answer does not
    depend on how many fits run at a time.
    """
    serial = plan.report is not None or shares_memory()
    n_jobs = 1 if serial else max(1, effective_n_jobs(plan.n_jobs))  # none: a cluster without workers yet
    active: tuple[int, ...] | None = None
    for first in range(0, len(kernels), n_jobs):
        problems = [problem_at(plan, kernel) for kernel in kernels[first : first + n_jobs]]
        if active is None:
            one = plan.solver.is_reference or not plan.every_start
            active = (0,) if one else tuple(range(len(problems[0].starts)))
        for problem, answer in zip(problems, answers(plan, problems, active, n_jobs), strict=True):
            best, active = best_start({start: answer[start] for start in active})
            yield replace(problem, solutions=best)


def shares_memory() -> bool:
    """Whether jobs would run in threads of this process, as nested ones do: fits share what they cache."""
    backend, _ = get_active_backend()
    return bool(getattr(backend, "supports_sharedmem", False))


def best_start(answer: Answer) -> tuple[list[Solution], tuple[int, ...]]:
    """Return the best solution of every output, and the starts that are worth trying again."""
    best, worthy = list(answer[0]), {0}
    for start, solutions in answer.items():
        for output, solution in enumerate(solutions):
            if solution.state.bound > best[output].state.bound + SETTLED:  # less is the same maximum
                best[output] = solution
                worthy.add(start)
    return best, tuple(sorted(worthy))


def answers(
    plan: Training, problems: list[KernelFit], starts: Sequence[int], n_jobs: int
) -> Iterator[Answer]:
    """Yield the solutions at every kernel, in order."""
    outputs = range(len(plan.codings))
    if n_jobs == 1:
        for problem in problems:
            yield {
                start: [solve_output(plan, problem, start, output) for output in outputs] for start in starts
            }
        return
    jobs = [
        delayed(solve_output)(replace(plan, warns=False), problem, start, output)
        for problem in problems
        for start in starts
        for output in outputs
    ]
    done = iter(Parallel(n_jobs=n_jobs)(jobs))
    for _ in problems:
        yield {start: [aloud(next(done), plan.warns) for _ in outputs] for start in starts}


def aloud(solution: Solution, warns: bool) -> Solution:
    """Return a solution from another process or thread, and complain here, where the user's filters are."""
    if warns and solution.complaint:
        warnings.warn(solution.complaint, ConvergenceWarning, stacklevel=2)
    return solution
