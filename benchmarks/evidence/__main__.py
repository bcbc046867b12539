"""The command: ``python -m benchmarks evidence``, which measures and writes pages; or only one of both."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from benchmarks.evidence import check, pages
from benchmarks.evidence.plan import PAGES, Options
from benchmarks.evidence.runner import PATIENCE, run

DOCS = Path(__file__).resolve().parents[2] / "docs" / "evidence"
QUICK = Path("rowtrust-results/evidence")
"""Where pages go, and those of a quick run."""

QUICK_TABLES = ("new-thyroid", "penguins", "yacht", "tips", "boston", "camel-1.4.0", "cifar10n")
QUICK_ROWS, QUICK_LARGEST, QUICK_MINUTES, QUICK_PATIENCE = 120, 10_000, 3.0, 40.0
"""What a quick run measures, within the five minutes that continuous integration has for it."""


def main(arguments: list[str] | None = None) -> None:
    """Read the command line, and do as asked."""
    given = parser().parse_args(arguments)
    quick = given.quick
    folder = given.output or (QUICK if quick else DOCS)
    if given.action == "check":
        sys.exit(check.report(folder / "results", given.data))
    if given.action in ("all", "run"):
        if given.data is None:
            sys.exit("evidence: give the folder of manifest.csv with --data or ROWTRUST_DATA.")
        options = Options(
            data=given.data,
            rows=given.rows or (QUICK_ROWS if quick else Options.rows),
            splits=given.splits or (1 if quick else Options.splits),
            largest=given.largest or (QUICK_LARGEST if quick else Options.largest),
            pages=given.pages or tuple(PAGES),
            tables=given.tables or (QUICK_TABLES if quick else ()),
        )
        patience = given.patience or (QUICK_PATIENCE if quick else PATIENCE)
        minutes = given.minutes or (QUICK_MINUTES if quick else float("inf"))
        left = run(options, folder / "results", minutes, given.jobs, patience, given.again)
        print(f"{left} cells are left to measure" if left else "everything is measured")
    if given.action in ("all", "render"):
        for file in pages.write(
            folder, readme=None if quick or given.output else DOCS.parents[1] / "README.md"
        ):
            print(f"wrote {file}")


def parser() -> argparse.ArgumentParser:
    """Return the reader of the command line."""
    found = argparse.ArgumentParser(prog="python -m benchmarks evidence", description=__doc__)
    found.add_argument(
        "action",
        nargs="?",
        default="all",
        choices=["all", "run", "render", "check"],
        help="measure what lacks, write the pages, both (default), or check that results are of today's code",
    )
    found.add_argument(
        "--data",
        type=Path,
        default=os.environ.get("ROWTRUST_DATA"),
        help="folder of manifest.csv (default: the variable ROWTRUST_DATA)",
    )
    found.add_argument("--output", type=Path, help="folder of pages and results (default: docs/evidence)")
    found.add_argument("--rows", type=int, help=f"rows to fit at most (default: {Options.rows})")
    found.add_argument("--splits", type=int, help=f"splits of a table (default: {Options.splits})")
    found.add_argument("--largest", type=int, help=f"rows of the largest fit (default: {Options.largest})")
    found.add_argument("--minutes", type=float, help="begin no cell after so long (default: run to the end)")
    found.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    found.add_argument(
        "--patience",
        type=float,
        help=f"seconds after which a cell is ended and failed (default: {PATIENCE:.0f})",
    )
    found.add_argument("--again", action="store_true", help="measure what failed again")
    found.add_argument("--pages", type=names, help=f"any of {','.join(PAGES)}; all unless given")
    found.add_argument("--tables", type=names, help="tables, commas between; all unless given")
    found.add_argument(
        "--quick", action="store_true", help="seven tables, 120 rows, one split, a few minutes"
    )
    return found


def names(text: str) -> tuple[str, ...]:
    """Return the names between commas."""
    return tuple(text.split(","))


if __name__ == "__main__":
    main()
