"""The tables of the part on accuracy, in Markdown: ``python -m benchmarks.accuracy_report STORE...``.

Peers and our models may be in stores of their own; of a cell that several have, the last one's counts.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.accuracy_cells import MOST_ROWS, PUBLISHED
from benchmarks.accuracy_contamination import BOTH_SIDED
from benchmarks.accuracy_dirty_report import contaminated, smooth, sparsity
from benchmarks.accuracy_lines import (
    by_half,
    complete,
    faced,
    in_order,
    markdown,
    per_table,
    read,
    shown,
    significant,
    table,
    verdict,
)
from benchmarks.accuracy_models import CHOSEN, CLASSIFIERS, MOST_GPR_ROWS, OWN, OWN_REGRESSORS, REGRESSORS
from benchmarks.accuracy_models import COVERAGE as FACING_OUTLIERS

UCI = {
    "boston": {"PBP": (3.01, 2.57), "MC dropout": (2.97, 2.46), "deep ensembles": (3.28, 2.41)},
    "concrete": {"PBP": (5.67, 3.16), "MC dropout": (5.23, 3.04), "deep ensembles": (6.03, 3.06)},
    "yacht": {"PBP": (1.02, 1.63), "MC dropout": (1.11, 1.55), "deep ensembles": (1.58, 1.18)},
}
"""RMSE and negative log score on the published splits, as others print them."""

COVERAGE, USUAL_COVERAGE = (0.89, 0.985), (0.92, 0.97)
"""What intervals of 95 % must cover on all tables, and on four fifths of them."""

OUTLIER_COVERAGE = (0.92, 0.985)
"""What they must cover on four fifths where rows to fit are outliers."""


def print_report(stores: list[Path], most_rows: int, half: str = "") -> None:
    """Print all sections that the stores have lines for, of one half or of both."""
    lines = read(stores, most_rows)
    if half:
        lines = lines[lines["half"].isin(["", half])]
    for kind, section in SECTIONS.items():
        some = lines[lines["kind"] == kind]
        if len(some):
            print("\n\n".join(section(some)), flush=True)
            print(flush=True)
    print("\n\n".join(failures(lines)), flush=True)


# classes --------------------------------------------------------------------------------------------


def classes(lines: pd.DataFrame) -> Iterator[str]:
    lines, names = complete(lines), list(CLASSIFIERS)
    splits = lines.groupby("table")["split"].nunique()
    yield f"## Classes\n\nSplits of a table: {splits.min()} to {splits.max()}."
    error, loss = 100.0 * per_table(lines, "error"), per_table(lines, "log_loss")
    seconds = per_table(lines, "seconds", "median")
    kept = per_table(lines.assign(kept=100.0 * lines["coefficients"] / lines["rows"]), "kept")
    yield "### Error, %\n\n" + table(error, names)
    yield "### Log loss\n\n" + table(loss, names, lambda value: shown(value, 4))
    yield "### CPU seconds of a fit, medians over splits\n\n" + table(seconds, names)
    yield "### Non-zero coefficients, all outputs, in % of the rows fitted\n\n" + table(kept, names)
    for name in ("RVC", "RobustRVC"):
        if name in error and "SVC grid" in error:
            yield f"### {name} against SVC\n\n" + class_verdicts(name, faced(lines, name))


def class_verdicts(name: str, lines: pd.DataFrame) -> str:
    """Say on how many tables a model is at least as good as the searched SVC, and how much faster."""
    error, loss = 100.0 * per_table(lines, "error"), per_table(lines, "log_loss")
    seconds = per_table(lines, "seconds", "median")
    found = [*duel(error, name, "SVC grid", "error"), *duel(loss, name, "calibrated SVC", "log loss")]
    ratio = seconds["SVC grid"] / seconds[name]
    worst = ratio.index[np.argmin(ratio)][1]
    for half, some in by_half(ratio.to_frame("ratio")):
        some = some["ratio"]
        found.append(
            verdict(
                some.median() >= 5.0 and some.min() >= 1.0,
                f"{half}: {some.median():.2f} times as fast as the grid search in the median of tables, "
                f"{some.min():.2f} times at worst (5 and 1 wanted)",
            )
        )
    return "\n".join([*found, f"- the worst of all is {worst}"])


def duel(values: pd.DataFrame, name: str, peer: str, what: str) -> Iterator[str]:
    """Say on how many tables a model wins or ties, and the means, for each half."""
    for half, some in by_half(values):
        mine, theirs = some[name], some[peer]
        wins, ties = int((mine < theirs).sum()), int((mine == theirs).sum())
        yield verdict(
            wins + ties >= 2 / 3 * len(some) and mine.mean(skipna=False) <= theirs.mean(),
            f"{half}: {what} at or below {peer}'s on {wins + ties} of {len(some)} tables ({ties} ties), "
            f"mean {mine.mean(skipna=False):.4f} against {theirs.mean():.4f} (wanted: two thirds, mean)",
        )


# numbers --------------------------------------------------------------------------------------------


def numbers(lines: pd.DataFrame) -> Iterator[str]:
    lines, names = complete(lines), list(REGRESSORS)
    splits = lines.groupby("table")["split"].nunique()
    yield (
        f"## Numbers\n\nSplits of a table: {splits.min()} to {splits.max()}, published ones for "
        f"{', '.join(PUBLISHED)}. GPR is given {MOST_GPR_ROWS} rows at most. Means are those of targets in "
        "units of their standard deviation."
    )
    in_units = lines.assign(
        rmse=lines["rmse"] / lines["unit"], log_score=lines["log_score"] - np.log(lines["unit"])
    )
    error, score = per_table(in_units, "rmse"), per_table(in_units, "log_score")
    yield "### RMSE\n\n" + table(per_table(lines, "rmse"), names, significant, means=error)
    yield "### Negative log score\n\n" + table(per_table(lines, "log_score"), names, significant, means=score)
    for column in ("cover95", "cover80", "cover50"):
        covered = 100.0 * per_table(lines, column)
        yield f"### Coverage of {column[5:]} % intervals, %\n\n" + table(covered, names)
    yield "### CPU seconds of a fit, medians over splits\n\n" + table(
        per_table(lines, "seconds", "median"), names
    )
    yield "### Beside figures printed by others\n\n" + printed(lines)
    yield "### Verdicts\n\n" + "\n".join(number_verdicts(in_units, lines))


def printed(lines: pd.DataFrame) -> str:
    """Return RMSE and log score on the published splits, with those of papers."""
    error, score = (per_table(lines, name).droplevel(["half", "variant"]) for name in ("rmse", "log_score"))
    papers = list(UCI["boston"])
    own = [name for name in REGRESSORS if name in score]
    rows = [
        [name, *(f"{significant(error[model][name])}, {significant(score[model][name])}" for model in own),
         *(f"{UCI[name][paper][0]}, {UCI[name][paper][1]}" for paper in papers)]
        for name in UCI
        if name in error.index
    ]  # fmt: skip
    return "RMSE, negative log score.\n\n" + markdown(["table", *own, *papers], rows)


def number_verdicts(in_units: pd.DataFrame, lines: pd.DataFrame) -> Iterator[str]:
    there = set(lines["model"])
    for name, wanted in (("RVR", 2), (CHOSEN, 3)):
        if name in there:
            yield against_printed(faced(lines, name), name, wanted)
    for name in (*OWN_REGRESSORS, CHOSEN):
        if name in there:
            yield from mean_verdicts(faced(in_units, name), name)
    if {"RVR", "RobustRVR"} <= there:
        error = per_table(faced(lines, "RobustRVR"), "rmse")
        ratio = error["RobustRVR"] / error["RVR"]
        yield verdict(
            bool((ratio <= 1.05).all()),
            f"RobustRVR's error is {ratio.max():.3f} of RVR's at worst, on {ratio.idxmax()[1]} (1.05 wanted)",
        )
    yield from coverage_verdicts(lines, OWN_REGRESSORS, USUAL_COVERAGE, COVERAGE)


def against_printed(lines: pd.DataFrame, name: str, wanted: int) -> str:
    """Say on how many tables both scores are at least as good as all that others print."""
    error, score = (
        per_table(lines, each).droplevel(["half", "variant"])[name] for each in ("rmse", "log_score")
    )
    there = [each for each in UCI if each in error.index]
    errors = [each for each in there if error[each] <= min(pair[0] for pair in UCI[each].values())]
    scores = [each for each in there if score[each] <= min(pair[1] for pair in UCI[each].values())]
    return verdict(
        len(set(errors) & set(scores)) >= wanted,
        f"{name} is at or better than PBP, MC dropout and deep ensembles in RMSE on "
        f"{', '.join(errors) or 'none'}, in log score on {', '.join(scores) or 'none'}, of "
        f"{', '.join(there)} (both on {wanted} wanted)",
    )


def mean_verdicts(lines: pd.DataFrame, name: str) -> Iterator[str]:
    """Compare a model's means over tables with those of peers."""
    for score, what, peers in (("rmse", "RMSE", ("SVR grid", "GPR")), ("log_score", "log score", ("GPR",))):
        values = per_table(lines, score)
        for peer in in_order(values, peers):
            means = {half: some[[name, peer]].mean(skipna=False) for half, some in by_half(values)}
            texts = [f"{half} {mean[name]:.4f} against {mean[peer]:.4f}" for half, mean in means.items()]
            yield verdict(
                bool(means["all"][name] <= means["all"][peer]),
                f"{name}'s mean {what} and {peer}'s: {'; '.join(texts)}",
            )


