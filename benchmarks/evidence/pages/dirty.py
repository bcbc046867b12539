"""The pages of dirty labels and dirty numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from benchmarks.evidence.pages.markdown import (
    MEASURES,
    assembled,
    code,
    failures,
    grid,
    oracles,
    origin,
    section,
    shown,
    wide,
)
from benchmarks.evidence.pages.results import HALVES, Results, means, ranked, tables_of
from benchmarks.evidence.plan import CLEAN, OWN, PEERS

ROWS = ["rate", "noise", "half"]


@dataclass(frozen=True)
class Kind:
    """What differs between the pages.

    Attributes
    ----------
    page, title, words
        Of the results, of the page, and its first sentences.
    predictions
        Measures of what is predicted; the first ranks learners.
    ours
        The learner whose losses are listed.
    """

    page: str
    title: str
    words: str
    predictions: tuple[str, ...]
    ours: tuple[str, ...]


LABELS = Kind(
    "labels",
    "Wrong labels",
    "Tables of classes with wrong labels of four kinds. *Uniform*: any other class. *One-sided*: of two "
    "classes one "
    "only loses labels; of several each loses some to the next. *Class-dependent*: classes are confused "
    "as a naive Bayes "
    "classifier confuses them. *Instance-dependent*: rows near its boundary are wrong most often.",
    ("error", "log_loss", "calibration"),
    ("RobustRVC", "trusted boosting"),
)
VALUES = Kind(
    "values",
    "Wrong numbers",
    "Tables of numbers with wrong targets of four kinds. *Both-sided*, *one-sided*: moved by 4 to 8 "
    "deviations of the "
    "targets, to both sides or all up. *Moderate*: by 2 to 4, to both sides. *Exchanged*: right values of "
    "other rows.",
    ("rmse", "covered", "width", "log_score"),
    ("RobustRVR", "trusted boosting"),
)

FAIR = """- All learners get the same rows: standardised inputs, categories in columns of their own, missing
  cells filled with medians. Test rows are clean, and nobody sees them. Searches and cleanlab draw five folds
  of their own, rowtrust as many as its defaults say.
- `RVC`, `RobustRVC`, `RVR`, `RobustRVR`, `BayesianSVR` and the trusted learners run with their defaults.
  Forest and boosting are scikit-learn's, with its defaults, and the same objects are trusted, handed to
  cleanlab, and fitted by the oracle.
- *Tuned* is a grid search of five folds on the dirty rows: 20 points for SVC, then sigmoids of five folds;
  40 for SVR; nine penalties for the linear models. GPR learns a length scale per input by its evidence.
- cleanlab is `CleanLearning` of its package with its defaults and five folds: it finds label issues, and
  fits what it leaves. It has one list of errors, which stands in both tables of F1. Its users may tune it,
  and take other learners.
- A learner that failed on a case is left out of its means there, and ranks last on a table where it always
  failed: see the failures above.
