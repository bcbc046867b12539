"""What a paper claims, sentence by sentence, and what was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from papers.context import RunContext

Verdict = Literal["reproduced", "better", "in part", "not reproduced", "not run"]
"""What came of a claim. "better": it holds, and by more than the paper says."""


@dataclass(frozen=True)
class Finding:
    """What was found of a claim.

    Parameters
    ----------
    verdict
        Whether it holds here.
    figure
        The numbers that show it, in words.
    reason
        Why it does not hold, as far as is known, and what was tried.
    """

    verdict: Verdict
    figure: str
    reason: str = ""


@dataclass(frozen=True)
class Claim:
    """One claim of a paper.

    Parameters
    ----------
    where
        Where the paper makes it, so that a reader finds it: "Sect. 3.2, Proposition 1".
    says
        What it says, in our words.
    find
        Looks it up in the records, or computes it: the verdict is never written by hand.
    shown
        What of our pages shows it: "table 1", "figure 4", or nothing.
    """

    where: str
    says: str
    find: Callable[[RunContext], Finding]
    shown: str = ""
