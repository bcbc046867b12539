"""Processes that run cases: each is forked, limited in memory, and replaced when it dies or hangs.

A worker runs many cases. An alarm ends a case that takes too long; should it sit where no alarm is heard, its
process is killed. A crash, a hang or a lack of memory is an outcome like any other.
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import re
import resource
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from benchmarks.fuzz_outcomes import PACKAGE, Outcome, TimeIsUp, outcome_of

Case = Callable[[np.random.Generator, Callable[[str], None]], None]
"""Runs one case: everything random is drawn from the generator; what it does is told, line by line."""

CASES_OF_A_WORKER = 200
"""Cases after which a process makes room for a fresh one: what leaks does not add up over a night."""

PATIENCE = 4.0
"""How many times longer than its work a case may take by the clock: machines are busy, and files are slow."""

GRACE = 5.0
"""Seconds after the alarm in which a process must have answered, or it is killed."""


@dataclass(frozen=True)
class Limits:
    """What a case may take.

    Attributes
    ----------
    seconds
        Of work.
    memory
        Bytes beyond what a fresh process has.
    """

    seconds: float = 60.0
    memory: int = 3 * 2**30


@dataclass(frozen=True)
class Task:
    """A case to run: all of it follows from the name of its kind and the seed."""

    kind: str
    seed: int

    def __str__(self) -> str:
        return f"{self.kind}:{self.seed}"


def run_case(case: Case, task: Task, tell: Callable[[str], None]) -> Outcome:
    """Run a case in this process."""
    kind = [ord(letter) for letter in task.kind]
    # Estimators without a seed draw from NumPy's own generator: so it has one.
    np.random.seed(task.seed)  # noqa: NPY002
    return outcome_of(partial(case, np.random.default_rng([task.seed, *kind]), tell))


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise ``TimeIsUp`` after so many seconds of work, or ``PATIENCE`` times as many of the clock."""

    def ring(number: int, frame: object) -> None:
        what = "of work" if number == signal.SIGPROF else "of the clock"
        raise TimeIsUp(f"more than {seconds if number == signal.SIGPROF else PATIENCE * seconds:g} s {what}")

    before = {number: signal.signal(number, ring) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE * seconds)
    try:
        yield
    finally:
        for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
            signal.setitimer(timer, 0.0)
        for number, handler in before.items():
            signal.signal(number, handler)


def alarmed(case: Case, task: Task, tell: Callable[[str], None], seconds: float) -> Outcome:
    """Run a case in this process under an alarm, which may also ring between its end and its answer."""
    try:
        with alarm(seconds):
            return run_case(case, task, tell)
    except TimeIsUp as error:
        return Outcome("hang", str(error))


def limit_memory(allowed: int) -> None:
    """Let this process take so many bytes of addresses more than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    size = pages * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (size + allowed, size + allowed))


def serve(
    connection: Connection, others: Connection, cases: dict[str, Case], limits: Limits, last_words: str
) -> None:
    """Run what is asked for until nobody asks any more: the whole life of a worker."""
    others.close()  # the other end, so that nobody waits for a parent that has died
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_memory(limits.memory)
    with Path(last_words).open("w") as file:
        faulthandler.enable(file)
        while True:
            try:
                task = connection.recv()
            except EOFError:
                return
            connection.send(alarmed(cases[task.kind], task, lambda line: None, limits.seconds))


@dataclass
class Worker:
    """A process, and what it is doing."""

    cases: dict[str, Case]
    limits: Limits
    task: Task | None = None
    done: int = 0
    began: float = 0.0
    process: Any = field(init=False)
    connection: Connection = field(init=False)
    last_words: Path = field(init=False)

    def __post_init__(self) -> None:
        context = multiprocessing.get_context("fork")
        handle, name = tempfile.mkstemp(prefix="rowtrust-fuzz-")
        os.close(handle)
        self.last_words = Path(name)
        self.connection, theirs = context.Pipe()
        self.process = context.Process(
            target=serve, args=(theirs, self.connection, self.cases, self.limits, name), daemon=True
        )
        self.process.start()
        theirs.close()

    def begin(self, task: Task) -> None:
        """Start a case."""
        self.task, self.began = task, monotonic()
        self.connection.send(task)

    def overdue(self) -> float:
        """Return the seconds until the process must have answered."""
        return self.began + PATIENCE * self.limits.seconds + GRACE - monotonic()

    def answer(self) -> Outcome:
        """Return how the case ended, once there is an answer, the process has died or its time is up."""
        self.task, self.done = None, self.done + 1
        try:
            if self.connection.poll():
                found: Outcome = self.connection.recv()
                return found
        except (EOFError, ConnectionResetError):
            return self._autopsy()
        self.process.kill()
        return replaced(
            self._autopsy(), "hang", f"more than {PATIENCE * self.limits.seconds:g} s, deaf to the alarm"
        )

    def _autopsy(self) -> Outcome:
        """Return what is known of a process that has died."""
        self.process.join()
        words = self.last_words.read_text(errors="replace")
        self.done = CASES_OF_A_WORKER
        code = self.process.exitcode
        text = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return Outcome("crash", text, last_place(words), words[-6000:])

    @property
    def is_worn(self) -> bool:
        """Whether it is time for a fresh process."""
        return self.done >= CASES_OF_A_WORKER

    def end(self) -> None:
        """Send the process home."""
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.connection.close()
        self.last_words.unlink(missing_ok=True)


def replaced(outcome: Outcome, status: str, text: str) -> Outcome:
    """Return an outcome under another name."""
    return Outcome(status, text, outcome.place, outcome.story)


def last_place(words: str) -> str:
    """Return the innermost function of the package in the words of a dying process."""
    frames = re.findall(rf'File "{re.escape(PACKAGE)}/([^"]+)\.py", line \d+ in (\w+)', words)
    return f"{frames[0][0].replace('/', '.')}.{frames[0][1]}" if frames else ""


def outcomes(
    tasks: Iterator[Task], cases: dict[str, Case], limits: Limits, jobs: int = 1
) -> Iterator[tuple[Task, Outcome, float]]:
    """Run tasks on so many processes; yield each with how it ended and how many seconds it took."""
    workers = [Worker(cases, limits) for _ in range(jobs)]
    try:
        while True:
            for place, worker in enumerate(workers):
                if worker.task is None and (task := next(tasks, None)) is not None:
                    if worker.is_worn:
                        worker.end()
                        workers[place] = worker = Worker(cases, limits)
                    worker.begin(task)
            busy = [worker for worker in workers if worker.task is not None]
            if not busy:
                return
            wait([worker.connection for worker in busy], max(0.0, min(each.overdue() for each in busy)))
            for worker in busy:
                if worker.connection.poll() or worker.overdue() <= 0.0:
                    task, seconds = worker.task, monotonic() - worker.began
                    yield task, worker.answer(), seconds
    finally:
        for worker in workers:
            worker.end()
