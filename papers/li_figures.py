"""After Li et al. (2008): figures of our study."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from papers.context import RunContext
from papers.li import DEFAULT, METHODS, RATIOS, synthetic_experiments
from papers.li_protocol import CLASS_MEMBERSHIPS, RELEVANCE, TRAINING_ROWS
from papers.models import GRIDS, select_width
from papers.pictures import canvas, draw_level, draw_rows, line_handle, plane, shared_legend
from papers.store import Record
from rowtrust.datasets import make_imbalanced_blobs

SHOWN = ("G-mean", "average precision")
"""Measures of figure 2: one of decisions and one of rankings."""


def figure_1(context: RunContext) -> Any:
    """The plain and the fuzzy boundary where one row in ten, and one in thirty, is rare."""
    figure = canvas(11, 4.8)
    for axes, ratio in zip(figure.subplots(1, 2, sharex=True, sharey=True), (10, 30), strict=True):
        X, y = make_imbalanced_blobs(TRAINING_ROWS, ratio=ratio, random_state=context.store.seed)
        gammas = GRIDS[context.grid].gammas(2)
        plain = select_width(RELEVANCE["RVM"](random_state=0), X, y, gammas).model
        fuzzy = RELEVANCE["fuzzy RVM"](
            gamma=plain.gamma_, membership=DEFAULT, normalise_membership=True, random_state=0
        ).fit(X, y)
        grid = plane(X)
        draw_rows(axes, X, y)
        for model, colour, style in ((plain, "tab:purple", "--"), (fuzzy, "black", "-")):
            values = model.decision_function(grid[2])
            draw_level(axes, values, grid, 0.0, colors=colour, linestyles=style, linewidths=1.8)
        axes.set_title(f"1:{ratio}")
    handles = [
        line_handle("RVM", color="tab:purple", linestyle="--"),
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
    records = records_by_ratio(context, noise)
    for place, method in enumerate(METHODS):
        values = [np.array([record[method][measure] for record in records[ratio]]) for ratio in RATIOS]
        means = np.array([value.mean() for value in values])
        error = np.array([value.std() / np.sqrt(max(len(value) - 1, 1)) for value in values])
        # Shifted a little, so that error bars of several methods stay apart.
        across = np.array(RATIOS) * 1.025 ** (place - len(METHODS) / 2)
        style = "-" if "RVM" in method else "--"
        axes.errorbar(across, means, yerr=error, marker="o", markersize=4, linestyle=style, label=method)
    axes.set_xscale("log")
    axes.set_xticks(RATIOS, [f"{ratio}" for ratio in RATIOS])
    axes.minorticks_off()
    axes.grid(alpha=0.3)


def figure_3(context: RunContext) -> Any:
    """G-mean of every membership at every ratio."""
    figure = canvas(12, 6)
    for axes, machine in zip(figure.subplots(1, 2, sharey=True), ("fuzzy RVM", "fuzzy SVM"), strict=True):
        table = np.hstack([membership_means(context, machine, noise) for noise in (False, True)])
        image = axes.imshow(table, vmin=0, vmax=1, cmap="viridis", aspect="auto")
        names = [f"1:{ratio}{mark}" for mark in ("", "\nnoisy") for ratio in RATIOS]
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
                for ratio in RATIOS
            ]
            for name in CLASS_MEMBERSHIPS
        ]
    )


FIGURES: dict[int, Callable[[RunContext], Any]] = {1: figure_1, 2: figure_2, 3: figure_3}
"""Our figures, by number."""
