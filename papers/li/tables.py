"""After Li et al. (2008): fuzzy relevance vector machines on unbalanced and noisy data. Tables.

Only the first pages of the paper are at hand, with none of its numbers. The study is ours, in its spirit:
the fuzzy machine against the plain one and against its rivals.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from papers.context import RunContext
from papers.experiments import Record
from papers.li import table_drift, table_outliers, table_pairs
from papers.li.methods import DEFAULT, METHODS
from papers.li.paired import direction
from papers.li.plan import QUICK_ROWS, all_records, problems, real_experiments, synthetic_experiments
from papers.li.protocol import CLASS_MEMBERSHIPS, MEASURES, MOVED, TEST_ROWS, TRAINING_ROWS
from papers.tables import Cell, Number, ResultTable
from rowtrust.memberships import MEMBERSHIPS

NOTES = (
    "The study is ours: the paper's own tables are not at hand.",
    (
        f"Synthetic: {TRAINING_ROWS} training rows ({QUICK_ROWS} in a quick run) and {TEST_ROWS} test rows; "
        "the rare class lies in two small clouds beside a large one."
    ),
    (
        "Real: 60/40 splits, the rare class of the training rows thinned to the ratio, test rows as they "
        "are. So the rare class is less rare in the test rows, and a log loss rewards whoever expects "
        "more of it. Splits of one set share rows: their standard errors speak of these splits, not "
        "of new data."
    ),
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
    (
        "Robust RVM: a learnt power on each row's likelihood. Channel RVM: learns how often labels of either "
        f"class were changed. {MOVED.capitalize()}: the same probabilities, but a row is called rare where "
        "it is likelier so than the share of rare rows in training, instead of a half."
    ),
)
"""What a reader of the tables must know."""


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


def synthetic_table(context: RunContext, number: str, noise: bool) -> ResultTable:
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


def real_table(context: RunContext, number: str, noise: bool) -> ResultTable:
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


def membership_table(context: RunContext) -> ResultTable:
    """Table 5: every membership, averaged over all experiments."""
    cells = []
    for noise in (False, True):
        groups = list(all_records(context, noise).values())
        for machine in ("fuzzy RVM", "fuzzy SVM"):
            for membership in CLASS_MEMBERSHIPS:
                row = ("noisy" if noise else "clean", machine, membership)
                cells += averaged(groups, row, f"{machine}, {membership}")
    count = len(problems(context, noise=False))
    alike = [name for name in CLASS_MEMBERSHIPS if MEMBERSHIPS[name] == MEMBERSHIPS[DEFAULT]]
    notes = (
        f"Means over the {count} problems of the means over repeats; in brackets the spread of problems.",
        *((f"One membership by several names: {', '.join(alike)}.",) if len(alike) > 1 else ()),
    )
    labels = ("labels", "machine", "membership")
    return ResultTable("li", "5", "Every membership over all problems", labels, tuple(cells), notes)


def averaged(groups: list[list[Record]], row: tuple[str, ...], method: str) -> list[Cell]:
    """Return the measures of one method over all problems."""
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


TABLES: dict[str, Callable[[RunContext], ResultTable]] = {
    "1": lambda context: synthetic_table(context, "1", noise=False),
    "2": lambda context: synthetic_table(context, "2", noise=True),
    "3": lambda context: real_table(context, "3", noise=False),
    "4": lambda context: real_table(context, "4", noise=True),
    "5": membership_table,
    **table_pairs.TABLES,
    **table_outliers.TABLES,
    **table_drift.TABLES,
}
"""Our tables, by number."""
