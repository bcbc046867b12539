"""What commands share: checking options, showing progress, printing."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress
from rich.text import Text

from rowtrust.limits import Limits
from rowtrust.workflow import Progress
from rowtrust.workflow.tables import InputError, Layout
from rowtrust.workflow.tables.errors import shortened

NOTE_LENGTH = 400
"""Characters of a note; some five lines of a terminal. Readability alone."""

SECONDS = 100.0
"""Seconds up to which the time left is told in seconds; readability alone."""


def say(text: str = "") -> None:
    """Print a line to standard output."""
    print(text, flush=True)


def note(text: str) -> None:
    """Print a remark to standard error, where it disturbs no pipe."""
    print(f"rowtrust: note: {shortened(text, NOTE_LENGTH)}", file=sys.stderr, flush=True)


@contextmanager
def warnings_as_notes(category: type[Warning], told: set[str], quiet: bool = False) -> Iterator[None]:
    """Print the first line of every warning as a note, unless it was told before."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", category)
        yield
    for each in caught:
        message = str(each.message).splitlines()[0]
        if message not in told and not quiet:
            note(message)
        told.add(message)


def limits_of(limits: str | None) -> Limits:
    """Return the limits that an option sets, those of the environment where it does not."""
    return Limits.parse(limits or "", Limits.from_environment())


def layout_of(
    delimiter: str | None,
    encoding: str,
    decimal: str,
    no_header: bool,
    missing: Sequence[str] = (),
    limits: str | None = None,
) -> Layout:
    """Return the layout that the options describe."""
    if delimiter is not None:
        delimiter = delimiter.replace("\\t", "\t")
        if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
            raise InputError(
                f"--delimiter must be one ASCII character, no quote, no line end: '{shortened(delimiter)}'."
            )
    if len(decimal) != 1:
        raise InputError(f"--decimal must be one character, got '{decimal}'.")
    words = tuple(word.strip() for word in missing)
    return Layout(delimiter, encoding, decimal, not no_header, words, limits_of(limits))


def check_task(task: str | None) -> str | None:
    """Refuse a task that does not exist."""
    if task not in (None, "classification", "regression"):
        raise InputError(f"--task must be classification or regression, got '{task}'.")
    return task


class Bar(Progress):
    """A bar on standard error; silent where that is no terminal."""

    def __init__(self, bar: RichProgress) -> None:
        self._bar = bar
        self._task = bar.add_task("reading", total=None)
        self._done, self._cost = 0.0, 0.0

    def start(self, total: float) -> None:
        """Set the length of the bar."""
        self._bar.update(self._task, total=total)

    def step(self, description: str, cost: float = 1.0) -> None:
        """Move on to the end of the step before."""
        self._done, self._cost = self._done + self._cost, cost
        self._bar.update(self._task, description=description, completed=self._done)

    def part(self, share: float) -> None:
        """Move on within a step."""
        self._bar.update(self._task, completed=self._done + min(share, 1.0) * self._cost)


class TimeLeft(ProgressColumn):
    """The time left if all goes on as fast as it went so far."""

    def render(self, task: Task) -> Text:
        """Return the time left in words, nothing while nobody can tell."""
        left = time_left(task.elapsed, task.completed, task.total)
        return Text("" if left is None else f"about {left} left", style="progress.remaining")


def time_left(elapsed: float | None, completed: float, total: float | None) -> str | None:
    """Return how long the rest will take, in words; None while there is nothing to go by."""
    if elapsed is None or total is None or completed <= 0.0:
        return None
    seconds = elapsed * (total - completed) / completed
    return f"{seconds:.0f} s" if seconds < SECONDS else f"{seconds / 60:.0f} min"


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Bar]:
    """Show a live bar while a study runs."""
    console = Console(stderr=True)
    columns: tuple[ProgressColumn, ...] = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeLeft(),
    )
    silent = quiet or not sys.stderr.isatty() or bool(os.environ.get("NO_COLOR") and not console.is_terminal)
    with RichProgress(*columns, console=console, transient=True, disable=silent) as bar:
        yield Bar(bar)
