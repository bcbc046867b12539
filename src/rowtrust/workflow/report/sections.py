"""The facts that single sections of the page show, ready to be written."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import confusion_matrix

from rowtrust.numerics.shown import shown
from rowtrust.workflow.candidates import lead
from rowtrust.workflow.checks import SEVERITIES, Check, ordered
from rowtrust.workflow.inputs import as_dates
from rowtrust.workflow.manifest import versions
from rowtrust.workflow.quality import Figure
from rowtrust.workflow.report import words
from rowtrust.workflow.report.formats import number, percent, short
from rowtrust.workflow.study import Study

SHOWN = 20
"""Suspects and relevance vectors in the page; all suspects are in suspects.csv. Readability alone."""

SHOWN_INPUTS = 4
"""Inputs in the table of relevance vectors; the width of the page."""

LONG_TABLE = 8
"""Columns of the data beyond which their table is folded; a screen of a laptop."""

SHOWN_ROWS = 8
"""Rows that a finding on the data names; a line of text."""

SHARES = frozenset(["accuracy", "balanced accuracy", "90% coverage"])
"""Figures that are written in percent."""


def checks(study: Study) -> list[Check]:
    """Return the findings on the data, the severe ones first."""
    return ordered(study.checks)


def severities(study: Study) -> dict[str, int]:
    """Return how many findings there are of each severity, those of which there are some."""
    counts = {name: sum(each.severity == name for each in study.checks) for name in SEVERITIES}
    return {name: count for name, count in counts.items() if count}


def rows_named(check: Check) -> str:
    """Return the rows that a finding is about, a few of them."""
    if not check.rows:
        return ""
    named = ", ".join(map(str, check.rows[:SHOWN_ROWS]))
    return f"{named}, \u2026" if len(check.rows) > SHOWN_ROWS else named


def class_counts(study: Study) -> list[dict[str, Any]]:
    """Return how many rows each class has among those fitted and those that judge, the commonest first."""
    model, judged = study.fitted, study.judged.rows.y
    rows = [(name, int(np.sum(model.train.y == name)), int(np.sum(judged == name))) for name in model.classes]
    total = max(1, sum(each[1] for each in rows))
    rows.sort(key=lambda each: -each[1])
    return [
        {"name": short(name, 40), "train": train, "judged": seen, "share": train / total}
        for name, train, seen in rows
    ]


def written(figure: Figure | None, value: float | None = None) -> str:
    """Return a figure, or another value of its kind: shares in percent, numbers with a few digits."""
    if figure is None:
        return "\u2013"
    shown = figure.value if value is None else value
    return percent(shown) if figure.name in SHARES else number(shown, 3)


def figure_rows(study: Study) -> list[dict[str, Any]]:
    """Return the figures of the model, each beside those of the references."""
    references = study.judged.references
    found = []
    for figure in study.judged.figures:
        rivals = [
            next((each for each in other.figures if each.name == figure.name), None) for other in references
        ]
        between = words.interval(figure, partial(written, figure))
        ours = {"figure": figure, "value": written(figure), "interval": between}
        best = best_of([figure, *rivals])
        beside = [{"value": written(each), "best": written(each) == best} for each in rivals]
        found.append({**ours, "best": written(figure) == best, "rivals": beside})
    return found


def best_of(figures: list[Figure | None]) -> str | None:
    """Return the best of some figures as written; None where no order is known, or all are alike."""
    known = [each for each in figures if each is not None]
    if len({written(each) for each in known}) < 2:
        return None
    if known[0].name in ("log loss", "Brier score", "RMSE", "MAE", "median error"):
        return written(min(known, key=lambda each: each.value))
    if known[0].name in ("accuracy", "balanced accuracy", "AUC", "R²"):
        return written(max(known, key=lambda each: each.value))
    return None


def confusion(study: Study) -> dict[str, Any]:
    """Return counts of true against predicted classes, with the share of each row."""
    names = study.fitted.classes
    predicted = names[np.argmax(study.judged.prediction, axis=1)]
    counts = confusion_matrix(study.judged.rows.y, predicted, labels=names)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    said = words.confusion([str(name) for name in names], counts)
    return {"names": names.tolist(), "counts": counts.tolist(), "shares": shares.tolist(), "said": said}


def candidate_rows(study: Study) -> list[dict[str, Any]]:
    """Return the candidates, best first, with how far they lie behind it, in nats over all rows."""
    found = sorted(study.candidates, key=lambda each: -each.log_score)
    rows = []
    for each in found:
        behind, noise = lead(found[0], each)
        rows.append(
            {"candidate": each, "behind": behind, "noise": noise, "chosen": each.name == study.chosen}
        )
    return rows


def shown_inputs(study: Study) -> list[str]:
    """Return the names of the most important inputs."""
    return [each.name for each in study.inputs.importances[:SHOWN_INPUTS]]


def vector_rows(study: Study) -> list[dict[str, Any]]:
    """Return the relevance vectors, the heaviest first, with a few of their inputs."""
    model, rows = study.fitted, study.fitted.relevance
    coefficients = np.atleast_2d(model.estimator.dual_coef_)
    sizes = np.abs(coefficients).max(axis=0)
    heaviest = max(float(sizes.max(initial=0.0)), 1e-300)
    widths = reaches(study)
    return [
        {
            "row": int(model.train.rows[rows[place]]),
            "id": "" if model.train.ids is None else model.train.ids[rows[place]],
            "target": model.train.y[rows[place]],
            "towards": pull(study, coefficients[:, place]),
            "strength": sizes[place] / heaviest,
            "reach": None if widths is None else float(widths[place]),
            "inputs": [cell_of(study, name, rows[place]) for name in shown_inputs(study)],
        }
        for place in np.argsort(-sizes)[:SHOWN]
    ]


def cell_of(study: Study, name: str, place: int) -> Any:
    """Return the value of an input in a training row, dates as dates."""
    value = study.fitted.train.X[name].iloc[place]
    is_date = any(column.kind == "date" for column in study.fitted.schema.inputs if column.name == name)
    return as_dates(value)[()] if is_date and np.isfinite(value) else value


def reaches(study: Study) -> Any:
    """Return how far the kernel of each vector reaches, in deviations; None where all reach alike."""
    gamma = getattr(study.fitted.estimator, "relevance_gamma_", None)
    if gamma is None or np.ndim(gamma) != 1 or len(np.unique(gamma)) < 2:
        return None
    return np.asarray(gamma, dtype=float) ** -0.5


def pull(study: Study, coefficients: Any) -> str:
    """Say where a vector pulls the prediction."""
    heaviest = int(np.abs(coefficients).argmax())
    is_up = coefficients[heaviest] > 0
    if study.fitted.task == "regression":
        return "up" if is_up else "down"
    known = study.fitted.estimator.classes_
    if len(coefficients) == 1:
        return f"to {short(known[int(is_up)], 20)}"
    return f"{'to' if is_up else 'from'} {short(known[heaviest], 20)}"


def settings(study: Study) -> dict[str, str]:
    """Return what is needed to run it again."""
    asked, estimator = study.settings, study.fitted.estimator
    columns = {"group": asked.group, "time": asked.time, "id": asked.id}
    read = study.provenance.get("inputs", [])
    hashes = {f"SHA-256 of {each['name']}": each["sha256"] for each in read if each["sha256"]}
    return {
        "data": asked.data,
        "target": asked.target,
        "task": study.fitted.task,
        **{name: value for name, value in columns.items() if value is not None},
        **({"left out": ", ".join(asked.drop)} if asked.drop else {}),
        **({"kept": ", ".join(asked.keep)} if asked.keep else {}),
        "model": f"{asked.model} → {type(estimator).__name__}",
        "compared": ", ".join(each.estimator for each in study.candidates) or "nothing",
        "judged on": study.judged.how,
        "seed": str(asked.seed),
        "versions": ", ".join(f"{name} {found}" for name, found in versions().items()),
        **hashes,
        "parameters": ", ".join(f"{name}={shown(value)}" for name, value in estimator.get_params().items()),
    }
