"""A fuzzer for nights: random fits, relations, tables, model files and exports, counted and reproducible.

``python -m benchmarks fuzz --minutes 30`` runs random cases of every kind and prints a table at the end, with
one line for each distinct failure that runs its case again: ``python -m benchmarks fuzz --again fits:123``.
"""

from __future__ import annotations

import argparse
import secrets
import sys
from collections.abc import Iterator
from contextlib import suppress
from time import monotonic

import numpy as np

from benchmarks import fuzz_exports, fuzz_fits, fuzz_models, fuzz_relations, fuzz_tables, fuzz_trusted
from benchmarks.fuzz_report import Counts
from benchmarks.fuzz_workers import Case, Limits, Task, alarmed, outcomes
from benchmarks.race import one_thread

CASES: dict[str, Case] = {
    "fits": fuzz_fits.case,
    "relations": fuzz_relations.case,
    "tables": fuzz_tables.case,
    "models": fuzz_models.case,
    "exports": fuzz_exports.case,
    "trusted": fuzz_trusted.case,
}
"""Kinds of cases by name."""

SHARES = {"fits": 0.3, "relations": 0.25, "tables": 0.2, "models": 0.1, "exports": 0.1, "trusted": 0.05}
"""How the time is shared. Fits are what users do; a table takes seconds where a fit takes a tenth of one."""

PAUSE = 30.0
"""Seconds between two lines of progress."""


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and run; return how many distinct failures there were, at most one."""
    given = command_line().parse_args(arguments)
    with one_thread():
        if given.again is not None:
            return run_again(given.again, given.seconds)
        seed = secrets.randbelow(2**31) if given.seed is None else given.seed
        limits = Limits(given.seconds, int(given.memory * 2**30))
        print(f"kinds {', '.join(given.only)}; --seed {seed}", flush=True)
        counts = fuzz(given.only, seed, 60.0 * given.minutes, limits, given.jobs, given.cases)
    print(counts.report())
    return int(bool(counts.failures))


def command_line() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks fuzz", description="Try rowtrust with random data, options and files."
    )
    parser.add_argument("--minutes", type=float, default=5.0, help="how long to run (default: 5)")
    parser.add_argument("--cases", type=int, help="cases of each kind at most (default: as time allows)")
    parser.add_argument("--seed", type=int, help="of all cases; a new one unless given")
    parser.add_argument(
        "--only", type=kinds, default=tuple(CASES), help=f"any of {', '.join(CASES)}, commas between them"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--seconds", type=float, default=60.0, help="a case may take (default: 60)")
    parser.add_argument("--memory", type=float, default=3.0, help="GiB that a case may take (default: 3)")
    parser.add_argument("--again", type=task, metavar="KIND:SEED", help="run one case again, and tell of it")
    return parser


def kinds(text: str) -> tuple[str, ...]:
    """Return the kinds that are named between commas."""
    names = tuple(text.split(","))
    for name in names:
        if name not in CASES:
            raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(CASES)}.")
    return names


def task(text: str) -> Task:
    """Return the case that a line of the report names."""
    kind, _, seed = text.partition(":")
    if kind not in CASES or not seed.isdigit():
        raise argparse.ArgumentTypeError(f"give KIND:SEED, KIND one of {', '.join(CASES)}; got {text!r}.")
    return Task(kind, int(seed))


def run_again(wanted: Task, seconds: float) -> int:
    """Run one case in this process and tell all about it."""
    outcome = alarmed(CASES[wanted.kind], wanted, print, seconds)
    print(outcome.story)
    print(f"{wanted}: {outcome.status}. {outcome.text}\n{outcome.place}")
    return int(outcome.is_fault)


def fuzz(
    names: tuple[str, ...],
    seed: int,
    seconds: float,
    limits: Limits = Limits(),  # noqa: B008
    jobs: int = 1,
    cases: int | None = None,
) -> Counts:
    """Run cases of some kinds until the time is up or somebody interrupts; return what was counted."""
    counts = Counts(names)
    said = monotonic()
    tasks = draw_tasks(counts, seed, monotonic() + seconds, cases)
    with suppress(KeyboardInterrupt):
        for done, outcome, took in outcomes(tasks, CASES, limits, jobs):
            if counts.add(done, outcome, took):
                print(counts.failures[-1], flush=True)
            if monotonic() - said > PAUSE:
                said = monotonic()
                print(counts.progress(), file=sys.stderr, flush=True)
    return counts


def draw_tasks(counts: Counts, seed: int, end: float, cases: int | None) -> Iterator[Task]:
    """Yield cases of the kind that has had the least of its share of the time."""
    begun = dict.fromkeys(counts.kinds, 0)
    while monotonic() < end:
        open_kinds = [name for name in begun if cases is None or begun[name] < cases]
        if not open_kinds:
            return
        name = min(open_kinds, key=lambda each: (counts.kinds[each].seconds / SHARES[each], begun[each]))
        begun[name] += 1
        kind = [ord(letter) for letter in name]
        yield Task(name, int(np.random.SeedSequence([seed, *kind, begun[name]]).generate_state(1)[0]))
