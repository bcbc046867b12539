"""Hwang & Jeong (2015): boundaries in the plane. Figures 1, 3, 4 and 5, and ours beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from papers.context import RunContext
from papers.hwang import measures
from papers.hwang.machines import COMPARED, LONE, PAPER_MACHINES, SHOWN, Setting, fitted, rows_of, setting_of
from papers.hwang.measures import STEPS, on_plane, plane_of, stopped_after, vector_rows
from papers.pictures import (
    canvas,
    changed_handles,
    draw_before_and_after,
    draw_changed,
    draw_level,
    draw_rings,
    draw_rows,
    line_handle,
    ring_handle,
    shared_legend,
)

STYLES: dict[str, dict[str, str]] = {
    "SVM": {"color": "#009E73", "linestyle": ":"},
    "RVM": {"color": "#8E3B8E", "linestyle": "--"},
    "RRVM": {"color": "black", "linestyle": "-"},
}
"""How the boundary of each machine is drawn; dotted, dashed and full as in the paper."""

KERNELS = {"linear": "(a) linear kernel", "rbf": "(b) Gaussian kernel, width 2"}
"""The panels of figure 1."""

Entry = dict[str, float]
"""What is measured of one machine on one problem."""


def agreement(holds: bool) -> str:
    """Say whether what was measured is what the paper says."""
    return "as in the paper" if holds else "not as in the paper"


def figure_1(context: RunContext) -> Any:
    """Boundaries of SVM, RVM and RRVM beside one outlier, with a linear and a Gaussian kernel."""
    setting, found, again = setting_of(context), measures.figure_1(context), measures.figure_1_again(context)
    figure = canvas(9.5, 5.3)
    for axes, kernel in zip(figure.subplots(1, 2, sharex=True, sharey=True), LONE, strict=True):
        rows = rows_of(setting, kernel)
        for name, style in STYLES.items():
            contour = {"colors": style["color"], "linestyles": style["linestyle"]}
            for values, width in zip(on_plane(setting, kernel, name), (0.9, 2.2), strict=True):
                draw_level(axes, values, plane_of(setting, kernel), 0.0, **contour, linewidths=width)
        draw_rows(axes, *rows.dirty, rows.added)
        axes.set_title(lone_title(kernel, found, again), fontsize=10)
    thin = line_handle("thin: without the outlier", color="0.3", linewidth=0.9)
    shared_legend(figure, axes, [*(line_handle(name, **style) for name, style in STYLES.items()), thin], 7)
    return figure


def lone_title(kernel: str, found: dict[tuple[str, str], Entry], again: dict[tuple[str, str], Entry]) -> str:
    """Say how much each machine's classes change on these rows, and on other draws of them."""
    moved, medians = (
        {name: 100 * of[kernel, name]["moved"] for name in PAPER_MACHINES} for of in (found, again)
    )
    least = agreement(moved["RRVM"] < min(moved["SVM"], moved["RVM"]))
    more = again[kernel, "RRVM"]
    shares, usual = (
        ", ".join(f"{name} {of[name]:.1f}" for name in PAPER_MACHINES) for of in (moved, medians)
    )
    return (
        f"{KERNELS[kernel]}: {least} on these rows\n"
        f"% changed: {shares}; weight {found[kernel, 'RRVM']['trust']:.2f}\n"
        f"{more['draws']:.0f} more draws: RRVM least in {more['below_both']:.0f}, below RVM in "
        f"{more['below_rvm']:.0f}\nmedian % changed: {usual}; weight {more['trust']:.2f}"
    )


