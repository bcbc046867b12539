"""Files of a run: tables as CSV, figures as PNG, pages in Markdown, and where they came from."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from papers.origin import Origin
from papers.pages import Chapter, claims_page, index_page, paper_page
from papers.pictures import save
from papers.store import write_text
from papers.tables import ResultTable
from rowtrust.atomic import written_aside

RESOLUTION = 110
"""Dots per inch of a figure: sharp on a page, some hundred kilobytes."""


@dataclass(frozen=True)
class Results:
    """Where results go.

    Parameters
    ----------
    folder
        Of tables, with where each came from beside it.
    pages
        Of pages and their figures.
    origin
        Where all of them come from.
    """

    folder: Path
    pages: Path
    origin: Origin

    def keep_table(self, table: ResultTable, seconds: float) -> Path:
        """Write a table, and beside it where it came from; return its file."""
        file = self.folder / table.paper / f"table-{table.number}.csv"
        write_text(file, table.csv())
        facts = {**self.origin.facts(seconds), "title": table.title, "notes": table.notes}
        write_text(file.with_suffix(".json"), json.dumps(facts, indent=2))
        return file

    def keep_figure(self, paper: str, number: str, figure: Any, seconds: float) -> Path:
        """Write a figure with where it came from inside it; return its file."""
        file = self.pages / paper / f"figure-{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        facts = {"Description": json.dumps(self.origin.facts(seconds))}
        with written_aside(file) as aside:
            save(figure, aside, RESOLUTION, facts)
        return file

    def keep_chapter(self, chapter: Chapter) -> Path:
        """Write the page of a paper and its claims as a table; return the page's file."""
        write_text(self.folder / chapter.paper.name / "claims.csv", claims_csv(chapter))
        file = self.pages / f"{chapter.paper.name}.md"
        write_text(file, paper_page(chapter, self.origin))
        return file

    def keep_overview(self, chapters: Sequence[Chapter]) -> Path:
        """Write the page of all claims and the index; return the index."""
        write_text(self.pages / "claims.md", claims_page(chapters, self.origin))
        file = self.pages / "README.md"
        write_text(file, index_page(chapters, self.origin))
        return file


def claims_csv(chapter: Chapter) -> str:
    """Return one line per claim."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["where", "says", "verdict", "figure", "reason", "shown"])
    for claim, finding in chapter.findings:
        writer.writerow(
            [claim.where, claim.says, finding.verdict, finding.figure, finding.reason, claim.shown]
        )
    return text.getvalue()
