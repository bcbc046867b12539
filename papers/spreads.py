"""Printed standard deviations beside ours: a table's spreads are claims as much as its means are."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from papers.claims import Finding
from papers.judging import table_verdict
from papers.tables import Cell

NEAR = 1.4
"""Factor within which two standard deviations count as the same. The logarithm of their ratio has a standard
error of 0.14 for 50 and 50 Gaussian repeats and of 0.10 for 100 and 100: 1.4 is 2.4 and 3.3 of them."""

LEAST_REPEATS = 30
"""Repeats below which a factor of 1.4 is within two standard errors of none, and spreads are not judged."""


def spread_ratio(cell: Cell) -> float | None:
    """Return the printed standard deviation over ours; None where either is not known, or of a time."""
    printed = None if cell.paper is None else cell.paper.deviation
    ours = cell.ours.deviation
    if printed is None or ours is None or cell.better == "other machine":
        return None
    return printed / ours if ours > 0 else np.inf if printed > 0 else 1.0


def judged_spreads(cells: Iterable[Cell], because: str) -> Finding:
    """Count the printed standard deviations that ours meet, by the rule of every table.

    Parameters
    ----------
    cells
        One for each printed number.
    because
        The likeliest cause of differences.
    """
    given = list(cells)
    found = [(cell, ratio) for cell in given if (ratio := spread_ratio(cell)) is not None]
    few = any(cell.ours.count < LEAST_REPEATS for cell, _ in found)
    if not found or few:
        return Finding("not run", f"{len(found)} printed", "So few repeats do not tell spreads apart.")
    larger, smaller = (
        sum(ratio > NEAR for _, ratio in found),
        sum(ratio < 1.0 / NEAR for _, ratio in found),
    )
    middle = float(np.median([ratio for _, ratio in found]))
    timed = ", those of times left out" if any(cell.better == "other machine" for cell in given) else ""
    figure = (
        f"{len(found)} printed standard deviations{timed}: {len(found) - larger - smaller} within a factor "
        f"of {NEAR} of ours, {larger} larger, {smaller} smaller; printed over ours "
        f"{middle:.2f} in the median"
    )
    verdict = table_verdict(len(found), larger + smaller, 0)
    return Finding(verdict, figure, "" if verdict == "reproduced" else because)
