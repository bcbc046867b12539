"""The page: facts of a study put into the template, every word of the file escaped."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import rowtrust
from rowtrust.workflow import Study
from rowtrust.workflow.report import pictures
from rowtrust.workflow.suspects import reason
from rowtrust.workflow.tables.complaints import shortened

SHOWN = 20
"""Suspects and relevance vectors in the page; all suspects are in suspects.csv."""

SHOWN_INPUTS = 4

EXPLANATIONS = {
    "robust": "learns how far to trust each row",
    "plain": "trusts every row alike",
    "fuzzy": "weighs rows before the fit",
    "svr": "Gaussian process with a robust loss",
}


def render(study: Study, extra: dict[str, Any] | None = None) -> str:
    """Return the report of a study as one HTML file.

    Parameters
    ----------
    study
        What was found out.
    extra
        More facts for the table of settings.
    """
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
    template = environment.get_template("template.html")
    return template.render(style=style, **facts(study), settings=settings(study, extra or {}))


def facts(study: Study) -> dict[str, Any]:
    """Return everything the template names."""
    task = study.schema.task
    return {
        "study": study,
        "task": task,
        "version": rowtrust.__version__,
        "when": datetime.now(UTC).strftime("%d %B %Y, %H:%M UTC"),
        "headline": study.figures[0] if task == "classification" else study.figures[2],
        "candidates": candidate_rows(study),
        "explanations": EXPLANATIONS,
        "confusion": confusion(study) if task == "classification" else None,
        "pictures": drawn(study),
        "suspects": suspect_rows(study),
        "n_suspects": int(study.suspects["suspect"].sum()),
        "vectors": vector_rows(study),
        "shown_inputs": [each.name for each in study.relevance[:SHOWN_INPUTS]],
    }


def drawn(study: Study) -> dict[str, Any]:
    """Return all pictures."""
    return {
        "calibration": pictures.calibration(study),
        "residuals": pictures.residuals(study) if study.schema.task == "regression" else None,
        "relevance": pictures.relevance(study),
        "trust": pictures.trust(study),
        "dependence": pictures.dependence(study),
        "surface": pictures.surface(study),
    }


def candidate_rows(study: Study) -> list[dict[str, Any]]:
    """Return the candidates, best first, with bars as long as their lead over the worst."""
    found = sorted(study.candidates, key=lambda each: -each.evidence_per_row)
    if not found:
        return []
    best, worst = found[0].evidence_per_row, found[-1].evidence_per_row
    return [
        {
            "candidate": each,
            "bar": 100.0 if best == worst else 8 + 92 * (each.evidence_per_row - worst) / (best - worst),
            "behind": len(each.mixture.wrong) * (best - each.evidence_per_row),
            "chosen": each.name == study.chosen,
        }
        for each in found
    ]


def confusion(study: Study) -> dict[str, Any]:
    """Return counts of true against predicted classes, with the share of each row."""
    label = np.searchsorted(study.classes, study.judged.y)
    predicted = study.prediction.argmax(axis=1)
    counts = np.zeros((len(study.classes),) * 2, dtype=int)
    np.add.at(counts, (label, predicted), 1)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return {"names": study.classes.tolist(), "counts": counts.tolist(), "shares": shares.tolist()}


def suspect_rows(study: Study) -> list[dict[str, Any]]:
    """Return the most suspicious rows with their reasons."""
    chosen = study.suspects.head(min(SHOWN, max(10, int(study.suspects["suspect"].sum()))))
    return [{**row, "reason": reason(row, study.schema.task)} for row in chosen.to_dict("records")]


def vector_rows(study: Study) -> list[dict[str, Any]]:
    """Return the relevance vectors, the heaviest first, with a few of their inputs."""
    estimator = study.estimator
    coefficients = np.atleast_2d(estimator.dual_coef_)
    rows = np.asarray(getattr(estimator, "relevance_", getattr(estimator, "support_", ())), dtype=np.intp)
    widths = np.broadcast_to(getattr(estimator, "relevance_gamma_", np.nan), len(rows))
    names = [each.name for each in study.relevance[:SHOWN_INPUTS]]
    return [
        {
            "row": int(study.train.rows[rows[place]]),
            "target": study.train.y[rows[place]],
            "weight": float(coefficients[0, place]),
            "width": float(widths[place]) ** -0.5,
            "inputs": [study.train.X[name].iloc[rows[place]] for name in names],
        }
        for place in np.argsort(-np.abs(coefficients).max(axis=0))[:SHOWN]
    ]


def settings(study: Study, extra: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what is needed to run it again."""
    asked = study.settings
    found = {
        "command": asked.command or "(run from Python)",
        "data": asked.data,
        "target": asked.target,
        "task": study.schema.task,
        "model": f"{asked.model} → {type(study.estimator).__name__}",
        "compared": ", ".join(each.estimator for each in study.candidates) or "nothing",
        "test": study.judged_on,
        "seed": str(asked.seed),
        "parameters": ", ".join(f"{name}={value!r}" for name, value in study.estimator.get_params().items()),
        **{name: str(value) for name, value in extra.items()},
    }
    return list(found.items())


def number(value: Any) -> str:
    """Return a value of a table: numbers with about four digits, words as they are."""
    if isinstance(value, float | np.floating):
        return "\u2013" if np.isnan(value) else f"{value:.4g}"
    return shortened(value)
