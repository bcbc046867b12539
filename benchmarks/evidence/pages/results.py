"""Results as pages need them: complete cases, means over tables, ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, studentized_range

from benchmarks.evidence.records import Records

CASE = ["table", "noise", "rate", "split"]
"""What learners of a case share."""

HALVES = {"A": "development", "B": "held back"}
"""What pages call the halves."""

LEVEL = 0.05
"""Of the critical difference."""


@dataclass
class Results:
    """The results in a folder, each page's read once."""

    records: Records
    known: dict[str, pd.DataFrame] = field(default_factory=dict)

    def lines(self, page: str) -> pd.DataFrame:
        """Return a page's results."""
        if page not in self.known:
            found = self.records.lines(page)
            self.known[page] = found.assign(half=found["half"].map(HALVES)) if "half" in found else found
        return self.known[page]

    def complete(self, page: str) -> pd.DataFrame:
        """Return the cases that all learners of the page have met; one that failed there has met it."""
        lines = self.lines(page)
        if lines.empty:
            return lines
        met = lines.groupby(CASE)["learner"].transform("nunique")
        return lines[met == lines["learner"].nunique()]


def means(lines: pd.DataFrame, measure: str, rows: Sequence[str]) -> pd.DataFrame:
    """Return a measure's means over tables, each table the mean of its own cells; learners are columns."""
    by_table = lines.groupby([*rows, "table", "learner"], observed=True)[measure].mean()
    return by_table.groupby([*rows, "learner"], observed=True).mean().unstack("learner")


def tables_of(lines: pd.DataFrame, rows: Sequence[str]) -> pd.Series:
    """Return over how many tables a mean is."""
    return lines.groupby(list(rows), observed=True)["table"].nunique()


@dataclass(frozen=True)
class Ranks:
    """Mean ranks of learners over tables, and by how much two must differ."""

    means: pd.Series
    tables: int
    p: float
    difference: float


def ranked(lines: pd.DataFrame, measure: str, learners: Sequence[str], best: str = "low") -> Ranks:
    """Rank learners on every table's mean, by Friedman's test and Nemenyi's difference; a failure is last."""
    wide = lines[lines["learner"].isin(learners)].pivot_table(
        index="table", columns="learner", values=measure, observed=True
    )
    wide = wide.reindex(columns=list(learners))
    worst = np.inf if best == "low" else -np.inf
    ranks = wide.fillna(worst).rank(axis=1, ascending=best == "low")
    count, n_learners = ranks.shape
    if count < 2 or n_learners < 3:
        return Ranks(ranks.mean(), count, np.nan, np.nan)
    p = float(friedmanchisquare(*ranks.to_numpy().T).pvalue)
    quantile = studentized_range.ppf(1.0 - LEVEL, n_learners, np.inf) / np.sqrt(2.0)
    difference = float(quantile * np.sqrt(n_learners * (n_learners + 1) / (6.0 * count)))
    return Ranks(ranks.mean(), count, p, difference)
