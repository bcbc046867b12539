"""Arguments and options that several commands share, what they stand for, and how commands print."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from rowtrust import limits as allowed
from rowtrust.workflow import choices
from rowtrust.workflow.tables import Layout
from rowtrust.workflow.tables.errors import shortened

NOTE_LENGTH = 400
"""Characters of a note; some five lines of a terminal. Readability alone."""


def asked(help: str, *names: str, **how: Any) -> Any:
    """Return an option that is nothing unless it is given."""
    return typer.Option(*names, help=help, show_default=False, **how)


def column(name: str, help: str) -> Any:
    """Return an option that names a column."""
    return asked(help, name, metavar="COLUMN")


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A table: CSV, TSV, Parquet or Excel (xlsx), also compressed (gz, bz2, xz, zst, zip); - for "
        "standard input.",
        show_default=False,
    ),
]
Model = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="A model.skops file, or the folder it lies in.", show_default=False),
]
Target = Annotated[str, asked("The column to predict.", "--target", "-t", metavar="COLUMN")]
Task = Annotated[str | None, asked("classification or regression; found from the target unless given.")]
Drop = Annotated[list[str], column("--drop", "A column to leave out; may be repeated.")]
Keep = Annotated[
    list[str],
    column(
        "--keep",
        "A column that is an input even if it looks like an ID, prose or a constant; may be repeated.",
    ),
]
Group = Annotated[
    str | None,
    column(
        "--group", "Rows with the same value here stay on one side of every split: patients, batches, sites."
    ),
]
Time = Annotated[str | None, column("--time", "Orders the rows; the latest judge the model.")]
Id = Annotated[str | None, column("--id", "Names the rows in every output; no input.")]
Weight = Annotated[
    str | None,
    column("--weight", "Says how much each row counts, such as rowtrust_weight of rowtrust clean; no input."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Fail on severe findings about the data.")]
Force = Annotated[bool, typer.Option("--force", help="Replace results that are there already.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of every random choice.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
NoEffect = Annotated[
    bool, typer.Option("--no-effect", help="Do not measure what the change of rows does to predictions.")
]
Fast = Annotated[
    bool,
    typer.Option("--fast", help="Read a random sample of a large file, and fit a model on landmarks to it."),
]
Dask = Annotated[
    str | None,
    asked(
        "Fit with the workers of a Dask cluster (tcp://host:8786), who must see the output's folder.",
        "--dask",
        metavar="ADDRESS",
    ),
]
Device = Annotated[str | None, asked("Fit on a device of PyTorch, such as cuda.", "--device")]
Delimiter = Annotated[
    str | None, asked(r"Between fields; found from the header unless given ('\t' for a tab).")
]
Encoding = Annotated[str, typer.Option(help="Encoding of a text file.")]
Decimal = Annotated[str, typer.Option(help="Decimal mark of a text file.")]
Missing = Annotated[
    list[str],
    typer.Option("--missing", metavar="WORD", help="A word that stands for a missing cell; may be repeated."),
]
Limits = Annotated[
    str | None,
    asked(
        "How large files may be and how long it may take, such as rows=1e6,seconds=60; see SECURITY.md.",
        "--limits",
        metavar="NAME=N,...",
    ),
]
NoHeader = Annotated[
    bool, typer.Option("--no-header", help="The first line holds data; columns are called 1, 2, ...")
]


def say(text: str = "") -> None:
    """Print a line to standard output."""
    print(text, flush=True)


def note(text: str, severity: str = "note") -> None:
    """Print a remark to standard error, where it disturbs no pipe."""
    print(f"rowtrust: {severity}: {shortened(text, NOTE_LENGTH)}", file=sys.stderr, flush=True)


@contextmanager
def warnings_as_notes(category: type[Warning], seen: set[str], quiet: bool = False) -> Iterator[None]:
    """Print the first line of every warning as a note, unless it was printed before."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", category)
        yield
    for each in caught:
        message = str(each.message).splitlines()[0]
        if message not in seen and not quiet:
            note(message)
        seen.add(message)


def limits_of(limits: str | None) -> allowed.Limits:
    """Return the limits that an option sets, those of the environment where it does not."""
    return allowed.Limits.parse(limits or "", allowed.Limits.from_environment())


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
