"""Pictures of what the inputs do: their importance, how the prediction moves with each, and over two."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.ticker import MaxNLocator

from rowtrust.contracts import Array
from rowtrust.displays import marks
from rowtrust.displays.looks import colours
from rowtrust.workflow.inputs import Curve, Surface
from rowtrust.workflow.report.drawing import legend_above, numbered
from rowtrust.workflow.report.formats import distinct, number, percent_tick, short, tick
from rowtrust.workflow.report.sentences import chance_of
from rowtrust.workflow.study import Study

BARS = 12
"""Inputs with a bar of importance; readability of the picture."""

AXIS_NAME = 20
"""Characters of a class in the name of an axis; the height of a picture."""

FURTHER_DOWN = 0.085
"""Least distance of two labels beside lines, as a share of the height: a line of text."""


def importance(study: Study, axes: Any) -> None:
    """Draw how much each input matters."""
    ranking = study.inputs.importances[:BARS]
    is_classes = study.fitted.task == "classification"
    unit = 100.0 if is_classes else 1.0
    places = np.arange(len(ranking))
    values = unit * np.array([each.mean for each in ranking])
    deviations = unit * np.array([each.deviation for each in ranking])
    axes.barh(places, np.maximum(values, 0.0), height=0.62, color=colours().first)
    axes.hlines(places, values - deviations, values + deviations, color=colours().ink, linewidth=1.2)
    name_bars(axes, distinct([each.name for each in ranking], AXIS_NAME))
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.locator_params(axis="x", nbins=5)
    axes.xaxis.set_major_formatter(tick)
    axes.set_xlabel("accuracy lost, in points" if is_classes else "error (RMSE) added")


def importance_height(study: Study) -> float:
    """Return the height that the bars of importance need, in inches."""
    return 0.9 + 0.3 * min(BARS, len(study.inputs.importances))


def name_bars(axes: Any, names: list[str]) -> None:
    """Write names beside horizontal bars, the first on top."""
    marks.name_bars(axes, np.arange(float(len(names))), names)
    axes.tick_params(axis="y", length=0, labelcolor=colours().ink)


def dependence(study: Study, curve: Curve, axes: Any) -> None:
    """Draw how the prediction moves with an input, by its kind."""
    is_classes = study.fitted.task == "classification"
    if curve.kind == "category":
        draw_categories(axes, curve)
        axes.set_xlabel(outcome_name(study, curve))
        shared = axes.xaxis
        axes.locator_params(axis="x", nbins=5)
    else:
        draw_steps(axes, curve) if curve.kind == "steps" else draw_line(axes, curve)
        axes.set(xlabel=short(curve.name, 40), ylabel=outcome_name(study, curve))
        shared = axes.yaxis
        axes.locator_params(axis="y", nbins=5)
    if is_classes:
        keep_to_shares(axes, curve, shared)
    shared.set_major_formatter(percent_tick if is_classes else tick)


def keep_to_shares(axes: Any, curve: Curve, shared: Any) -> None:
    """Show probabilities from nought."""
    axes.set(**{"xlim" if shared is axes.xaxis else "ylim": (0.0, highest_shown(curve))})


def highest_shown(curve: Curve) -> float:
    """Return where an axis of probabilities ends: at one where they use much of that range, else nearer.

    Of many classes none is probable on average: their curves would all lie on the axis.
    """
    has_band = curve.kind != "category" and len(curve.outcomes) == 1
    most = float((curve.prediction + (curve.band if has_band else 0.0)).max())
    return 1.0 if most > 0.5 else max(1.1 * most, 0.1)


def outcome_name(study: Study, curve: Curve) -> str:
    """Name the axis of the predictions."""
    if study.fitted.task == "regression":
        return short(curve.outcomes[0])
    return "probability" if len(curve.outcomes) > 1 else chance_of(study, curve.outcomes[0], 16)


def draw_line(axes: Any, curve: Curve) -> None:
    """Draw curves with the spread of the rows, and marks where the data lie."""
    grid = np.array(curve.grid)
    several = len(curve.outcomes) > 1
    for place, colour in zip(range(len(curve.outcomes)), colours().series, strict=False):
        middle, band = curve.prediction[:, place], curve.band[:, place]
        if not several:
            axes.fill_between(grid, middle - band, middle + band, color=colour, alpha=0.16, linewidth=0)
        axes.plot(grid, middle, color=colour)
    if several:
        label_lines(axes, curve, grid[-1])
    inside = curve.sample[(curve.sample >= grid[0]) & (curve.sample <= grid[-1])]
    looks = {"color": colours().muted, "alpha": 0.5, "markersize": 7, "transform": axes.get_xaxis_transform()}
    axes.plot(inside, np.zeros(len(inside)), "|", **looks)
    axes.margins(x=0.02)
    if curve.kind == "date":
        locator = AutoDateLocator(minticks=3, maxticks=6)  # type: ignore[no-untyped-call]
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    else:
        axes.locator_params(axis="x", nbins=5)
        axes.xaxis.set_major_formatter(tick)


def draw_steps(axes: Any, curve: Curve) -> None:
    """Draw a dot for each of a few values, with the spread of the rows."""
    places = np.arange(len(curve.grid))
    n_outcomes = len(curve.outcomes)
    for which, colour in zip(range(n_outcomes), colours().series, strict=False):
        shifted = places + 0.12 * (which - 0.5 * (n_outcomes - 1))
        middle, band = curve.prediction[:, which], curve.band[:, which]
        if n_outcomes == 1:
            axes.vlines(shifted, middle - band, middle + band, color=colour, linewidth=3, alpha=0.25)
        axes.plot(shifted, middle, "o", color=colour, markersize=7.5, markeredgecolor=colours().paper)
    if n_outcomes > 1:
        label_lines(axes, curve, places[-1] + 0.4)
    axes.set_xticks(places, [number(float(value)) for value in curve.grid])
    axes.set_xlim(-0.5, len(places) - 0.5)
    axes.grid(visible=False, axis="x")


def label_lines(axes: Any, curve: Curve, end: Any) -> None:
    """Write the name of each class beside the end of its line, no two over each other."""
    top = highest_shown(curve)
    heights = top * spread_out(np.clip(curve.prediction[-1], 0.0, 1.0) / top, FURTHER_DOWN)
    for height, name, colour in zip(heights, distinct(curve.outcomes, 12), colours().series, strict=False):
        looks: dict[str, Any] = {"xytext": (6, 0), "textcoords": "offset points", "annotation_clip": False}
        axes.annotate(name, (end, height), color=colour, va="center", **looks)


def spread_out(heights: Array, least: float) -> Array:
    """Move places apart until no two are nearer than a distance, those at the top last."""
    found = np.array(heights, dtype=float)
    order = np.argsort(found)
    for lower, upper in pairwise(order):
        found[upper] = max(found[upper], found[lower] + least)
    found -= max(0.0, float(found.max()) - 1.0)
    return found


def draw_categories(axes: Any, curve: Curve) -> None:
    """Draw one bar a category, or one a class within each category."""
    n_outcomes = len(curve.outcomes)
    height = 0.7 / n_outcomes
    places = np.arange(len(curve.grid))
    for which, colour in zip(range(n_outcomes), colours().series, strict=False):
        shifted = places + height * (which - 0.5 * (n_outcomes - 1))
        axes.barh(shifted, curve.prediction[:, which], height=0.9 * height, color=colour)
    if n_outcomes > 1:
        legend_above(axes, curve.outcomes)
    name_bars(axes, distinct(curve.grid, 16))
    axes.grid(visible=False, axis="y")


def dependence_height(curve: Curve) -> float:
    """Return the height that a curve's picture needs, in inches."""
    if curve.kind != "category":
        return 3.0
    lines = len(curve.grid) * (1.0 if len(curve.outcomes) == 1 else 0.6 * len(curve.outcomes))
    return max(2.0, 1.0 + 0.3 * lines + (0.5 if len(curve.outcomes) > 1 else 0.0))


