"""The page on constants."""

from __future__ import annotations

from typing import Any

import pandas as pd

from benchmarks.evidence.constants import BASE, PROBLEMS
from benchmarks.evidence.pages.markdown import assembled, failures, grid, origin, section, shown
from benchmarks.evidence.pages.results import Results

DIGITS = {"error": 2, "log_loss": 3, "rmse": 3, "log_score": 3, "precision": 3}
"""What is shown, as differences from the run with no constant changed."""

TABLES = ", ".join(f"{table} {noise}" for table, noise, _ in PROBLEMS)
WORDS = f"""Each constant of `fitting/`, `trust/`, `kernels/` and `inference/`, halved and doubled, and
what `RobustRVC` and `RobustRVR` are worth then on small development problems ({TABLES}): the mean over
problems less that of the run with nothing changed. The table begins with those that matter most: by the
sum of the absolute differences of log loss, RMSE and negative log score. Constants for many rows, files
and devices cannot matter here."""


def page(results: Results) -> str:
    """Return the page."""
    lines = results.lines("constants")
    head = origin(results, "constants")
    base = lines[(lines["constant"] == BASE) & lines["failed"].isna()] if len(lines) else lines
    if base.empty:
        return assembled("Constants", WORDS, head)
    first = base.iloc[-1]
    others = lines[lines["constant"] != BASE]
    same = others[others["failed"].isna() & (apart(others, first).abs().sum(axis=1) == 0.0)]
    idle = sorted(set(same["constant"]) - set(others["constant"][~others.index.isin(same.index)]))
    moved = others[~others["constant"].isin(idle) & others["failed"].isna()]
    return assembled(
        "Constants",
        WORDS,
        head,
        section("Nothing changed", table([first_row(first)])),
        section("Constants that matter here", table(rows(moved, first))),
        section("Constants that change no figure here", ", ".join(f"`{named(each)}`" for each in idle)),
        section("Failures", failures(lines.assign(learner=lines["constant"]))),
    )


def apart(lines: pd.DataFrame, base: Any) -> pd.DataFrame:
    """Return the differences from the run with nothing changed."""
    return pd.DataFrame({name: lines[name] - base[name] for name in DIGITS})


def first_row(base: Any) -> list[str]:
    return [
        BASE,
        "",
        *(shown(base[name], digits) for name, digits in DIGITS.items()),
        shown(base["seconds"], 1),
    ]


def rows(lines: pd.DataFrame, base: Any) -> list[list[str]]:
    """Return one row per change, the constants that matter most first."""
    off = apart(lines, base)
    weight = off[["log_loss", "rmse", "log_score"]].abs().sum(axis=1).groupby(lines["constant"]).max()
    order = lines.assign(weight=lines["constant"].map(weight)).sort_values(
        ["weight", "constant", "factor"], ascending=[False, True, True]
    )
    return [
        [
            f"`{named(line['constant'])}`",
            "doubled" if line["factor"] > 1 else "halved",
            *(f"{off[name][index]:+.{digits}f}" for name, digits in DIGITS.items()),
            f"{line['seconds'] - base['seconds']:+.1f}",
        ]
        for index, line in order.iterrows()
    ]


def named(constant: str) -> str:
    return constant.removeprefix("rowtrust.")


def table(lines: list[list[str]]) -> str:
    heads = ["constant", "", "error, %", "log loss", "RMSE", "neg. log score", "av. precision", "CPU seconds"]
    return grid(heads, lines, words=2)