def figure_3(context: RunContext) -> Any:
    """The boundary and the outlier's weight at each iteration of the paper's algorithm."""
    setting = setting_of(context)
    rows = rows_of(setting, "rbf")
    figure = canvas(10, 5.6)
    grid = plane_of(setting, "rbf")
    clean, _ = on_plane(setting, "rbf", "RRVM")
    found = measures.figure_3(context)
    panels = figure.subplots(2, 4, sharex=True, sharey=True).ravel()
    for axes, steps, entry in zip(panels, STEPS, found, strict=True):
        values = stopped_after(setting, steps).decision_function(grid[2])
        draw_changed(axes, clean, values.reshape(clean.shape), grid)
        draw_rows(axes, *rows.dirty, rows.added)
        end = "\n(the end)" if steps == STEPS[-1] else "\n"
        axes.set_title(f"iteration {entry['iteration']}: weight {entry['weight']:.2f}{end}", fontsize=10)
    falls = agreement(found[-1]["weight"] < found[0]["weight"] and found[-1]["moved"] < found[0]["moved"])
    told = f"The outlier loses weight, and the boundary goes back towards where it is without it: {falls}"
    figure.suptitle(told, fontsize=11)
    shared_legend(figure, axes, changed_handles())
    return figure


def paper_boundaries(context: RunContext, problem: str, found: dict[tuple[str, str], Entry]) -> Any:
    """Figures 4 and 5: boundaries without and with outliers, and the vectors each machine kept."""
    setting = setting_of(context)
    rows, grid = rows_of(setting, problem), plane_of(setting, problem)
    figure = canvas(8.8, 10.4)
    panels = figure.subplots(3, 2, sharex=True, sharey=True)
    for line, machine in zip(panels, PAPER_MACHINES, strict=True):
        pair, values = fitted(setting, problem, machine), on_plane(setting, problem, machine)
        for axes, state, side in zip(line, ("clean", "outliers"), (0, 1), strict=True):
            draw_changed(axes, values[0], values[side], grid)
            draw_quarters(axes, pair[side], values[side], grid)
            given = rows.dirty if side else rows.clean
            draw_rows(axes, *given, rows.added if side else None)
            draw_rings(axes, given.X[vector_rows(pair[side], given.X)])
            axes.set_title(boundary_title(machine, state, found[machine, state]), fontsize=10)
    figure.suptitle(boundary_agreement(found), fontsize=11)
    rings = ring_handle("support or relevance vector")
    quarters = line_handle("probability 0.25, 0.75", color="0.5", linestyle=":")
    shared_legend(figure, panels[0, 1], [*changed_handles(), quarters, rings], columns=4)
    return figure


def draw_quarters(axes: Any, model: Any, values: Any, grid: Any) -> None:
    """Draw where a machine that has probabilities says one and three quarters."""
    if hasattr(model, "predict_proba"):
        for odds in (-np.log(3.0), np.log(3.0)):
            draw_level(axes, values, grid, odds, colors="0.5", linestyles=":", linewidths=1.2)


def boundary_title(machine: str, state: str, entry: Entry) -> str:
    """Say what a panel of figures 4 and 5 shows."""
    kept = "support" if machine == "SVM" else "relevance"
    first = f"{machine}, {'with' if state == 'outliers' else 'without'} outliers: "
    second = f"{entry['vectors']:.0f} {kept} vectors"
    if state == "outliers":
        second += f", {entry['outliers_among_vectors']:.0f} of them outliers"
    return f"{first}error {entry['error']:.1f} %\n{second}"


def boundary_agreement(found: dict[tuple[str, str], Entry]) -> str:
    """Say whether the loop's boundary moves least, and what the outliers weigh in it."""
    moved = {name: found[name, "outliers"]["moved"] for name in PAPER_MACHINES}
    shares = ", ".join(f"{name} {100 * share:.1f} %" for name, share in moved.items())
    least = agreement(moved["RRVM"] < min(moved["SVM"], moved["RVM"]))
    robust = found["RRVM", "outliers"]
    return (
        f"Outliers change the class on {shares} of the plane: {least}\n"
        f"mean weight in RRVM: outliers {robust['trust']:.2f}, other rows {robust['trust_of_others']:.2f}"
    )