def plane(study: Study, drawn: Surface, axes: Any) -> None:
    """Draw the prediction over two inputs in their own units, and training rows."""
    axes.grid(visible=False)
    draw_regions(axes, drawn) if study.fitted.task == "classification" else draw_levels(axes, drawn)
    axes.set(xlabel=short(drawn.names[0], 40), ylabel=short(drawn.names[1]))
    axes.set(xlim=(drawn.first[0], drawn.first[-1]), ylim=(drawn.second[0], drawn.second[-1]))
    numbered(axes)


def draw_regions(axes: Any, drawn: Surface) -> None:
    """Colour the plane by the most probable class, stronger where it leads by more, with lines between.

    Shades are transparent, unlike those of displays: the page chooses the paper below them.
    """
    marks.draw_shades(axes, drawn.first, drawn.second, drawn.prediction, is_opaque=False)
    marks.draw_borders(axes, drawn.first, drawn.second, drawn.prediction)
    for which, colour in enumerate(colours().series[: len(drawn.outcomes)]):
        looks: dict[str, Any] = {"edgecolor": colours().paper, "linewidth": 0.5, "alpha": 0.9}
        axes.scatter(*drawn.rows[drawn.target == which].T, s=18, color=colour, **looks)
    legend_above(axes, drawn.outcomes)


def draw_levels(axes: Any, drawn: Surface) -> None:
    """Draw the prediction as contour lines over the rows."""
    values = drawn.prediction[..., 0]
    field = (drawn.first, drawn.second, values)
    axes.scatter(*drawn.rows.T, s=14, color=colours().muted, alpha=0.35, linewidth=0)
    levels = MaxNLocator(8).tick_values(values.min(), values.max())
    for place, (low, high) in enumerate(pairwise(levels)):
        axes.contourf(*field, [low, high], colors=[colours().first], alpha=0.03 + 0.055 * place)
    lines = axes.contour(*field, levels[1:-1], colors=[colours().first], linewidths=1.1, linestyles="solid")
    axes.clabel(lines, fmt=lambda value: number(float(value), 3), fontsize=10, colors=[colours().ink])
