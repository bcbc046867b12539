"""What commands share: checking options and printing."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rowtrust.limits import Limits
from rowtrust.workflow import choices
from rowtrust.workflow.choices import check_task
from rowtrust.workflow.tables import Layout
from rowtrust.workflow.tables.errors import shortened

__all__ = ["check_task", "layout_of", "limits_of", "note", "say", "warnings_as_notes"]

NOTE_LENGTH = 400
"""Characters of a note; some five lines of a terminal. Readability alone."""


def say(text: str = "") -> None:
    """Print a line to standard output."""
    print(text, flush=True)


def note(text: str, severity: str = "note") -> None:
    """Print a remark to standard error, where it disturbs no pipe."""
    print(f"rowtrust: {severity}: {shortened(text, NOTE_LENGTH)}", file=sys.stderr, flush=True)


@contextmanager
def warnings_as_notes(category: type[Warning], told: set[str], quiet: bool = False) -> Iterator[None]:
    """Print the first line of every warning as a note, unless it was printed before."""
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
    return choices.layout_of(delimiter, encoding, decimal, not no_header, missing, limits_of(limits))
