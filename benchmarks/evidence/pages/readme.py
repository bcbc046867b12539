"""README's table: errors found, boosting with errors, and tables as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from benchmarks.evidence.pages.markdown import MEASURES, emphasised, grid, oracles
from benchmarks.evidence.pages.results import Results, means
from benchmarks.evidence.plan import CLEAN, RATE, RELEASES

BEGIN, END = "<!-- evidence -->", "<!-- end of evidence -->"
"""Between what the table stands in README."""

Names = Mapping[str, str]

PLAIN, ROBUST = "`RVC`, `RVR`", "`RobustRVC`, `RobustRVR`"
FINDERS_OF_LABELS = {
    ROBUST: "RobustRVC",
    "trusted boosting": "trusted boosting",
    "cleanlab, forest": "cleanlab forest",
    "cleanlab, boosting": "cleanlab boosting",
}
FINDERS_OF_NUMBERS = {**FINDERS_OF_LABELS, ROBUST: "RobustRVR"}
FINDERS_OF_NETWORKS = {ROBUST: "find_wrong_rows", "cleanlab, forest": "cleanlab"}
BOOSTED = {
    "as given": "boosting",
    "trusted": "trusted boosting",
    "after cleanlab": "cleanlab boosting",
    "oracle": "oracle boosting",
}
CLEAN_CLASSES = {
    PLAIN: "RVC",
    ROBUST: "RobustRVC",
    "tuned SVM": "SVC tuned",
    "forest": "forest",
    "boosting": "boosting",
}
CLEAN_NUMBERS = {
    **CLEAN_CLASSES,
    PLAIN: "RVR",
    ROBUST: "RobustRVR",
    "tuned SVM": "SVR tuned",
    "GPR": "GPR",
}


def put_into(text: str, results: Results) -> str:
    """Return README with the table of the results."""
    before, rest = text.split(BEGIN, 1)
    return f"{before}{BEGIN}\n{block(results)}\n{END}{rest.split(END, 1)[1]}"


def block(results: Results) -> str:
    """Return the three tables."""
    labels, values, real = (results.complete("labels"), results.complete("values"), results.lines("real"))
    modules = real[real["table"].isin([*RELEASES["A"], *RELEASES["B"]])]
    networks = real[real["table"].isin(["cifar10n", "roman"])]
    dirty = [lines[lines["rate"] == RATE] for lines in (labels, values)]
    clean = [lines[lines["noise"] == CLEAN] for lines in (labels, values)]
    found = [
        *rows("20 % wrong labels", dirty[0], "precision", FINDERS_OF_LABELS),
        *rows("20 % wrong numbers", dirty[1], "precision", FINDERS_OF_NUMBERS),
        *rows("real, software modules", modules, "precision", FINDERS_OF_LABELS),
        *rows(
            "real, pictures (no learner)",
            networks,
            "precision",
            FINDERS_OF_NETWORKS,
        ),
    ]
    boosted = [
        *rows("20 % wrong labels, error %", dirty[0], "error", BOOSTED),
        *rows("20 % wrong numbers, RMSE", dirty[1], "rmse", BOOSTED),
    ]
    as_they_are = [
        *rows("classes, error %", clean[0], "error", CLEAN_CLASSES),
        *rows("numbers, RMSE", clean[1], "rmse", CLEAN_NUMBERS),
    ]
    parts = [
        ("**Errors found**, average precision:", found, list(FINDERS_OF_LABELS)),
        ("**Boosting with errors**, judged by clean rows:", boosted, list(BOOSTED)),
        ("**Tables as they are:**", as_they_are, list(CLEAN_NUMBERS)),
    ]
    return "\n\n".join(
        f"{title}\n\n{compact(grid(['rows', 'tables', *heads], [padded(row, heads) for row in lines], 2))}"
        for title, lines, heads in parts
        if lines
    )


def compact(table: str) -> str:
    """Return a table with a short line below its heads: README is to stay short."""
    heads, rule, *others = table.splitlines()
    return "\n".join([heads, rule.replace(" ", ""), *others])


Row = tuple[str, str, dict[str, str]]


def rows(title: str, lines: pd.DataFrame, measure: str, learners: Names) -> list[Row]:
    """Return one row per half, cells by their heads."""
    if lines.empty:
        return []
    table = means(lines, measure, ["half"])
    found = []
    for half, line in table.iterrows():
        values = {name: float(line[name]) for name in learners.values() if name in table}
        texts = emphasised(values, MEASURES[measure], oracles(values))
        cells = dict(zip(values, texts, strict=True))
        found.append(
            (title, str(half), {head: cells[name] for head, name in learners.items() if name in cells})
        )
    return found


def padded(row: Row, heads: Sequence[str]) -> list[str]:
    title, half, cells = row
    return [title, half, *(cells.get(head, "") for head in heads)]
