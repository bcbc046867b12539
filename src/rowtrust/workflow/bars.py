"""A bar that shows how far a study is, in a terminal or a notebook."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress
from rich.text import Text

from rowtrust.workflow.records import Progress

SECONDS = 100.0
"""Seconds up to which the time left is told in seconds; readability alone."""


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
def progress_bar(wanted: bool | None = None) -> Iterator[Bar]:
    """Show a live bar while a study runs.

    Parameters
    ----------
    wanted
        Whether to show it; None where somebody can see it.
    """
    console = Console(stderr=True)
    columns: tuple[ProgressColumn, ...] = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeLeft(),
    )
    seen = console.is_jupyter or sys.stderr.isatty()
    plain = bool(os.environ.get("NO_COLOR") and not console.is_terminal)
    silent = wanted is False or (wanted is None and (not seen or plain))
    with RichProgress(*columns, console=console, transient=True, disable=silent) as bar:
        yield Bar(bar)
