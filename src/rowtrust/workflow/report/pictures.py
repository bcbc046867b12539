"""All pictures of a study: how good its model is, and what its inputs do."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from scipy.stats import beta, norm

from rowtrust.contracts import Array
from rowtrust.displays import TrustDisplay
from rowtrust.displays.looks import colours
from rowtrust.workflow.flagged import is_flagged
from rowtrust.workflow.quality.figures import interval_factor
from rowtrust.workflow.quality.records import LEVEL, Curves
from rowtrust.workflow.report import input_panels
from rowtrust.workflow.report.drawing import HEIGHT, for_report, legend_above, numbered, plotted
from rowtrust.workflow.report.formats import percent_tick, short, tick
from rowtrust.workflow.study import Study
from rowtrust.workflow.tables.errors import listed

SQUARE = 3.9
"""Height of pictures that are as high as wide, in inches; by eye."""

ABSENT = {
    "residuals": "there are no residuals of classes. Draw plot_calibration or plot_roc.",
    "roc": "there is no ROC curve: it needs two to six classes, with rows of each among those judged.",
}
"""What is said where a picture is asked for of which a study has nothing to draw."""

NAMES = ("calibration", "trust", "importance", "targets", "residuals", "roc", "precision_recall", "plane")
"""The panels of a report but those of single inputs."""

BINS = 8
"""Bins of the reliability diagram; with fewer rows than a few hundred more would be noise."""

ROWS_PER_BIN = 5
"""Rows that a bin needs on average; fewer say nothing."""

DOTS = 800
"""Rows in the pictures of residuals; more would be a blot and a heavy page."""

FAR = 8.0
"""Deviations at which residuals are drawn at most; outliers would squeeze the others."""

TAILS = [0.5 * (1.0 - LEVEL), 0.5 * (1.0 + LEVEL)]
"""The ends of an interval that is shown, as probabilities."""


def dashed() -> dict[str, Any]:
    """How a line is drawn on which a perfect model, or a guess, would lie."""
    return {"color": colours().muted, "linewidth": 1.2, "linestyle": (0, (4, 3))}


def calibration(study: Study, axes: Any) -> None:
    """Draw how often predictions come true against how often they should."""
    axes.plot([0, 1], [0, 1], **dashed())
    least = 0.0
    if study.fitted.task == "classification":
        least = draw_reliability(axes, *claimed_and_true(study))
        axes.set(xlabel="probability of the predicted class", ylabel="share that was right")
    else:
        draw_coverage(axes, study)
        axes.set(xlabel="interval, as promised", ylabel="share of rows inside")
    margin = 0.03 * (1.0 - least)
    axes.set(xlim=(least - margin, 1 + margin), ylim=(least - margin, 1 + margin), aspect="equal")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(0.1 if least > 0.4 else 0.2))
        axis.set_major_formatter(percent_tick)


def claimed_and_true(study: Study) -> tuple[Array, Array]:
    """Return the probability of the predicted class, and whether it was right."""
    label = study.fitted.labels(study.judged.rows.y)
    probability = np.asarray(study.judged.prediction)
    return probability.max(axis=1), (probability.argmax(axis=1) == label).astype(float)


def draw_reliability(axes: Any, claimed: Array, true: Array) -> float:
    """Draw bins of equal counts with the interval of each share; return the least that is to be seen."""
    order = np.argsort(claimed)
    bins = np.array_split(order, min(BINS, max(1, len(order) // ROWS_PER_BIN)))
    place = np.array([claimed[part].mean() for part in bins])
    hits = np.array([true[part].sum() for part in bins])
    sizes = np.array([len(part) for part in bins])
    low, high = beta.ppf(np.reshape(TAILS, (2, 1)), hits + 0.5, sizes - hits + 0.5)
    axes.vlines(place, low, high, color=colours().first, linewidth=1.8, alpha=0.55)
    looks: dict[str, Any] = {"markersize": 7, "markeredgecolor": colours().paper}
    axes.plot(place, hits / sizes, "o", color=colours().first, **looks)
    return float(np.floor(10.0 * min(low.min(), place.min())) / 10.0)


def draw_coverage(axes: Any, study: Study) -> None:
    """Draw the share of targets inside intervals of every nominal width."""
    mean, deviation = study.judged.prediction
    distance = np.abs(study.judged.rows.y - mean) / deviation
    levels = np.linspace(0.02, 0.98, 49)
    factors = np.array([interval_factor(study.judged.estimator, level) for level in levels])
    inside = (distance[None, :] <= factors[:, None]).mean(axis=1)
    error = norm.ppf(TAILS[1]) * np.sqrt(inside * (1 - inside) / len(distance))
    axes.fill_between(levels, inside - error, inside + error, color=colours().first, alpha=0.18, linewidth=0)
    axes.plot(levels, inside, color=colours().first)


def targets(study: Study, axes: Any) -> None:
    """Draw targets against predictions, both over the middle 96 % of them and a margin."""
    mean, _ = study.judged.prediction
    target = study.judged.rows.y
    low, high = np.percentile(np.concatenate([mean, target]), [2, 98])
    ends = (low - 0.15 * (high - low), high + 0.15 * (high - low))
    axes.plot(ends, ends, **dashed())
    axes.scatter(mean[:DOTS], target[:DOTS], s=16, color=colours().first, alpha=0.65, linewidth=0)
    axes.set(xlim=ends, ylim=ends, xlabel="predicted", ylabel=short(study.fitted.schema.target))
    numbered(axes)


def residuals(study: Study, axes: Any) -> None:
    """Draw residuals in deviations against predictions; those outside their interval are marked."""
    mean, deviation = study.judged.prediction
    factor = interval_factor(study.judged.estimator)
    standard = ((study.judged.rows.y - mean) / deviation)[:DOTS]
    axes.axhspan(-factor, factor, color=colours().first, alpha=0.1, linewidth=0)
    axes.axhline(0, color=colours().muted, linewidth=1.2)
    far = np.abs(standard) > factor
    for rows, colour in ((~far, colours().first), (far, colours().second)):
        shown = np.clip(standard[rows], -FAR, FAR)
        axes.scatter(mean[:DOTS][rows], shown, s=16, color=colour, alpha=0.7, linewidth=0)
    axes.set(xlabel="predicted", ylabel="residual, in standard deviations")
    numbered(axes)


def roc(curves: list[Curves], axes: Any) -> None:
    """Draw which share of a class is found against which share of the others is taken for it."""
    axes.plot([0, 1], [0, 1], **dashed())
    for curve, colour in zip(curves, colours().series, strict=False):
        axes.plot(curve.false_positive_rate, curve.true_positive_rate, color=colour)
    axes.set(xlabel="others taken for it", ylabel="rows of the class found")
    finish_rates(axes, [curve.name for curve in curves])


def precision_recall(curves: list[Curves], axes: Any) -> None:
    """Draw how many of the rows named so are right against which share of the class is found."""
    for curve, colour in zip(curves, colours().series, strict=False):
        axes.axhline(curve.base_rate, **{**dashed(), "color": colour})
        axes.plot(curve.recall, curve.precision, color=colour)
    axes.set(xlabel="rows of the class found", ylabel="share that is right")
    finish_rates(axes, [curve.name for curve in curves])


def finish_rates(axes: Any, names: list[str]) -> None:
    """Set axes of two shares, and name the curves where there are several."""
    axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(0.2))
        axis.set_major_formatter(percent_tick)
    if len(names) > 1:
        legend_above(axes, names)


def trust(study: Study, axes: Any) -> None:
    """Draw how far rows are trusted, the likely errors apart."""
    flagged = is_flagged(study.ranking).to_numpy()
    TrustDisplay.from_predictions(study.ranking["trust"], flagged=flagged, ax=axes)
    axes.yaxis.set_major_formatter(tick)


def panels_of(study: Study) -> dict[str, Any]:
    """Return how each panel is drawn, its name and its height, where there is something to draw."""
    curves, surface = study.judged.curves, study.inputs.surface
    bars = partial(input_panels.importance, study)
    found: dict[str, Any] = {
        "calibration": (partial(calibration, study), "Calibration", SQUARE),
        "trust": (partial(trust, study), "Distribution of trust; likely errors are marked", HEIGHT),
        "importance": (bars, "Importance of the inputs", input_panels.importance_height(study)),
    }
    if study.fitted.task == "regression":
        found["targets"] = (partial(targets, study), "Targets against predictions", HEIGHT)
        found["residuals"] = (partial(residuals, study), "Residuals against predictions", HEIGHT)
    if curves:
        found["roc"] = (partial(roc, curves), "ROC curve", SQUARE)
        found["precision_recall"] = (partial(precision_recall, curves), "Precision-recall curve", SQUARE)
    if surface is not None:
        plane = partial(input_panels.plane, study, surface)
        found["plane"] = (plane, "Prediction over both inputs", SQUARE)
    return found


def draw_all(study: Study) -> dict[str, Markup | None]:
    """Return the pictures of a report but those of single inputs; None where there is nothing to draw."""
    return {**dict.fromkeys(NAMES), **{name: for_report(*how) for name, how in panels_of(study).items()}}


def draw_curves(study: Study) -> list[Markup]:
    """Return the pictures of how the prediction moves with single inputs."""
    return [
        for_report(
            partial(input_panels.dependence, study, curve),
            f"How the prediction moves with {curve.name}",
            input_panels.dependence_height(curve),
        )
        for curve in study.inputs.curves
    ]


def plot(study: Study, axes: Any, *names: str) -> Figure:
    """Draw panels in ordinary colours into a figure of their own; into given axes the first of them."""
    known = panels_of(study)
    if names[0] not in known:
        raise ValueError(ABSENT[names[0]])
    return plotted([known[name][0] for name in names], axes, known[names[0]][2])


def plot_dependence(study: Study, axes: Any, column: str | None) -> Figure:
    """Draw how the prediction moves with the most important inputs, or with one of them."""
    known = [each.name for each in study.inputs.curves]
    if column is not None and column not in known:
        raise ValueError(f"there is no curve of {column!r}. Curves are drawn of {listed(known)}.")
    chosen = [each for each in study.inputs.curves if column in (None, each.name)]
    height = max(input_panels.dependence_height(each) for each in chosen)
    return plotted([partial(titled_curve, study, each) for each in chosen], axes, height)


def titled_curve(study: Study, curve: Any, axes: Any) -> None:
    """Draw a curve under the name of its input."""
    input_panels.dependence(study, curve, axes)
    if curve.kind == "category":
        axes.set_ylabel(short(curve.name))
