"""How claims of order and of several parts are judged, beside the rules of every paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from papers.claims import Finding, Verdict
from papers.judging import table_verdict
from papers.tables import TOLERANCE, Cell

RULE = (
    "A claim that one thing is ahead of another is judged cell by cell, by paired differences: reproduced if "
    "it is ahead on the mean in every cell and beyond two standard errors in at least half of them; better "
    "if in every cell it is ahead beyond two standard errors, by more than the paper prints, and as good as "
    "printed itself; in part if it is ahead on the mean in more than half of the cells; not reproduced "
    "otherwise."
)
"""How `judged_order` judges, for a legend."""

ROUNDING = 1e-8
"""What arithmetic may leave of something that is zero on paper, relative to the numbers in it."""


@dataclass(frozen=True)
class Lead:
    """By how much one thing is ahead of another in a cell; below zero it is behind.

    Parameters
    ----------
    mean
        Over the repeats, which are paired.
    error
        Standard error of that mean.
    printed
        The paper's lead, where it prints one.
    """

    mean: float
    error: float
    printed: float | None = None

    @classmethod
    def of(cls, differences: Iterable[float], printed: float | None = None) -> Lead:
        """Return the lead of paired differences."""
        values = np.array(list(differences), dtype=float)
        error = float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else np.inf
        return cls(float(values.mean()) if values.size else 0.0, error, printed)

    @property
    def clear(self) -> bool:
        """Whether it is ahead by more than two standard errors."""
        return self.mean > TOLERANCE * self.error

    @property
    def contrary(self) -> bool:
        """Whether it is behind by more than two standard errors."""
        return -self.mean > TOLERANCE * self.error

    @property
    def more_than_printed(self) -> bool:
        """Whether it is ahead by more than the paper prints."""
        return self.printed is not None and self.mean > self.printed


def judged_order(leads: Sequence[Lead]) -> Verdict:
    """Judge "this is ahead of that in these cells" by `RULE`; without cells nothing was run.

    Ahead on the mean in every cell leaves none that is contrary beyond two standard errors.
    """
    if not leads:
        return "not run"
    if all(lead.clear and lead.more_than_printed for lead in leads):
        return "better"
    ahead, clear = sum(lead.mean > 0 for lead in leads), sum(lead.clear for lead in leads)
    if ahead == len(leads) and 2 * clear >= len(leads):
        return "reproduced"
    return "in part" if 2 * ahead > len(leads) else "not reproduced"


def only_unclear(leads: Sequence[Lead]) -> str:
    """Say so where something is ahead in every cell, but clearly in too few; else nothing."""
    if not leads or any(lead.mean <= 0 for lead in leads):
        return ""
    clear = sum(lead.clear for lead in leads)
    if 2 * clear >= len(leads):
        return ""
    return f"Ahead on the mean in all {len(leads)} cells, but beyond two standard errors in only {clear}."


def order_text(leads: Sequence[Lead]) -> str:
    """Say in how many cells something is ahead."""
    ahead = sum(lead.mean > 0 for lead in leads)
    clear, contrary = sum(lead.clear for lead in leads), sum(lead.contrary for lead in leads)
    return (
        f"ahead in {ahead} of {len(leads)} cells, {clear} beyond 2 s.e.; behind beyond 2 s.e. in {contrary}"
    )


def judged_numbers(cells: Iterable[Cell]) -> Verdict:
    """Judge printed numbers, all of them, by the rule of every paper; not run if none can be judged."""
    verdicts = [cell.verdict for cell in cells if cell.verdict]
    if not verdicts:
        return "not run"
    differ = sum(verdict not in ("same", "better") for verdict in verdicts)
    return table_verdict(len(verdicts), differ, verdicts.count("better"))


def numbers_text(cells: Iterable[Cell]) -> str:
    """Say how many printed means were met."""
    verdicts = [cell.verdict for cell in cells if cell.paper is not None]
    counts = {kind: verdicts.count(kind) for kind in ("same", "better", "worse", "differs", "")}
    text = (
        f"{len(verdicts)} printed means: {counts['same']} within two standard errors, {counts['better']} "
        f"better, {counts['worse']} worse"
    )
    text += f", {counts['differs']} different" if counts["differs"] else ""
    return text + (f", {counts['']} not judged" if counts[""] else "")


def judged_parts(parts: Sequence[bool]) -> Verdict:
    """Judge a claim of several parts: reproduced if all are true, in part if any is."""
    if not parts:
        return "not run"
    return "reproduced" if all(parts) else "in part" if any(parts) else "not reproduced"


def identity(worst: float, figure: str, reason: str = "", tolerance: float = ROUNDING) -> Finding:
    """Judge something that must not differ from zero, or not exceed it, by its worst case."""
    found: Verdict = "reproduced" if worst <= tolerance else "not reproduced"
    return Finding(found, figure, "" if found == "reproduced" else reason or "The formula does not come out.")
