"""After Li et al. (2008): fuzzy relevance vector machines on unbalanced and noisy data. Tables.

Only the opening pages of the paper are at hand, with none of its numbers. The study is ours, in its
spirit: the fuzzy machine against the plain one and against its rivals.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from papers.context import Context
from papers.li_protocol import CLASS_MEMBERSHIPS, MEASURES, real_once, synthetic_once
from papers.store import Record, Study
from papers.tables import Cell, Direction, Number, ResultTable

RATIOS = (1, 3, 10, 30, 100)
REAL = (("glass", 6), ("pima", 10), ("ionosphere", 10), ("ionosphere", 30), ("cancer", 10), ("cancer", 30))
DEFAULT = "imbalance"
METHODS = (
    "RVM",
    "RVM balanced",
    "robust RVM",
    f"fuzzy RVM, {DEFAULT}",
    "SVM balanced",
    f"fuzzy SVM, {DEFAULT}",
    "SMOTE + SVM",
)
NOTES = (
    "The study is ours: the paper's own tables are not at hand.",
    "Synthetic: 606 training and 6060 test rows; the rare class lies in two small clouds beside a large one.",
    "Real: 60/40 splits, the rare class of the training rows thinned to the ratio, test rows as they are.",
    (
        "Noise: labels are swapped of as many rows of either class as a fifth of the rare class has, in the "
        "training rows only."
    ),
    (
        "The plain machine's bound chooses one width for all relevance vector machines, 5-fold balanced "
        "accuracy one C and width for all support vector machines, so that memberships are compared, not "
        "settings. Memberships have mean one: as they come, those for rare classes leave so little weight "
        "in all that the relevance vector machine sees hardly any rows. The rows have no order in time, "
        "so time memberships are random weights here: a control."
    ),
)


def direction(measure: str) -> Direction:
    """Return which way is better."""
    return "lower" if measure == "log loss" else "higher"


def synthetic_studies(context: Context, noise: bool) -> dict[int, Study]:
    """Return the studies of clouds by ratio."""
    return {
        ratio: Study(
            f"li-clouds-{ratio}{'-noise' if noise else ''}",
            synthetic_once,
            {"ratio": ratio, "noise": noise, "grid": context.grid},
            context.count(20, 2),
            stream=f"li-clouds-{ratio}",
        )
        for ratio in RATIOS
    }


def real_studies(context: Context, noise: bool) -> dict[tuple[str, int], Study]:
    """Return the studies of real data by set and ratio."""
    return {
        (name, ratio): Study(
            f"li-{name}-{ratio}{'-noise' if noise else ''}",
            real_once,
            {"name": name, "ratio": ratio, "noise": noise, "grid": context.grid},
            context.count(20, 2),
            stream=f"li-{name}",
        )
        for name, ratio in REAL
    }


def method_cells(records: list[Record], row: tuple[str, ...], methods: tuple[str, ...]) -> list[Cell]:
    """Return all measures of some methods."""
    return [
        Cell(
            (*row, method),
            measure,
            Number.of(record[method][measure] for record in records),
            None,
            direction(measure),
        )
        for method in methods
        for measure in MEASURES
    ]


def synthetic_table(context: Context, number: int, noise: bool) -> ResultTable:
    """Tables 1 and 2: clouds by ratio."""
    studies = synthetic_studies(context, noise)
    records = context.collect(studies.values())
    cells = [
        cell
        for ratio, study in studies.items()
        for cell in method_cells(records[study.name], (f"1:{ratio}",), METHODS)
    ]
    title = f"Synthetic clouds, {'noisy' if noise else 'clean'} labels"
    return ResultTable("li", number, title, ("ratio", "method"), tuple(cells))


def real_table(context: Context, number: int, noise: bool) -> ResultTable:
    """Tables 3 and 4: real data."""
    studies = real_studies(context, noise)
    records = context.collect(studies.values())
    cells = [
        cell
        for (name, ratio), study in studies.items()
        for cell in method_cells(records[study.name], (name, f"1:{ratio}"), METHODS)
    ]
    title = f"Real data, {'noisy' if noise else 'clean'} labels"
    return ResultTable("li", number, title, ("data", "ratio", "method"), tuple(cells))


def all_records(context: Context, noise: bool) -> dict[str, list[Record]]:
    """Return the records of every study, clean or noisy."""
    studies = [*synthetic_studies(context, noise).values(), *real_studies(context, noise).values()]
    return context.collect(studies)


def membership_table(context: Context) -> ResultTable:
    """Table 5: every membership, averaged over all studies."""
    cells = [
        cell
        for noise in (False, True)
        for machine in ("fuzzy RVM", "fuzzy SVM")
        for membership in CLASS_MEMBERSHIPS
        for cell in averaged(context, noise, machine, membership)
    ]
    notes = ("Means over the eleven problems of the means over repeats; in brackets the spread of problems.",)
    labels = ("labels", "machine", "membership")
    return ResultTable("li", 5, "Every membership over all problems", labels, tuple(cells), notes)


def averaged(context: Context, noise: bool, machine: str, membership: str) -> list[Cell]:
    """Return the measures of one membership over all problems."""
    method = f"{machine}, {membership}"
    groups = all_records(context, noise).values()
    row = ("noisy" if noise else "clean", machine, membership)
    return [
        Cell(
            row,
            measure,
            Number.of(float(np.mean([record[method][measure] for record in group])) for group in groups),
            None,
            direction(measure),
        )
        for measure in MEASURES
    ]


TABLES: dict[int, Callable[[Context], ResultTable]] = {
    1: lambda context: synthetic_table(context, 1, noise=False),
    2: lambda context: synthetic_table(context, 2, noise=True),
    3: lambda context: real_table(context, 3, noise=False),
    4: lambda context: real_table(context, 4, noise=True),
    5: membership_table,
}
