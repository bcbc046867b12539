"""Whether results are of today's code: for a release, not for every test."""

from __future__ import annotations

from pathlib import Path

from benchmarks.evidence.plan import PAGES, Options, cells
from benchmarks.evidence.records import Records


def report(folder: Path, data: Path | None) -> int:
    """Print of every page how many results are of other code; return 1 if there are any, or none at all."""
    if data is None:
        print("check: give the folder of manifest.csv with --data or ROWTRUST_DATA.")
        return 2
    records, stale = Records(folder), 0
    for page in PAGES:
        lines = records.lines(page)
        old = len(lines) - of_today(records, page, data)
        stale += old + lines.empty
        print(f"{page}: {len(lines)} results, {old} of other code" if len(lines) else f"{page}: no results")
    print("results are of today's code" if not stale else "run make evidence before a release")
    return int(stale > 0)


def of_today(records: Records, page: str, data: Path) -> int:
    """Return how many of a page's results have the key that they would have today."""
    runs = records.runs()
    lines = records.lines(page)
    found = 0
    for _, some in lines.groupby("made"):
        run = runs[int(some["made"].iloc[0])]
        asked = Options(data, run["rows"], run["splits"], run["largest"], (page,), tuple(run["tables"]))
        found += len({cell.key for cell in cells(asked)[page]} & set(some["key"]))
    return found
