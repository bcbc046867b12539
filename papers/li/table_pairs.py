"""After Li et al. (2008): tables of paired differences on unbalanced and noisy data."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from papers.context import RunContext
from papers.experiments import Record
from papers.li.methods import FUZZY, METHODS, REFERENCES
from papers.li.paired import RULE, Tally, differences, direction, outcome, standard_error, tally
from papers.li.plan import real_experiments, synthetic_experiments
from papers.li.protocol import CLASS_MEMBERSHIPS, MOVED
from papers.tables import Cell, Number, ResultTable

JUDGED = ("G-mean", "average precision", "log loss")
"""One measure of decisions, one of rankings and one of probabilities."""

PAIRS = (
    (FUZZY, "RVM"),
    (FUZZY, "RVM balanced"),
    (FUZZY, f"RVM, {MOVED}"),
    ("channel RVM", "RVM"),
    ("channel RVM balanced", "RVM balanced"),
)
"""Whose differences are shown problem by problem."""

COUNTS = ("better", "same", "worse")
"""The columns of a tally."""


def by_problem(context: RunContext, noise: bool, real: bool) -> dict[str, list[Record]]:
    """Return the records of the clouds or of the real data, by what the tables call a problem."""
    if real:
        experiments = real_experiments(context, noise)
        records = context.collect(experiments.values())
        return {f"{name} 1:{ratio}": records[found.name] for (name, ratio), found in experiments.items()}
    clouds = synthetic_experiments(context, noise)
    records = context.collect(clouds.values())
    return {f"clouds 1:{ratio}": records[found.name] for ratio, found in clouds.items()}


def tally_cells(row: tuple[str, ...], found: Tally, measure: str) -> list[Cell]:
    """Return the three counts of one measure."""
    return [Cell(row, f"{measure}: {name}", Number(getattr(found, name)), None, "neither") for name in COUNTS]


def compared(
    row: tuple[str, ...], groups: Iterable[list[Record]], method: str, other: str, measures: tuple[str, ...]
) -> list[Cell]:
    """Return the counts of all measures of one method against another."""
    groups = list(groups)
    return [
        cell
        for measure in measures
        for cell in tally_cells(row, tally(groups, method, other, measure), measure)
    ]


def method_tallies(context: RunContext) -> ResultTable:
    """Table 6: on how many problems a method is better than the plain and the balanced machine."""
    groups = {
        ("real" if real else "synthetic", "noisy" if noise else "clean"): by_problem(context, noise, real)
        for real in (False, True)
        for noise in (False, True)
    }
    cells = [
        cell
        for other in REFERENCES
        for kind, found in groups.items()
        for method in METHODS
        if method != other
        for cell in compared((other, *kind, method), found.values(), method, other, JUDGED)
    ]
    labels = ("against", "data", "labels", "method")
    return ResultTable("li", "6", "Paired comparisons of methods", labels, tuple(cells), (RULE,))


def membership_tallies(context: RunContext) -> ResultTable:
    """Table 7: the same of every membership, over all problems."""
    cells = []
    for other in REFERENCES:
        for noise in (False, True):
            groups = [group for real in (False, True) for group in by_problem(context, noise, real).values()]
            for membership in CLASS_MEMBERSHIPS:
                row = (other, "noisy" if noise else "clean", membership)
                cells += compared(row, groups, f"fuzzy RVM, {membership}", other, JUDGED)
    labels = ("against", "labels", "membership")
    return ResultTable("li", "7", "Paired comparisons of memberships", labels, tuple(cells), (RULE,))


def difference_table(context: RunContext) -> ResultTable:
    """Table 8: the paired differences, problem by problem."""
    groups = {
        (problem, "noisy" if noise else "clean"): records
        for real in (False, True)
        for noise in (False, True)
        for problem, records in by_problem(context, noise, real).items()
    }
    cells = []
    for method, other in PAIRS:
        for problem, records in groups.items():
            row = (method, other, *problem)
            cells += [cell for measure in JUDGED for cell in difference_cells(row, records, measure)]
    notes = (
        "The second column of a measure is the standard error of the mean difference.",
        "The third is 1 where the method is better by the rule of table 6, -1 where it is worse, else 0.",
    )
    labels = ("method", "minus", "problem", "labels")
    return ResultTable("li", "8", "Paired differences by problem", labels, tuple(cells), notes)


def difference_cells(row: tuple[str, ...], records: list[Record], measure: str) -> list[Cell]:
    """Return mean difference, its standard error and what it says."""
    values = differences(records, row[0], row[1], measure)
    return [
        Cell(row, measure, Number.of(values), None, direction(measure)),
        Cell(row, f"{measure}: s.e.", Number(standard_error(values)), None, "neither"),
        Cell(row, f"{measure}: says", Number(outcome(values, measure)), None, "neither"),
    ]


TABLES: dict[str, Callable[[RunContext], ResultTable]] = {
    "6": method_tallies,
    "7": membership_tallies,
    "8": difference_table,
}
"""By number."""