def coverage_verdicts(
    lines: pd.DataFrame, names: Iterable[str], usual: tuple[float, float], always: tuple[float, ...] = ()
) -> Iterator[str]:
    """Say on how many tables intervals cover what they should on four fifths of them, and on all."""
    for name in names:
        if name not in set(lines["model"]):
            continue
        values = per_table(faced(lines, name), "cover95")[name]
        inside, bounded = values.between(*usual), values.between(*(always or (0.0, 1.0)))
        outside = ", ".join(f"{index[1]} {100 * value:.1f}" for index, value in values[~inside].items())
        yield verdict(
            inside.mean() >= 0.8 and bool(bounded.all()),
            f"{name}'s 95 % intervals cover {100 * usual[0]:g} to {100 * usual[1]:g} % on {inside.sum()} of "
            f"{len(values)} tables (four fifths wanted)"
            + (f"; not on {outside}" if outside else "")
            + (f"; {100 * always[0]:g} to {100 * always[1]:g} % on {bounded.sum()} (all)" if always else ""),
        )


# failures -------------------------------------------------------------------------------------------


def failures(lines: pd.DataFrame) -> Iterator[str]:
    some = lines[lines["failed"].fillna("") != ""]
    yield f"## Fits that failed: {len(some)}"
    if len(some):
        yield markdown(
            ["kind", "table", "variant", "split", "model", "why"],
            some[["kind", "table", "variant", "split", "model", "failed"]].astype(str).to_numpy().tolist(),
        )
    warned = lines[lines["model"].isin(OWN) & (lines["warned"] > 0)].groupby("model").size()
    yield "Fits with warnings: " + (", ".join(f"{name} {count}" for name, count in warned.items()) or "none")


def contaminated_section(lines: pd.DataFrame) -> Iterator[str]:
    yield from contaminated(lines)
    some = lines[(lines["variant"] == BOTH_SIDED) & lines["model"].isin(FACING_OUTLIERS)]
    if len(some):
        yield "\n".join(coverage_verdicts(complete(some), FACING_OUTLIERS, OUTLIER_COVERAGE))


SECTIONS = {
    "classes": classes,
    "numbers": numbers,
    "contaminated": contaminated_section,
    "smooth": smooth,
    "sparsity": sparsity,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy_report", description=__doc__)
    parser.add_argument("stores", nargs="+", type=Path)
    parser.add_argument("--most-rows", type=int, default=MOST_ROWS)
    parser.add_argument("--half", choices=["A", "B"], default="", help="print one half of the tables only")
    given = parser.parse_args()
    print_report(given.stores, given.most_rows, given.half)


if __name__ == "__main__":
    main()
