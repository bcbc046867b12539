"""Lines of the accuracy stores: which ones count, and how they are written down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

CELL = ["kind", "table", "variant", "split", "rows"]
HALVES = ("A", "B", "all")


def read(stores: Iterable[Path], most_rows: int) -> pd.DataFrame:
    """Return the lines for one cap on rows; of a model that several stores have, those of the last."""
    frames = [
        pd.read_csv(store, keep_default_na=False, na_values=["nan"], dtype={"variant": str})
        for store in stores
    ]
    lines = pd.concat(frames, ignore_index=True).drop_duplicates([*CELL, "model"], keep="last")
    lines["half"] = lines["half"].fillna("")
    return lines[lines["rows"] == lines["pool"].clip(upper=most_rows)].reset_index(drop=True)


def complete(lines: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of splits that all models of the same table have, so that means compare."""
    table = ["kind", "table", "variant"]
    wanted = lines.groupby(table)["model"].transform("nunique")
    return lines[lines.groupby(CELL)["model"].transform("nunique") == wanted]


def per_table(lines: pd.DataFrame, score: str, how: str = "mean") -> pd.DataFrame:
    """Return a score with a row for each half, table and variant and a column for each model.

    Where a fit failed, so has the mean.
    """

    def summed(values: pd.Series[float]) -> float:
        return float(getattr(values, how)(skipna=False))

    pivot = lines.pivot_table(
        index=["half", "table", "variant"], columns="model", values=score, aggfunc=summed, dropna=False
    )
    return pivot.dropna(axis=0, how="all").dropna(axis=1, how="all")


def in_order(values: pd.DataFrame, models: Sequence[str]) -> pd.DataFrame:
    """Return the columns of the models that there are, in their order."""
    return values[[model for model in models if model in values]]


def faced(lines: pd.DataFrame, model: str) -> pd.DataFrame:
    """Return the lines of tables that a model has been run on."""
    mine = lines.loc[lines["model"] == model, "table"]
    return lines[lines["table"].isin(set(mine))]


def by_half(values: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of half A, of half B, and all, where there are any."""
    halves = values.index.get_level_values("half")
    for half in HALVES:
        some = values if half == "all" else values[halves == half]
        if len(some):
            yield half, some


# markdown -------------------------------------------------------------------------------------------


def shown(value: float, digits: int = 2) -> str:
    return "-" if not np.isfinite(value) else f"{value:.{digits}f}"


def significant(value: float) -> str:
    """Return a number with four figures, as errors in units of their own need."""
    return "-" if not np.isfinite(value) else f"{value:.4g}"


def markdown(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(headers)} |", f"|{'---|' * len(headers)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def table(
    values: pd.DataFrame,
    models: Sequence[str],
    form: Callable[[float], str] = shown,
    means: pd.DataFrame | None = None,
) -> str:
    """Return a table of a score: a row per table, then the means of each half (of other values if given)."""
    values = in_order(values, models)
    means = values if means is None else in_order(means, models)
    rows = [
        [half, " ".join(filter(None, (name, variant))), *map(form, line)]
        for (half, name, variant), line in zip(values.index, values.to_numpy(), strict=True)
    ]
    for half, some in by_half(means):
        rows.append([half, "**mean**", *map(form, some.mean(skipna=False))])
    return markdown(["half", "table", *values.columns], rows)


def verdict(reached: bool, text: str) -> str:
    return f"- {'reached' if reached else 'MISSED'}: {text}"
