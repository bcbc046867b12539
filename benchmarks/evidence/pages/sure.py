"""The page on probabilities and intervals."""

from __future__ import annotations

import pandas as pd

from benchmarks.evidence.pages.markdown import MEASURES, assembled, code, grid, origin, section, shown, wide
from benchmarks.evidence.pages.results import Results, means, tables_of
from benchmarks.evidence.plan import CLEAN, OWN, PEERS

NEAR = (85.0, 95.0)
"""Coverages of 90 % intervals that are called near."""

WORDS = (
    "Probabilities should be as frequent as they say, and intervals of 90 % should hold 90 % of new "
    "targets. Test rows "
    "are clean; the rows to fit are as they are, or have errors of all kinds at all rates."
)


def page(results: Results) -> str:
    """Return the page."""
    classes, numbers = results.complete("labels"), results.complete("values")
    parts = []
    for measure in ("calibration", "log_loss"):
        if not classes.empty:
            parts.append(section(MEASURES[measure].title, split_up(classes, measure, "labels")))
    for measure in ("covered", "width", "log_score"):
        if not numbers.empty:
            parts.append(section(MEASURES[measure].title, split_up(numbers, measure, "values")))
    if not numbers.empty:
        parts.append(section("Intervals of 90 %, fit by fit", intervals(numbers)))
    return assembled("How sure", WORDS, origin(results, "labels", "values"), *parts)


def split_up(lines: pd.DataFrame, measure: str, page: str) -> str:
    """Return a measure of clean and of dirty rows to fit."""
    some = with_dirt(lines)
    rows = ["rows to fit", "half"]
    learners = [*OWN[page], *(each for each in PEERS[page] if not each.startswith("oracle"))]
    return wide(means(some, measure, rows), measure, learners, tables_of(some, rows))


def with_dirt(lines: pd.DataFrame) -> pd.DataFrame:
    return lines.assign(
        **{"rows to fit": lines["noise"].map(lambda each: "clean" if each == CLEAN else "dirty")}
    )


def intervals(lines: pd.DataFrame) -> str:
    """Return how many fits cover about what they promise, and the worst table of each learner."""
    some = with_dirt(lines[lines["covered"].notna()])
    rows = []
    for (learner, dirt, half), each in some.groupby(["learner", "rows to fit", "half"], observed=True):
        near = each["covered"].between(*NEAR).mean()
        by_table = each.groupby("table")["covered"].mean()
        worst = by_table.idxmin()
        rows.append(
            [
                code(learner),
                dirt,
                half,
                str(len(each)),
                shown(100.0 * near, 0),
                f"{worst} {by_table[worst]:.1f}",
            ]
        )
    heads = ["learner", "rows to fit", "half", "fits", f"{NEAR[0]:.0f} to {NEAR[1]:.0f} % covered, % of fits"]
    return grid([*heads, "least covered table, %"], rows, words=3)
