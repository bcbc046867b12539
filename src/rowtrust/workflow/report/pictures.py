"""The pictures of a report."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from markupsafe import Markup
from scipy.stats import beta, norm

from rowtrust.contracts import Array
from rowtrust.workflow import Study
from rowtrust.workflow.quality import interval_factor
from rowtrust.workflow.report.drawing import FIRST, GRID, INK, MUTED, PAPER, SECOND, Picture
from rowtrust.workflow.tables.complaints import shortened

BINS = 8
BARS = 15


def short(name: object) -> str:
    """Return a name that fits beside a picture."""
    return shortened(name, 26)


def calibration(study: Study) -> Markup:
    """Draw how often predictions come true against how often they should."""
    with Picture(4.6, 3.9) as picture:
        (axes,) = picture.panels
        axes.plot([0, 1], [0, 1], color=MUTED, linewidth=1.2, linestyle=(0, (4, 3)))
        if study.schema.task == "classification":
            draw_reliability(axes, *claimed_and_true(study))
            axes.set(xlabel="predicted probability", ylabel="share that came true")
        else:
            draw_coverage(axes, study)
            axes.set(xlabel="width of the interval, nominal", ylabel="share of rows inside")
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        return picture.svg("Calibration: how often predictions come true against how often they should")


def claimed_and_true(study: Study) -> tuple[Array, Array]:
    """Return probabilities and outcomes: of the second of two classes, else of the class predicted."""
    label = np.searchsorted(study.classes, study.judged.y)
    probability = study.prediction
    if len(study.classes) == 2:
        return probability[:, 1], (label == 1).astype(float)
    return probability.max(axis=1), (probability.argmax(axis=1) == label).astype(float)


def draw_reliability(axes: Any, claimed: Array, true: Array) -> None:
    """Draw bins of equal counts with the 90 % interval of each share."""
    order = np.argsort(claimed)
    bins = [part for part in np.array_split(order, min(BINS, max(1, len(order) // 5))) if len(part)]
    place = np.array([claimed[part].mean() for part in bins])
    hits, sizes = (np.array([f(part) for part in bins]) for f in (lambda p: true[p].sum(), len))
    low, high = beta.ppf([[0.05], [0.95]], hits + 0.5, sizes - hits + 0.5)
    axes.vlines(place, low, high, color=FIRST, linewidth=1.6, alpha=0.55)
    axes.plot(place, hits / sizes, "o", color=FIRST, markersize=6.5, markeredgecolor=PAPER)


def draw_coverage(axes: Any, study: Study) -> None:
    """Draw the share of targets inside intervals of every nominal width."""
    mean, deviation = study.prediction
    distance = np.abs(study.judged.y - mean) / deviation
    levels = np.linspace(0.02, 0.98, 49)
    factors = np.array([interval_factor(study.estimator, level) for level in levels])
    inside = (distance[None, :] <= factors[:, None]).mean(axis=1)
    error = norm.ppf(0.95) * np.sqrt(inside * (1 - inside) / len(distance))
    axes.fill_between(levels, inside - error, inside + error, color=FIRST, alpha=0.18, linewidth=0)
    axes.plot(levels, inside, color=FIRST)


def residuals(study: Study) -> Markup:
    """Draw targets against predictions, and residuals against predictions."""
    mean, deviation = study.prediction
    target = study.judged.y
    rows = np.arange(len(target))[:800]
    low, high = np.percentile(np.concatenate([mean, target]), [2, 98])
    margin = 0.15 * (high - low)
    with Picture(8.4, 3.7, 1, 2) as picture:
        left, right = picture.panels
        left.plot(
            [low - margin, high + margin],
            [low - margin, high + margin],
            color=MUTED,
            linewidth=1.2,
            linestyle=(0, (4, 3)),
        )
        left.scatter(mean[rows], target[rows], s=16, color=FIRST, alpha=0.65, linewidth=0)
        left.set(
            xlabel="predicted",
            ylabel=short(study.schema.target),
            xlim=(low - margin, high + margin),
            ylim=(low - margin, high + margin),
        )
        left.set_title("Target against prediction")
        standard = (target - mean) / deviation
        right.axhspan(-norm.ppf(0.95), norm.ppf(0.95), color=FIRST, alpha=0.1, linewidth=0)
        right.axhline(0, color=MUTED, linewidth=1.2)
        far = np.abs(standard) > interval_factor(study.estimator)
        for mask, colour in ((~far, FIRST), (far, SECOND)):
            chosen = rows[mask[rows]]
            right.scatter(
                mean[chosen], np.clip(standard[chosen], -8, 8), s=16, color=colour, alpha=0.7, linewidth=0
            )
        right.set(xlabel="predicted", ylabel="residual, in deviations")
        right.set_title("Residuals")
        return picture.svg("Targets and residuals against predictions")


def relevance(study: Study) -> Markup:
    """Draw how much each input matters."""
    ranking = study.relevance[:BARS][::-1]
    with Picture(7.2, 0.9 + 0.27 * len(ranking)) as picture:
        (axes,) = picture.panels
        places = np.arange(len(ranking))
        values = np.array([each.mean for each in ranking])
        axes.barh(places, np.maximum(values, 0.0), height=0.62, color=FIRST)
        axes.hlines(
            places,
            values - [r.deviation for r in ranking],
            values + [r.deviation for r in ranking],
            color=INK,
            linewidth=1.2,
        )
        axes.set_yticks(places, [short(each.name) for each in ranking])
        axes.tick_params(axis="y", length=0, labelcolor=INK)
        axes.grid(visible=False, axis="y")
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("loss of log score when the input is shuffled, nats per row")
        return picture.svg("Relevance of the inputs")


def trust(study: Study) -> Markup:
    """Draw how far rows are trusted, the suspects apart."""
    suspects = study.suspects["suspect"].to_numpy()
    values = study.suspects["trust"].to_numpy()
    edges = np.linspace(0.0, max(1.0, float(values.max())), 41)
    with Picture(7.2, 2.9) as picture:
        (axes,) = picture.panels
        stacks = [values[~suspects], values[suspects]]
        axes.hist(
            stacks,
            bins=list(edges),
            stacked=True,
            color=[FIRST, SECOND],
            label=["rows", "suspects"],
            rwidth=0.9,
            linewidth=0,
        )
        axes.set_yscale("symlog", linthresh=10)
        axes.set_yticks([0, 5, 10, 100, 1000] if len(values) > 100 else [0, 5, 10])
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0f}")
        axes.minorticks_off()
        axes.set(xlabel="trust: the row's weight in a robust fit", ylabel="rows", ylim=(0, None))
        axes.legend(loc="upper left")
        return picture.svg("Distribution of trust; suspects are marked")


def dependence(study: Study) -> Markup:
    """Draw how the prediction moves with the most relevant inputs."""
    rows = (len(study.curves) + 1) // 2
    with Picture(8.4, 0.3 + 2.5 * rows, rows, min(2, len(study.curves))) as picture:
        for axes, curve in zip(picture.panels, study.curves, strict=False):
            draw_numbers(axes, curve) if curve.kind == "number" else draw_categories(axes, curve)
            axes.set_title(short(curve.name))
            axes.set_ylabel(outcome_name(study))
        for axes in picture.panels[len(study.curves) :]:
            axes.set_visible(False)
        return picture.svg("How the prediction moves with the most relevant inputs")


def outcome_name(study: Study) -> str:
    """Name what the pictures of the inputs show."""
    if study.schema.task == "classification":
        return f"P({shortened(study.classes[-1], 16)})"
    return short(study.schema.target)


def draw_numbers(axes: Any, curve: Any) -> None:
    """Draw a curve with the spread of the rows and marks where the data lie."""
    axes.fill_between(
        curve.grid,
        curve.prediction - curve.band,
        curve.prediction + curve.band,
        color=FIRST,
        alpha=0.16,
        linewidth=0,
    )
    axes.plot(curve.grid, curve.prediction, color=FIRST)
    inside = curve.sample[(curve.sample >= curve.grid[0]) & (curve.sample <= curve.grid[-1])]
    axes.plot(
        inside,
        np.zeros(len(inside)),
        "|",
        color=MUTED,
        alpha=0.5,
        markersize=7,
        transform=axes.get_xaxis_transform(),
    )
    axes.margins(x=0.02)


def draw_categories(axes: Any, curve: Any) -> None:
    """Draw one bar a category."""
    places = np.arange(len(curve.grid))
    axes.barh(places, curve.prediction, height=0.6, color=FIRST)
    axes.set_yticks(places, [shortened(name, 16) for name in curve.grid])
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.invert_yaxis()


def surface(study: Study) -> Markup:
    """Draw the prediction over a plane, and the training rows."""
    drawn = study.surface
    with Picture(7.2, 4.3) as picture:
        (axes,) = picture.panels
        axes.grid(visible=False)
        two = study.schema.task == "classification" and len(study.classes) == 2
        draw_classes(axes, drawn) if two else draw_levels(axes, drawn)
        axes.set(xlabel=f"→ {short(drawn.names[0])} …", ylabel=f"→ {short(drawn.names[1])} …")
        axes.set(xlim=(drawn.first[0], drawn.first[-1]), ylim=(drawn.second[0], drawn.second[-1]))
        if two:
            labels = [shortened(name, 20) for name in study.classes]
            handles = [axes.scatter([], [], s=30, color=colour) for colour in (FIRST, SECOND)]
            axes.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return picture.svg(f"{outcome_name(study)} {drawn.title}")


def draw_classes(axes: Any, drawn: Any) -> None:
    """Shade each side of the boundary in its class's colour, stronger where it is surer."""
    levels = np.linspace(0, 1, 11)
    for low, high in pairwise(levels):
        sure = abs(low + high - 1.0)
        colour = FIRST if low + high < 1 else SECOND
        axes.contourf(
            drawn.first, drawn.second, drawn.prediction, [low, high], colors=[colour], alpha=0.04 + 0.3 * sure
        )
    if drawn.prediction.min() < 0.5 < drawn.prediction.max():
        axes.contour(drawn.first, drawn.second, drawn.prediction, [0.5], colors=[INK], linewidths=1.8)
    for label, colour in ((0, FIRST), (1, SECOND)):
        rows = drawn.rows[drawn.target == label]
        axes.scatter(rows[:, 0], rows[:, 1], s=18, color=colour, edgecolor=PAPER, linewidth=0.5, alpha=0.9)


def draw_levels(axes: Any, drawn: Any) -> None:
    """Draw the prediction as contour lines over the rows."""
    axes.scatter(*drawn.rows.T, s=14, color=MUTED, alpha=0.35, linewidth=0)
    levels = np.linspace(drawn.prediction.min(), drawn.prediction.max() + 1e-12, 9)
    steps = pairwise(levels)
    for place, (low, high) in enumerate(steps):
        axes.contourf(
            drawn.first,
            drawn.second,
            drawn.prediction,
            [low, high],
            colors=[FIRST],
            alpha=0.03 + 0.055 * place,
        )
    lines = axes.contour(
        drawn.first, drawn.second, drawn.prediction, levels[1:-1], colors=[FIRST], linewidths=1.1
    )
    axes.clabel(lines, fmt=lambda value: f"{value:.3g}", fontsize=9, colors=[INK])
    axes.tick_params(color=GRID)
