"""``rowtrust fit``: a table in; a model, a report, suspects and metrics out."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from rowtrust.cli import options
from rowtrust.cli.common import check_task, layout_of, note, progress_bar, say
from rowtrust.cli.failing import in_one_line
from rowtrust.workflow import Settings, Study
from rowtrust.workflow.results import study_file, summary, summary_lines
from rowtrust.workflow.tables import InputError, Layout
from rowtrust.workflow.tables.layout import is_number

MODELS = ("auto", "robust", "plain", "fuzzy", "svr")
"""What --model may be; part of the command's interface."""

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
    drop: options.Drop = [],  # noqa: B006
    fast: options.Fast = False,
    dask: options.Dask = None,
    device: options.Device = None,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = "utf-8",
    decimal: options.Decimal = ".",
    no_header: options.NoHeader = False,
    missing: options.Missing = [],  # noqa: B006
    limits: options.Limits = None,
    group: options.Group = None,
    time: options.Time = None,
    id: options.Id = None,
    strict: options.Strict = False,
) -> None:
    """Fit a model to a table and write a report.

    Writes model.skops, report.html, suspects.csv and metrics.json into a folder. A file of many rows is not
    loaded whole: a random sample is studied, and the model is fitted to all rows piece by piece.

    Example: rowtrust fit patients.csv --target diagnosis
    """
    if model not in MODELS:
        raise InputError(f"--model must be one of {', '.join(MODELS)}, got '{model}'.")
    check_place(data, dask, device, fast)
    layout = layout_of(delimiter, encoding, decimal, no_header, missing, limits)
    share, test_file = chosen_test(test, no_test)
    settings = Settings(
        data="standard input" if data == "-" else Path(data).name,
        target=target,
        model=model,
        task=check_task(task),
        test=share,
        drop=tuple(drop),
        fast=fast,
        seed=seed,
        command=command_line(),
        dask=dask,
        device=device,
        group=group,
        time=time,
        id=id,
        strict=strict,
    )
    start = perf_counter()
    study = study_aloud(data, settings, output, layout, test_file, quiet=quiet or as_json)
    if as_json:
        say(json.dumps(summary(study, perf_counter() - start)))


def check_place(data: str, dask: str | None, device: str | None, fast: bool) -> None:
    """Refuse places of the fit that exclude each other."""
    if dask is not None and (device is not None or fast or data == "-"):
        other = "--device" if device is not None else "--fast" if fast else "standard input"
        raise InputError(f"--dask cannot go with {other}. Leave one of them out.")


def chosen_test(test: str, no_test: bool) -> tuple[float, str | None]:
    """Return the share to keep for judging, and the file of test rows if one was named."""
    if no_test:
        return 0.0, None
    if not is_number(test):
        return 0.0, test
    if not 0.0 < float(test) < 1.0:
        raise InputError(
            f"--test must be a share between 0 and 1 or a file, got {test}. Use --no-test for none."
        )
    return float(test), None


def command_line() -> str:
    """Return the command as it was typed, for the report; nothing if another program called."""
    return shlex.join(["rowtrust", *sys.argv[1:]]) if Path(sys.argv[0]).stem in PROGRAMS else ""


def study_aloud(
    data: str,
    settings: Settings,
    output: Path,
    layout: Layout = Layout(),  # noqa: B008
    test_file: str | None = None,
    *,
    quiet: bool = False,
) -> Study:
    """Study a file with a progress bar, and say what was found; return the study."""
    start = perf_counter()
    with progress_bar(quiet) as progress:
        study = study_file(data, settings, output, layout=layout, test_source=test_file, progress=progress)
    if not quiet:
        for remark in study.notes:
            note(remark)
        for line in summary_lines(study, output, perf_counter() - start):
            say(line)
    return study
