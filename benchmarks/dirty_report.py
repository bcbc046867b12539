"""The tables of the part on dirty labels, from its store."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import friedmanchisquare, studentized_range

from benchmarks.dirty_models import MODELS, OWN
from benchmarks.report import print_table, print_title

HALVES = ("A", "B", "all")
CELL = ["table", "noise", "rate", "repeat"]
PREDICTIONS = {"error": 100.0, "log_loss": 1.0, "calibration": 100.0}
AUDITS = {"precision": 1.0, "f1": 1.0, "named": 100.0, "false": 100.0}
"""The scores of a table and what they are multiplied with: shares are printed in percent."""

NAMES = {
    "error": "error %",
    "log_loss": "log loss",
    "calibration": "ECE %",
    "precision": "AP",
    "f1": "F1",
    "named": "named %",
    "false": "false %",
}
LOWER_IS_BETTER = {"error": True, "log_loss": True, "precision": False, "f1": False}
"""The scores that models are ranked by."""

LEVEL = 0.05
"""Of Nemenyi's critical difference, as usual."""

LEARNT_AT = 0.3
"""Rate of the one-sided noise whose learnt rates are shown: the one that the model is for."""


def print_report(results: pd.DataFrame) -> None:
    """Print all tables."""
    if results.empty:
        print("\nThe store has no cell of this many rows.")
        return
    for (noise, rate), some in by_noise(results):
        print_title(f"Predictions: {noise} noise, rate {rate:g}, means over {cell_count(some)} cells")
        print_means(some, PREDICTIONS)
    for (noise, rate), some in by_noise(results):
        print_title(f"Audits: {noise} noise, rate {rate:g}, means over {cell_count(some)} cells")
        print_means(some, AUDITS)
    print_title("Audits: all cells with wrong labels")
    print_means(results[results["flipped"] > 0], AUDITS)
    print_best(results[results["flipped"] > 0])
    print_ranks(results)
    print_seconds(results)
    print_learnt(results)
    print_failures(results)


def by_noise(results: pd.DataFrame) -> Iterator[tuple[Any, pd.DataFrame]]:
    """Yield noises and rates with their lines, in the order in which the store has them first."""
    yield from results.groupby(["noise", "rate"], sort=False)


def cell_count(results: pd.DataFrame) -> int:
    return len(results[CELL].drop_duplicates())


