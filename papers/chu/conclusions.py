"""Chu, Keerthi & Ong (2001): what the records say in all, in a few sentences."""

from __future__ import annotations

from papers.chu.our_tables import table_b, table_c
from papers.chu.plan import START_NAMES
from papers.chu.tables import TABLES
from papers.context import RunContext
from papers.judging import counted


def conclusions(context: RunContext) -> list[str]:
    """Return the conclusions, each counted from records."""
    tables = {number: TABLES[number](context) for number in "1234567"}
    starts = {"1": START_NAMES[""]}
    lines = [
        f"**Table {number}**, rowtrust's numbers: {counted(table, '', starts.get(number, '')).figure}."
        for number, table in tables.items()
    ]
    failures = sum(cell.failed for table in tables.values() for cell in table.cells)
    lines.append(
        f"**Failed runs** over tables 1 to 7: {failures}, counted once for every measure that shows them; "
        "table 1 says in which start and why."
    )
    lines += [f"**The evidence (46) beside the integral.** {note}" for note in table_b(context).notes[1:2]]
    lines += [f"**Error bars.** {note}" for note in table_c(context).notes[1:2]]
    return lines
