"""A study in a few lines for people, and in JSON for programs."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import rowtrust
from rowtrust.workflow.candidates import Candidate, choose, lead
from rowtrust.workflow.checks import SEVERITIES, Check, ordered
from rowtrust.workflow.quality import quality_json
from rowtrust.workflow.quality.records import Figure
from rowtrust.workflow.records import FILES, REPORT, REVIEW
from rowtrust.workflow.study import Judged, Study
from rowtrust.workflow.suspects import label_of, wrong_rows_told
from rowtrust.workflow.tables.errors import listed
from rowtrust.workflow.tables.writing import brief

SHOWN_SUSPECTS = 8
"""Suspects that the summary names; one line of a terminal."""

HEADLINES = ("accuracy", "AUC", "RMSE", "MAE", "median error")
"""Figures that the summary shows, as far as there are such, and those of other models beside them."""

NAMES = 10
"""Letters of a line that name what it is about; the longest name and a blank fit."""

MOST_HEADLINES = 2
"""How many of them; one line of a terminal."""

EXPLANATIONS = {
    "robust": "learns how far to trust each row",
    "plain": "trusts every row alike",
    "fuzzy": "weighs rows before the fit",
    "svr": "has a loss that outliers move little",
}
"""What each kind of model does, in a few words."""


def summary(study: Study, seconds: float) -> dict[str, Any]:
    """Return the figures of a study for JSON."""
    model, judged = study.fitted, study.judged
    return {
        "rowtrust": rowtrust.__version__,
        "data": study.settings.data,
        "target": study.settings.target,
        "task": model.task,
        "model": study.chosen,
        "estimator": type(model.estimator).__name__,
        "relevance_vectors": len(model.vectors),
        "rows": {
            "train": model.n_fitted,
            "judged": len(judged.rows.y),
            "without_target": study.n_unusable,
        },
        "judged_on": judged.how,
        "metrics": figures_json(judged.figures),
        "quality": quality_json(judged),
        "candidates": [
            {
                "model": each.name,
                "estimator": each.estimator,
                "log_score": each.log_score,
                "own_lower_bound": each.bound,
            }
            for each in study.candidates
        ],
        "wrong_rows": {
            "suspects": study.suspect_rows,
            "hard_to_judge": len(study.findings.hard),
            "expected_share": study.findings.share,
            "expected_more": study.findings.missed,
        },
        "importance": {each.name: each.mean for each in study.inputs.importances},
        "checks": [asdict(each) for each in ordered(study.checks)],
        "columns": [asdict(each) for each in study.columns],
        "notes": study.notes,
        "warnings": study.warnings,
        "settings": asdict(study.settings),
        "seconds": round(seconds, 3),
    }


def figures_json(figures: list[Figure]) -> dict[str, Any]:
    """Return figures by their names, each with its interval."""
    return {each.name: {"value": each.value, "interval": [each.lower, each.upper]} for each in figures}


def summary_lines(study: Study, folder: Path | None = None, seconds: float | None = None) -> list[str]:
    """Return the short summary: data, checks, model, quality, suspects, and where the results are.

    Parameters
    ----------
    study
        What to sum up.
    folder
        Where its files are; None if nothing was written.
    seconds
        How long it took; None if nobody has measured.
    """
    model = study.fitted
    kinds = f", {len(model.classes)} classes" if model.task == "classification" else ""
    size = f"{model.n_fitted} training rows, {len(model.schema.inputs)} inputs"
    suspects = study.suspects[study.suspects["suspect"]].head(SHOWN_SUSPECTS).to_dict("records")
    several = "s" * (len(suspects) > 1)
    wrong = wrong_rows_told(study.findings, study.checks, model.task)
    first = f" First: row{several} {', '.join(label_of(row) for row in suspects)}." if suspects else ""
    lines = [
        f"data      {study.settings.data}: {size}; {model.task} of '{model.schema.target}'{kinds}",
        *check_lines(study.checks, in_full=folder is None),
        f"model     {model_line(study)}",
        *quality_lines(study.judged),
        f"suspects  {wrong}{first}",
    ]
    if folder is not None:
        took = "" if seconds is None else f" ({seconds:.1f} s)"
        lines.append(f"written   {folder}/ with {', '.join(FILES)}{took}")
        lines.append(f"next      {next_step(study, folder)}")
    return lines


def next_step(study: Study, folder: Path) -> str:
    """Say what to do with the results."""
    report = f"open {folder / REPORT} in a browser"
    if not (len(study.findings.suspects) or len(study.findings.hard)):
        return report
    words = [data_path(study), "--target", study.settings.target, "--review", str(folder / REVIEW)]
    clean = f"rowtrust clean {shlex.join(words)} -o cleaned.csv"
    aside = "" if study.fitted.n_fitted == len(study.judged.rows.y) else "; test rows are not in it"
    return f"{report}; say there or in {folder / REVIEW} which rows are wrong{aside}; then: {clean}"


def data_path(study: Study) -> str:
    """Return the path of the data as it was given; the word of the command's help where there is none."""
    paths = [each["path"] for each in study.provenance.get("inputs", []) if each["role"] == "data"]
    return next((path for path in paths if path not in (None, "-")), "DATA")


