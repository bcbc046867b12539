"""After Li et al. (2008): what follows from the studies of outliers and of drift, in words."""

from __future__ import annotations

import numpy as np

from papers.context import RunContext
from papers.experiments import Record
from papers.li.drift import CLASS_MEASURES, REGRESSION_MEASURES, SHARES, TIMES
from papers.li.paired import Compared, Tally, tally
from papers.li.plan import drift_records, regression_records
from papers.li.regression import COVERAGE, METHODS, RESIDUAL


def with_and_without(context: RunContext) -> tuple[list[list[Record]], list[list[Record]]]:
    """Return the records of the problems with outliers and of those without."""
    records = regression_records(context)
    dirty = [group for (_, share, _), group in records.items() if share > 0]
    return dirty, [group for (_, share, _), group in records.items() if share == 0]


def outlier_comparisons(context: RunContext) -> list[Compared]:
    """Compare the residual membership with every other regressor, with outliers and without."""
    topics = ("Regression, with outliers", "Regression, without outliers")
    return [
        Compared(topic, "the residual membership", other, "RMSE", tally(groups, RESIDUAL, other, "RMSE"))
        for topic, groups in zip(topics, with_and_without(context), strict=True)
        for other in METHODS
        if other != RESIDUAL
    ]


def mean_of(groups: list[list[Record]], method: str, measure: str) -> float:
    """Return the mean over problems of the means over repeats."""
    return float(np.mean([np.mean([record[method][measure] for record in group]) for group in groups]))


def interval_sentence(context: RunContext) -> str:
    """Say what errors and intervals are with outliers in training, over all problems."""
    dirty, _ = with_and_without(context)
    parts = [
        f"{method} {mean_of(dirty, method, 'RMSE'):.2f}"
        + (
            f" ({mean_of(dirty, method, 'coverage %'):.0f} %, {mean_of(dirty, method, 'width'):.1f})"
            if "width" in dirty[0][0][method]
            else ""
        )
        for method in METHODS
    ]
    return (
        "Regression, with outliers. The mean RMSE is, in deviations of the targets (in brackets how many "
        f"clean rows the {100 * COVERAGE:g} % intervals cover, and their width): {', '.join(parts)}."
    )


def drift_comparisons(context: RunContext) -> list[Compared]:
    """Compare time memberships, forgetting and the robust machine, classes and regression together."""
    names = {share: f"the plain machine on the {share}".replace("the all", "all") for share in SHARES}
    names |= {name: f"the {name} membership" for name in TIMES}
    names["robust, all rows"] = "the robust machine on all rows"
    moving = [(name, share) for name in TIMES for share in SHARES]
    still = [(name, "all rows") for name in (*TIMES, *SHARES) if name != "all rows"]
    return [
        Compared(topic, names[method], names[other], "error", drift_tally(context, changed, method, other))
        for topic, changed, asked in (
            (
                "Rows in order of time, with drift (classes and regression)",
                True,
                [*moving, ("robust, all rows", "all rows")],
            ),
            ("Rows in order of time, without drift (classes and regression)", False, still),
        )
        for method, other in asked
    ]


def drift_tally(context: RunContext, changed: bool, method: str, other: str) -> Tally:
    """Count over the problems of classes and of regression, with drift or without."""
    found = []
    for classes, measures in ((True, CLASS_MEASURES), (False, REGRESSION_MEASURES)):
        records = drift_records(context, classes)
        groups = [group for (_, _, amount), group in records.items() if (amount > 0) == changed]
        found.append(tally(groups, method, other, measures[0]))
    first, second = found
    return Tally(first.better + second.better, first.same + second.same, first.worse + second.worse)
