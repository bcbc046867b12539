"""A study in a few lines, in JSON for programs, and as a card and a page in a notebook."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from markupsafe import escape

import rowtrust
from rowtrust.atomic import written_aside
from rowtrust.workflow.candidates import Candidate, lead
from rowtrust.workflow.checks.records import SEVERITIES, Check, ordered
from rowtrust.workflow.choices import clean_command, told_in_python
from rowtrust.workflow.flagged import (
    flagged_rows,
    is_flagged,
    label_of,
    listed_rows,
    records,
    wrong_rows_text,
)
from rowtrust.workflow.output_paths import check_outputs
from rowtrust.workflow.quality.sentences import beats_guessing, leading, quality_json
from rowtrust.workflow.records import FILES, REPORT, REVIEW
from rowtrust.workflow.study import Judged, Study
from rowtrust.workflow.tables.errors import brief, listed

SHOWN_ROWS = 8
"""Flagged rows that the summary names; one line of a terminal."""

NAMES = 10
"""Letters of a line that name what it is about; the longest name and a blank fit."""

LEAST_LEAD = 0.05
"""Nats over all rows below which no lead is spoken of: a twentieth could not be told from none."""

EXPLANATIONS = {
    "robust": "learns how far to trust each row",
    "plain": "trusts every row alike",
    "fuzzy": "weighs rows before the fit",
    "svr": "has a loss that limits the pull of outliers",
}
"""What each kind of model does, in a few words."""


PAGE_HEIGHT = 700
"""Pixels of the report inside a notebook; most of a screen."""


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
        "rows": {"train": model.n_fitted, "judged": len(judged.rows.y), "without_target": study.n_unusable},
        "judged_on": judged.how,
        "metrics": {f.name: {"value": f.value, "interval": [f.lower, f.upper]} for f in judged.figures},
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
            "flagged": flagged_rows(study.ranking),
            "worth_a_look": [int(row) for row in listed_rows(study.ranking).index],
            "expected_errors": study.findings.expected_errors,
            "expected_errors_interval": list(study.findings.expected_errors_interval),
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


def summary_lines(study: Study, folder: Path | None = None, seconds: float | None = None) -> list[str]:
    """Return the short summary: data, checks, model, quality, flagged rows, and where the results are.

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
    what = "rows" if study.refitted else "training rows"
    size = f"{model.n_fitted} {what}, {len(model.schema.inputs)} inputs"
    table = study.flagged if folder is None else study.ranking
    flagged = records(table[is_flagged(table)].head(SHOWN_ROWS))
    several = "s" * (len(flagged) > 1)
    wrong = wrong_rows_text(study.findings, study.checks, model.task)
    first = f" First: row{several} {', '.join(label_of(row) for row in flagged)}." if flagged else ""
    lines = [
        f"data      {study.settings.data}: {size}; {model.task} of '{model.schema.target}'{kinds}",
        *check_lines(study, in_full=folder is None),
        f"model     {model_line(study)}",
        *quality_lines(study.judged),
        f"flagged   {wrong}{first}",
    ]
    if folder is not None:
        took = "" if seconds is None else f" ({seconds:.1f} s)"
        lines.append(f"written   {folder}/ with {', '.join(FILES)}{took}")
        lines.append(f"next      {next_step(study, folder)}")
    return lines


def next_step(study: Study, folder: Path) -> str:
    """Say what to do with the results."""
    report = f"open {folder / REPORT} in a browser"
    if not len(study.findings.worth_a_look):
        return report
    review = folder / REVIEW
    rows, aside = study.fitted.train, "" if study.refitted or not study.settings.test else " (no test rows)"
    inputs = study.provenance.get("inputs", [])
    clean = clean_command(study.settings, inputs, study.fitted.task, rows.y, review)
    return f"{report}; mark the wrong rows there or in {review}{aside}; then: {clean}"


def check_lines(study: Study, *, in_full: bool = True) -> list[str]:
    """Count the findings about the data by severity, and show the severe ones.

    Parameters
    ----------
    study
        With the findings.
    in_full
        Whether to show the severe ones in full, and to say where the others are; the command has printed all
        of them before.
    """
    checks = study.checks
    if not checks:
        return []
    counts = Counter(each.severity for each in checks)
    words = [plural(counts[name], name) for name in SEVERITIES if counts[name]]
    severe = [each for each in checks if each.severity == SEVERITIES[0]]
    lines = [
        finding_text(each, study.rows_of(each))
        if in_full
        else f"{each.code}{': ' * bool(each.columns)}{listed(each.columns)}; see above"
        for each in severe
    ]
    where = "; see study.data_checks" if in_full else ""
    return [f"checks    {', '.join(words)}{where}", *(f"severe    {line}" for line in lines)]


