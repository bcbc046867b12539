"""All pictures of a study: for its report, and for a notebook.

Each ``plot_`` function draws into the axes that it is given, or into a figure of its own, in ordinary
colours, and returns the figure.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from markupsafe import Markup
from matplotlib.figure import Figure

from rowtrust.workflow.report import input_panels, quality_panels
from rowtrust.workflow.report.drawing import for_report, plotted, plotted_all
from rowtrust.workflow.report.formats import short
from rowtrust.workflow.study import Study
from rowtrust.workflow.tables.errors import listed

SQUARE = 3.9
"""Height of pictures that are as high as wide, in inches; by eye."""


def draw_all(study: Study) -> dict[str, Markup | None]:
    """Return the pictures of a report but those of single inputs; None where there is nothing to draw."""
    is_numbers = study.fitted.task == "regression"
    curves, surface = study.judged.curves, study.inputs.surface
    about_bars = "Importance of the inputs"
    bars = partial(input_panels.importance, study)
    drawn: dict[str, Markup | None] = {
        "calibration": for_report(partial(quality_panels.calibration, study), "Calibration", SQUARE),
        "trust": for_report(
            partial(quality_panels.trust, study), "Distribution of trust; likely errors are marked"
        ),
        "importance": for_report(bars, about_bars, input_panels.importance_height(study)),
        **dict.fromkeys(("targets", "residuals", "roc", "precision_recall", "plane")),
    }
    if is_numbers:
        drawn["targets"] = for_report(partial(quality_panels.targets, study), "Targets against predictions")
        drawn["residuals"] = for_report(
            partial(quality_panels.residuals, study), "Residuals against predictions"
        )
    if curves:
        drawn["roc"] = for_report(partial(quality_panels.roc, curves), "ROC curve", SQUARE)
        precision = partial(quality_panels.precision_recall, curves)
        drawn["precision_recall"] = for_report(precision, "Precision-recall curve", SQUARE)
    if surface is not None:
        plane = partial(input_panels.plane, study, surface)
        drawn["plane"] = for_report(plane, "Prediction over both inputs", SQUARE)
    return drawn


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


def plot_calibration(study: Study, axes: Any = None) -> Figure:
    """Draw how often predictions come true against how often they should."""
    return plotted(partial(quality_panels.calibration, study), axes, SQUARE)


def plot_importance(study: Study, axes: Any = None) -> Figure:
    """Draw how much each input matters: points of accuracy lost, or error added, when it is shuffled."""
    return plotted(partial(input_panels.importance, study), axes, input_panels.importance_height(study))


def plot_dependence(study: Study, axes: Any = None, *, column: str | None = None) -> Figure:
    """Draw how the prediction moves with the most important inputs, or with one of them.

    Parameters
    ----------
    study
        What was found out.
    axes
        Where to draw one input: the named one, or the most important. None for a new figure.
    column
        Name of the input; None for all that have a curve.
    """
    known = [each.name for each in study.inputs.curves]
    if column is not None and column not in known:
        raise ValueError(f"there is no curve of {column!r}. Curves are drawn of {listed(known)}.")
    chosen = [each for each in study.inputs.curves if column in (None, each.name)]
    height = max(input_panels.dependence_height(each) for each in chosen)
    return plotted_all([partial(titled_curve, study, each) for each in chosen], axes, height)


def titled_curve(study: Study, curve: Any, axes: Any) -> None:
    """Draw a curve under the name of its input."""
    input_panels.dependence(study, curve, axes)
    if curve.kind == "category":
        axes.set_ylabel(short(curve.name))


def plot_trust(study: Study, axes: Any = None) -> Figure:
    """Draw how far rows are trusted, the likely errors apart."""
    return plotted(partial(quality_panels.trust, study), axes)


def plot_residuals(study: Study, axes: Any = None) -> Figure:
    """Draw targets and residuals against predictions; into given axes the residuals alone."""
    if study.fitted.task != "regression":
        raise ValueError("there are no residuals of classes. Draw plot_calibration or plot_roc.")
    found = [partial(quality_panels.residuals, study), partial(quality_panels.targets, study)]
    return plotted_all(found, axes)


def plot_roc(study: Study, axes: Any = None) -> Figure:
    """Draw ROC and precision-recall curves; into given axes the ROC curve alone."""
    curves = study.judged.curves
    if not curves:
        raise ValueError(
            "there is no ROC curve: it needs two to six classes, with rows of each among those judged."
        )
    found = [partial(quality_panels.roc, curves), partial(quality_panels.precision_recall, curves)]
    return plotted_all(found, axes, SQUARE)


def plot_plane(study: Study, axes: Any = None) -> Figure:
    """Draw the prediction over the plane of two inputs, where these are all."""
    if study.inputs.surface is None:
        raise ValueError(
            "there is no plane: it needs exactly two inputs, both numbers. Draw plot_dependence."
        )
    return plotted(partial(input_panels.plane, study, study.inputs.surface), axes, SQUARE)