def check_lines(checks: list[Check], *, in_full: bool = True) -> list[str]:
    """Count the findings about the data by severity, and tell the severe ones.

    Parameters
    ----------
    checks
        The findings.
    in_full
        Whether to tell the severe ones in full, not in a word, and where the others are: the command has
        told all before.
    """
    if not checks:
        return []
    counts = Counter(each.severity for each in checks)
    words = [plural(counts[name], name) for name in SEVERITIES if counts[name]]
    severe = [each for each in checks if each.severity == SEVERITIES[0]]
    lines = [told(each) if in_full else f"{each.code}{of_columns(each)}; see above" for each in severe]
    where = "; see study.data_checks" if in_full else ""
    return [f"checks    {', '.join(words)}{where}", *(f"severe    {line}" for line in lines)]


def of_columns(check: Check) -> str:
    """Return the columns that a finding is about, after a colon."""
    return f": {listed(check.columns)}" if check.columns else ""


def plural(count: int, severity: str) -> str:
    """Return how many findings there are of a severity."""
    return f"{count} {severity}" if severity == SEVERITIES[0] or count == 1 else f"{count} {severity}s"


def told(check: Check) -> str:
    """Return a finding with its cure, as one text."""
    return " ".join(sentence(each) for each in (check.message, check.cure) if each)


def sentence(text: str) -> str:
    """Return a text with a full stop at its end."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def model_line(study: Study) -> str:
    """Name the model, what it does, and why it was taken."""
    size = len(study.fitted.vectors)
    does = EXPLANATIONS.get(study.chosen, "")
    name = f"{type(study.fitted.estimator).__name__} with {size} vectors{', ' * bool(does)}{does}"
    if study.settings.model != "auto":
        return f"{name}; as asked"
    if len(study.candidates) < 2:
        return name
    ranked = sorted(study.candidates, key=lambda each: -each.log_score)
    scores = ", ".join(f"{each.estimator} {each.log_score:.3f}" for each in ranked)
    return f"{name}; {why_chosen(study, ranked)} (log score per row: {scores})"


def why_chosen(study: Study, ranked: list[Candidate]) -> str:
    """Say by how much the chosen model leads the robust one, or by how little another leads it.

    Parameters
    ----------
    study
        The study.
    ranked
        Its candidates, the best first.
    """
    best = ranked[0]
    if best.name != study.chosen and choose(study.candidates).name == study.chosen:
        chosen = next(each for each in ranked if each.name == study.chosen)
        ahead = lead_of_a_row(best, chosen)
        return f"{best.estimator} is better, but by {ahead}, less than the error of the comparison"
    rival = next((each for each in ranked[1:] if each.name == "robust"), ranked[1])
    return f"it predicts rows left out best, by {lead_of_a_row(best, rival)} over {rival.estimator}"


def lead_of_a_row(best: Candidate, other: Candidate) -> str:
    """Return by how many nats a row a candidate leads another, and the standard error of that."""
    gain, noise = (value / len(best.row_scores) for value in lead(best, other))
    return f"{gain:.2g} ± {noise:.2g}"


def quality_lines(judged: Judged) -> list[str]:
    """Show the main figures, and those of the references below them."""
    shown = headlines(judged.figures)
    quality = ", ".join(
        f"{f.name} {brief(f.value, 3)} ({brief(f.lower, 3)} to {brief(f.upper, 3)})" for f in shown
    )
    lines = [f"quality   {quality}; {judged.how}"]
    names = {each.name for each in shown}
    for other in judged.references:
        beside = ", ".join(f"{f.name} {brief(f.value, 3)}" for f in other.figures if f.name in names)
        lines.append(f"          {other.name}: {beside}")
    return lines


def headlines(figures: list[Figure]) -> list[Figure]:
    """Return the main figures, or the first ones where none has such a name."""
    known = {each.name: each for each in figures}
    found = [known[name] for name in HEADLINES if name in known]
    return (found or figures)[:MOST_HEADLINES]
