"""What commands share: reading the table, showing progress, printing."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress

from rowtrust.workflow.records import Progress
from rowtrust.workflow.tables import InputError, Layout, read_sample, read_table
from rowtrust.workflow.tables.complaints import shortened

FAST_ROWS = 50_000


def say(text: str = "") -> None:
    """Print a line to standard output."""
    print(text, flush=True)


def note(text: str) -> None:
    """Print a remark to standard error, where it disturbs no pipe."""
    print(f"rowtrust: note: {shortened(text, 400)}", file=sys.stderr, flush=True)


def layout_of(delimiter: str | None, encoding: str, decimal: str, no_header: bool) -> Layout:
    """Return the layout that the options describe."""
    if delimiter is not None:
        delimiter = delimiter.replace("\\t", "\t")
        if len(delimiter) != 1:
            raise InputError(f"--delimiter must be one character, got '{delimiter}'.")
    if len(decimal) != 1:
        raise InputError(f"--decimal must be one character, got '{decimal}'.")
    return Layout(delimiter, encoding, decimal, header=not no_header)


def check_task(task: str | None) -> str | None:
    """Refuse a task that does not exist."""
    if task not in (None, "classification", "regression"):
        raise InputError(f"--task must be classification or regression, got '{task}'.")
    return task


def load_table(source: str, layout: Layout, fast: bool, seed: int) -> tuple[pd.DataFrame, list[str]]:
    """Read a table, or with ``fast`` a sample of it; return it with what is to be said about that."""
    if not fast:
        return read_table(source, layout), []
    table, total = read_sample(source, layout, FAST_ROWS, np.random.default_rng(seed))
    if len(table) == total:
        return table, []
    return table, [f"a random sample of {len(table)} of the {total} rows was used (--fast)"]


class Bar(Progress):
    """A bar on standard error; silent where that is no terminal."""

    def __init__(self, bar: RichProgress) -> None:
        self._bar = bar
        self._task = bar.add_task("reading", total=None)

    def start(self, total: int) -> None:
        """Set the length of the bar."""
        self._bar.update(self._task, total=total)

    def step(self, description: str) -> None:
        """Move on."""
        self._bar.update(self._task, description=description, advance=1)


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Bar]:
    """Show a live bar while a study runs."""
    console = Console(stderr=True)
    columns: tuple[Any, ...] = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    silent = quiet or not sys.stderr.isatty() or bool(os.environ.get("NO_COLOR") and not console.is_terminal)
    with RichProgress(*columns, console=console, transient=True, disable=silent) as bar:
        yield Bar(bar)
