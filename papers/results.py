"""The results folder: tables as CSV, figures as PNG, a page in Markdown, and where they came from."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from papers.context import Paper
from papers.store import write_text
from papers.tables import Cell, ResultTable
from rowtrust import __version__
from rowtrust.atomic import written_aside

LIBRARIES = ("numpy", "scipy", "scikit-learn", "joblib", "imbalanced-learn", "matplotlib")
"""Whose versions are kept beside a result."""

RESOLUTION = 150
"""Dots per inch of a figure: sharp on a page, some hundred kilobytes."""

LEGEND = (
    "Ours is a mean, with the standard deviation over repeats in brackets. *s.e.* is ours minus the paper's, "
    "in standard errors of that difference; `+` marks better, `!` worse and `?` different by more than two."
)
"""How to read a page of tables."""


def versions() -> dict[str, str]:
    """Return the versions of everything that can change a result."""
    found = {"rowtrust": __version__, "python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found


@dataclass(frozen=True)
class Results:
    """A folder of results.

    Parameters
    ----------
    folder
        Where they go.
    command
        What was asked for.
    seed
        The seed of the run.
    quick
        Whether it was a quick run.
    """

    folder: Path
    command: str
    seed: int
    quick: bool

    def provenance(self, seconds: float) -> dict[str, Any]:
        """Return where a result came from."""
        return {
            "command": self.command,
            "seed": self.seed,
            "quick": self.quick,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "wall_seconds": round(seconds, 2),
            "versions": versions(),
            "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        }

    def place(self, paper: str, kind: str, number: int, ending: str) -> Path:
        """Return the file of a table or a figure."""
        return self.folder / paper / f"{kind}-{number}.{ending}"

    def keep_table(self, table: ResultTable, seconds: float) -> Path:
        """Write a table, and beside it where it came from; return its file."""
        file = self.place(table.paper, "table", table.number, "csv")
        write_text(file, table.csv())
        origin = {**self.provenance(seconds), "title": table.title, "notes": table.notes}
        write_text(file.with_suffix(".json"), json.dumps(origin, indent=2))
        return file

    def keep_figure(self, paper: str, number: int, figure: Any, seconds: float) -> Path:
        """Write a figure, with where it came from inside it and beside it; return its file."""
        file = self.place(paper, "figure", number, "png")
        file.parent.mkdir(parents=True, exist_ok=True)
        origin = self.provenance(seconds)
        with written_aside(file) as aside:
            figure.savefig(aside, format="png", dpi=RESOLUTION, metadata={"Description": json.dumps(origin)})
        write_text(file.with_suffix(".json"), json.dumps(origin, indent=2))
        return file

    def keep_page(self, paper: Paper, tables: list[ResultTable], seconds: float) -> Path:
        """Write all tables of a paper on one page; return its file."""
        file = self.folder / f"{paper.name}.md"
        write_text(file, page(paper, tables, self.provenance(seconds)))
        return file


def page(paper: Paper, tables: list[ResultTable], origin: dict[str, Any]) -> str:
    """Return a page of Markdown with a paper's tables and what is to know about them."""
    software = ", ".join(f"{name} {number}" for name, number in origin["versions"].items())
    parts = [
        f"# {paper.name.capitalize()}: the tables, run again",
        "",
        paper.reference,
        "",
        f"Made by `{origin['command']}` on {origin['date'][:10]}, seed {origin['seed']}, with {software}.",
        "",
        LEGEND,
        "",
        *(f"- {note}" for note in paper.notes),
        "",
        *(table.markdown() for table in tables),
        misses(tables),
    ]
    return "\n".join(parts)


def misses(tables: list[ResultTable]) -> str:
    """List the cells that are worse than the paper's by more than two standard errors."""
    parts = []
    for rival, whose in ((False, "rowtrust's methods"), (True, "other libraries' methods")):
        cells = [(table, cell) for table in tables for cell in table.cells if cell.rival == rival]
        judged = [cell for _, cell in cells if cell.verdict in ("same", "better", "worse")]
        found = [described(table, cell) for table, cell in cells if cell.verdict == "worse"]
        if judged:
            heading = f"### Worse than the paper by more than two standard errors, {whose}"
            parts += [f"{heading}: {len(found)} of {len(judged)} cells", "", *found, ""]
    return "\n".join(parts)


def described(table: ResultTable, cell: Cell) -> str:
    """Return a line about one cell."""
    theirs = cell.paper.text() if cell.paper else "-"
    return (
        f"- table {table.number}, {', '.join(cell.row)}: {cell.measure} {cell.ours.text()}, the paper "
        f"{theirs} ({cell.difference:+.1f} s.e., {cell.ours.count} repeats)"
    )
