"""Hwang & Jeong (2015): sensitivity curves. Figure 7, and ours beside it."""

from __future__ import annotations

from typing import Any

from papers.context import RunContext
from papers.hwang import measures
from papers.hwang.boundaries import agreement
from papers.hwang.machines import COMPARED, PAPER_MACHINES, SHOWN, rows_of, setting_of
from papers.hwang.measures import SENSITIVE, changed, plane_of
from papers.pictures import canvas, draw_rows, shared_legend

PANELS = {"a": "(a) figure 1(b)", "b": "(b) figure 4"}
"""What the rows of figure 7 are called."""

MEASURES = ("largest", "mean_on_rows", "scaled_largest", "scaled_on_rows")
"""By which machines are compared."""

Found = dict[tuple[str, str], dict[str, float]]
"""What is measured, by panel and machine."""


def figure_7(context: RunContext) -> Any:
    """Sensitivity: how far outliers move each function, on the data of figures 1 and 4."""
    found = measures.figure_7(context)
    figure = drawn(context, found, PAPER_MACHINES, (10, 7.2))
    lines = [f"{PANELS[panel]}: {sensitivity_agreement(found, panel)}" for panel in SENSITIVE]
    figure.suptitle("\n".join(lines), fontsize=11)
    return figure


def figure_7a(context: RunContext) -> Any:
    """Sensitivity of literal loop, working set and channel with one width, and of the plain RVM."""
    return drawn(context, measures.figure_7(context), COMPARED, (11, 6.4))


def sensitivity_agreement(found: Found, panel: str) -> str:
    """Say by which measures RRVM is the least sensitive of the paper's three machines."""
    rivals = [machine for machine in PAPER_MACHINES if machine != "RRVM"]
    least = [
        measure
        for measure in MEASURES
        if found[panel, "RRVM"][measure] < min(found[panel, machine][measure] for machine in rivals)
    ]
    holds = agreement(len(least) == len(MEASURES))
    return f"RRVM is the least sensitive by {len(least)} of {len(MEASURES)} measures, {holds}"


def drawn(context: RunContext, found: Found, machines: tuple[str, ...], size: tuple[float, float]) -> Any:
    """Draw the change of certainty of some machines, one row a problem, on one scale."""
    setting = setting_of(context)
    figure = canvas(*size)
    most = max(found[panel, machine]["largest"] for panel in SENSITIVE for machine in machines)
    panels = figure.subplots(len(SENSITIVE), len(machines), sharex="row", sharey="row")
    for line, (panel, problem) in zip(panels, SENSITIVE.items(), strict=True):
        rows = rows_of(setting, problem)
        grid = plane_of(setting, problem)
        line[0].set_ylabel(PANELS[panel])
        for axes, machine in zip(line, machines, strict=True):
            change = changed(setting, problem, machine)["certainty"][: grid[0].size]
            shaded = {"cmap": "PuOr", "vmin": -most, "vmax": most, "rasterized": True}
            image = axes.pcolormesh(grid[0], grid[1], change.reshape(grid[0].shape), **shaded)
            draw_rows(axes, *rows.dirty, rows.added)
            axes.set_title(sensitivity_title(machine, found[panel, machine]), fontsize=9)
    bar = figure.colorbar(image, ax=panels, location="bottom", shrink=0.5, aspect=40, pad=0.03)
    bar.set_label("change of certainty by the outliers", fontsize=9)
    shared_legend(figure, panels[0, 0])
    return figure


def sensitivity_title(machine: str, entry: dict[str, float]) -> str:
    """Say how sensitive a machine is: its largest change, and that on the rows."""
    named = "RRVM, the literal loop" if machine == "RRVM" else SHOWN.get(machine, machine)
    return (
        f"{named}\n"
        f"certainty {entry['largest']:.2f}, rows {entry['mean_on_rows']:.3f}\n"
        f"function {entry['scaled_largest']:.2f}, rows {entry['scaled_on_rows']:.3f}"
    )
