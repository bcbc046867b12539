"""The pages of the documentation: one per paper, one of all claims, and their index."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from papers.claims import Claim, Finding, Verdict
from papers.hwang.judging import RULE as ORDERS
from papers.origin import Origin
from papers.paper import Paper
from papers.tables import Cell, ResultTable

VERDICTS: tuple[str, ...] = get_args(Verdict)
"""All verdicts, the best first."""

LEGEND = "Ours is a mean, with the standard deviation over repeats in brackets."
"""How to read numbers of ours."""

PRINTED_LEGEND = (
    "*s.e.* is ours minus the paper's, in standard errors of that difference; `+` marks better, `!` worse"
    " and `?` different by more than two. Where the paper prints a single run, our median stands against "
    "it, and the measure is the robust deviation of our runs. A failed run makes a cell worse wherever "
    "the mean lies. Splits of one table share rows: standard errors speak of these splits, and are too "
    "small for new data."
)
"""How to read ours beside the paper's."""

CLAIMS_LEGEND = (
    "Every table, figure, proposition, equation and sentence of result, in the paper's order. "
    "*Reproduced*: it holds here. *Better*: it holds, and by more than the paper says. *In part*: it "
    "holds for some of what it speaks of. *Not reproduced*: it does not hold here. *Not run*: it cannot "
    "be run, or, of times on another machine, not judged; the reason is given. All verdicts but *not run*"
    " are computed from the run. A formula holds where its worst violation is within numerical error. A "
    "table is reproduced where no more of its printed numbers lie beyond two standard errors than by "
    "chance, in part where at least half do not."
)
"""How to read the page of claims."""


@dataclass(frozen=True)
class Chapter:
    """All that was made of one paper.

    Parameters
    ----------
    paper
        Which.
    tables
        Its tables, run again.
    findings
        What came of each of its claims.
    conclusions
        What the records say, in sentences.
    repeats
        What the chapter stands on.
    """

    paper: Paper
    tables: Sequence[ResultTable]
    findings: Sequence[tuple[Claim, Finding]]
    conclusions: Sequence[str]
    repeats: str


def paper_page(chapter: Chapter, origin: Origin) -> str:
    """Return a paper's tables and figures, and what is to know about them."""
    paper = chapter.paper
    concluded = ["## In short", "", *(f"- {text}" for text in chapter.conclusions), ""]
    return "\n".join(
        [
            f"# {paper.name.capitalize()}: tables and figures, run again",
            "",
            paper.reference,
            "",
            f"{origin.text()} {chapter.repeats}",
            "",
            f"What the paper claims, and what came of it: [claims](claims.md#{paper.name}).",
            "",
            *(concluded if chapter.conclusions else []),
            "## How it was done",
            "",
            *(f"- {note}" for note in paper.notes),
            "",
            "## Tables",
            "",
            f"{LEGEND} {PRINTED_LEGEND}" if has_printed(chapter.tables) else LEGEND,
            "",
            *(f'<a id="table-{table.number}"></a>\n\n{table.markdown()}' for table in chapter.tables),
            misses(chapter.tables),
            "## Figures",
            "",
            *(figure_text(paper, number) for number in paper.figures),
        ]
    )


def figure_text(paper: Paper, number: str) -> str:
    """Return a figure with its caption."""
    picture = paper.figures[number]
    return "\n".join(
        [
            f'<a id="figure-{number}"></a>',
            "",
            f"### Figure {number}. {picture.title}",
            "",
            f"![Figure {number}: {picture.title}]({paper.name}/figure-{number}.png)",
            "",
            *(f"{note}\n" for note in picture.notes),
        ]
    )


