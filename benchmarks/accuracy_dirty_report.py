"""The tables of contaminated targets, of smooth functions and of the number of coefficients, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from benchmarks.accuracy_contamination import CONTAMINATED
from benchmarks.accuracy_lines import (
    complete,
    in_order,
    markdown,
    per_table,
    shown,
    significant,
    table,
    verdict,
)
from benchmarks.accuracy_models import COVERAGE, OWN_REGRESSORS, SMOOTH, UNPROJECTED
from benchmarks.accuracy_models import KINDS as MODELS
from papers.hwang.published import published

RCGP = {
    ("boston", "both-sided"): (0.524, 0.619, 0.303),
    ("boston", "one-sided"): (0.645, 0.496, 0.527),
    ("boston", "focused"): (0.277, 0.227, 0.257),
    ("yacht", "both-sided"): (0.361, 0.297, 0.162),
    ("yacht", "one-sided"): (0.548, 0.367, 0.410),
    ("yacht", "focused"): (0.283, 0.103, 0.250),
}
"""MAE of a GP, RCGP and a Student-t GP, as RCGP's paper prints them: the same kinds, other rows."""

CONSTANT = 0.05
"""Predictions that vary less than this share of the truth are a constant."""

EXPLAINED = 0.5
"""What another must explain of the variance for a constant to count as a failure."""

MOST_SECONDS = 1.0
FEW = 10.0
"""Per cent of the rows that coefficients must stay below in all of Hwang's cells."""


# contaminated targets -------------------------------------------------------------------------------


def contaminated(lines: pd.DataFrame) -> Iterator[str]:
    names = list(MODELS["contaminated"])
    some = complete(lines[lines["table"].isin(CONTAMINATED)])
    if some.empty:
        return
    splits = some.groupby("table")["split"].nunique()
    yield (
        f"## Contaminated targets\n\n10 % of the rows to fit, published splits ({splits.min()} to "
        f"{splits.max()}), clean test rows."
    )
    yield "### MAE in standard deviations of the target\n\n" + beside_rcgp(per_table(some, "mae"), names)
    yield "### RMSE\n\n" + table(per_table(some, "rmse"), names, significant)
    yield "### CPU seconds of a fit, largest of the splits\n\n" + table(
        per_table(some, "seconds", "max"), names
    )
    if "RobustRVR" in set(some["model"]):
        yield "\n".join(best_or_tied(some))
    covered = lines[(lines["variant"] == "both-sided") & lines["model"].isin(COVERAGE)]
    if len(covered):
        yield "### Coverage of 95 % intervals on clean test rows, both-sided outliers, %\n\n" + table(
            100.0 * per_table(complete(covered), "cover95"), COVERAGE
        )


def beside_rcgp(values: pd.DataFrame, names: list[str]) -> str:
    values = in_order(values, names)
    rows = [
        [f"{name} {variant}", *(shown(value, 3) for value in line),
         *(f"{value:.3f}" for value in RCGP[name, variant])]
        for (_, name, variant), line in zip(values.index, values.to_numpy(), strict=True)
    ]  # fmt: skip
    return markdown(["cell", *values.columns, "GP (paper)", "RCGP (paper)", "Student-t GP (paper)"], rows)


def best_or_tied(lines: pd.DataFrame, name: str = "RobustRVR") -> Iterator[str]:
    """Say in which cells no peer's MAE is lower by more than the standard error of the difference."""
    peers = [peer for peer in MODELS["contaminated"] if peer not in ("RVR", "RobustRVR", "BayesianSVR")]
    good, total = 0, 0
    for (data, variant), some in lines.groupby(["table", "variant"]):
        errors = some.pivot_table(index="split", columns="model", values="mae", dropna=False)
        against = in_order(errors, peers)
        if not against.shape[1]:
            continue
        best = str(against.mean().idxmin())
        excess = errors[name] - against[best]
        spread = float(excess.std(ddof=1) / np.sqrt(len(excess))) if len(excess) > 1 else 0.0
        reached = float(excess.mean()) <= spread
        good, total = good + reached, total + 1
        yield verdict(
            reached,
            f"{data} {variant}: {errors[name].mean():.3f} against {against[best].mean():.3f} of {best}, the "
            f"best peer (difference {excess.mean():+.3f}, s.e. {spread:.3f})",
        )
    slowest = lines.loc[lines["model"] == name, "seconds"].max()
    yield verdict(good >= 5, f"{name} is best or tied in {good} of {total} cells (five of six wanted)")
    yield verdict(
        slowest < MOST_SECONDS,
        f"its slowest fit takes {slowest:.2f} CPU seconds (below {MOST_SECONDS:g} wanted)",
    )


# smooth functions -----------------------------------------------------------------------------------


