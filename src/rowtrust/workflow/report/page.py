"""The page: facts of a study put into the template, every word of the file escaped."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from sklearn.metrics import confusion_matrix

import rowtrust
from rowtrust.numerics.shown import shown
from rowtrust.workflow.report import pictures
from rowtrust.workflow.study import Study
from rowtrust.workflow.suspects import reason
from rowtrust.workflow.tables.errors import shortened

SHOWN = 20
"""Suspects and relevance vectors in the page; all suspects are in suspects.csv. Readability alone."""

FEWEST_SHOWN = 10
"""Rows of the ranking that are shown even if fewer are suspects; readability alone."""

SHOWN_INPUTS = 4
"""Inputs in the table of relevance vectors; the width of the page."""

SHORTEST_BAR = 8.0
"""Length of the worst candidate's bar, of 100; it must be seen."""

EXPLANATIONS = {
    "robust": "learns how far to trust each row",
    "plain": "trusts every row alike",
    "fuzzy": "weighs rows before the fit",
    "svr": "Gaussian process with a robust loss",
}
"""What each kind of model does, in a few words for the page."""


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
    environment.filters.update(short=shortened, number=number)
    style = Markup((folder / "style.css").read_text(encoding="utf-8"))
    return environment.get_template("template.html").render(style=style, **facts(study))


def facts(study: Study) -> dict[str, Any]:
    """Return everything the template names."""
    task = study.fitted.task
    return {
        "study": study,
        "task": task,
        "version": rowtrust.__version__,
        "when": datetime.now(UTC).strftime("%d %B %Y, %H:%M UTC"),
        "headline": study.judged.figures[0] if task == "classification" else study.judged.figures[2],
        "candidates": candidate_rows(study),
        "explanations": EXPLANATIONS,
        "confusion": confusion(study) if task == "classification" else None,
        "pictures": pictures.draw_all(study),
        "suspects": suspect_rows(study),
        "n_suspects": len(study.suspect_rows),
        "vectors": vector_rows(study),
        "shown_inputs": shown_inputs(study),
        "settings": settings(study),
    }


def shown_inputs(study: Study) -> list[str]:
    """Return the names of the most important inputs."""
    return [each.name for each in study.inputs.importances[:SHOWN_INPUTS]]


def candidate_rows(study: Study) -> list[dict[str, Any]]:
    """Return the candidates, best first, with bars as long as their lead over the worst."""
    found = sorted(study.candidates, key=lambda each: -each.log_score)
    if not found:
        return []
    best, worst = found[0].log_score, found[-1].log_score
    lead = (best - worst) or 1.0
    return [
        {
            "candidate": each,
            "bar": 100.0 - (100.0 - SHORTEST_BAR) * (best - each.log_score) / lead,
            "behind": len(each.mixture.wrong) * (best - each.log_score),
            "chosen": each.name == study.chosen,
        }
        for each in found
    ]


def confusion(study: Study) -> dict[str, Any]:
    """Return counts of true against predicted classes, with the share of each row."""
    names = study.fitted.classes
    predicted = names[np.argmax(study.judged.prediction, axis=1)]
    counts = confusion_matrix(study.judged.rows.y, predicted, labels=names)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return {"names": names.tolist(), "counts": counts.tolist(), "shares": shares.tolist()}


def suspect_rows(study: Study) -> list[dict[str, Any]]:
    """Return the most suspicious rows with their reasons."""
    chosen = study.suspects.head(min(SHOWN, max(FEWEST_SHOWN, len(study.suspect_rows))))
    return [{**row, "reason": reason(row, study.fitted.task)} for row in chosen.to_dict("records")]


def vector_rows(study: Study) -> list[dict[str, Any]]:
    """Return the relevance vectors, the heaviest first, with a few of their inputs."""
    estimator = study.fitted.estimator
    coefficients = np.atleast_2d(estimator.dual_coef_)
    rows = study.fitted.relevance
    widths = np.broadcast_to(getattr(estimator, "relevance_gamma_", np.nan), len(rows))
    return [
        {
            "row": int(study.fitted.train.rows[rows[place]]),
            "target": study.fitted.train.y[rows[place]],
            "weight": float(coefficients[0, place]),
            "width": float(widths[place]) ** -0.5,
            "inputs": [study.fitted.train.X[name].iloc[rows[place]] for name in shown_inputs(study)],
        }
        for place in np.argsort(-np.abs(coefficients).max(axis=0))[:SHOWN]
    ]


def settings(study: Study) -> dict[str, str]:
    """Return what is needed to run it again."""
    asked, estimator = study.settings, study.fitted.estimator
    return {
        "command": asked.command or "(run from Python)",
        "data": asked.data,
        "target": asked.target,
        "task": study.fitted.task,
        "model": f"{asked.model} → {type(estimator).__name__}",
        "compared": ", ".join(each.estimator for each in study.candidates) or "nothing",
        "test": study.judged.how,
        "seed": str(asked.seed),
        "parameters": ", ".join(f"{name}={shown(value)}" for name, value in estimator.get_params().items()),
    }


def number(value: Any) -> str:
    """Return a value of a table: numbers with about four digits, words as they are."""
    if isinstance(value, float | np.floating):
        return "\u2013" if np.isnan(value) else f"{value:.4g}"
    return shortened(value)