def plural(count: int, severity: str) -> str:
    """Return how many findings there are of a severity."""
    return f"{count} {severity}" if severity == SEVERITIES[0] or count == 1 else f"{count} {severity}s"


def finding_text(check: Check, rows: list[Any] | None = None) -> str:
    """Return a finding with its rows and its cure, as one text; rows by other names if some are given."""
    return " ".join(sentence(each) for each in (check.message, check.rows_text(rows), check.cure) if each)


def sentence(text: str) -> str:
    """Return a text with a full stop at its end."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def model_line(study: Study) -> str:
    """Name the model, what it does, and why it was taken."""
    size = len(study.fitted.vectors)
    does = EXPLANATIONS.get(study.chosen, "")
    name = f"{type(study.fitted.estimator).__name__} with {size} vectors{', ' * bool(does)}{does}"
    if study.refitted:
        name += f"; fitted to all {study.fitted.n_fitted} rows after its quality was measured"
    if study.settings.model != "auto":
        return f"{name}; chosen by you"
    if len(study.candidates) < 2:
        return name
    ranked = sorted(study.candidates, key=lambda each: -each.log_score)
    scores = ", ".join(f"{each.estimator} {each.log_score:.3f}" for each in ranked)
    return f"{name}; {why_chosen(study)} (log score per row: {scores})"


def why_chosen(study: Study) -> str:
    """Say by how much the chosen model leads the robust one, or by how little another leads it."""
    ranked = sorted(study.candidates, key=lambda each: -each.log_score)
    best = ranked[0]
    if best.name != study.chosen:
        chosen = next(each for each in ranked if each.name == study.chosen)
        if lead(best, chosen)[0] < LEAST_LEAD:
            return "none predicts held-out rows better"
        ahead = lead_of_a_row(best, chosen)
        return f"{best.estimator} leads by only {ahead}, less than the error of the comparison"
    second = next((each for each in ranked[1:] if each.name == "robust"), ranked[1])
    return f"it predicts held-out rows best, ahead of {second.estimator} by {lead_of_a_row(best, second)}"


def lead_of_a_row(best: Candidate, other: Candidate) -> str:
    """Return by how many nats per row a candidate leads another, and the standard error of that."""
    gain, noise = (value / len(best.row_scores) for value in lead(best, other))
    return f"{gain:.2g} ± {noise:.2g}"


def quality_lines(judged: Judged) -> list[str]:
    """Show the main figures, and those of the references below them."""
    shown = leading(judged)
    guess = "" if beats_guessing(judged) else "no better than guessing: "
    quality = ", ".join(
        f"{f.name} {brief(f.value, 3)} ({brief(f.lower, 3)} to {brief(f.upper, 3)})" for f in shown
    )
    lines = [f"quality   {guess}{quality}; {judged.how}"]
    names = {each.name for each in shown}
    for other in judged.references:
        beside = ", ".join(f"{f.name} {brief(f.value, 3)}" for f in other.figures if f.name in names)
        lines.append(f"          {other.name}: {beside}{f' ({other.note})' if other.note else ''}")
    return lines


@dataclass(frozen=True, repr=False)
class Page:
    """The report of a study; a notebook shows it.

    Attributes
    ----------
    html
        The whole page as text.
    """

    html: str

    @classmethod
    def of(cls, study: Study) -> Page:
        """Return the report of a study."""
        from rowtrust.workflow.report import render  # matplotlib takes a second

        return cls(render(study))

    def __repr__(self) -> str:
        return f"<report of {len(self.html) // 1024} KB; show it in a notebook, or give report() a path>"

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, so that its style and the notebook's stay apart."""
        looks = f"width:100%;height:{PAGE_HEIGHT}px;border:1px solid #8884;border-radius:6px"
        may = "allow-scripts allow-downloads"
        return f'<iframe sandbox="{may}" style="{looks}" srcdoc="{escape(self.html)}"></iframe>'


def write_page(page: Page, path: Path, *, force: bool) -> Path:
    """Write a report as one file; return its path."""
    with told_in_python():
        check_outputs({"path": path}, {}, force=force)
    with written_aside(path) as aside:
        aside.write_text(page.html, encoding="utf-8")
    return path


def card(study: Study) -> str:
    """Return the summary of a study as a small table of HTML, every word of the data escaped."""
    looks = 'style="text-align:left;vertical-align:top;padding:2px 10px 2px 0"'
    rows = "".join(
        f"<tr><th {looks}>{escape(line[:NAMES].strip())}</th><td {looks}>{escape(line[NAMES:])}</td></tr>"
        for line in summary_lines(study)
    )
    hint = " ".join(f"<code>.{name}</code>" for name in ("quality", "flagged", "model", "report()"))
    return f'<div><table style="border-collapse:collapse">{rows}</table><small>{hint}</small></div>'