def claims_page(chapters: Iterable[Chapter], origin: Origin) -> str:
    """Return every claim of every paper and what came of it."""
    chapters = list(chapters)
    parts = ["# What the papers claim, and what came of it", "", origin.text(), "", CLAIMS_LEGEND, ""]
    parts += [ORDERS, "", counts(chapters), ""]
    for chapter in chapters:
        parts += [f'<a id="{chapter.paper.name}"></a>', "", f"## {chapter.paper.name.capitalize()}", ""]
        parts += [chapter.paper.reference, "", "| where | the paper says | verdict | what shows it |"]
        parts += ["|---|---|---|---|", *(claim_row(chapter.paper, *each) for each in chapter.findings), ""]
    return "\n".join(parts)


def claim_row(paper: Paper, claim: Claim, finding: Finding) -> str:
    """Return a claim as a row of a table."""
    shows = f"{finding.figure} *{finding.reason}*" if finding.reason else finding.figure
    place = f" ([{claim.shown}]({paper.name}.md{anchor(claim.shown)}))" if claim.shown else ""
    return f"| {cell(claim.where)} | {cell(claim.says)} | **{finding.verdict}** | {cell(shows)}{place} |"


def anchor(shown: str) -> str:
    """Return the mark of the first table or figure that is named."""
    found = re.search(r"(table|figure)s? (\w+)", shown)
    return f"#{found[1]}-{found[2]}" if found else ""


def has_printed(tables: Sequence[ResultTable]) -> bool:
    """Return whether any table has numbers of the paper's."""
    return any(cell.paper is not None for table in tables for cell in table.cells)


def cell(text: str) -> str:
    """Return text that cannot end a cell of a table early."""
    return " ".join(text.replace("|", "\\|").split())


def counts(chapters: Sequence[Chapter]) -> str:
    """Return a table of how many claims had which verdict."""
    rows = [f"| paper | claims | {' | '.join(VERDICTS)} |", f"|---|{'---:|' * (len(VERDICTS) + 1)}"]
    for chapter in chapters:
        found: Counter[str] = Counter(finding.verdict for _, finding in chapter.findings)
        numbers = [str(found[verdict]) for verdict in VERDICTS]
        rows.append(f"| {chapter.paper.name} | {len(chapter.findings)} | {' | '.join(numbers)} |")
    return "\n".join(rows)


def index_page(chapters: Iterable[Chapter], origin: Origin) -> str:
    """Return where to find what."""
    chapters = list(chapters)
    lines = [
        f"- [{chapter.paper.name.capitalize()}]({chapter.paper.name}.md): {chapter.paper.reference}"
        for chapter in chapters
    ]
    return "\n".join(
        [
            "# The papers, run again",
            "",
            origin.text(),
            "",
            "Every page here is written by `make papers`, and not edited.",
            "",
            *lines,
            "- [All claims](claims.md), one line each:",
            "",
            counts(chapters),
            "",
        ]
    )


def misses(tables: Sequence[ResultTable]) -> str:
    """List the cells that are worse than the paper's by more than two standard errors."""
    parts = []
    for rival, whose in ((False, "rowtrust's methods"), (True, "other libraries' methods")):
        cells = [(table, cell) for table in tables for cell in table.cells if cell.rival == rival]
        judged = [cell for _, cell in cells if cell.verdict in ("same", "better", "worse")]
        found = [described(table, cell) for table, cell in cells if cell.verdict == "worse"]
        if judged:
            heading = f"Worse than the paper by more than two standard errors, or with failed runs, {whose}"
            parts += ["<details>", f"<summary>{heading}: {len(found)} of {len(judged)} cells</summary>", ""]
            parts += [*found, "", "</details>", ""]
    return "\n".join(parts)


def described(table: ResultTable, cell: Cell) -> str:
    """Return a line about one cell."""
    theirs = cell.paper.text() if cell.paper else "-"
    rules = f" ({cell.protocol})" if cell.protocol else ""
    return (
        f"- table {table.number}, {', '.join(cell.row)}{rules}: {cell.measure} {cell.ours.text()}, the paper "
        f"{theirs} ({cell.compared} in standard errors, {cell.ours.count} repeats)"
    )
