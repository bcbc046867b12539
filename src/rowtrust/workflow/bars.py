"""A bar that shows how far a study is, in a terminal or a notebook."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from threading import Event, Thread
from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress
from rich.text import Text

from rowtrust.workflow.records import Progress

SECONDS = 100.0
"""Seconds up to which the time left is shown in seconds; readability alone."""

SAID_EVERY = 15.0
"""Seconds between two lines where there is no terminal; more often fills logs, less often seems dead."""

SHOWN_EVERY = 0.2
"""Seconds between two pictures of a bar in a notebook, which travel to a browser; faster nobody reads."""


class Bar(Progress):
    """A bar on a terminal."""

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

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        if not self._bar.disable:
            self._bar.console.print(f"rowtrust: note: {text}", highlight=False, markup=False)


class Lines(Progress):
    """A line on standard error every now and then, for logs: what is done, and the time left."""

    def __init__(self) -> None:
        self._start = self._began = self._step_began = monotonic()
        self._total: float | None = None
        self._done, self._cost, self._share = 0.0, 0.0, 0.0
        self._text, self._rows = "reading", 0

    def start(self, total: float) -> None:
        """Set what all steps will cost; what was read until then is none of them."""
        self._total, self._began = total, monotonic()

    def step(self, description: str, cost: float = 1.0) -> None:
        """Move on to the end of the step before."""
        self._done, self._cost, self._text, self._share = self._done + self._cost, cost, description, 0.0
        self._rows, self._step_began = 0, monotonic()

    def part(self, share: float) -> None:
        """Move on within a step."""
        self._share = min(share, 1.0)

    def rows(self, count: int) -> None:
        """Count rows that were read."""
        self._rows += count

    def say(self, text: str) -> None:
        """Print a line at once."""
        print(f"rowtrust: note: {text}", file=sys.stderr, flush=True)

    def speak_until(self, ended: Event) -> None:
        """Print a line every now and then, whatever else goes on."""
        while not ended.wait(SAID_EVERY):
            now = monotonic()
            left, rows = self.left(now), f", {self._rows:,} rows read" if self._rows else ""
            said = f"{self._text}{rows}, {now - self._start:.0f} s so far"
            self.say(said + f", about {left} left" * bool(left))

    def left(self, now: float) -> str | None:
        """Return the time left in words; None in a step longer than all before that tells no share."""
        before, within = self._step_began - self._began, now - self._step_began
        if self._share == 0.0 and within > before:
            return None
        return time_left(now - self._began, self._done + self._share * self._cost, self._total)


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
    seconds = elapsed * max(0.0, total - completed) / completed  # a plan may cost more than it was said to
    return f"{seconds:.0f} s" if seconds < SECONDS else f"{seconds / 60:.0f} min"


class NotebookBar(Progress):
    """A bar that the browser draws: it needs nothing but the notebook, and is gone when the study is done.

    Parameters
    ----------
    handle
        Of IPython: its ``update`` shows an object in the place of the last one.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self._start, self._shown = monotonic(), 0.0
        self._text, self._total = "reading", 0.0
        self._done, self._cost = 0.0, 0.0

    def start(self, total: float) -> None:
        """Set the length of the bar."""
        self._total = total
        self._show(self._done)

    def step(self, description: str, cost: float = 1.0) -> None:
        """Move on to the end of the step before."""
        self._done, self._cost, self._text = self._done + self._cost, cost, description
        self._show(self._done)

    def part(self, share: float) -> None:
        """Move on within a step."""
        if monotonic() - self._shown >= SHOWN_EVERY:
            self._show(self._done + min(share, 1.0) * self._cost)

    def _show(self, completed: float) -> None:
        self._shown = monotonic()
        left = time_left(self._shown - self._start, completed, self._total or None)
        text = escape(self._text) + (f", about {left} left" if left else "")
        length = f'value="{completed:g}" max="{self._total:g}"' if self._total else ""
        self._handle.update(Shown(f"<div><progress {length}></progress> {text}</div>"))


class Shown:
    """A piece of HTML that a notebook shows, and nothing else does."""

    def __init__(self, html: str) -> None:
        self.html = html

    def __repr__(self) -> str:
        return ""

    def _repr_html_(self) -> str:
        return self.html


@contextmanager
def progress_bar(wanted: bool | None = None) -> Iterator[Progress]:
    """Show a live bar while a study runs; where there is no terminal, a line every now and then.

    Parameters
    ----------
    wanted
        Whether to show anything; None: lines only if it takes long.
    """
    console = Console(stderr=True)
    if console.is_jupyter and wanted is not False:
        with notebook_bar() as shown:
            yield shown
        return
    plain = bool(os.environ.get("NO_COLOR") and not console.is_terminal)
    if wanted is None and (plain or not sys.stderr.isatty()):
        with spoken_lines() as lines:
            yield lines
        return
    columns: tuple[ProgressColumn, ...] = (
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeLeft(),
    )
    with RichProgress(*columns, console=console, transient=True, disable=wanted is False) as bar:
        yield Bar(bar)


@contextmanager
def spoken_lines() -> Iterator[Lines]:
    """Print lines while something is done: from a thread, for one long step tells nobody how far it is."""
    lines, ended = Lines(), Event()
    speaker = Thread(target=lines.speak_until, args=(ended,), daemon=True)
    speaker.start()
    try:
        yield lines
    finally:
        ended.set()
        speaker.join()


@contextmanager
def notebook_bar() -> Iterator[NotebookBar]:
    """Show a bar in a notebook, and take it away at the end."""
    from IPython.display import display  # which every notebook has

    handle = display(Shown(""), display_id=True)
    try:
        yield NotebookBar(handle)
    finally:
        handle.update(Shown(""))
