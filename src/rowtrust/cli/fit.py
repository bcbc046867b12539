"""``rowtrust fit``: a table in; a model, a report, suspects and metrics out."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from rowtrust.cli import options
from rowtrust.cli.failing import in_one_line

MODELS = ("auto", "robust", "plain", "fuzzy", "svr")


@in_one_line
def fit(
    data: options.Data,
    target: options.Target,
    model: Annotated[
        str,
        typer.Option(help="robust, plain, fuzzy, svr (numbers only), or auto: the one with most evidence."),
    ] = "auto",
    task: options.Task = None,
    test: Annotated[
        str,
        typer.Option(
            metavar="SHARE|FILE", help="Share of the rows to hold out for judging, or a file of rows."
        ),
    ] = "0.2",
    no_test: Annotated[
        bool, typer.Option("--no-test", help="Hold nothing out; judge by cross-fitting.")
    ] = False,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")] = Path(
        "rowtrust-results"
    ),
    drop: options.Drop = [],  # noqa: B006
    fast: options.Fast = False,
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = "utf-8",
    decimal: options.Decimal = ".",
    no_header: options.NoHeader = False,
) -> None:
    """Fit a model to a table and write a report.

    Writes model.skops, report.html, suspects.csv and metrics.json into a folder.

    Example: rowtrust fit patients.csv --target diagnosis
    """
    from rowtrust.cli.common import check_task, layout_of
    from rowtrust.workflow import Settings
    from rowtrust.workflow.tables import InputError

    if model not in MODELS:
        raise InputError(f"--model must be one of {', '.join(MODELS)}, got '{model}'.")
    layout = layout_of(delimiter, encoding, decimal, no_header)
    share, test_file = test_choice(test, no_test)
    settings = Settings(
        data="standard input" if data == "-" else Path(data).name,
        target=target,
        model=model,
        task=check_task(task),
        test=share,
        drop=tuple(drop),
        fast=fast,
        seed=seed,
        command=shlex.join(["rowtrust", *sys.argv[1:]])
        if Path(sys.argv[0]).stem in ("rowtrust", "__main__")
        else "",
    )
    study_file(data, settings, layout, test_file, output, quiet=quiet or as_json, as_json=as_json)


def test_choice(test: str, no_test: bool) -> tuple[float, str | None]:
    """Return the share to hold out, and the file of test rows if one was named."""
    from rowtrust.workflow.tables import InputError
    from rowtrust.workflow.tables.reading import is_number

    if no_test:
        return 0.0, None
    if not is_number(test):
        return 0.0, test
    if not 0.0 < float(test) < 1.0:
        raise InputError(
            f"--test must be a share between 0 and 1 or a file, got {test}. Use --no-test for none."
        )
    return float(test), None


def study_file(
    data: str,
    settings: Any,
    layout: Any,
    test_file: str | None,
    output: Path,
    *,
    quiet: bool,
    as_json: bool = False,
) -> Any:
    """Read, study, write and tell; return the study."""
    from rowtrust.cli.common import load_table, note, progress_bar, say
    from rowtrust.cli.results import check_folder, summary_lines, summary_of, write_results
    from rowtrust.workflow import run_study
    from rowtrust.workflow.tables import read_table

    start = perf_counter()
    check_folder(output)
    with progress_bar(quiet) as progress:
        table, notes = load_table(data, layout, settings.fast, settings.seed)
        test = None if test_file is None else read_table(test_file, layout)
        study = run_study(table, settings, test, progress)
        study.notes.extend(notes)
        progress.step("writing the report")
        write_results(study, output, perf_counter() - start)
    if as_json:
        say(json.dumps(summary_of(study, perf_counter() - start)))
    if not quiet:
        for remark in study.notes:
            note(remark)
        for line in summary_lines(study, output, perf_counter() - start):
            say(line)
    return study
