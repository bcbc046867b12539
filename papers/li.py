"""After Li et al. (2008): fuzzy relevance vector machines on unbalanced and noisy data. Tables.

Only the first pages of the paper are at hand, with none of its numbers. The study is ours, in its spirit:
the fuzzy machine against the plain one and against its rivals.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from papers.context import RunContext
from papers.li_protocol import CLASS_MEMBERSHIPS, MEASURES, real_once, synthetic_once
from papers.store import Experiment, Record
from papers.tables import Cell, Direction, Number, ResultTable

RATIOS = (1, 3, 10, 30, 100)
"""Common rows per rare row of the synthetic data: from balance to six rare rows among 606."""

REAL = (("glass", 6), ("pima", 10), ("ionosphere", 10), ("ionosphere", 30), ("cancer", 10), ("cancer", 30))
"""Real data sets and the ratios their training rows are thinned to."""

DEFAULT = "imbalance"
"""The membership that tables and figures show where they have place for one."""

METHODS = (
    "RVM",
    "RVM balanced",
    "robust RVM",
    f"fuzzy RVM, {DEFAULT}",
    "SVM balanced",
    f"fuzzy SVM, {DEFAULT}",
    "SMOTE + SVM",
)
"""What tables 1 to 4 compare, of all that a repeat measures."""

REPEATS, QUICK_REPEATS = 20, 2
"""Draws or splits per problem; two are the fewest with a spread."""

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
"""What a reader of the tables must know."""


def direction(measure: str) -> Direction:
    """Return which way is better."""
    return "lower" if measure == "log loss" else "higher"


def synthetic_experiments(context: RunContext, noise: bool) -> dict[int, Experiment]:
    """Return the experiments of clouds by ratio."""
    return {
        ratio: Experiment(
            f"li-clouds-{ratio}{'-noise' if noise else ''}",
            synthetic_once,
            {"ratio": ratio, "noise": noise, "grid": context.grid},
            context.count(REPEATS, QUICK_REPEATS),
            stream=f"li-clouds-{ratio}",
        )
        for ratio in RATIOS
    }


def real_experiments(context: RunContext, noise: bool) -> dict[tuple[str, int], Experiment]:
    """Return the experiments of real data by set and ratio."""
    return {
        (name, ratio): Experiment(
            f"li-{name}-{ratio}{'-noise' if noise else ''}",
            real_once,
            {"name": name, "ratio": ratio, "noise": noise, "grid": context.grid},
            context.count(REPEATS, QUICK_REPEATS),
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


def synthetic_table(context: RunContext, number: int, noise: bool) -> ResultTable:
    """Tables 1 and 2: clouds by ratio."""
    experiments = synthetic_experiments(context, noise)
    records = context.collect(experiments.values())
    cells = [
        cell
        for ratio, experiment in experiments.items()
        for cell in method_cells(records[experiment.name], (f"1:{ratio}",), METHODS)
    ]
    title = f"Synthetic clouds, {'noisy' if noise else 'clean'} labels"
    return ResultTable("li", number, title, ("ratio", "method"), tuple(cells))


def real_table(context: RunContext, number: int, noise: bool) -> ResultTable:
    """Tables 3 and 4: real data."""
    experiments = real_experiments(context, noise)
    records = context.collect(experiments.values())
    cells = [
        cell
        for (name, ratio), experiment in experiments.items()
        for cell in method_cells(records[experiment.name], (name, f"1:{ratio}"), METHODS)
    ]
    title = f"Real data, {'noisy' if noise else 'clean'} labels"
    return ResultTable("li", number, title, ("data", "ratio", "method"), tuple(cells))


def all_records(context: RunContext, noise: bool) -> dict[str, list[Record]]:
    """Return the records of every experiment, clean or noisy."""
    experiments = [
        *synthetic_experiments(context, noise).values(),
        *real_experiments(context, noise).values(),
    ]
    return context.collect(experiments)


def membership_table(context: RunContext) -> ResultTable:
    """Table 5: every membership, averaged over all experiments."""
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


def averaged(context: RunContext, noise: bool, machine: str, membership: str) -> list[Cell]:
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


TABLES: dict[int, Callable[[RunContext], ResultTable]] = {
    1: lambda context: synthetic_table(context, 1, noise=False),
    2: lambda context: synthetic_table(context, 2, noise=True),
    3: lambda context: real_table(context, 3, noise=False),
    4: lambda context: real_table(context, 4, noise=True),
    5: membership_table,
}
"""Our tables, by number."""
