"""The pages "Evidence" and "Should I use it?": what decides, from the results of all others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd

from benchmarks.evidence.pages.markdown import MEASURES, assembled, code, grid, origin, section, shown
from benchmarks.evidence.pages.results import HALVES, Results, means
from benchmarks.evidence.plan import CLEAN, RATE, RELEASES

INDEX = """# Evidence

What rowtrust wins and what it loses, beside alternatives, all on today's defaults and by one command:
`make evidence`.

```{toctree}
:maxdepth: 1

choice
labels
values
real
sure
clean
command
scaling
constants
```

**How to read them.** Rules and constants were chosen on the *development* tables. The *held-back* ones
were only reported: where the two differ, trust those. They are different tables, so compare learners within
a row. The best of a row is bold; the oracle, which knows the errors, is apart. Results are in
`docs/evidence/results`, one line per cell.
"""


def index(_: Results) -> str:
    """Return the page that names all others."""
    return INDEX


SIDES: dict[str, dict[str, tuple[str, ...]]] = {
    "labels": {
        "rowtrust's machines": ("RVC", "RobustRVC"),
        "trusted": ("trusted boosting", "trusted forest"),
        "boosting alone": ("boosting",),
        "other learners alone": ("forest", "SVC tuned", "logistic tuned"),
        "cleanlab": ("cleanlab forest", "cleanlab boosting"),
    },
    "values": {
        "rowtrust's machines": ("RVR", "RobustRVR", "BayesianSVR"),
        "trusted": ("trusted boosting", "trusted forest"),
        "boosting alone": ("boosting",),
        "other learners alone": ("forest", "SVR tuned", "ridge tuned"),
        "cleanlab": ("cleanlab forest", "cleanlab boosting"),
        "Gaussian process": ("GPR",),
    },
}
"""Among what a user chooses, and the learners of each side."""

Part = Callable[[pd.DataFrame], pd.DataFrame]


def clean(lines: pd.DataFrame) -> pd.DataFrame:
    return lines[lines["noise"] == CLEAN]


def dirty(lines: pd.DataFrame) -> pd.DataFrame:
    return lines[lines["rate"] == RATE]


@dataclass(frozen=True)
class Question:
    """What a user wants, and the figures that answer it."""

    text: str
    page: str
    part: Part
    measure: str


QUESTIONS = (
    Question("Right labels, the lowest error", "labels", clean, "error"),
    Question("Right labels, probabilities", "labels", clean, "log_loss"),
    Question("20 % wrong labels, the lowest error", "labels", dirty, "error"),
    Question("20 % wrong labels, probabilities", "labels", dirty, "log_loss"),
    Question("20 % wrong labels, find them: the order of rows", "labels", dirty, "precision"),
    Question("20 % wrong labels, find them: a list", "labels", dirty, "f1_look"),
    Question("Right numbers, the lowest error", "values", clean, "rmse"),
    Question("Right numbers, error bars", "values", clean, "log_score"),
    Question("20 % wrong numbers, the lowest error", "values", dirty, "rmse"),
    Question("20 % wrong numbers, error bars", "values", dirty, "log_score"),
    Question("20 % wrong numbers, find them: the order of rows", "values", dirty, "precision"),
    Question("20 % wrong numbers, find them: a list", "values", dirty, "f1_look"),
)

WORDS = """Each side of the table sends one learner: the one that is best on the development tables.
*Take* is the side whose learner is best on the held-back ones. A side may win narrowly: the pages have
ranks with critical differences."""

BESIDES = """- **Very many rows, and right labels:** boosting takes a fraction of the time;
  [many rows](scaling.md).
- **Your own network or pipeline:** hand `find_wrong_rows` its held-out probabilities; the model stays yours.
  cleanlab does the same: [real errors](real.md) has both.
- **Images, texts, audio:** not measured as such. cleanlab has tools for their issues; rowtrust sees tables
  and probabilities.
- **A small model:** a forest keeps thousands of nodes, `RVC` a few rows of the table.
- **Where it loses:** [wrong labels](labels.md) and [wrong numbers](values.md) list the tables on which
  somebody else is better, the largest loss first."""


def page(results: Results) -> str:
    """Return the page on whether to use it."""
    parts = []
    for name in SIDES:
        answers = [answer(results, each) for each in QUESTIONS if each.page == name]
        known = [each for each in answers if each]
        if known:
            parts.append(section("Classes" if name == "labels" else "Numbers", *known))
    return assembled(
        "Should I use it?",
        WORDS,
        origin(results, "labels", "values"),
        *parts,
        real_part(results),
        cost_part(results),
        section("Besides", BESIDES),
    )


def answer(results: Results, question: Question) -> str:
    """Return the sides of a question with their learners, and which side to take."""
    lines = results.complete(question.page)
    if lines.empty:
        return ""
    table = means(question.part(lines), question.measure, ["half"])
    how, dev, held = MEASURES[question.measure], *HALVES.values()
    if not {dev, held} <= set(table.index):
        return ""
    sent = {
        side: first
        for side, names in SIDES[question.page].items()
        if (first := best_of(table.loc[dev], names, how.best))
    }
    if not sent:
        return ""
    winner = best_of(table.loc[held], tuple(sent.values()), how.best)
    rows = [
        [
            f"**{side}**" if name == winner else side,
            code(name),
            shown(table[name][dev], how.digits),
            shown(table[name][held], how.digits),
        ]
        for side, name in sent.items()
    ]
    take = next(side for side, name in sent.items() if name == winner)
    text = f"### {question.text}\n\n{how.title}. Take: **{take}** ({code(winner)})."
    return f"{text}\n\n{grid(['side', 'learner', dev, held], rows, words=2)}"


def best_of(values: Mapping[str, float], names: tuple[str, ...], best: str) -> str:
    """Return the best of some learners, empty if none has a value."""
    known = {name: values[name] for name in names if name in values and values[name] == values[name]}
    return (min if best == "low" else max)(known, key=lambda name: known[name]) if known else ""


def real_part(results: Results) -> str:
    """Return what is found of the wrong labels of software modules, by half."""
    lines = results.lines("real")
    lines = lines[lines["table"].isin([*RELEASES["A"], *RELEASES["B"]])]
    if lines.empty:
        return ""
    names = ["RobustRVC", "trusted boosting", "trusted forest", "cleanlab forest", "cleanlab boosting"]
    table = means(lines, "precision", ["half"])
    names = [each for each in names if each in table]
    rows = [[half, *(shown(table[name][half], 3) for name in names)] for half in table.index]
    text = "Average precision of real wrong labels in software modules, which depend on the module:"
    return section("Real errors", text, grid(["half", *map(code, names)], rows))


def cost_part(results: Results) -> str:
    """Return the mean CPU seconds of a cell."""
    rows = []
    for name in SIDES:
        lines = results.complete(name)
        if not lines.empty:
            times = lines.groupby("learner")["seconds"].mean().sort_values()
            rows += [
                ["classes" if name == "labels" else "numbers", code(each), shown(times[each], 2)]
                for each in times.index
            ]
    text = "Mean over all cells, searches, folds and lists included."
    return section("What it costs", text, grid(["", "learner", "CPU seconds"], rows, words=2)) if rows else ""
