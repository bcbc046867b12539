"""The page: facts of a study put into the template, every word of the file escaped."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import rowtrust
from rowtrust.workflow.quality import leading
from rowtrust.workflow.report import pictures, sections, sentences
from rowtrust.workflow.report.formats import counted, number, percent
from rowtrust.workflow.report.review import review_page
from rowtrust.workflow.study import Study
from rowtrust.workflow.summaries import EXPLANATIONS
from rowtrust.workflow.tables.errors import shortened


def render(study: Study) -> str:
    """Return the report of a study as one HTML file."""
    folder = Path(__file__).parent
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(short=shortened, number=number, percent=percent, interval=sentences.interval)
    environment.globals.update(counted=counted)
    style = Markup((folder / "style.css").read_text(encoding="utf-8"))
    return environment.get_template("template.html").render(style=style, **facts(study))


def facts(study: Study) -> dict[str, Any]:
    """Return everything the template names."""
    task = study.fitted.task
    is_classes = task == "classification"
    return {
        "study": study,
        "task": task,
        "version": rowtrust.__version__,
        "when": datetime.now(UTC).strftime("%d %B %Y, %H:%M UTC"),
        "in_short": sentences.in_short(study),
        "headline": leading(study.judged)[0] if is_classes else sentences.figure_of(study, "median error"),
        "checks": sections.checks(study),
        "severities": sections.severities(study),
        "long_table": len(study.columns) > sections.LONG_TABLE,
        "class_counts": sections.class_counts(study) if is_classes else [],
        "leaderboard": sections.leaderboard(study),
        "input_rows": sections.input_rows(study),
        "likely_confusion": sections.given_and_likely(study),
        "most_classes": sections.MOST_CLASSES,
        "least_lead": sentences.LEAST_LEAD,
        "explanations": EXPLANATIONS,
        "figures": sections.figure_rows(study),
        "confusion": sections.confusion(study) if is_classes else None,
        "pictures": pictures.draw_all(study),
        "curves": curve_rows(study),
        "said": said(study),
        **review_page(study),
        "vectors": sections.vector_rows(study),
        "shown_inputs": sections.shown_inputs(study),
        "settings": sections.settings(study),
    }


def said(study: Study) -> dict[str, str]:
    """Return what each picture shows here, in a sentence."""
    is_numbers, curves, surface = study.fitted.task == "regression", study.judged.curves, study.inputs.surface
    found = {
        "choice": sentences.choice(study),
        "calibration": sentences.calibration(study),
        "references": sentences.references(study),
        "importance": sentences.importance(study),
        "trust": sentences.trust(study),
    }
    if is_numbers:
        found |= {"targets": sentences.targets(study), "residuals": sentences.residuals(study)}
    if curves:
        found |= {"roc": sentences.roc(curves), "precision_recall": sentences.precision_recall(curves)}
    if surface is not None:
        found["plane"] = sentences.plane(study, surface)
    return found


def curve_rows(study: Study) -> list[dict[str, Any]]:
    """Return the inputs that have a curve, with its picture and what it shows."""
    drawn = pictures.draw_curves(study)
    return [
        {"curve": curve, "picture": picture, "said": sentences.curve(study, curve)}
        for curve, picture in zip(study.inputs.curves, drawn, strict=True)
    ]
