"""After Li et al. (2008): which experiments there are."""

from __future__ import annotations

from papers.context import RunContext
from papers.experiments import Experiment, Record
from papers.li import drift, regression
from papers.li.protocol import TRAINING_ROWS, real_once, synthetic_once

RATIOS, QUICK_RATIOS = (1, 3, 10, 30, 100), (3, 30)
"""Common rows per rare row of the synthetic data: from balance to six rare rows among 606."""

REAL = (("glass", 6), ("pima", 10), ("ionosphere", 10), ("ionosphere", 30), ("cancer", 10), ("cancer", 30))
"""Real data sets and the ratios their training rows are thinned to."""

QUICK_REAL = (("glass", 6), ("ionosphere", 10))
"""Those of a quick run."""

REPEATS, QUICK_REPEATS = 20, 2
"""Draws or splits per problem; two are the fewest with a spread."""

QUICK_ROWS = 303
"""Training rows of a quick run's clouds: ten rare ones at one in thirty."""

REGRESSIONS, QUICK_REGRESSIONS = ("sinc", "friedman", "concrete", "yacht", "boston"), ("sinc", "yacht")
"""Problems of the study of outliers."""

QUICK_REGRESSION_ROWS = 80
"""Training rows of a quick run's regressions."""

SHARES, QUICK_SHARES = (0.0, 0.05, 0.1, 0.2), (0.0, 0.2)
"""Shares of outliers among the training targets."""

CHANGES: tuple[tuple[str, float], ...] = (
    ("gradual", 0.0),
    ("gradual", 15.0),
    ("gradual", 30.0),
    ("gradual", 60.0),
    ("gradual", 120.0),
    ("gradual", 180.0),
    ("0.25", 90.0),
    ("0.6", 90.0),
    ("0.85", 90.0),
)
"""How the world changes: not at all, slowly, or by a jump after a share of the past; and how far."""

QUICK_CHANGES: tuple[tuple[str, float], ...] = (("gradual", 0.0), ("gradual", 60.0), ("0.6", 90.0))
"""Those of a quick run."""

PASTS, QUICK_PASTS = (90, 300), (90,)
"""Rows of the past, few and many."""

SIDE_REPEATS = 10
"""Repeats of the studies of outliers and of drift."""

Side = tuple[str, float, bool]
"""A problem of the study of outliers: data, share of outliers, whether all are upwards."""

Past = tuple[int, str, float]
"""A problem of the study of drift: rows, change, amount."""


def ratios(context: RunContext) -> tuple[int, ...]:
    """Return the ratios of the clouds that this run has."""
    return QUICK_RATIOS if context.quick else RATIOS


def synthetic_experiments(context: RunContext, noise: bool) -> dict[int, Experiment]:
    """Return the experiments of clouds by ratio."""
    rows = QUICK_ROWS if context.quick else TRAINING_ROWS
    return {
        ratio: Experiment(
            f"li-clouds-{ratio}{'-noise' if noise else ''}",
            synthetic_once,
            {"ratio": ratio, "noise": noise, "grid": context.grid, "rows": rows},
            context.count(REPEATS, QUICK_REPEATS),
            stream=f"li-clouds-{ratio}",
        )
        for ratio in ratios(context)
    }


def real_experiments(context: RunContext, noise: bool) -> dict[tuple[str, int], Experiment]:
    """Return the experiments of real data by set and ratio."""
    return {
        (name, ratio): Experiment(
            f"li-{name}-{ratio}{'-noise' if noise else ''}",
            real_once,
            {"name": name, "ratio": ratio, "noise": noise, "grid": context.grid},
            context.count(REPEATS, QUICK_REPEATS),
            stream=f"li-{name}",
            datasets=(name,),
        )
        for name, ratio in (QUICK_REAL if context.quick else REAL)
    }


def problems(context: RunContext, noise: bool) -> list[Experiment]:
    """Return every experiment of rare classes, clean or noisy."""
    return [*synthetic_experiments(context, noise).values(), *real_experiments(context, noise).values()]


def all_records(context: RunContext, noise: bool) -> dict[str, list[Record]]:
    """Return the records of every experiment of rare classes, clean or noisy."""
    return context.collect(problems(context, noise))


def regression_experiments(context: RunContext) -> dict[Side, Experiment]:
    """Return the experiments of regression with outliers: all shares on both sides, then upwards."""
    shares = QUICK_SHARES if context.quick else SHARES
    sides = [(share, False) for share in shares]
    sides += [] if context.quick else [(share, True) for share in shares if share > 0]
    found = {}
    for name in QUICK_REGRESSIONS if context.quick else REGRESSIONS:
        for share, one_sided in sides:
            settings = {"name": name, "share": share, "one_sided": one_sided, "grid": context.grid}
            settings["rows"] = QUICK_REGRESSION_ROWS if context.quick else regression.TRAINING_ROWS
            found[name, share, one_sided] = Experiment(
                f"li-outliers-{name}-{share:g}{'-up' if one_sided else ''}",
                regression.regression_once,
                settings,
                context.count(SIDE_REPEATS, QUICK_REPEATS),
                stream=f"li-outliers-{name}",
                datasets=() if name in ("sinc", "friedman") else (name,),
            )
    return found


def drift_experiments(context: RunContext, classes: bool) -> dict[Past, Experiment]:
    """Return the experiments of rows in order of time, of classes or of a regression."""
    task = "classes" if classes else "regression"
    return {
        (rows, change, amount): Experiment(
            f"li-drift-{task}-{rows}-{change}-{amount:g}",
            drift.classes_once if classes else drift.regression_once,
            {"rows": rows, "change": change, "amount": amount},
            context.count(SIDE_REPEATS, QUICK_REPEATS),
            stream=f"li-drift-{task}-{rows}",
        )
        for rows in (QUICK_PASTS if context.quick else PASTS)
        for change, amount in (QUICK_CHANGES if context.quick else CHANGES)
    }


def regression_records(context: RunContext) -> dict[Side, list[Record]]:
    """Return the records of regression with outliers, by problem."""
    experiments = regression_experiments(context)
    records = context.collect(experiments.values())
    return {side: records[experiment.name] for side, experiment in experiments.items()}


def drift_records(context: RunContext, classes: bool) -> dict[Past, list[Record]]:
    """Return the records of rows in order of time, by problem."""
    experiments = drift_experiments(context, classes)
    records = context.collect(experiments.values())
    return {past: records[experiment.name] for past, experiment in experiments.items()}


def all_experiments(context: RunContext) -> list[Experiment]:
    """Return all experiments of this paper."""
    return [
        *problems(context, noise=False),
        *problems(context, noise=True),
        *regression_experiments(context).values(),
        *drift_experiments(context, classes=True).values(),
        *drift_experiments(context, classes=False).values(),
    ]
