"""Measure what the records lack: side by side, within a time, each result on disk the moment it is there."""

from __future__ import annotations

import importlib
import multiprocessing
import signal
import sys
import warnings
from collections import deque
from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from benchmarks.evidence.plan import SHARES, Cell, Options, cells
from benchmarks.evidence.records import Records

PATIENCE = 600.0
"""Seconds after which a cell is ended, unless asked for otherwise."""

QUIET = 30.0
"""Seconds between two lines on the progress where there is no terminal."""


class TimeIsUp(BaseException):
    """A cell took too long; no ``Exception``, which a grid search would swallow."""


def run(
    options: Options, folder: Path, minutes: float, jobs: int, patience: float, again: bool = False
) -> int:
    """Measure what lacks, and ``again`` what failed, until the time is over; return how many are left."""
    records = Records(folder)
    refuse_other_sizes(records, options)
    pending = {}
    for page, planned in cells(options).items():
        lines = records.lines(page)
        done = set(lines["key"][lines["failed"].isna()] if again else lines["key"])
        pending[page] = deque(cell for cell in planned if cell.key not in done)
    if any(pending.values()):
        asked = {
            **asdict(options),
            "data": None,
            "minutes": minutes if minutes < float("inf") else None,
            "jobs": jobs,
        }
        queue = Queue(pending, records, records.begin(asked), 60.0 * minutes, jobs, options.data, patience)
        queue.work()
    for page in pending:
        records.tidy(page)
    return sum(map(len, pending.values()))


def refuse_other_sizes(records: Records, options: Options) -> None:
    """Stop where a folder has results of another size: a page has one size."""
    for page in {"labels", "values"} & set(options.pages):
        others = sorted({int(each) for each in records.lines(page)["rows"]} - {options.rows})
        if others:
            raise SystemExit(
                f"{records.file(page)} has results of {others[0]} rows, and {options.rows} were asked "
                f"for. Name another "
                f"folder with --output, ask for --rows {others[0]}, or remove the results."
            )


@dataclass
class Queue:
    """Cells at work, those that wait, and what each page has taken.

    Attributes
    ----------
    pending
        Cells to measure, by page.
    records, made
        Where results go, and the number of this run.
    seconds, jobs, patience
        After how long no cell is begun, how many are measured at once, and after how long one is ended.
    data
        The folder of the tables.
    """

    pending: dict[str, deque[Cell]]
    records: Records
    made: int
    seconds: float
    jobs: int
    data: Path
    patience: float
    spent: dict[str, float] = field(default_factory=lambda: dict.fromkeys(SHARES, 0.0))
    done: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SHARES, 0))
    working: dict[Future[dict[str, Any]], tuple[Cell, float]] = field(default_factory=dict)
    failed: int = 0
    spoken: float = 0.0

    def work(self) -> None:
        """Measure cells until none waits or the time is over."""
        self.begun, pool = monotonic(), self.pool()
        try:
            while self.begin_some(pool) or self.working:
                finished, _ = wait(self.working, timeout=1.0, return_when=FIRST_COMPLETED)
                if any(isinstance(each.exception(), BrokenProcessPool) for each in finished):
                    finished, pool = set(self.working), self.pool()  # all that were at work are lost
                for future in finished:
                    self.finish(future)
                self.show()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            print(file=sys.stderr)

    def pool(self) -> ProcessPoolExecutor:
        """Return fresh processes."""
        return ProcessPoolExecutor(self.jobs, mp_context=multiprocessing.get_context("spawn"))

    def begin_some(self, pool: ProcessPoolExecutor) -> bool:
        """Give every idle process a cell; return whether any was given."""
        begun = False
        while len(self.working) < self.jobs and monotonic() - self.begun < self.seconds:
            waiting = [page for page, some in self.pending.items() if some]
            if not waiting:
                break
            cell = self.pending[min(waiting, key=self.share_taken)].popleft()
            task = pool.submit(outcome, cell.function, cell.settings, self.data, self.patience)
            self.working[task] = cell, monotonic()
            begun = True
        return begun

    def share_taken(self, page: str) -> float:
        """Return the time that a page has taken, cells at work included, over its share."""
        now = monotonic()
        at_work = sum(now - since for cell, since in self.working.values() if cell.page == page)
        return (self.spent[page] + at_work) / SHARES[page]

    def finish(self, future: Future[dict[str, Any]]) -> None:
        """Keep a result, or why there is none."""
        cell, since = self.working.pop(future)
        self.spent[cell.page] += monotonic() - since
        self.done[cell.page] += 1
        try:
            line = future.result()
        except Exception as error:
            line = {"failed": f"its process died: {error}"[:200]}
        self.failed += "failed" in line
        self.records.add(cell.page, {**cell.settings, **line, "made": self.made, "key": cell.key})

    # progress -----------------------------------------------------------------------------------

    def seconds_left(self) -> float:
        """Return about how long the cells that wait will take, or until the time is over."""
        known = {page: self.spent[page] / self.done[page] for page in self.spent if self.done[page]}
        usual = sum(known.values()) / len(known) if known else 0.0
        waiting = sum(len(some) * known.get(page, usual) for page, some in self.pending.items())
        return max(0.0, min(waiting / self.jobs, self.seconds - (monotonic() - self.begun)))

    def show(self) -> None:
        """Show a bar with the time left; without a terminal a line now and then."""
        terminal = sys.stderr.isatty()
        if not terminal and monotonic() - self.spoken < QUIET:
            return
        self.spoken = monotonic()
        done, waiting = sum(self.done.values()), sum(map(len, self.pending.values()))
        bar = "#" * round(20 * done / max(1, done + waiting + len(self.working)))
        counts = f"{done} done, {waiting} wait, {self.failed} failed, {clock(self.seconds_left())} left"
        at_work = "; ".join(" ".join(cell.name[:2]) for cell, _ in self.working.values())
        start, end = ("\r\x1b[K", "") if terminal else ("", "\n")
        print(f"{start}[{bar:.<20}] {counts} {at_work}", end=end, file=sys.stderr, flush=True)


def clock(seconds: float) -> str:
    """Return hours, minutes or seconds."""
    if seconds >= 5400.0:
        return f"{seconds / 3600.0:.1f} h"
    return f"{seconds / 60.0:.0f} min" if seconds >= 90.0 else f"{seconds:.0f} s"


def outcome(function: str, settings: Mapping[str, Any], data: Path, patience: float) -> dict[str, Any]:
    """Return what a cell's function measures, or why it failed."""
    module, name = function.split(":")
    measure = getattr(importlib.import_module(f"benchmarks.evidence.{module}"), name)
    signal.signal(signal.SIGALRM, time_is_up)
    signal.setitimer(signal.ITIMER_REAL, patience)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return dict(measure(settings, data))
    except TimeIsUp:
        return {"failed": f"took more than {patience:.0f} s"}
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}".replace("\n", " ")[:200]}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def time_is_up(*_: Any) -> None:
    raise TimeIsUp