def compared_boundaries(context: RunContext, problem: str, found: dict[tuple[str, str], Entry]) -> Any:
    """Figures 4A and 5A: literal loop, working set and channel with one width, beside the plain RVM."""
    setting = setting_of(context)
    rows = rows_of(setting, problem)
    figure = canvas(10, 7.4)
    panels = figure.subplots(2, 3)
    for axes, machine in zip(panels.ravel(), COMPARED, strict=False):
        draw_compared(axes, setting, problem, machine)
        axes.set_title(compared_title(machine, found[machine, "outliers"]), fontsize=9.5)
        axes.label_outer()
    errors = [[found[machine, state]["error"] for machine in COMPARED] for state in ("clean", "outliers")]
    names = [SHOWN[machine].replace(", ", ",\n") for machine in COMPARED]
    measure = f"error %, {len(rows.test.y)} clean test rows"
    draw_before_and_after(panels[1, 2], names, errors[0], errors[1], measure)
    gamma = found["RRVM", "clean"]["gamma"]
    figure.suptitle(f"All but the last have the width of the literal loop, gamma {gamma:.3g}", fontsize=11)
    rings = ring_handle("relevance vector")
    shared_legend(figure, panels[0, 0], [*changed_handles(), rings], columns=4)
    return figure


def compared_lone(context: RunContext) -> Any:
    """Figure 1A: literal loop, working set and channel beside one outlier, and the plain RVM."""
    setting, found, again = setting_of(context), measures.figure_1(context), measures.figure_1_again(context)
    figure = canvas(11, 6.6)
    panels = figure.subplots(2, len(COMPARED), sharex=True, sharey=True)
    for line, kernel in zip(panels, LONE, strict=True):
        line[0].set_ylabel(KERNELS[kernel])
        for axes, machine in zip(line, COMPARED, strict=True):
            if (kernel, machine) == ("linear", COMPARED[-1]):
                axes.axis("off")
                continue
            draw_compared(axes, setting, kernel, machine)
            title = compared_title(machine, found[kernel, machine])
            more = again.get((kernel, "RVM" if machine.startswith("RVM") else machine))
            usual = f"\n{more['draws']:.0f} more draws: {100 * more['moved']:.1f} %" if more else ""
            axes.set_title(title + usual, fontsize=9)
    shared_legend(figure, panels[1, 0], [*changed_handles(), ring_handle("relevance vector")], columns=4)
    return figure


def draw_compared(axes: Any, setting: Setting, problem: str, machine: str) -> None:
    """Draw one machine: what outliers changed, the rows, and its relevance vectors with outliers."""
    rows, model = rows_of(setting, problem), fitted(setting, problem, machine).dirty
    draw_changed(axes, *on_plane(setting, problem, machine), plane_of(setting, problem))
    draw_rows(axes, *rows.dirty, rows.added)
    draw_rings(axes, rows.dirty.X[vector_rows(model, rows.dirty.X)])


def compared_title(machine: str, entry: Entry) -> str:
    """Say what a machine made of the outliers: what moved, its vectors, and what it thinks of the rows."""
    vectors = f"{entry['vectors']:.0f} vector{'' if entry['vectors'] == 1 else 's'}"
    lines = [SHOWN[machine], f"{vectors}, {100 * entry['moved']:.1f} % changed"]
    if machine.startswith("channel"):
        wrong, others = 1.0 - entry["trust"], 1.0 - entry["trust_of_others"]
        lines.append(f"P(wrong) {wrong:.2f}, rest {others:.2f}")
    elif not machine.startswith("RVM"):
        lines.append(f"weight {entry['trust']:.2f}, rest {entry['trust_of_others']:.2f}")
    else:
        lines.append("no weights")
    return "\n".join(lines)


def on_problem(
    draw: Callable[[RunContext, str, dict[tuple[str, str], Entry]], Any], problem: str
) -> Callable[[RunContext], Any]:
    """Return a drawing of figure 4 or 5 as a function of the context alone."""
    measured = {"ripley": measures.figure_4, "banana": measures.figure_5}[problem]
    return lambda context: draw(context, problem, measured(context))
