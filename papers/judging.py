"""The rules by which a claim is judged, written once: mathematics, printed numbers, orders."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binom

from papers.claims import Finding, Verdict
from papers.context import RunContext
from papers.tables import Cell, ResultTable

CHANCE = 0.05
"""Share of numbers that lie outside of two standard errors by chance alone."""

LISTED = 6
"""Cells that a reason names; of more it gives the number."""

Find = Callable[[RunContext], Finding]
"""How a claim is looked up."""


def mathematics(compute: Callable[[], float], limit: float, what: str, remark: str = "") -> Find:
    """Return a finding that holds where the worst violation of a formula is below a limit.

    Parameters
    ----------
    compute
        Returns the worst violation.
    limit
        The largest that numerical integration, differences or an optimiser may leave.
    what
        What the violation is, in words.
    remark
        What a reader must know although the formula holds.
    """

    def find(context: RunContext) -> Finding:
        worst = compute()
        holds = bool(worst <= limit)
        figure = f"{what}: at most {worst:.1e} (allowed {limit:.0e})"
        reason = remark if holds else f"The violation is larger than numerical error can explain. {remark}"
        return Finding("reproduced" if holds else "not reproduced", figure, reason.strip())

    return find


def computed(compute: Callable[[], tuple[bool, str]], otherwise: str) -> Find:
    """Return a finding that holds where a computation says so; ``otherwise`` says why it may not."""

    def find(context: RunContext) -> Finding:
        holds, figure = compute()
        return judged(holds, figure, otherwise)

    return find


def judged(holds: bool, figure: str, otherwise: str) -> Finding:
    """Return "reproduced", or "not reproduced" with a reason."""
    return Finding("reproduced", figure) if holds else Finding("not reproduced", figure, otherwise)


def parts_judged(parts: dict[str, bool], figure: str, otherwise: str) -> Finding:
    """Judge a claim of several parts: all, some or none of them are so."""
    failed = [name for name, holds in parts.items() if not holds]
    if not failed:
        return Finding("reproduced", figure)
    verdict: Verdict = "not reproduced" if len(failed) == len(parts) else "in part"
    return Finding(verdict, figure, f"Fails: {'; '.join(failed)}. {otherwise}")


def paired(ours: ArrayLike, theirs: ArrayLike) -> float:
    """Return the mean of paired differences in standard errors; zero where they never differ."""
    difference = np.asarray(ours, dtype=float) - np.asarray(theirs, dtype=float)
    if len(difference) < 2 or not np.any(difference):
        return 0.0
    error = difference.std(ddof=1) / np.sqrt(len(difference))
    return float(difference.mean() / error) if error > 0 else float(np.sign(difference.mean()) * np.inf)


def compared(cells: list[Cell]) -> list[Cell]:
    """Return the cells that have a printed number to be judged by and a result of ours."""
    return [cell for cell in cells if cell.paper is not None and cell.verdict]


def counted(table: ResultTable, cause: str, start: str = "", own_only: bool = True) -> Finding:
    """Count the printed numbers of a table: within two standard errors, better, or different.

    A table is reproduced where no more numbers differ than chance makes of them, in part where at least
    half do not, and better where, besides, more are better than by chance. Times of another machine do not
    count.

    Parameters
    ----------
    table
        The table.
    cause
        The likeliest cause of differences, and what was tried.
    start
        Where a table has several rows for a printed number: a word of the rows that are meant.
    own_only
        Whether other libraries' methods are left out.
    """
    printed = [
        cell
        for cell in table.cells
        if cell.paper is not None and cell.better != "other machine" and (not start or start in cell.row)
    ]
    exact = [cell for cell in printed if cell.digit is not None]
    cells = compared([cell for cell in printed if cell.digit is None and not (own_only and cell.rival)])
    same, better = (sum(cell.verdict == name for cell in cells) for name in ("same", "better"))
    differ = [cell for cell in cells if cell.verdict not in ("same", "better")]
    figure = (
        f"{len(printed)} printed numbers{f' ({start})' if start else ''}, {len(cells)} judged: {same} within "
        f"2 s.e., {better} better, {len(differ)} differ"
    )
    if exact:
        right = sum(cell.verdict == "same" for cell in exact)
        figure += f"; without chance: {right} of {len(exact)} to the digit"
        differ += [cell for cell in exact if cell.verdict != "same"]
    if not cells:
        return Finding("not run", figure, "No number of it can be judged.")
    verdict = table_verdict(len(cells), len(differ), better)
    return Finding(verdict, figure, f"{named(differ)} {cause}".strip() if differ else "")


def said(table: ResultTable, *beginnings: str) -> str:
    """Return the notes of a table that begin so: its reasons, which are computed with it."""
    return " ".join(note for begin in beginnings for note in table.notes if note.startswith(begin))


def table_verdict(judged_cells: int, differ: int, better: int) -> Verdict:
    """Return what so many differences, and so many better numbers, say of a table."""
    if not beyond_chance(differ, judged_cells):
        return "better" if beyond_chance(better, judged_cells) else "reproduced"
    return "in part" if differ <= judged_cells / 2 else "not reproduced"


def beyond_chance(count: int, cells: int) -> bool:
    """Return whether so many of the cells beyond two standard errors are more than chance makes of them.

    One cell in twenty lies there by chance; that so many do must be as rare.
    """
    return bool(binom.sf(count - 1, cells, CHANCE) < CHANCE)


def named(cells: list[Cell]) -> str:
    """Name cells that differ, with how far they do."""
    names = [f"{', '.join(c.row)}: {c.measure} {c.compared}" for c in cells[:LISTED]]
    more = f" and {len(cells) - LISTED} more" if len(cells) > LISTED else ""
    return f"{'; '.join(names)}{more}."


def not_run(figure: str, reason: str) -> Find:
    """Return the finding of a claim that cannot be run here, with the reason."""
    return lambda context: Finding("not run", figure, reason)
