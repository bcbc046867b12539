"""``rowtrust audit``: which rows are likely errors, and which are worth a look."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer
from rich.console import Console
from rich.table import Table

from rowtrust.atomic import written_aside
from rowtrust.cli import options
from rowtrust.cli.failing import in_one_line
from rowtrust.cli.options import asked, layout_of, note
from rowtrust.workflow import Settings
from rowtrust.workflow.auditing import Audit, audit_rows
from rowtrust.workflow.choices import check_task, clean_command
from rowtrust.workflow.flagged import GIVEN_LENGTH, is_flagged, label_of, listed_rows, reason, records
from rowtrust.workflow.input_data import InputTable
from rowtrust.workflow.output_paths import check_outputs
from rowtrust.workflow.results import RANKING_DIGITS, check_input
from rowtrust.workflow.review import kept_review, review_table
from rowtrust.workflow.row_contents import in_words
from rowtrust.workflow.summaries import finding_text
from rowtrust.workflow.tables import read_records
from rowtrust.workflow.tables.errors import shortened
from rowtrust.workflow.tables.records import write_csv

NUMBERS = ("row", "p_wrong")
"""Columns of numbers in the ranking, which stand to the right."""


@in_one_line
def audit(
    data: options.Data,
    target: options.Target,
    task: options.Task = None,
    output: Annotated[Path | None, asked("CSV file for the ranking of all rows.", "--output", "-o")] = None,
    review: Annotated[
        Path | None,
        asked(
            "CSV file of the listed rows, in which you mark the wrong ones; for rowtrust clean.",
            "--review",
            metavar="OUT.csv",
        ),
    ] = None,
    cut: Annotated[int | None, asked("How many rows to flag, instead of the proposed number.", min=0)] = None,
    show: Annotated[int, typer.Option(min=0, help="How many rows to print at most.")] = 20,
    no_effect: options.NoEffect = False,
    group: options.Group = None,
    id_column: options.Id = None,
    drop: options.Drop = [],  # noqa: B006
    keep: options.Keep = [],  # noqa: B006
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
    """Rank the rows of a table by how likely they are wrong.

    Flags as many rows as possible while four in five are expected to be wrong, and measures what happens
    without them. Further rows that are worth a look have a list of their own.
    Nothing is changed: rare rows can be right. --review writes a file in which you mark the wrong rows, and
    "rowtrust clean" writes a corrected copy of the table. In these files, text that a spreadsheet would run
    as a formula gets an apostrophe.

    Example: rowtrust audit patients.csv --target diagnosis --review review.csv
    """
    layout = layout_of(delimiter, encoding, decimal, no_header, missing, limits)
    columns: Any = {"drop": tuple(drop), "keep": tuple(keep), "id": id_column, "group": group}
    settings = Settings(data, target, task=check_task(task), seed=seed, **columns)
    check_input(InputTable(data), settings, layout)
    check_outputs({"--output": output, "--review": review}, {"the data": data}, force=force)
    records = read_records(data, layout)
    found = audit_rows(records.table, settings, cut=cut, measure_effect=not no_effect)
    found.notes[:0] = records.notes
    kept = None if review is None else kept_review(review)
    with ExitStack() as both:  # both files appear, or none
        for path, table in ((output, found.table.reset_index()), (review, review_table(found.table))):
            if path is not None:
                write_csv(table, both.enter_context(written_aside(path)), RANKING_DIGITS)
    if as_json:
        print(json.dumps(found.as_json()))
    elif not quiet:
        for check in found.checks:
            note(finding_text(check), check.severity)
        for remark in found.notes:
            note(remark)
        if kept is not None:
            note(f"{review} was filled in: it is kept as {kept.name}, beside the new one")
        tell(found, show)
        if review is not None:
            inputs = [{"path": data, "layout": vars(layout)}]
            given = found.table["given"].to_numpy()
            command = clean_command(settings, inputs, found.task, given, review)
            print(f"\nMark the wrong rows in the column 'verdict' of {review}; then: {command}")


def tell(found: Audit, show: int) -> None:
    """Print the answer, the likely errors, the rows that are worth a look, and the effect."""
    print(found.verdict)
    shown = listed_rows(found.table).head(show)
    flagged = is_flagged(shown)
    console = Console(highlight=False, markup=False)
    for title, rows in (("", shown[flagged]), ("Worth a look:", shown[~flagged])):
        if len(rows):
            print(*([f"\n{title}"] if title else []), sep="", end="\n" if title else "")
            console.print(ranking(rows, found))
    for line in found.effect_lines:
        print(line)


def ranking(shown: pd.DataFrame, found: Audit) -> Table:
    """Return rows of the ranking for the terminal, with what they hold beside the rows to compare with."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in ("row", "given", "likely", "p_wrong", "reason"):
        table.add_column(name, justify="right" if name in NUMBERS else "left", overflow="fold")
    for row in records(shown):
        words = (label_of(row), word(row["given"]), word(row["likely"]))
        content = found.contents.get(int(row["row"]))
        why = [reason(row, found.task), *([in_words(content)] if content is not None else [])]
        table.add_row(*words, f"{row['p_wrong']:.2f}", "\n".join(filter(None, why)))
    return table


def word(value: object) -> str:
    """Return a target for the terminal."""
    return f"{value:.4g}" if isinstance(value, float) else shortened(value, GIVEN_LENGTH)
