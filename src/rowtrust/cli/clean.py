"""``rowtrust clean``: a copy of a table after its review."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from rowtrust.atomic import written_aside
from rowtrust.cli import options
from rowtrust.cli.failing import in_one_line
from rowtrust.cli.options import asked, layout_of, note, say
from rowtrust.workflow import Settings
from rowtrust.workflow.auditing import Effect, sentence
from rowtrust.workflow.choices import check_choice, check_task, fit_command
from rowtrust.workflow.cleaning import CORRECT, WAYS, WEIGHT, WEIGHTS, Cleaning, effects, plan, write
from rowtrust.workflow.output_paths import check_outputs
from rowtrust.workflow.review import VERDICTS, read_review
from rowtrust.workflow.tables import InputError, Records, read_records
from rowtrust.workflow.tables.errors import NoRowsError

HOW_TO_REVIEW = (
    "nothing is changed that you have not confirmed: give --review FILE. 'rowtrust fit' writes review.csv "
    "beside its report, in which rows can be ticked too; 'rowtrust audit DATA --target COLUMN --review "
    "review.csv' writes one alone. Fill its column 'verdict' with wrong, right or unsure."
)
"""What is said where there is no review."""


@in_one_line
def clean(
    data: options.Data,
    target: options.Target,
    review: Annotated[
        Path | None, asked("The review: which rows are wrong.", "--review", metavar="FILE")
    ] = None,
    output: Annotated[
        Path | None, asked("CSV file for the copy.", "--output", "-o", metavar="OUT.csv")
    ] = None,
    how: Annotated[
        str,
        typer.Option(
            metavar="correct|weight|remove",
            help="What to do with confirmed rows: write the right value, add a column of weights, or leave "
            "them out.",
        ),
    ] = CORRECT,
    task: options.Task = None,
    no_effect: options.NoEffect = False,
    group: options.Group = None,
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
    """Write a copy of a table with the rows corrected that a review confirms to be wrong.

    A row that is marked wrong gets the value in the review's column 'corrected'; without one, the likely
    class. A number without one is emptied: measurements are not invented. All other cells are copied as
    they are. Then it measures what the change does to predictions of the rows left alone.

    Example: rowtrust clean patients.csv --target diagnosis --review review.csv -o cleaned.csv
    """
    check_choice("--how", how, WAYS)
    if review is None:
        raise InputError(HOW_TO_REVIEW)
    if output is None:
        raise InputError("name the file for the copy: -o cleaned.csv. The data stay as they are.")
    layout = layout_of(delimiter, encoding, decimal, no_header, missing, limits)
    check_outputs({"--output": output}, {"the data": data, "the review": review}, force=force)
    columns: Any = {"drop": tuple(drop), "keep": tuple(keep), "group": group}
    settings = Settings(data, target, task=check_task(task), seed=seed, **columns)
    try:
        decisions = read_review(str(review), layout)
    except NoRowsError:
        summary = (
            f"{review} has no rows: nothing was flagged. There is nothing to clean; no copy was written."
        )
        tell(Cleaning(how, [], {}), None, summary, [], quiet, as_json)
        return
    records = read_records(data, layout)
    done = plan(records, settings, decisions, how)
    with written_aside(output) as aside, aside.open("w", encoding="utf-8", newline="") as stream:
        write(records, target, done, stream)
    gains = [] if no_effect or (quiet and not as_json) else measured(records, settings, done)
    tell(done, output, done.summary, gains, quiet, as_json)
    if not (quiet or as_json):
        weight = None
        if how == WEIGHT:
            weight = WEIGHTS if records.header is not None else str(records.cells.shape[1] + 1)
        known = replace(layout, header=layout.header and records.header is not None)
        say(f"next: {fit_command(output, settings, known, weight)}")


def tell(
    done: Cleaning, output: Path | None, summary: str, gains: list[Effect], quiet: bool, as_json: bool
) -> None:
    """Say what was done, and what it gains, in words or as JSON."""
    if as_json:
        said = {verdict: done.rows(verdict) for verdict in VERDICTS}
        changes = {"output": output and str(output), "how": done.how, **said, "summary": summary}
        print(json.dumps({**changes, "effects": [vars(each) for each in gains]}))
    elif not quiet:
        say(f"{output}: {summary}" if output else summary)
        for each in gains:
            say(f"With the change {sentence(each)}")


def measured(records: Records, settings: Settings, done: Cleaning) -> list[Effect]:
    """Return what the change gains; where no model can be fitted, a note says why and the copy stands."""
    try:
        return effects(records, settings, done)
    except InputError as error:
        note(f"what the change gains was not measured: {error}")
        return []
