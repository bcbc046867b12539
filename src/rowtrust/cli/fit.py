"""``rowtrust fit``: a table in; a model, a report, flagged rows and metrics out."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from rowtrust.cli import options
from rowtrust.cli.failing import in_one_line
from rowtrust.cli.options import layout_of, note, say
from rowtrust.workflow import Settings, Study
from rowtrust.workflow.api import question
from rowtrust.workflow.bars import progress_bar
from rowtrust.workflow.checks.records import ordered
from rowtrust.workflow.input_data import InputTable, Question
from rowtrust.workflow.results import study_file
from rowtrust.workflow.summaries import finding_text, summary, summary_lines

PROGRAMS = ("rowtrust", "__main__")
"""Names of the program under which its arguments are ours, so that the report can repeat them."""


@in_one_line
def fit(
    data: options.Data,
    target: options.Target,
    model: Annotated[
        str,
        typer.Option(
            help="robust, plain, fuzzy, svr (numbers only), or auto: the one that predicts unseen rows best."
        ),
    ] = "auto",
    task: options.Task = None,
    test: Annotated[
        str,
        typer.Option(metavar="SHARE|FILE", help="Share of the rows to keep for judging, or a file of rows."),
    ] = "0.2",
    no_test: Annotated[
        bool, typer.Option("--no-test", help="Keep no rows for judging; judge by cross-fitting.")
    ] = False,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")] = Path(
        "rowtrust-results"
    ),
    group: options.Group = None,
    time: options.Time = None,
    id: options.Id = None,
    weight: options.Weight = None,
    drop: options.Drop = [],  # noqa: B006
    keep: options.Keep = [],  # noqa: B006
    no_refit: Annotated[
        bool, typer.Option("--no-refit", help="Leave the model as it was measured: not fitted to test rows.")
    ] = False,
    fast: options.Fast = False,
    dask: options.Dask = None,
    device: options.Device = None,
    seed: options.Seed = 0,
    strict: options.Strict = False,
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
    """Fit a model to a table and write a report.

    Writes model.skops, report.html, flagged.csv, review.csv, metrics.json and manifest.json into a folder. A
    file of many rows is not loaded whole: a random sample is studied, and the model is fitted to all rows
    piece by piece.

    Example: rowtrust fit patients.csv --target diagnosis
    """
    settings = Settings(
        data="",
        target=target,
        model=model,
        task=task,
        drop=tuple(drop),
        keep=tuple(keep),
        fast=fast,
        seed=seed,
        command=command_line(),
        dask=dask,
        device=device,
        group=group,
        time=time,
        id=id,
        weight=weight,
        strict=strict,
        refit=not no_refit,
    )
    layout = layout_of(delimiter, encoding, decimal, no_header, missing, limits)
    asked = question(InputTable(data), settings, layout, None if no_test else test)
    start = perf_counter()
    study = study_aloud(asked, output, quiet=quiet or as_json, force=force)
    if as_json:
        say(json.dumps(summary(study, perf_counter() - start)))


def command_line() -> str:
    """Return the command as it was typed, for the report; nothing if another program called."""
    return shlex.join(["rowtrust", *sys.argv[1:]]) if Path(sys.argv[0]).stem in PROGRAMS else ""


def study_aloud(asked: Question, output: Path, *, quiet: bool = False, force: bool = False) -> Study:
    """Study a table with a progress bar, and say what was found; return the study."""
    start = perf_counter()
    with progress_bar(False if quiet else None) as progress:
        study = study_file(asked, output, progress, force=force)
    if not quiet:
        for check in ordered(study.checks):
            note(finding_text(check), check.severity)
        for remark in study.notes:
            note(remark)
        for line in summary_lines(study, output, perf_counter() - start):
            say(line)
    return study
