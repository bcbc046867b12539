"""Random tables through the command: what it makes of them, or the one line with which it refuses them."""

from __future__ import annotations

import csv
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner

from benchmarks.fuzz_data import Generator, one_of
from benchmarks.fuzz_files import Table, draw_table
from benchmarks.fuzz_outcomes import Fault, Refused, check_finite, check_words
from rowtrust.cli import app
from rowtrust.workflow.checks.records import SEVERITIES

Tell = Callable[[str], None]

RESULTS = ("model.skops", "report.html", "flagged.csv", "review.csv", "metrics.json")
"""What a fit leaves in its folder."""

REMARKS = tuple(f"rowtrust: {severity}:" for severity in SEVERITIES)
"""How lines on standard error begin that are no errors."""

csv.field_size_limit(10**7)


def case(generator: Generator, tell: Tell) -> None:
    """Give a random table to the command, and check what it has written."""
    table = draw_table(generator)
    tell(str(table))
    with tempfile.TemporaryDirectory(prefix="rowtrust-fuzz-") as folder:
        source = Path(folder) / f"data{table.suffix}"
        source.write_bytes(content_of(generator, table, tell))
        if generator.random() < 0.5:
            check_fit(generator, table, source, tell)
        else:
            check_audit(generator, table, source, tell)


def content_of(generator: Generator, table: Table, tell: Tell) -> bytes:
    """Return the file; now and then one that is no table."""
    content = table.content()
    if generator.random() < 0.97:
        return content
    tell("  spoilt")
    cut = int(generator.integers(len(content) + 1))
    spoilt: bytes = one_of(
        generator, [b"", b"\n", content[:cut], generator.bytes(500), content[::-1], b"\0" * 90]
    )
    return b"" if spoilt == content else spoilt


def run(tell: Tell, *arguments: object) -> Any:
    """Run the command; a failure must be one line in words, and ends the case."""
    words = [str(each) for each in arguments]
    tell(f"  rowtrust {' '.join(words)}")
    result = CliRunner().invoke(app, words)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise Fault(
            "exception", f"{type(result.exception).__name__}: {result.exception}"
        ) from result.exception
    lines = result.stderr.splitlines()
    errors = [line for line in lines if not line.startswith(REMARKS)]
    if result.exit_code == 0:
        if errors:
            raise Fault("words", f"success, and on standard error: {errors[0]!r}")
        return result
    tell(f"  {result.stderr}")
    if result.exit_code != 1 or len(errors) != 1 or not errors[0].startswith("rowtrust: "):
        raise Fault(
            "words", f"exit code {result.exit_code} with {len(errors)} lines: {result.stderr[-300:]!r}"
        )
    check_reason(words)
    raise Refused(errors[0])


def check_reason(words: list[str]) -> None:
    """Run a command that was refused once more, for its error: raised on purpose, and told in words."""
    os.environ["ROWTRUST_TRACEBACK"] = "1"
    try:
        error = CliRunner().invoke(app, words).exception
    finally:
        del os.environ["ROWTRUST_TRACEBACK"]
    if isinstance(error, ValueError | ImportError):
        check_words(error)
    elif isinstance(error, Exception) and not isinstance(error, OSError):
        raise Fault("exception", f"{type(error).__name__}: {error}") from error


def check_fit(generator: Generator, table: Table, source: Path, tell: Tell) -> None:
    """Fit, predict the same table and export."""
    results, predictions = source.parent / "results", source.parent / "predictions.csv"
    model = one_of(generator, ("plain", "plain", "robust", "auto", "fuzzy", "svr"))
    judged = one_of(generator, ((), ("--no-test",), ("--no-test",), ("--fast", "--no-test")))
    run(
        *(tell, "fit", source, f"--target={table.target}", "--model", model, "-o", results),
        *(*judged, *table.told, *dropped(generator, table)),
    )
    missing = [name for name in RESULTS if not (results / name).exists()]
    if missing:
        raise Fault("output", f"a fit has not written {missing[0]}")
    run(tell, "predict", results, source, "-o", predictions, *table.told)
    check_predictions(table, predictions)
    if generator.random() < 0.3:
        exported = source.parent / one_of(generator, ("model.c", "model.onnx"))
        run(tell, "export", results, exported)
        if not exported.stat().st_size:
            raise Fault("output", "an empty export")


def dropped(generator: Generator, table: Table) -> tuple[str, ...]:
    """Return an option that leaves the marks out, mostly: no model learns from them."""
    return ("--drop", table.header[0]) if generator.random() < 0.8 else ()


def check_predictions(table: Table, path: Path) -> None:
    """See that there is one prediction for each record, finite, and of a class that there is."""
    with path.open(newline="", encoding="utf-8") as stream:
        header, *rows = csv.reader(stream)
    if table.countable and len(rows) != len(table.records):
        raise Fault("output", f"{len(rows)} predictions of {len(table.records)} records")
    check_finite("predictions", [[float(cell) for cell in row[1:]] for row in rows])
    if "lower" in header:
        check_finite("predictions", [float(row[0]) for row in rows])
        return
    known = {cell.strip() for cell in table.column(table.target)} if table.countable else set()
    unknown = {row[0] for row in rows} - known
    if table.countable and unknown and not numeric(unknown | known):
        raise Fault("output", f"classes {sorted(unknown)[:3]!r} are none of the column {table.target!r}")


def numeric(cells: set[str]) -> bool:
    """Whether cells are written differently, but are the same numbers."""
    try:
        return bool(np.array([float(cell.replace(",", ".")) for cell in cells if cell]).size)
    except ValueError:
        return False


def check_audit(generator: Generator, table: Table, source: Path, tell: Tell) -> None:
    """Audit, confirm every row of the review, and see that these and the cleaned copy are the table."""
    ranking, review, cleaned = (source.parent / f"{name}.csv" for name in ("ranking", "review", "cleaned"))
    cut = ("--cut", int(generator.integers(6))) if generator.random() < 0.7 else ()
    told = (*table.told, *dropped(generator, table))
    audited = ("audit", source, f"--target={table.target}", "-o", ranking, "--review", review)
    run(tell, *audited, "--no-effect", *cut, *told)
    confirmed = confirm(review)
    if not confirmed:
        return
    copied = ("clean", source, f"--target={table.target}", "--review", review, "-o", cleaned)
    run(tell, *copied, "--no-effect", "--how", "remove", *told)
    if not table.countable:
        return
    kept = re.findall(r"key\d{4}", cleaned.read_text(encoding="utf-8"))
    marks = table.marks
    if any(not 1 <= row <= len(marks) for row in confirmed):
        raise Fault("output", f"a flagged row is row {max(confirmed)} of {len(marks)}")
    left = [mark for number, mark in enumerate(marks, 1) if number not in confirmed]
    if kept != left:
        raise Fault("output", f"of {len(marks)} records {len(confirmed)} are wrong, {len(kept)} are kept")


def confirm(review: Path) -> list[int]:
    """Call every row of a review wrong; return their numbers."""
    with review.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    with review.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, rows[0] if rows else ["row"])
        writer.writeheader()
        writer.writerows({**row, "verdict": "wrong"} for row in rows)
    return [int(row["row"]) for row in rows]