- The oracle is the learner fitted without the wrong rows. It knows what nobody knows.
- CPU seconds are of one thread, from bare rows to predictions and lists, searches and folds included.
- Rules and constants of this library were chosen on the development tables; the held-back ones were only
  reported."""


def labels(results: Results) -> str:
    return page(results, LABELS)


def values(results: Results) -> str:
    return page(results, VALUES)


def page(results: Results, kind: Kind) -> str:
    """Return a page on dirty tables."""
    lines = results.complete(kind.page)
    head = origin(results, kind.page)
    if lines.empty:
        return assembled(kind.title, kind.words, head)
    dirty = with_shares(lines[lines["noise"] != CLEAN])
    clean = with_shares(lines[lines["noise"] == CLEAN])
    everyone = [*OWN[kind.page], *PEERS[kind.page]]
    finders = [*OWN[kind.page], *(each for each in everyone if each.startswith("cleanlab"))]
    left = len(results.lines(kind.page)) - len(lines)
    return assembled(
        kind.title,
        kind.words,
        head,
        f"Means are over tables. {left} cells of cases that not all learners have met are left out."
        * (left > 0),
        ranks_section(
            dirty, kind.predictions[0], [each for each in everyone if each not in oracles(everyone)]
        ),
        ranks_section(dirty, "precision", finders),
        *(measured(dirty, each, everyone) for each in kind.predictions),
        *(measured(dirty, each, finders) for each in ("precision", "f1", "f1_look", "missed", "right share")),
        section("Tables as they are: rows flagged, %", flagged_on_clean(clean, finders)),
        section("CPU seconds of a cell", seconds(lines, everyone)),
        section(
            "Where it loses", *(losses(dirty, kind.predictions[0], each, everyone) for each in kind.ours)
        ),
        section("Failures", failures(results.lines(kind.page))),
        section("What makes it fair", FAIR),
    )


def with_shares(lines: pd.DataFrame) -> pd.DataFrame:
    """Return lines with shares of flagged rows, and of flagged rows that are wrong."""
    return lines.assign(
        **{
            "flagged share": 100.0 * lines["flagged"] / lines["n_fit"],
            "right share": 100.0 * lines["right"] / lines["flagged"].where(lines["flagged"] > 0),
        }
    )


def measured(lines: pd.DataFrame, measure: str, learners: Sequence[str]) -> str:
    """Return a measure by rate, noise and half."""
    if lines.empty:
        return ""
    table = wide(means(lines, measure, ROWS), measure, learners, tables_of(lines, ROWS))
    return section(MEASURES[measure].title, table)


def ranks_section(lines: pd.DataFrame, measure: str, learners: Sequence[str]) -> str:
    """Return mean ranks over tables, by half and over all."""
    if lines.empty:
        return ""
    parts = {half: lines[lines["half"] == half] for half in HALVES.values()}
    parts["all"] = lines
    best = MEASURES[measure].best
    found = {name: ranked(part, measure, learners, best) for name, part in parts.items() if not part.empty}
    order = sorted(learners, key=lambda name: found["all"].means[name])
    rows = [[code(name), *(shown(each.means[name], 2) for each in found.values())] for name in order]
    for word, get in TESTS.items():
        rows.append([word, *(get(each) for each in found.values())])
    text = (
        "Of every table's mean over all cells here; 1 is best. Two learners whose ranks differ by less than "
        "the critical difference (Nemenyi, 5 %) are not told apart by these tables."
    )
    return section(f"Mean ranks: {MEASURES[measure].title}", text, grid(["learner", *found], rows))


TESTS = {
    "*tables*": lambda ranks: str(ranks.tables),
    "*p of Friedman*": lambda ranks: "-" if ranks.p != ranks.p else f"{ranks.p:.2g}",
    "*critical difference*": lambda ranks: shown(ranks.difference, 2),
}


def flagged_on_clean(lines: pd.DataFrame, learners: Sequence[str]) -> str:
    """Return which share of the rows is flagged where nothing was made wrong."""
    if lines.empty:
        return "Not measured."
    return wide(
        means(lines, "flagged share", ["half"]), "flagged share", learners, tables_of(lines, ["half"])
    )


def seconds(lines: pd.DataFrame, learners: Sequence[str]) -> str:
    """Return medians, means and the longest."""
    some = lines.groupby("learner")["seconds"].agg(["median", "mean", "max"])
    rows = [
        [code(name), *(shown(each, 2) for each in some.loc[name])] for name in learners if name in some.index
    ]
    return grid(["learner", "median", "mean", "longest"], rows)


def losses(lines: pd.DataFrame, measure: str, ours: str, learners: Sequence[str]) -> str:
    """Return the tables on which somebody else is better than a learner of ours."""
    if lines.empty:
        return ""
    others = [each for each in learners if each not in (ours, *oracles(learners))]
    table = means(lines.assign(of=lines["table"]), measure, ["half", "of"])
    if ours not in table or table[ours].isna().all():
        return ""
    best = table[[each for each in others if each in table]]
    first, who = best.min(axis=1), best.fillna(float("inf")).idxmin(axis=1)
    lost = (table[ours] - first)[table[ours] > first].sort_values(ascending=False)
    digits = MEASURES[measure].digits
    rows = [
        [
            half,
            name,
            shown(table[ours][half, name], digits),
            shown(first[half, name], digits),
            code(who[half, name]),
        ]
        for half, name in lost.index
    ]
    count = f"{len(rows)} of {len(table)} tables"
    text = f"{code(ours)} is not the best on {count}, means over all errors, the largest loss first:"
    return f"{text}\n\n{grid(['half', 'table', code(ours), 'best', 'by'], rows, words=2)}"
