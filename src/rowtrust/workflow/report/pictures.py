"""The pictures of a report."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from markupsafe import Markup
from scipy.stats import beta, norm

from rowtrust.contracts import Array
from rowtrust.workflow.inputs import Curve, Surface
from rowtrust.workflow.quality import LEVEL, interval_factor
from rowtrust.workflow.report.drawing import FIRST, GRID, INK, MUTED, PAPER, SECOND, Picture
from rowtrust.workflow.study import Study
from rowtrust.workflow.tables.errors import shortened

BINS = 8
"""Bins of the reliability diagram; with fewer rows than a few hundred more would be noise."""

ROWS_PER_BIN = 5
"""Rows that a bin needs on average; fewer say nothing."""

BARS = 15
"""Inputs with a bar of importance; readability of the picture."""

DOTS = 800
"""Rows in the pictures of residuals; more would be a blot and a heavy page."""

FAR = 8.0
"""Deviations at which residuals are drawn at most; outliers would squeeze the others."""

TRUST_BINS = 40
"""Bins of the histogram of trust; readability of the picture."""

LINEAR_COUNTS = 10
"""Counts up to which the scale of the histogram is linear: one suspect must be seen beside many rows."""

NAME_LENGTH = 26
"""Characters of a name beside a picture; readability."""

DASHED: dict[str, Any] = {"color": MUTED, "linewidth": 1.2, "linestyle": (0, (4, 3))}
"""How a line is drawn on which a perfect model would lie; chosen by eye."""

TAILS = [0.5 * (1.0 - LEVEL), 0.5 * (1.0 + LEVEL)]
"""The ends of an interval that is shown, as probabilities."""


def short(name: object) -> str:
    """Return a name that fits beside a picture."""
    return shortened(name, NAME_LENGTH)


def draw_all(study: Study) -> dict[str, Markup | None]:
    """Return all pictures."""
    return {
        "calibration": calibration(study),
        "residuals": residuals(study) if study.fitted.task == "regression" else None,
        "importance": importance(study),
        "trust": trust(study),
        "dependence": dependence(study),
        "surface": surface(study),
    }


def calibration(study: Study) -> Markup:
    """Draw how often predictions come true against how often they should."""
    with Picture(4.6, 3.9) as picture:
        (axes,) = picture.panels
        axes.plot([0, 1], [0, 1], **DASHED)
        if study.fitted.task == "classification":
            draw_reliability(axes, *claimed_and_true(study))
            axes.set(xlabel="predicted probability", ylabel="share that came true")
        else:
            draw_coverage(axes, study)
            axes.set(xlabel="width of the interval, nominal", ylabel="share of rows inside")
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        return picture.svg("Calibration: how often predictions come true against how often they should")


def claimed_and_true(study: Study) -> tuple[Array, Array]:
    """Return probabilities and outcomes: of the second of two classes, else of the class predicted."""
    label = study.fitted.labels(study.judged.rows.y)
    probability = np.asarray(study.judged.prediction)
    if len(study.fitted.classes) == 2:
        return probability[:, 1], (label == 1).astype(float)
    return probability.max(axis=1), (probability.argmax(axis=1) == label).astype(float)


def draw_reliability(axes: Any, claimed: Array, true: Array) -> None:
    """Draw bins of equal counts with the 90 % interval of each share."""
    order = np.argsort(claimed)
    bins = np.array_split(order, min(BINS, max(1, len(order) // ROWS_PER_BIN)))
    place = np.array([claimed[part].mean() for part in bins])
    hits = np.array([true[part].sum() for part in bins])
    sizes = np.array([len(part) for part in bins])
    low, high = beta.ppf(np.reshape(TAILS, (2, 1)), hits + 0.5, sizes - hits + 0.5)
    axes.vlines(place, low, high, color=FIRST, linewidth=1.6, alpha=0.55)
    axes.plot(place, hits / sizes, "o", color=FIRST, markersize=6.5, markeredgecolor=PAPER)


def draw_coverage(axes: Any, study: Study) -> None:
    """Draw the share of targets inside intervals of every nominal width."""
    mean, deviation = study.judged.prediction
    distance = np.abs(study.judged.rows.y - mean) / deviation
    levels = np.linspace(0.02, 0.98, 49)
    factors = np.array([interval_factor(study.fitted.estimator, level) for level in levels])
    inside = (distance[None, :] <= factors[:, None]).mean(axis=1)
    error = norm.ppf(TAILS[1]) * np.sqrt(inside * (1 - inside) / len(distance))
    axes.fill_between(levels, inside - error, inside + error, color=FIRST, alpha=0.18, linewidth=0)
    axes.plot(levels, inside, color=FIRST)


def residuals(study: Study) -> Markup:
    """Draw targets against predictions, and residuals against predictions."""
    mean, deviation = study.judged.prediction
    target = study.judged.rows.y
    with Picture(8.4, 3.7, 1, 2) as picture:
        left, right = picture.panels
        draw_targets(left, mean, target)
        left.set(xlabel="predicted", ylabel=short(study.fitted.schema.target))
        left.set_title("Target against prediction")
        draw_residuals(right, mean, (target - mean) / deviation, interval_factor(study.fitted.estimator))
        right.set(xlabel="predicted", ylabel="residual, in deviations")
        right.set_title("Residuals")
        return picture.svg("Targets and residuals against predictions")


def draw_targets(axes: Any, mean: Array, target: Array) -> None:
    """Draw targets against predictions, both over the middle 96 % of them and a margin."""
    low, high = np.percentile(np.concatenate([mean, target]), [2, 98])
    ends = (low - 0.15 * (high - low), high + 0.15 * (high - low))
    axes.plot(ends, ends, **DASHED)
    axes.scatter(mean[:DOTS], target[:DOTS], s=16, color=FIRST, alpha=0.65, linewidth=0)
    axes.set(xlim=ends, ylim=ends)


def draw_residuals(axes: Any, mean: Array, standard: Array, factor: float) -> None:
    """Draw residuals in deviations; those beyond ``factor`` are marked."""
    axes.axhspan(-norm.ppf(TAILS[1]), norm.ppf(TAILS[1]), color=FIRST, alpha=0.1, linewidth=0)
    axes.axhline(0, color=MUTED, linewidth=1.2)
    mean, standard = mean[:DOTS], standard[:DOTS]
    far = np.abs(standard) > factor
    for rows, colour in ((~far, FIRST), (far, SECOND)):
        shown = np.clip(standard[rows], -FAR, FAR)
        axes.scatter(mean[rows], shown, s=16, color=colour, alpha=0.7, linewidth=0)


def importance(study: Study) -> Markup:
    """Draw how much each input matters."""
    ranking = study.inputs.importances[:BARS][::-1]
    places = np.arange(len(ranking))
    values = np.array([each.mean for each in ranking])
    deviations = np.array([each.deviation for each in ranking])
    with Picture(7.2, 0.9 + 0.27 * len(ranking)) as picture:
        (axes,) = picture.panels
        axes.barh(places, np.maximum(values, 0.0), height=0.62, color=FIRST)
        axes.hlines(places, values - deviations, values + deviations, color=INK, linewidth=1.2)
        name_bars(axes, [short(each.name) for each in ranking])
        axes.grid(visible=False, axis="y")
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("loss of log score when the input is shuffled, nats per row")
        return picture.svg("Importance of the inputs")


def name_bars(axes: Any, names: list[str]) -> None:
    """Write names beside horizontal bars."""
    axes.set_yticks(np.arange(len(names)), names)
    axes.tick_params(axis="y", length=0, labelcolor=INK)


def trust(study: Study) -> Markup:
    """Draw how far rows are trusted, the suspects apart."""
    suspects = study.suspects["suspect"].to_numpy()
    values = study.suspects["trust"].to_numpy()
    edges = np.linspace(0.0, max(1.0, float(values.max())), TRUST_BINS + 1)
    with Picture(7.2, 2.9) as picture:
        (axes,) = picture.panels
        looks: dict[str, Any] = {"color": [FIRST, SECOND], "label": ["rows", "suspects"], "linewidth": 0}
        axes.hist([values[~suspects], values[suspects]], bins=list(edges), stacked=True, rwidth=0.9, **looks)
        axes.set_yscale("symlog", linthresh=LINEAR_COUNTS)
        axes.set_yticks([0, 5, 10, 100, 1000] if len(values) > 100 else [0, 5, 10])
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0f}")
        axes.minorticks_off()
        axes.set(xlabel="trust: the row's weight in a robust fit", ylabel="rows", ylim=(0, None))
        axes.legend(loc="upper left")
        return picture.svg("Distribution of trust; suspects are marked")


def dependence(study: Study) -> Markup:
    """Draw how the prediction moves with the most important inputs."""
    rows = (len(study.inputs.curves) + 1) // 2
    with Picture(8.4, 0.3 + 2.5 * rows, rows, min(2, len(study.inputs.curves))) as picture:
        for axes, curve in zip(picture.panels, study.inputs.curves, strict=False):
            draw_numbers(axes, curve) if curve.kind == "number" else draw_categories(axes, curve)
            axes.set_title(short(curve.name))
            axes.set_ylabel(outcome_name(study))
        for axes in picture.panels[len(study.inputs.curves) :]:
            axes.set_visible(False)
        return picture.svg("How the prediction moves with the most important inputs")


def outcome_name(study: Study) -> str:
    """Name what the pictures of the inputs show."""
    if study.fitted.task == "classification":
        return f"P({shortened(study.fitted.classes[-1], 16)})"
    return short(study.fitted.schema.target)


def draw_numbers(axes: Any, curve: Curve) -> None:
    """Draw a curve with the spread of the rows and marks where the data lie."""
    low, high = curve.prediction - curve.band, curve.prediction + curve.band
    axes.fill_between(curve.grid, low, high, color=FIRST, alpha=0.16, linewidth=0)
    axes.plot(curve.grid, curve.prediction, color=FIRST)
    inside = curve.sample[(curve.sample >= curve.grid[0]) & (curve.sample <= curve.grid[-1])]
    marks = {"color": MUTED, "alpha": 0.5, "markersize": 7, "transform": axes.get_xaxis_transform()}
    axes.plot(inside, np.zeros(len(inside)), "|", **marks)
    axes.margins(x=0.02)


def draw_categories(axes: Any, curve: Curve) -> None:
    """Draw one bar a category."""
    axes.barh(np.arange(len(curve.grid)), curve.prediction, height=0.6, color=FIRST)
    name_bars(axes, [shortened(name, 16) for name in curve.grid])
    axes.invert_yaxis()


def surface(study: Study) -> Markup:
    """Draw the prediction over a plane, and the training rows."""
    drawn = study.inputs.surface
    with Picture(7.2, 4.3) as picture:
        (axes,) = picture.panels
        axes.grid(visible=False)
        two = study.fitted.task == "classification" and len(study.fitted.classes) == 2
        draw_classes(axes, drawn) if two else draw_levels(axes, drawn)
        axes.set(xlabel=f"→ {short(drawn.names[0])} …", ylabel=f"→ {short(drawn.names[1])} …")
        axes.set(xlim=(drawn.first[0], drawn.first[-1]), ylim=(drawn.second[0], drawn.second[-1]))
        if two:
            labels = [shortened(name, 20) for name in study.fitted.classes]
            handles = [axes.scatter([], [], s=30, color=colour) for colour in (FIRST, SECOND)]
            axes.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return picture.svg(f"{outcome_name(study)} {drawn.title}")


def draw_classes(axes: Any, drawn: Surface) -> None:
    """Shade each side of the boundary in its class's colour, stronger where it is surer."""
    field = (drawn.first, drawn.second, drawn.prediction)
    for low, high in pairwise(np.linspace(0, 1, 11)):
        sure = abs(low + high - 1.0)
        colour = FIRST if low + high < 1 else SECOND
        axes.contourf(*field, [low, high], colors=[colour], alpha=0.04 + 0.3 * sure)
    if drawn.prediction.min() < 0.5 < drawn.prediction.max():
        axes.contour(*field, [0.5], colors=[INK], linewidths=1.8)
    for label, colour in ((0, FIRST), (1, SECOND)):
        rows = drawn.rows[drawn.target == label]
        axes.scatter(*rows.T, s=18, color=colour, edgecolor=PAPER, linewidth=0.5, alpha=0.9)


def draw_levels(axes: Any, drawn: Surface) -> None:
    """Draw the prediction as contour lines over the rows."""
    field = (drawn.first, drawn.second, drawn.prediction)
    axes.scatter(*drawn.rows.T, s=14, color=MUTED, alpha=0.35, linewidth=0)
    levels = np.linspace(drawn.prediction.min(), drawn.prediction.max() + 1e-12, 9)
    for place, (low, high) in enumerate(pairwise(levels)):
        axes.contourf(*field, [low, high], colors=[FIRST], alpha=0.03 + 0.055 * place)
    lines = axes.contour(*field, levels[1:-1], colors=[FIRST], linewidths=1.1)
    axes.clabel(lines, fmt=lambda value: f"{value:.3g}", fontsize=9, colors=[INK])
    axes.tick_params(color=GRID)
