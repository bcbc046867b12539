"""``rowtrust audit``: which rows are wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer
from rich.console import Console
from rich.table import Table

from rowtrust.atomic import written_aside
from rowtrust.cli import options
from rowtrust.cli.common import check_task, layout_of, note
from rowtrust.cli.failing import in_one_line
from rowtrust.workflow import Settings
from rowtrust.workflow.apart import check_apart
from rowtrust.workflow.auditing import Audit, audit_rows
from rowtrust.workflow.results import RANKING_DIGITS
from rowtrust.workflow.suspects import GIVEN_LENGTH, reason
from rowtrust.workflow.tables import read_records
from rowtrust.workflow.tables.errors import shortened
from rowtrust.workflow.tables.writing import write_csv

NUMBERS = ("row", "P(wrong)", "trust")
"""Columns of numbers in the ranking, which stand to the right."""


@in_one_line
def audit(
    data: options.Data,
    target: options.Target,
    task: options.Task = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="CSV file for the ranking of all rows.", show_default=False),
    ] = None,
    clean: Annotated[
        Path | None,
        typer.Option(
            "--clean", metavar="OUT.csv", help="Write the data without the suspects.", show_default=False
        ),
    ] = None,
    cut: Annotated[
        int | None,
        typer.Option(
            min=0, help="How many rows to call suspects, instead of the proposed number.", show_default=False
        ),
    ] = None,
    show: Annotated[int, typer.Option(min=0, help="How many rows to print.")] = 20,
    no_effect: Annotated[
        bool, typer.Option("--no-effect", help="Do not measure what leaving the suspects out does.")
    ] = False,
    drop: options.Drop = [],  # noqa: B006
    seed: options.Seed = 0,
    force: options.Force = False,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = "utf-8",
    decimal: options.Decimal = ".",
    no_header: options.NoHeader = False,
    missing: options.Missing = [],  # noqa: B006
    limits: options.Limits = None,
) -> None:
    """Rank the rows of a table by how much the other rows contradict them.

    Names as many suspects as it can while four in five are expected to be wrong, and measures what leaving
    them out does.
    Look at suspects before you delete them: rare is not wrong.
    --clean copies cells as they are; in the ranking, text that a spreadsheet would run as a formula gets an
    apostrophe.

    Example: rowtrust audit patients.csv --target diagnosis --clean cleaned.csv
    """
    layout = layout_of(delimiter, encoding, decimal, no_header, missing, limits)
    check_apart({"--output": output, "--clean": clean}, {"the data": data}, force=force)
    settings = Settings(data, target, task=check_task(task), drop=tuple(drop), seed=seed)
    records = read_records(data, layout)
    found = audit_rows(records.table, settings, cut=cut, measure_effect=not no_effect)
    if output is not None:
        with written_aside(output) as aside:
            write_csv(found.table, aside, RANKING_DIGITS)
    if clean is not None:
        with written_aside(clean) as aside, aside.open("w", encoding="utf-8", newline="") as stream:
            kept = records.write_without(found.suspect_rows, stream)
    if as_json:
        print(json.dumps(found.as_json()))
    elif not quiet:
        for remark in found.notes:
            note(remark)
        tell(found, show)
        if clean is not None:
            print(f"\n{kept} rows without the suspects are in {clean}")


def tell(found: Audit, show: int) -> None:
    """Print the ranking, the cut and its effect."""
    print(found.verdict)
    shown = found.table.head(show)
    if len(shown):
        Console(highlight=False, markup=False).print(ranking(shown, found.task))
    for line in found.effect_lines:
        print(line)


def ranking(shown: pd.DataFrame, task: str) -> Table:
    """Return rows of the ranking for the terminal; those beyond the cut are dim."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("row", "given", "likely", "P(wrong)", "trust", "reason"):
        table.add_column(name, justify="right" if name in NUMBERS else "left", overflow="fold")
    for row in shown.to_dict("records"):
        words = (str(row["row"]), word(row["given"]), word(row["likely"]))
        numbers = (f"{row['wrong']:.2f}", f"{row['trust']:.2f}")
        table.add_row(*words, *numbers, reason(row, task), style=None if row["suspect"] else "dim")
    return table


def word(value: object) -> str:
    """Return a target for the terminal."""
    return f"{value:.4g}" if isinstance(value, float) else shortened(value, GIVEN_LENGTH)
