"""``rowtrust predict``: a model and a table in, a prediction for every row out, in order."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TextIO

import typer

from rowtrust.atomic import written_aside
from rowtrust.cli import options
from rowtrust.cli.failing import in_one_line
from rowtrust.cli.options import asked, column, layout_of, limits_of, note, say, warnings_as_notes
from rowtrust.io import VersionWarning
from rowtrust.workflow.output_paths import check_outputs
from rowtrust.workflow.predictions import Unseen, columns_to_keep, prediction_table, with_columns
from rowtrust.workflow.results import StoredModel, read_stored
from rowtrust.workflow.tables import InputError, read_chunks
from rowtrust.workflow.tables.records import write_csv

DIGITS = "%.7g"
"""Digits of a prediction in the CSV; more than any prediction deserves."""


@in_one_line
def predict(
    model: options.Model,
    data: options.Data,
    output: Annotated[
        Path | None, asked("CSV file to write; standard output unless given.", "--output", "-o")
    ] = None,
    interval: Annotated[
        float, typer.Option(min=0.01, max=0.999, help="Probability that an interval of a number holds.")
    ] = 0.9,
    id: Annotated[
        list[str],
        column(
            "--id", "Copy this column into the output; may be repeated. The model's own --id unless given."
        ),
    ] = [],  # noqa: B006
    force: options.Force = False,
    quiet: options.Quiet = False,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = "utf-8",
    decimal: options.Decimal = ".",
    no_header: options.NoHeader = False,
    missing: options.Missing = [],  # noqa: B006
    limits: options.Limits = None,
) -> None:
    """Predict every row of a table, in order.

    Classes come with the probability of each; numbers with an interval. Reads and writes piece by piece,
    so files may be larger than memory. Columns that the model does not need are ignored; categories that
    it has not seen are listed at the end. Model files from anybody are safe to open: they cannot run code.
    Names that a spreadsheet would run as formulas get an apostrophe.

    Example: rowtrust predict rowtrust-results new.csv > predictions.csv
    """
    check_outputs({"--output": output}, {"the data": data, "the model": model}, force=force)
    stored = load_model(model, limits)
    layout = layout_of(delimiter, encoding, decimal, no_header, missing, limits)
    seen: set[str] = set()
    unseen, n_rows, remarks = Unseen(stored.schema), 0, list[str]()
    with output_stream(output) as stream:
        for place, chunk in enumerate(read_chunks(data, layout, remark=remarks.append)):
            names = columns_to_keep(chunk, id, stored.id)
            with warnings_as_notes(UserWarning, seen, quiet):
                table = prediction_table(stored.pipeline, stored.schema, chunk, interval)
            unseen.look_at(chunk)
            n_rows += len(chunk)
            write_csv(with_columns(chunk, names, table), stream, DIGITS, header=place == 0)
    if not quiet:
        for remark in (*remarks, *unseen.remarks):
            note(remark)
        if output is not None:
            say(f"written: {output} ({n_rows:,} rows)")


def load_model(path: Path, limits: str | None = None) -> StoredModel:
    """Load a model that ``rowtrust fit`` has written, within limits; say if its versions differ."""
    with warnings_as_notes(VersionWarning, set()):
        return read_stored(path, limits_of(limits))


@contextmanager
def output_stream(output: Path | None) -> Iterator[TextIO]:
    """Yield standard output, or a file that appears only when it is complete."""
    if output is None:
        try:
            yield sys.stdout
            sys.stdout.flush()
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            sys.stdout = open(os.devnull, "w")  # noqa: SIM115  what is left of it goes nowhere
            raise InputError(
                "the disk is full: standard output is cut off. Free some space, and run again."
            ) from error
        return
    with written_aside(output) as aside, aside.open("w", encoding="utf-8", newline="") as stream:
        yield stream
