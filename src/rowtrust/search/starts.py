"""Fits from several starts, and several fits at the same time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence

from joblib import effective_n_jobs
from joblib.parallel import get_active_backend
from sklearn.utils.parallel import Parallel, delayed

from rowtrust.inference import Solution
from rowtrust.kernels import Kernel
from rowtrust.search.fits import FitPlan, KernelFit, KernelProblem, problem_at, solve_output

TIE = 0.1
"""Nats by which a fit from another start must end higher to win: less is the same maximum, reached less
well. Set with the solver's ``SETTLED``, not studied."""

Answer = dict[int, list[Solution]]
"""The solutions of every output, by the start that they are from."""


def fits_along(plan: FitPlan, kernels: Sequence[Kernel]) -> Iterator[KernelFit]:
    """Fit kernels one after the other, each from the starts that are worth it.

    Every start is tried at the first kernel; one that does not win is not tried again. The answer does not
    hang on how many fits run at a time.
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
            yield problem.fitted(best)


def shares_memory() -> bool:
    """Whether jobs would run in threads of this process, as nested ones do: fits share what they cache."""
    backend, _ = get_active_backend()
    return bool(getattr(backend, "supports_sharedmem", False))


def best_start(answer: Answer) -> tuple[list[Solution], tuple[int, ...]]:
    """Return the best solution of every output, and the starts that are worth trying again."""
    best, worthy = list(answer[0]), {0}
    for start, solutions in answer.items():
        for output, solution in enumerate(solutions):
            if solution.state.bound > best[output].state.bound + TIE:
                best[output] = solution
                worthy.add(start)
    return best, tuple(sorted(worthy))


def answers(
    plan: FitPlan, problems: list[KernelProblem], starts: Sequence[int], n_jobs: int
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
        delayed(solve_elsewhere)(plan, problem, start, output)
        for problem in problems
        for start in starts
        for output in outputs
    ]
    done = iter(Parallel(n_jobs=n_jobs)(jobs))
    for _ in problems:
        yield {start: [with_warnings(*next(done)) for _ in outputs] for start in starts}


def solve_elsewhere(
    plan: FitPlan, problem: KernelProblem, start: int, output: int
) -> tuple[Solution, list[warnings.WarningMessage]]:
    """Solve one output, perhaps in another process: its warnings come back with the solution."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return solve_output(plan, problem, start, output), caught


def with_warnings(solution: Solution, caught: list[warnings.WarningMessage]) -> Solution:
    """Return a solution, and warn here of what was warned of elsewhere."""
    for each in caught:
        warnings.warn(str(each.message), each.category, stacklevel=2)
    return solution
