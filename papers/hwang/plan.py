"""Hwang & Jeong (2015): which experiments there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from papers.context import RunContext
from papers.experiments import Experiment, Record
from papers.hwang.protocol import (
    REAL,
    SYNTHETIC,
    flips_of,
    literal_once,
    nearest_once,
    one_class_once,
    split_once,
)
from papers.hwang.published import REPEATS

QUICK_REPEATS = 2
"""Splits of a quick run: the fewest that have a standard deviation."""

LITERAL_REPEATS = 8
"""Splits on which the paper's own loop runs: eight widths take it five to thirty seconds a split."""

LITERAL_NAMES = ("banana", *REAL)
"""Where it runs: Ripley's 750 training rows take it close to three minutes a split."""

ONE_CLASS_REPEATS = 20
"""Splits of table C: enough for the standard errors of a mean."""

QUICK_LITERAL, QUICK_ONE_CLASS = (("liver", 10),), ("liver",)
"""Where a quick run looks at the loop and at flips in one class."""

QUICK_ROWS = 150
"""Training rows at most in a quick run."""

NAMES = (*SYNTHETIC, *REAL)
"""All data sets."""

Key = tuple[str, int]
"""A data set and a percentage of wrong labels."""


def experiment(
    context: RunContext, kind: str, function: Callable[..., Record], key: Key, repeats: int
) -> Experiment:
    """Return one experiment on a data set: all kinds have the same splits."""
    name, flipped = key
    settings: dict[str, Any] = {"name": name, "flipped": flipped}
    if function is not nearest_once:
        settings |= {"grid": context.grid, "most": QUICK_ROWS if context.quick else None}
    return Experiment(
        f"hwang-{kind}{name}-{flipped}", function, settings, repeats, stream=f"hwang-{name}", datasets=(name,)
    )


def experiments(context: RunContext, names: tuple[str, ...]) -> dict[Key, Experiment]:
    """Return the experiments of tables 1 to 7 on some data sets, by data set and percentage."""
    repeats = context.count(REPEATS, QUICK_REPEATS)
    return {key: experiment(context, "", split_once, key, repeats) for key in keys(names)}


def literal_experiments(context: RunContext) -> dict[Key, Experiment]:
    """Return those of the literal loop."""
    repeats = min(context.count(LITERAL_REPEATS, 1), LITERAL_REPEATS)
    chosen = QUICK_LITERAL if context.quick else keys(LITERAL_NAMES)
    return {key: experiment(context, "literal-", literal_once, key, repeats) for key in chosen}


def nearest_experiments(context: RunContext) -> dict[Key, Experiment]:
    """Return those of 1-NN under several readings of the paper."""
    repeats = context.count(REPEATS, QUICK_REPEATS)
    return {key: experiment(context, "nearest-", nearest_once, key, repeats) for key in keys(NAMES)}


def one_class_experiments(context: RunContext) -> dict[Key, Experiment]:
    """Return those of flips that are all of one class."""
    repeats = min(context.count(ONE_CLASS_REPEATS, QUICK_REPEATS), ONE_CLASS_REPEATS)
    names = QUICK_ONE_CLASS if context.quick else NAMES
    return {
        (name, 10): experiment(context, "one-class-", one_class_once, (name, 10), repeats) for name in names
    }


def keys(names: tuple[str, ...]) -> tuple[Key, ...]:
    """Return all cells of some data sets."""
    return tuple((name, flipped) for name in names for flipped in flips_of(name))


def gathered(context: RunContext, names: tuple[str, ...]) -> dict[Key, list[Record]]:
    """Return the records of tables 1 to 7 on some data sets, by data set and percentage."""
    return collected(context, experiments(context, names))


def collected(context: RunContext, wanted: dict[Key, Experiment]) -> dict[Key, list[Record]]:
    """Return the records of some experiments, by data set and percentage."""
    records = context.collect(wanted.values())
    return {key: records[item.name] for key, item in wanted.items()}


def all_experiments(context: RunContext) -> list[Experiment]:
    """Return all experiments of this paper."""
    return [
        *experiments(context, NAMES).values(),
        *literal_experiments(context).values(),
        *nearest_experiments(context).values(),
        *one_class_experiments(context).values(),
    ]
