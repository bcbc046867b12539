"""What a paper consists of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from papers.claims import Claim
from papers.context import RunContext
from papers.experiments import Experiment
from papers.tables import ResultTable


@dataclass(frozen=True)
class Picture:
    """A figure of a paper, drawn again, or one of ours beside it.

    Parameters
    ----------
    title
        What it shows.
    draw
        Returns a figure of matplotlib.
    notes
        How it agrees with the paper's, or does not.
    """

    title: str
    draw: Callable[[RunContext], Any]
    notes: tuple[str, ...] = ()


def nothing(context: RunContext) -> list[str]:
    """Return no conclusions."""
    return []


@dataclass(frozen=True)
class Paper:
    """A paper: its tables, its figures and what it claims, each a function of the context.

    Parameters
    ----------
    name
        As the command line calls it.
    reference
        As one cites it.
    tables, figures
        By the paper's number; what is ours beside it has a letter.
    experiments
        All experiments that tables, figures and claims read.
    claims
        What it claims, in the paper's order.
    notes
        Where our protocol had to depart from the paper's words, or to fill them in.
    conclusions
        What the records say, in sentences.
    """

    name: str
    reference: str
    tables: dict[str, Callable[[RunContext], ResultTable]]
    figures: dict[str, Picture]
    experiments: Callable[[RunContext], list[Experiment]]
    claims: tuple[Claim, ...] = ()
    notes: tuple[str, ...] = field(default=())
    conclusions: Callable[[RunContext], list[str]] = nothing