def parts(results: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the lines of half A, of half B, and all."""
    return [results if half == "all" else results[results["half"] == half] for half in HALVES]


def shown(value: float, digits: int) -> str:
    return "-" if np.isnan(value) else f"{value:.{digits}f}"


# means ----------------------------------------------------------------------------------------------


def print_means(results: pd.DataFrame, scores: dict[str, float]) -> None:
    """Print every model's mean scores, the halves side by side."""
    headers = [f"{NAMES[score]} {half}" for score in scores for half in HALVES]
    means = [part.groupby("model")[list(scores)].mean() for part in parts(results)]
    rows = []
    for model in MODELS:
        values = [
            factor * mean[score].get(model, np.nan) for score, factor in scores.items() for mean in means
        ]
        if not np.isnan(values).all():
            digits = [2 if factor > 1 else 4 for factor in scores.values() for _ in means]
            rows.append([model, *map(shown, values, digits)])
    print_table(["model", *headers], rows)


def print_best(results: pd.DataFrame) -> None:
    """Print on how many cells an audit of this library is at least as good as every peer's."""
    rows = []
    for model in OWN:
        for score in ("precision", "f1"):
            counts = [best_count(part, model, score) for part in parts(results)]
            rows.append([model, NAMES[score], *counts])
    print_title("Audits: cells on which no peer's is better")
    print_table(["model", "score", *HALVES], rows)


def best_count(results: pd.DataFrame, model: str, score: str) -> str:
    """Return on how many cells a model's score is that of the best, ties included, of how many."""
    values = pivot(results, score).drop(columns=[name for name in OWN if name != model], errors="ignore")
    if model not in values:
        return "-"
    values = values[values[model].notna()]
    best = values[model] >= values.drop(columns=model).max(axis=1).fillna(-np.inf)
    return f"{best.sum()} of {len(best)}"


def pivot(results: pd.DataFrame, score: str) -> pd.DataFrame:
    """Return a score with a row for each cell and a column for each model that has it anywhere."""
    values = results.pivot_table(index=CELL, columns="model", values=score, dropna=False)
    return values.dropna(axis=1, how="all").dropna(axis=0, how="all")


# ranks ----------------------------------------------------------------------------------------------


def print_ranks(results: pd.DataFrame) -> None:
    """Print mean ranks over cells, with the Friedman test and Nemenyi's critical difference.

    Cells of one table resemble each other, so that the test over cells finds differences too easily. The
    one over tables ranks each table's mean score.
    """
    for over in ("cells", "tables"):
        print_title(f"Mean ranks over {over} (1 is best)")
        values = {score: ranked(pivot(complete(results), score), over) for score in LOWER_IS_BETTER}
        ranks = {
            score: value.rank(axis=1, ascending=LOWER_IS_BETTER[score], na_option="bottom")
            for score, value in values.items()
        }
        rows = [[model, *(rank_of(rank, model) for rank in ranks.values())] for model in MODELS]
        rows = [row for row in rows if set(row[1:]) != {"-"}]
        tests = [friedman(rank) for rank in ranks.values()]
        rows += [[name, *column] for name, column in zip(TESTS, zip(*tests, strict=True), strict=True)]
        print_table(["model", *(NAMES[score] for score in ranks)], rows)
    print("A model that failed ranks last; cells that not all models have run are left out.")


TESTS = ("p of Friedman", "critical difference", "number ranked over")


def complete(results: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of cells that every model of the store has run, or failed at."""
    counts = results.groupby(CELL)["model"].transform("nunique")
    return results[counts == results["model"].nunique()]


def ranked(values: pd.DataFrame, over: str) -> pd.DataFrame:
    """Return the scores of cells, or their means over each table's cells."""
    return values.groupby(level="table").mean() if over == "tables" else values


def rank_of(ranks: pd.DataFrame, model: str) -> str:
    return shown(ranks[model].mean(), 2) if model in ranks else "-"


def friedman(ranks: pd.DataFrame) -> Sequence[str]:
    """Return the p value, the critical difference of mean ranks, and how many were ranked over."""
    n_rows, n_models = ranks.shape
    if n_models < 3 or n_rows < 2:
        return "-", "-", f"{n_rows}"
    p = friedmanchisquare(*ranks.to_numpy().T).pvalue
    quantile = studentized_range.ppf(1.0 - LEVEL, n_models, np.inf) / np.sqrt(2.0)
    difference = quantile * np.sqrt(n_models * (n_models + 1) / (6.0 * n_rows))
    return f"{p:.2g}", shown(difference, 2), f"{n_rows}"


# times, rates learnt, failures ------------------------------------------------------------------------


def print_seconds(results: pd.DataFrame) -> None:
    """Print what fits and audits took."""
    print_title("Seconds from the bare table, medians and sums over all cells")
    columns = ["fit_seconds", "audit_seconds"]
    grouped = results.groupby("model")[columns]
    middle, total = grouped.median(), grouped.sum(min_count=1)
    rows = [
        [model, *(shown(part.loc[model, column], 2) for column in columns for part in (middle, total))]
        for model in MODELS
        if model in middle.index
    ]
    print_table(["model", "fit", "all fits", "audit", "all audits"], rows)


def print_learnt(results: pd.DataFrame) -> None:
    """Print the shares of labels, by class, that RobustRVC took for lost, where none and where many are."""
    some = results[(results["model"] == "RobustRVC") & (results["label_noise"].fillna("") != "")]
    some = some[(some["noise"] == "none") | ((some["noise"] == "one-sided") & (some["rate"] == LEARNT_AT))]
    if some.empty:
        return
    print_title(
        f"Shares of labels lost, by class, as RobustRVC learnt them: clean, and {LEARNT_AT:.0%} one-sided"
    )
    rows = [
        [line.half, line.table, line.noise, " ".join(f"{1.0 - row[k]:.2f}" for k, row in enumerate(learnt))]
        for line in some.sort_values(["half", "table", "noise"]).itertuples()
        for learnt in [json.loads(str(line.label_noise))]
    ]
    print_table(["half", "table", "noise", "shares lost"], rows)


def print_failures(results: pd.DataFrame) -> None:
    """Print which models failed where, and why."""
    some = results[results["failed"].notna() & (results["failed"] != "")]
    print_title(f"Failures: {len(some)}")
    rows = [
        [line.half, line.table, line.noise, f"{line.rate:g}", line.model, line.failed]
        for line in some.itertuples()
    ]
    if rows:
        print_table(["half", "table", "noise", "rate", "model", "why"], rows)
