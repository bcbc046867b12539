"""Markdown: numbers with their digits, tables with the best of a row in bold, where a page is from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.evidence.pages.results import Results


@dataclass(frozen=True)
class Measure:
    """How a measure is shown.

    Attributes
    ----------
    title
        With its unit.
    digits
        Behind the point.
    best
        "low", "high", or "" where neither is better.
    """

    title: str
    digits: int
    best: str


MEASURES = {
    "error": Measure("Error, %", 2, "low"),
    "log_loss": Measure("Log loss, nats", 3, "low"),
    "calibration": Measure("Calibration error (ECE), %", 1, "low"),
    "rmse": Measure("RMSE, in deviations of the targets", 3, "low"),
    "log_score": Measure("Negative log score, nats", 3, "low"),
    "covered": Measure("Clean test rows inside of 90 % intervals, %", 1, ""),
    "width": Measure("Mean width of 90 % intervals, in deviations of the targets", 2, ""),
    "precision": Measure("Average precision", 3, "high"),
    "f1": Measure("F1 of the likely errors", 3, "high"),
    "f1_look": Measure("F1 of the rows worth a look", 3, "high"),
    "missed": Measure("Wrong rows missed among as many as there are errors, %", 1, "low"),
    "flagged share": Measure("Rows flagged, %", 2, ""),
    "right share": Measure("Flagged rows that are wrong, %", 1, "high"),
    "seconds": Measure("CPU seconds", 2, ""),
    "memory": Measure("Peak memory, MiB", 0, ""),
}


def shown(value: Any, digits: int) -> str:
    """Return a number, or a dash."""
    return "-" if value is None or value != value else f"{value:.{digits}f}"


def grid(heads: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """Return a table whose first columns are words."""
    rule = ["---" if place < words else "---:" for place in range(len(heads))]
    return "\n".join(f"| {' | '.join(line)} |" for line in [list(heads), rule, *map(list, rows)])


def emphasised(values: Mapping[str, float], measure: Measure, beside: Sequence[str] = ()) -> list[str]:
    """Return the numbers of a row, the best in bold, oracles apart."""
    known = {name: value for name, value in values.items() if value == value and name not in beside}
    texts = {name: shown(value, measure.digits) for name, value in values.items()}
    if known and measure.best:
        first = (min if measure.best == "low" else max)(known.values())
        texts |= {name: f"**{texts[name]}**" for name in known if texts[name] == shown(first, measure.digits)}
    return list(texts.values())


def oracles(learners: Iterable[str]) -> list[str]:
    return [each for each in learners if each.startswith("oracle")]


def wide(frame: pd.DataFrame, measure: str, learners: Sequence[str], counts: pd.Series | None = None) -> str:
    """Return a table of a measure: one row per index, one column per learner."""
    how, names = MEASURES[measure], [str(each) for each in frame.index.names]
    learners = [each for each in learners if each in frame and frame[each].notna().any()]
    if not learners:
        return "No results."
    rows = []
    for index, line in frame[learners].iterrows():
        place = index if isinstance(index, tuple) else (index,)
        known = [] if counts is None else [str(int(counts[index]))]
        values = {name: float(line[name]) for name in learners}
        rows.append([*map(label, place), *known, *emphasised(values, how, oracles(learners))])
    heads = [*names, *([] if counts is None else ["tables"]), *map(code, learners)]
    return grid(heads, rows, words=len(names))


def label(value: Any) -> str:
    """Return what stands in front of a row: rates in percent."""
    return f"{value:.0%}" if isinstance(value, float) else str(value)


OWN_CLASSES = ("RVC", "RobustRVC", "RVR", "RobustRVR", "BayesianSVR")


def code(learner: str) -> str:
    """Return a learner's name as pages write it: classes as code."""
    return f"`{learner}`" if learner in (*OWN_CLASSES, "study_table", "find_wrong_rows") else learner


def section(title: str, *parts: str) -> str:
    return "\n\n".join([f"## {title}", *filter(None, parts)])


def assembled(title: str, *parts: str) -> str:
    """Return a page."""
    return "\n\n".join([f"# {title}", *filter(None, parts)]) + "\n"


def origin(results: Results, *pages: str) -> str:
    """Say on which commit, with what and of how many rows and splits a page's results are."""
    lines = pd.concat([results.lines(page) for page in pages])
    if lines.empty:
        return "**Nothing was measured for this page.**"
    runs = results.records.runs()
    cited = [runs[int(number)] for number in sorted(lines["made"].dropna().unique())]
    told = [run_text(run) for run in cited]
    n_failed = int(lines["failed"].notna().sum())
    size = [counted(len(lines), "cell")]
    for name, word in (("table", "table"), ("split", "split")):
        if name in lines and lines[name].notna().any():
            size.append(counted(lines[name].nunique(), word))
    if "rows" in lines and (lines["rows"] > 0).any():
        size.append(f"up to {int(lines['rows'].max())} rows to fit")
    hours = lines["seconds"].sum() / 3600.0
    known = f"{', '.join(size)}, {n_failed} failed, {hours:.2f} CPU hours of fits"
    return "\n".join(
        [
            "Written by `make evidence`; do not edit.\n",
            f"- **Size:** {known}.",
            *(f"- **Measured on** {each}." for each in dict.fromkeys(told)),
        ]
    )


def counted(count: int, word: str) -> str:
    """Return a number of things."""
    return f"{count} {word}" if count == 1 else f"{count} {word}{'es' if word.endswith('ss') else 's'}"


def run_text(run: Mapping[str, Any]) -> str:
    """Return how a run was made."""
    versions = ", ".join(f"{name} {number}" for name, number in run["versions"].items())
    asked = f"asked for {run['rows']} rows, {counted(run['splits'], 'split')}"
    if run["minutes"] is not None:
        asked += f", stopped after {run['minutes']:g} minutes"
    return (
        f"commit `{run['commit']}`, Python {run['python']}, {versions}; {run['machine']}, {run['cores']} "
        f"cores, "
        f"{counted(run['jobs'], 'process')} of one thread; {asked}"
    )


def failures(lines: pd.DataFrame) -> str:
    """Return which learners failed, how often, and why the first time."""
    some = lines[lines["failed"].notna()]
    if some.empty:
        return "No learner failed."
    rows = [
        [code(str(name)), str(len(each)), str(each["failed"].iloc[0]).replace("|", "/")]
        for name, each in some.groupby("learner")
    ]
    return grid(["learner", "failed cells", "the first says"], rows, words=3)


def percent(part: float, whole: float) -> float:
    return 100.0 * part / whole if whole else np.nan
