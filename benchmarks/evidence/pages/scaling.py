"""The page on more and more rows."""

from __future__ import annotations

from typing import Any

import pandas as pd

from benchmarks.evidence.pages.markdown import assembled, code, failures, grid, origin, section, shown
from benchmarks.evidence.pages.results import Results

WORDS = """One synthetic problem, ten inputs, of which five are of no use. Classes: a tenth of the labels
flipped; the best possible error on clean rows is 7.4 %. Numbers: the same function, a tenth of the rows
with twenty times the noise. Each fit has a process of its own and one thread, `basis=500` for ours and
defaults for boosting, and is timed once. Memory is the most that the process had, libraries included. One
problem and one draw: ratios matter."""

CLASSES = ("size", "form", "learner", "error", "log_loss", "wall", "seconds", "memory", "vectors")
NUMBERS = ("size", "form", "learner", "rmse", "wall", "seconds", "memory", "vectors")
HEADS = {
    "size": "rows",
    "form": "as",
    "error": "error, %",
    "log_loss": "log loss",
    "rmse": "RMSE, deviations",
    "wall": "seconds",
    "seconds": "CPU seconds",
    "memory": "MiB",
}
DIGITS = {"error": 2, "log_loss": 3, "rmse": 3, "wall": 1, "seconds": 1, "memory": 0, "vectors": 0}


def page(results: Results) -> str:
    """Return the page."""
    lines = results.lines("scaling").sort_values(["size", "learner", "form"])
    head = origin(results, "scaling")
    if lines.empty:
        return assembled("Many rows", WORDS, head)
    of_numbers = lines["learner"].isin(["RobustRVR"]) | lines["learner"].str.endswith("numbers")
    return assembled(
        "Many rows",
        WORDS,
        head,
        section("Classes", table(lines[~of_numbers], CLASSES)),
        section("Numbers", table(lines[of_numbers], NUMBERS)),
        section("Failures", failures(lines)),
    )


def table(lines: pd.DataFrame, names: tuple[str, ...]) -> str:
    """Return one row per fit."""
    rows = [
        [cell(name, line[name]) for name in names]
        for line in lines[lines["failed"].isna()].to_dict("records")
    ]
    return grid([HEADS.get(name, name) for name in names], rows, words=3)


def cell(name: str, value: Any) -> str:
    """Return what stands in a column."""
    if name == "size":
        return f"{int(value):,}".replace(",", " ")
    if name == "learner":
        return code(value.removesuffix(", numbers"))
    return value if name == "form" else shown(value, DIGITS[name])
