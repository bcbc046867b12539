"""After Li et al. (2008): figures of the studies of outliers and of drift."""

from __future__ import annotations

from typing import Any

import numpy as np

from papers.context import RunContext
from papers.experiments import Record
from papers.li import drift, regression
from papers.li.paired import standard_error
from papers.li.plan import drift_records, regression_records
from papers.paper import Picture
from papers.pictures import canvas, shared_legend

STYLES = ("-", "-", "-", "-", "--", "--")
"""Lines of our regressors and of scikit-learn's."""

DRIFT_STYLES = ("-", "-", "-", "--", "--", "--", ":")
"""Lines of the plain machine, of memberships and of the robust machine."""


def figure_4(context: RunContext) -> Any:
    """RMSE against the share of outliers, by data set; below, all outliers upwards."""
    records = regression_records(context)
    names = list(dict.fromkeys(name for name, _, _ in records))
    sides = list(dict.fromkeys(one_sided for _, _, one_sided in records))
    figure = canvas(3 * len(names) + 2, 3.2 * len(sides) + 0.8)
    panels = figure.subplots(len(sides), len(names), sharex=True, squeeze=False)
    for row, one_sided in enumerate(sides):
        for column, name in enumerate(names):
            axes = panels[row, column]
            # Without outliers there is no side: those records begin both lines.
            shown = {
                share: group
                for (found, share, up), group in records.items()
                if found == name and (up == one_sided or share == 0)
            }
            for place, method in enumerate(regression.METHODS):
                draw_line(axes, shown, method, "RMSE", STYLES[place], scale=100.0)
            axes.set_yscale("log")
            for ticks in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
                ticks(lambda value, _: plain_tick(value))
            axes.set_title(f"{name}, {'all up' if one_sided else 'up and down'}", fontsize=10)
            axes.grid(alpha=0.3)
        panels[row, 0].set_ylabel("RMSE on clean rows")
    for axes in panels[-1]:
        axes.set_xlabel("outliers in training, %")
    shared_legend(figure, panels[0, 0])
    return figure


def plain_tick(value: float) -> str:
    """Return a tick of a logarithmic axis as people write it, and only every third of them."""
    leading = value / 10.0 ** np.floor(np.log10(value))
    return f"{value:g}" if round(leading, 6) in (1.0, 2.0, 5.0) else ""


def draw_line(
    axes: Any, groups: dict[float, list[Record]], method: str, measure: str, style: str, scale: float = 1.0
) -> None:
    """Draw the means of a measure with standard errors against what the groups are keyed by."""
    values = [np.array([record[method][measure] for record in group]) for group in groups.values()]
    axes.errorbar(
        [scale * key for key in groups],
        [value.mean() for value in values],
        yerr=[standard_error(value) for value in values],
        marker="o",
        markersize=4,
        linestyle=style,
        label=method,
    )


def figure_5(context: RunContext) -> Any:
    """Error against how far the world moves slowly, for few and many rows of the past."""
    tasks = {True: drift_records(context, classes=True), False: drift_records(context, classes=False)}
    pasts = list(dict.fromkeys(rows for rows, _, _ in tasks[True]))
    figure = canvas(11, 3.6 * len(pasts) + 0.8)
    panels = figure.subplots(len(pasts), 2, sharex=True, squeeze=False)
    for column, (classes, records) in enumerate(tasks.items()):
        measure = (drift.CLASS_MEASURES if classes else drift.REGRESSION_MEASURES)[0]
        for row, rows in enumerate(pasts):
            axes = panels[row, column]
            shown = {
                amount: group
                for (found, change, amount), group in records.items()
                if found == rows and change == "gradual"
            }
            for method, style in zip(drift.METHODS, DRIFT_STYLES, strict=True):
                draw_line(axes, shown, method, measure, style)
            axes.set_title(f"{'classes' if classes else 'regression'}, {rows} rows of the past", fontsize=11)
            axes.set_ylabel(measure)
            axes.grid(alpha=0.3)
        panels[-1, column].set_xlabel("slow drift from the first moment to the next, degrees")
    shared_legend(figure, panels[0, 0], columns=4)
    return figure


def figure_6(context: RunContext) -> Any:
    """Error after a jump, against the share of the past that the jump left behind."""
    tasks = {True: drift_records(context, classes=True), False: drift_records(context, classes=False)}
    figure = canvas(12, 5)
    for axes, (classes, records) in zip(figure.subplots(1, 2), tasks.items(), strict=True):
        measure = (drift.CLASS_MEASURES if classes else drift.REGRESSION_MEASURES)[0]
        most = max(rows for rows, _, _ in records)
        # No change at all stands at zero: then nothing of the past is out of date.
        shown = {
            0.0 if change == "gradual" else float(change): group
            for (rows, change, amount), group in records.items()
            if rows == most and (change != "gradual" or amount == 0)
        }
        for method, style in zip(drift.METHODS, DRIFT_STYLES, strict=True):
            draw_line(axes, shown, method, measure, style, scale=100.0)
        axes.set(
            title=f"{'classes' if classes else 'regression'}, {most} rows of the past",
            xlabel="rows from before the jump, %",
            ylabel=measure,
        )
        axes.grid(alpha=0.3)
    shared_legend(figure, axes, columns=4)
    return figure


FIGURES: dict[str, Picture] = {
    "4": Picture(
        "Regression: RMSE on clean rows against the share of outliers",
        figure_4,
        ("Ours: of the paper's own figures none is at hand. Errors in deviations of the clean targets.",),
    ),
    "5": Picture(
        "Rows in order of time: error as the world moves slowly",
        figure_5,
        ("Ours: of the paper's own figures none is at hand. Zero degrees is the control without drift.",),
    ),
    "6": Picture(
        "Rows in order of time: error after a jump",
        figure_6,
        ("Ours: of the paper's own figures none is at hand. At zero nothing changed: the control.",),
    ),
}
"""By number."""
