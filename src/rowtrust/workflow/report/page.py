"""The page: facts of a study put into the template, every word of the file escaped."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

import rowtrust
from rowtrust.trust import WORTH_A_LOOK
from rowtrust.workflow.auditing import sentence
from rowtrust.workflow.checks.records import ordered
from rowtrust.workflow.choices import counts_columns
from rowtrust.workflow.flagged import doubt, listed_rows, records, wrong_rows_text
from rowtrust.workflow.input_data import FRAME
from rowtrust.workflow.quality.sentences import leading
from rowtrust.workflow.report import pictures, sections, sentences
from rowtrust.workflow.report.formats import counted, number, percent
from rowtrust.workflow.review import as_text
from rowtrust.workflow.row_contents import SHOWN_ROWS, contents
from rowtrust.workflow.study import Study
from rowtrust.workflow.summaries import EXPLANATIONS, LEAST_LEAD
from rowtrust.workflow.tables.errors import shortened

SHOWN_MORE = 10
"""Rows of the page that are worth a look only; the others are in review.csv. Readability alone."""

LISTED_ROWS = 1000
"""Listed rows in the table of the page; all are in review.csv. A guard for the size of the page."""

FOLDER = Path(__file__).parent
"""Where style and script lie: beside this file."""


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
        "checks": ordered(study.checks),
        "severities": sections.severities(study),
        "long_table": len(study.columns) > sections.LONG_TABLE,
        "class_counts": sections.class_counts(study) if is_classes else [],
        "leaderboard": sections.leaderboard(study),
        "input_rows": sections.input_rows(study),
        "likely_confusion": sections.given_and_likely(study),
        "most_classes": sections.MOST_CLASSES,
        "least_lead": LEAST_LEAD,
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


def review_page(study: Study) -> dict[str, Any]:
    """Return what the template needs for the review: facts, style, script, and the script's hash."""
    script = (FOLDER / "review.js").read_text(encoding="utf-8")
    return {
        "review": review_facts(study),
        "review_style": Markup((FOLDER / "review.css").read_text(encoding="utf-8")),
        "review_script": Markup(script),
        "script_hash": script_hash(script),
    }


def script_hash(script: str) -> str:
    """Return the hash by which a page allows one script and no other."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def review_facts(study: Study) -> dict[str, Any]:
    """Return the listed rows with their content, and what correcting them would gain."""
    found = study.findings
    rows, task = listed_rows(study.ranking), study.fitted.task
    is_more = rows["list"] == WORTH_A_LOOK
    flagged, more = rows[~is_more].head(SHOWN_ROWS - SHOWN_MORE), rows[is_more].head(SHOWN_MORE)
    content_by_row = {**contents(study.fitted, flagged), **contents(study.fitted, more)}
    cards = [
        {
            **row,
            "reason": doubt(row, task),
            "content": content_by_row[int(row["row"])],
            "texts": {name: as_text(row[name]) for name in ("row", "id", "given", "likely") if name in row},
            "choices": [each for each in study.fitted.classes if each != row["given"]],
        }
        for part in (flagged, more)
        for row in records(part)
    ]
    return {
        "flagged": [card for card in cards if card["list"] != WORTH_A_LOOK],
        "more": [card for card in cards if card["list"] == WORTH_A_LOOK],
        "listed": listed_lines(rows),
        "said": wrong_rows_text(found, study.checks, task),
        "n_flagged": len(found.flagged),
        "n_more": len(found.worth_a_look) - len(found.flagged),
        "has_ids": "id" in study.ranking,
        "key": key(study),
        "first_row": first_row(study),
        "gains": gains(study),
    }


def listed_lines(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the first listed rows for a table that can be sorted and filtered."""
    names = [name for name in ("row", "id", "given", "likely", "p_wrong", "list") if name in ("row", *rows)]
    found = rows.head(LISTED_ROWS).reset_index()[names].to_dict("records")
    return [{str(name): value for name, value in each.items()} for each in found]


def first_row(study: Study) -> str:
    """Say which row is the first."""
    if study.settings.data == FRAME:
        return "the first of the table"
    named = not counts_columns([each.name for each in study.columns])
    return "the first below the header" if named else "the first line of the file"


def key(study: Study) -> str:
    """Return a name for what the browser remembers, other for every study."""
    rows = [study.settings.data, study.settings.target, [int(row) for row in study.ranking.index[:100]]]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]


def gains(study: Study) -> list[str]:
    """Return what ``rowtrust clean`` would surely gain if all flagged rows were confirmed."""
    way = "Given their likely class" if study.fitted.task == "classification" else "Left out"
    return [f"{way}: {sentence(each)}" for each in study.gains if not each.is_chance]
