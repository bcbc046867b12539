"""The page on errors that nobody drew."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from benchmarks.evidence.pages.dirty import with_shares
from benchmarks.evidence.pages.markdown import MEASURES, assembled, failures, grid, origin, section, wide
from benchmarks.evidence.pages.results import Results
from benchmarks.evidence.plan import ON_AIR, ON_HOUSES, ON_MODULES, RELEASES

WORDS = """Wrong rows that were made by people, by a heuristic, or by a sensor; each is known because
somebody looked again. The fetchers of `rowtrust.datasets` read them from a folder; nothing is shipped or
downloaded."""

SOURCES = (
    ("JIRA", "bugs of Java modules, by words in commits", "issue reports (Yatish et al. 2019)", "jira"),
    ("cifar10n", "classes of 50 000 pictures, by people", "CIFAR-10's labels (Wei et al. 2022)", "cifar10n"),
    ("roman", "2831 handwritten numerals, by people", "looked at again", "roman"),
    (
        "boston",
        "median prices of homes, as published",
        "eight corrected (Gilley & Pace 1996)",
        "corrected_boston",
    ),
    (
        "air quality",
        "gas sensors and weather, by the hour",
        "an analyser (De Vito et al. 2008)",
        "air_quality",
    ),
)
"""Tables, what was given, how the truth is known, and their fetchers."""

FINDING = ("precision", "f1", "f1_look", "missed", "right share")

TEXTS = {
    "modules": "Each release is fitted with the labels of the heuristic. Wrong rows are looked for in it; "
    "predictions "
    "are judged by true labels of the *other projects* of the same half, for releases of one project "
    "share files. 65 "
    "counts, on a logarithmic scale. Errors are mostly one-sided and depend on the module: no learner "
    "here expects that.",
    "networks": "Held-out probabilities of somebody's network, and the labels: `find_wrong_rows(y=..., "
    "probabilities=...)` "
    "beside cleanlab's `find_label_issues` and label quality.",
    "houses": "Three of the eight corrections are tiny, and cannot be seen. All eight are among the rows "
    "to fit; the others "
    "judge the predictions.",
    "air": "Carbon monoxide as the reference has it is predicted from the cheap sensors; fortnights stay "
    "together, on one "
    "side of the split. Nothing is known to be wrong: only intervals are judged, and RMSE.",
}


def page(results: Results) -> str:
    """Return the page."""
    lines = results.lines("real")
    head = origin(results, "real")
    if lines.empty:
        return assembled("Real errors", WORDS, head, section("Sources", sources()))
    lines = with_shares(lines)
    modules = lines[lines["table"].isin([*RELEASES["A"], *RELEASES["B"]])]
    networks = lines[lines["table"].isin(["cifar10n", "roman"])]
    houses, air = lines[lines["table"] == "boston"], lines[lines["table"] == "air quality"]
    worth = ("error", "log_loss", "calibration")
    numbers = ("rmse", "log_score", "covered", "width")
    return assembled(
        "Real errors",
        WORDS,
        head,
        section("Sources", sources()),
        part("Software modules (JIRA)", TEXTS["modules"], modules, (*FINDING, *worth), ON_MODULES),
        part(
            "Pictures (CIFAR-10N, roman)",
            TEXTS["networks"],
            networks,
            FINDING,
            ("find_wrong_rows", "cleanlab"),
        ),
        part("Houses (Boston, corrected)", TEXTS["houses"], houses, (*FINDING, *numbers), ON_HOUSES),
        part("Air (sensors beside a reference)", TEXTS["air"], air, numbers, ON_AIR),
        section("Failures", failures(lines)),
    )


def sources() -> str:
    """Return where the tables are from."""
    rows = [[table, given, truth, f"`fetch_{name}`"] for table, given, truth, name in SOURCES]
    return grid(["table", "what was given", "how the truth is known", "fetcher"], rows, words=4)


def part(title: str, text: str, lines: pd.DataFrame, measures: Sequence[str], learners: Sequence[str]) -> str:
    """Return the tables of a source."""
    if lines.empty:
        return section(title, text, "Not measured.")
    tables = []
    for measure in measures:
        if lines[measure].notna().any():
            tables.append(f"### {MEASURES[measure].title}: {title.split(' (')[0].lower()}")
            tables.append(by_table(lines, measure, learners))
    return section(title, text, *tables)


def by_table(lines: pd.DataFrame, measure: str, learners: Sequence[str]) -> str:
    """Return a measure of every table, the mean of its splits, and means of halves with several."""
    each = lines.groupby(["half", "table", "learner"])[measure].mean().unstack("learner")
    over = each.groupby(level="half").mean()
    several = each.groupby(level="half").size() > 1
    over = over[several]
    over.index = pd.MultiIndex.from_tuples(
        [(half, "**mean**") for half in over.index], names=each.index.names
    )
    return wide(pd.concat([each, over]) if several.any() else each, measure, learners)
