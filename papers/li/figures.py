"""After Li et al. (2008): figures of our study."""

from __future__ import annotations

from typing import Any

import numpy as np

from papers.context import RunContext
from papers.experiments import Record
from papers.hwang.models import GRIDS, select_width
from papers.li.figures_beside import FIGURES as FIGURES_BESIDE
from papers.li.methods import DEFAULT, METHODS
from papers.li.plan import ratios, synthetic_experiments
from papers.li.protocol import CLASS_MEMBERSHIPS, RELEVANCE, TRAINING_ROWS
from papers.paper import Picture
from papers.pictures import canvas, draw_level, draw_rows, line_handle, plane, shared_legend
from rowtrust.datasets import make_imbalanced_blobs

DRAWN = tuple(method for method in METHODS if not method.startswith(("fuzzy SVM", "channel RVM,")))
"""Methods of figure 2: as many as colours can tell apart."""

OURS = "Ours: of the paper's own figures none is at hand."
"""How our figures agree with the paper's."""

SHOWN = ("G-mean", "average precision")
"""Measures of figure 2: one of decisions and one of rankings."""


def figure_1(context: RunContext) -> Any:
    """The plain, the balanced and the fuzzy boundary where one row in ten, and one in thirty, is rare."""
    figure = canvas(11, 4.8)
    seed = context.store.seed
    grid = plane(make_imbalanced_blobs(TRAINING_ROWS, ratio=10, random_state=seed)[0])
    for axes, ratio in zip(figure.subplots(1, 2, sharex=True, sharey=True), (10, 30), strict=True):
        X, y = make_imbalanced_blobs(TRAINING_ROWS, ratio=ratio, random_state=seed)
        gammas = GRIDS[context.grid].gammas(2)
        plain = select_width(RELEVANCE["RVM"](random_state=0), X, y, gammas).model
        fuzzy = RELEVANCE["fuzzy RVM"](
            gamma=plain.gamma_, membership=DEFAULT, normalise_membership=True, random_state=0
        ).fit(X, y)
        balanced = RELEVANCE["RVM"](gamma=plain.gamma_, class_weight="balanced", random_state=0).fit(X, y)
        draw_rows(axes, X, y)
        for model, colour, style in (
            (plain, "tab:purple", "--"),
            (balanced, "tab:green", ":"),
            (fuzzy, "black", "-"),
        ):
            values = model.decision_function(grid[2])
            draw_level(axes, values, grid, 0.0, colors=colour, linestyles=style, linewidths=1.8)
        axes.set_title(f"1:{ratio}")
    handles = [
        line_handle("RVM", color="tab:purple", linestyle="--"),
        line_handle("RVM balanced", color="tab:green", linestyle=":"),
        line_handle(f"fuzzy RVM, {DEFAULT}", color="black"),
    ]
    shared_legend(figure, axes, handles)
    return figure


def figure_2(context: RunContext) -> Any:
    """G-mean and average precision as the rare class gets rarer."""
    figure = canvas(11, 7.5)
    panels = figure.subplots(2, 2, sharex=True, sharey="row")
    for column, noise in enumerate((False, True)):
        for row, measure in enumerate(SHOWN):
            axes = panels[row, column]
            draw_by_ratio(axes, context, noise, measure)
            axes.set_title(f"{measure}, {'noisy' if noise else 'clean'} labels", fontsize=11)
    for axes in panels[1]:
        axes.set_xlabel("common rows per rare row")
    shared_legend(figure, panels[0, 0], columns=4)
    return figure


def records_by_ratio(context: RunContext, noise: bool) -> dict[int, list[Record]]:
    """Return the records of the clouds, by ratio."""
    experiments = synthetic_experiments(context, noise)
    records = context.collect(experiments.values())
    return {ratio: records[experiment.name] for ratio, experiment in experiments.items()}


def draw_by_ratio(axes: Any, context: RunContext, noise: bool, measure: str) -> None:
    """Draw one measure of all methods against the ratio, with standard errors."""
    records, shown = records_by_ratio(context, noise), ratios(context)
    for place, method in enumerate(DRAWN):
        values = [np.array([record[method][measure] for record in records[ratio]]) for ratio in shown]
        means = np.array([value.mean() for value in values])
        error = np.array([value.std() / np.sqrt(max(len(value) - 1, 1)) for value in values])
        # Shifted a little, so that error bars of several methods stay apart.
        across = np.array(shown) * 1.025 ** (place - len(DRAWN) / 2)
        style = "-" if "RVM" in method else "--"
        axes.errorbar(across, means, yerr=error, marker="o", markersize=4, linestyle=style, label=method)
    axes.set_xscale("log")
    axes.set_xticks(shown, [f"{ratio}" for ratio in shown])
    axes.minorticks_off()
    axes.grid(alpha=0.3)


def figure_3(context: RunContext) -> Any:
    """G-mean of every membership at every ratio."""
    figure = canvas(12, 6)
    for axes, machine in zip(figure.subplots(1, 2, sharey=True), ("fuzzy RVM", "fuzzy SVM"), strict=True):
        table = np.hstack([membership_means(context, machine, noise) for noise in (False, True)])
        image = axes.imshow(table, vmin=0, vmax=1, cmap="viridis", aspect="auto")
        names = [f"1:{ratio}{mark}" for mark in ("", "\nnoisy") for ratio in ratios(context)]
        axes.set_xticks(range(len(names)), names, fontsize=8)
        axes.set_yticks(range(len(CLASS_MEMBERSHIPS)), CLASS_MEMBERSHIPS, fontsize=9)
        for (row, column), value in np.ndenumerate(table):
            colour = "black" if value > 0.6 else "white"
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=7.5, color=colour)
        axes.set_title(f"{machine}: G-mean")
    figure.colorbar(image, ax=axes)
    return figure


def membership_means(context: RunContext, machine: str, noise: bool) -> Any:
    """Return the mean G-mean of shape (memberships, ratios)."""
    records = records_by_ratio(context, noise)
    return np.array(
        [
            [
                np.mean([record[f"{machine}, {name}"]["G-mean"] for record in records[ratio]])
                for ratio in ratios(context)
            ]
            for name in CLASS_MEMBERSHIPS
        ]
    )


FIGURES: dict[str, Picture] = {
    "1": Picture("Boundaries of the plain, the balanced and the fuzzy machine", figure_1, (OURS,)),
    "2": Picture("G-mean and average precision as the rare class gets rarer", figure_2, (OURS,)),
    "3": Picture("G-mean of every membership", figure_3, (OURS,)),
    **FIGURES_BESIDE,
}
"""Our figures, by number."""