def smooth(lines: pd.DataFrame) -> Iterator[str]:
    lines = complete(lines)
    explained = in_order(lines.pivot_table(index="split", columns="model", values="explained"), SMOOTH)
    spread = in_order(lines.pivot_table(index="split", columns="model", values="spread"), SMOOTH)
    yield f"## Random smooth functions\n\n{len(explained)} functions of 1 to 6 inputs, clean test points."
    rows, verdicts = [], []
    for name in explained:
        learnable = explained.drop(columns=name).max(axis=1) > EXPLAINED
        constant = learnable & ~(spread[name] >= CONSTANT)
        missed = learnable & ~(explained[name] > EXPLAINED)
        values = explained[name]
        seconds = lines.loc[lines["model"] == name, "seconds"].median()
        counts = [f"{learnable.sum()}", f"{missed.sum()}", f"{constant.sum()}"]
        rows.append([str(name), shown(values.mean(), 4), shown(values.median(), 4), shown(values.min(), 2),
                     *counts, shown(seconds, 3)])  # fmt: skip
        where = ", ".join(map(str, constant.index[constant]))
        if name in OWN_REGRESSORS:
            text = f"{name} returns {constant.sum()} constants" + (f": functions {where}" if where else "")
            verdicts.append(verdict(not constant.any(), text))
    headers = [
        "model",
        "explained, mean",
        "median",
        "worst",
        "another explains half",
        "it does not",
        "constants",
    ]
    yield markdown([*headers, "CPU seconds, median"], rows)
    yield "\n".join(verdicts)


# coefficients ---------------------------------------------------------------------------------------


def sparsity(lines: pd.DataFrame) -> Iterator[str]:
    lines = complete(lines).assign(half="")
    names = [name for name in MODELS["sparsity"] if name in set(lines["model"])]
    splits = lines.groupby("table")["split"].nunique()
    yield f"## Number of coefficients\n\nHwang & Jeong's cells, {splits.min()} to {splits.max()} splits."
    kept = in_order(
        per_table(lines.assign(kept=100.0 * lines["coefficients"] / lines["rows"]), "kept"), names
    )
    error = in_order(100.0 * per_table(lines, "error"), names)
    costs = [in_order(per_table(lines, each), names) for each in ("seconds", "predict_seconds", "file_bytes")]
    paper = paper_share(kept, "kept")
    paper_error = paper_share(error, "ERR")
    rows = [
        [f"{index[1]} {index[2]} %", *map(shown, kept.loc[index]), shown(paper[index]),
         *map(shown, error.loc[index]), shown(paper_error[index])]
        for index in kept.index
    ]  # fmt: skip
    heads = [*(f"{name}, % of n" for name in names), "paper's RRVM, % of n"]
    yield markdown(["cell", *heads, *(f"{name}, error %" for name in names), "paper's error %"], rows)
    rows = [
        [f"{index[1]} {index[2]} %", *map(shown, costs[0].loc[index]), *map(shown, costs[1].loc[index]),
         *(shown(size / 1024, 0) for size in costs[2].loc[index])]
        for index in kept.index
    ]  # fmt: skip
    heads = [f"{name}, {what}" for what in ("fit s", "100 000 rows s", "file KiB") for name in names]
    yield markdown(["cell", *heads], rows)
    yield "\n".join(sparsity_verdicts(kept, error, costs[1], costs[2], paper))


def paper_share(values: pd.DataFrame, measure: str) -> pd.Series[float]:
    numbers = [published(name, int(flipped), measure, "RRVM") for _, name, flipped in values.index]
    return pd.Series([np.nan if number is None else number.mean for number in numbers], values.index)


def sparsity_verdicts(
    kept: pd.DataFrame,
    error: pd.DataFrame,
    seconds: pd.DataFrame,
    size: pd.DataFrame,
    paper: pd.Series[float],
) -> Iterator[str]:
    mine = kept["RobustRVC"]
    close = mine <= 2.0 * paper
    yield verdict(
        close.sum() >= 8, f"within twice the paper's share in {close.sum()} of {len(mine)} cells (8 wanted)"
    )
    yield verdict(
        bool((mine < FEW).all()), f"below {FEW:g} % of n in {(mine < FEW).sum()}, {mine.max():.1f} at most"
    )
    if "RRVM one width" in kept:
        few = kept["RRVM one width"] <= paper
        yield verdict(bool(few.all()), f"with one width at or below the paper's in {few.sum()} of {len(few)}")
    if UNPROJECTED not in kept:
        yield "- no unprojected model to compare with: it has no parameter `sparsity`"
        return
    excess = error["RobustRVC"] - error[UNPROJECTED]
    yield verdict(
        bool((excess <= 0.3).all()), f"errors at most {excess.max():+.2f} points above the unprojected"
    )
    faster = seconds[UNPROJECTED] / seconds["RobustRVC"]
    yield verdict(
        bool((faster >= 2.0).all()), f"predictions {faster.min():.1f} to {faster.max():.1f} times as fast"
    )
    smaller = size[UNPROJECTED] / size["RobustRVC"]
    yield verdict(
        bool((smaller > 1.0).all()), f"files {smaller.min():.1f} to {smaller.max():.1f} times as small"
    )
