"""The page on the main job."""

from __future__ import annotations

import pandas as pd

from benchmarks.evidence.pages.dirty import ranks_section, seconds
from benchmarks.evidence.pages.markdown import MEASURES, assembled, failures, origin, section, wide
from benchmarks.evidence.pages.results import Results, means
from benchmarks.evidence.plan import STUDY

WORDS = """`study_table` gets a text file, the name of the target and its kind, as `rowtrust fit` does:
missing cells, words and all. It chooses a model by itself. The others get the same rows, prepared as a
careful user would."""

BESIDE = {
    "labels": ("RobustRVC", "SVC tuned", "forest", "boosting"),
    "values": ("RobustRVR", "SVR tuned", "forest", "boosting"),
}
"""Who is shown beside the study: cells of the other pages."""

CASE = ["table", "noise", "rate", "split"]


def page(results: Results) -> str:
    """Return the page."""
    parts = []
    for name, measures in (("labels", ("error", "log_loss")), ("values", ("rmse",))):
        lines = beside(results, name)
        if lines.empty:
            continue
        learners = (STUDY, *BESIDE[name])
        for noise, some in lines.groupby("noise"):
            title = "tables as they are" if noise == "none" else f"a tenth of the targets wrong ({noise})"
            parts.append(section(f"{MEASURES[measures[0]].title}, {title}"))
            parts.append(ranks_section(some, measures[0], learners).replace("## Mean", "### Mean"))
            for measure in measures:
                each = means(some.assign(**{"of table": some["table"]}), measure, ["half", "of table"])
                parts += [f"### {MEASURES[measure].title} by table", wide(each, measure, learners)]
        parts.append(section(f"CPU seconds of tables of {name}", seconds(lines, learners)))
    parts.append(section("Failures", failures(results.lines("command"))))
    return assembled("The command", WORDS, origin(results, "command"), *parts)


def beside(results: Results, page: str) -> pd.DataFrame:
    """Return the cells of the study, and those of others on the same cases."""
    others = results.lines(page)
    study = results.lines("command")
    if others.empty or study.empty:
        return others.iloc[:0]
    cases = study[CASE].merge(others[CASE].drop_duplicates())
    lines = pd.concat([study, others[others["learner"].isin(BESIDE[page])]])
    lines = lines.merge(cases, on=CASE)
    met = lines.groupby(CASE)["learner"].transform("nunique")
    return lines[met == len(BESIDE[page]) + 1]
