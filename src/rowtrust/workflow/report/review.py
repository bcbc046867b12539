"""The review in the report: doubted rows with their content, to be ticked and downloaded as a file."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

from markupsafe import Markup

from rowtrust.workflow.auditing import sentence
from rowtrust.workflow.report.words import belief
from rowtrust.workflow.review import as_text
from rowtrust.workflow.study import Study
from rowtrust.workflow.suspects import HARD, doubt, doubted, standing, wrong_rows_told
from rowtrust.workflow.telling import SHOWN_ROWS, contents

SHOWN_HARD = 10
"""Rows of the page that are hard to judge; the others are in review.csv. Readability alone."""

FOLDER = Path(__file__).parent
"""Where style and script lie: beside this file."""


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
    """Return the doubted rows with their content, and what correcting them would gain."""
    found = study.findings
    rows = doubted(study.suspects)
    likely = rows[rows["suspect"]].head(SHOWN_ROWS - SHOWN_HARD)
    hard = rows[~rows["suspect"]].head(SHOWN_HARD)
    told = {**contents(study.fitted, likely), **contents(study.fitted, hard)}
    task, (_, is_trust) = study.fitted.task, belief(study)
    cards = [
        {
            **row,
            "standing": standing(row),
            "reason": doubt(row, task),
            "content": told[int(row["row"])],
            "texts": {name: as_text(row[name]) for name in ("row", "id", "given", "likely") if name in row},
            "choices": [each for each in study.fitted.classes if each != row["given"]],
        }
        for part in (likely, hard)
        for row in part.to_dict("records")
    ]
    return {
        "likely": [card for card in cards if card["standing"] != HARD],
        "hard": [card for card in cards if card["standing"] == HARD],
        "said": wrong_rows_told(found, study.checks, task),
        "trust": trust_words(is_trust),
        "is_trust": is_trust,
        "n_likely": len(found.suspects),
        "n_hard": len(found.hard),
        "has_ids": "id" in study.suspects,
        "key": key(study),
        "gains": gains(study),
    }


def trust_words(is_trust: bool) -> str:
    """Say what trust is: a robust fit judges the rows, but for those of many rows that a plain one fits."""
    if not is_trust:
        return "Trust is the same for all rows: the model that judged them does not tell them apart by it."
    return "Trust is how far a robust fit believes the row, also where the plain model was chosen."


def key(study: Study) -> str:
    """Return a name for what the browser remembers, other for every study."""
    rows = [study.settings.data, study.settings.target, [int(row) for row in study.suspects["row"].head(100)]]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]


def gains(study: Study) -> list[str]:
    """Return in words what ``rowtrust clean`` would gain if all suspects were confirmed."""
    way = "Given their likely class" if study.fitted.task == "classification" else "Left out"
    return [f"{way}: {sentence(each)}" for each in study.gains]
