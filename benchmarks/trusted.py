"""Trust for any model: learners as they are, trusted, after cleanlab's ``CleanLearning``, and an oracle.

Every cell is a table with one kind of errors at one rate, or as it is; the judge is fitted once and shared by
the learners. Boosting and a forest see all rates, the others 20 % only (``--quick``: of 10 and 20 %).
*Closed* is the part of the gap between the learner as it is and its oracle, which is fitted to the right rows
alone.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVR

from benchmarks import label_noise
from benchmarks.dirty_peers import CalibratedSVC, by_class
from benchmarks.judge import GROSS, quietly
from benchmarks.judge_labels import LEAST, by_half, codes
from benchmarks.race import Options
from benchmarks.report import print_table, print_title
from benchmarks.tables import Table, read_tables
from rowtrust import RobustRVC, RobustRVR, TrustedClassifier, TrustedRegressor

Array = NDArray[Any]
Line = dict[str, Any]
Cell = tuple[Table, str, float, int]

MOST_ROWS, QUICK_ROWS, MOST_TEST_ROWS = 1000, 200, 5000
"""Rows of a table that are fitted, and that test."""

ALL_RATES, ONE_RATE = ("boosting", "forest"), 0.2
"""Learners that see all rates, and the rate of the others: they say little that these do not."""

CLEAN = "none"
"""The kind of a table as it is."""

LABEL_RATES, NUMBER_RATES = (0.1, 0.2, 0.3), (0.05, 0.1, 0.2)
"""Shares of wrong labels and of gross errors."""

QUICK_RATES = (0.1, 0.2)
"""Shares of either with ``--quick``."""

SIDES = {"both-sided": (-1.0, 1.0), "one-sided": (1.0, 1.0)}
"""Signs of gross errors."""

TREES, NEIGHBOURS = 100, 15
"""Trees of a forest, scikit-learn's own number; neighbours, more than its five, which follow every error."""

CLASSIFIERS: dict[str, Any] = {
    "boosting": HistGradientBoostingClassifier(random_state=0),
    "forest": RandomForestClassifier(TREES, random_state=0),
    "SVC": CalibratedSVC(),
    "logistic": LogisticRegression(max_iter=1000),
    "neighbours": KNeighborsClassifier(NEIGHBOURS),
}
"""Learners of classes."""

REGRESSORS: dict[str, Any] = {
    "boosting": HistGradientBoostingRegressor(random_state=0),
    "forest": RandomForestRegressor(TREES, random_state=0),
    "SVR": SVR(),
    "ridge": Ridge(),
    "neighbours": KNeighborsRegressor(NEIGHBOURS),
}
"""Learners of numbers."""

NAMES = ("plain", "trusted", "cleanlab", "oracle")
"""The fits of a learner."""

KEY = ("table", "kind", "rate", "draw", "most_rows", "learner")
"""What names a line in a store."""


def run(settings: Options) -> None:
    """Print the tables; what the store has is not measured again."""
    if settings.data is None:
        print("\ntrusted: skipped; give the folder of manifest.csv with --data or ROWTRUST_DATA.")
        return
    most_rows = settings.most_rows or (QUICK_ROWS if settings.quick else MOST_ROWS)
    store, lines = settings.store, []
    if store and store.exists():
        lines = pd.read_csv(store).to_dict("records")
    known = {tuple(line[name] for name in KEY) for line in lines}
    work = []
    for cell in cells(settings):
        names = [name for name in learners(cell) if name in (settings.only or [name])]
        key = (cell[0].name, *cell[1:], most_rows)
        if missing := [name for name in names if (*key, name) not in known]:
            work.append(joblib.delayed(quietly)(measure, cell, most_rows, missing))
    for found in joblib.Parallel(settings.jobs, batch_size=1, return_as="generator_unordered")(work):
        lines += found
        if store:
            pd.DataFrame(lines).to_csv(store, index=False)
    show(pd.DataFrame(lines))


def cells(settings: Options) -> list[Cell]:
    """Return tables as they are, and with every kind of error at every rate."""
    found: list[Cell] = []
    for draw in range(settings.draws):
        for table in read_tables(settings.data):  # type: ignore[arg-type]
            if table.name not in (settings.tables or [table.name]) or table.half not in (
                settings.half or "AB"
            ):
                continue
            kind = "classes" if table.is_classes else "numbers"
            if kind not in (settings.kinds or [kind]):
                continue
            kinds, rates = (label_noise.NOISES, LABEL_RATES) if table.is_classes else (SIDES, NUMBER_RATES)
            found.append((table, CLEAN, 0.0, draw))
            rates = QUICK_RATES if settings.quick else rates
            found += [(table, each, rate, draw) for each in kinds for rate in rates]
    return found


def learners(cell: Cell) -> list[str]:
    """Return the learners of a cell."""
    table, kind, rate, _ = cell
    names = list(CLASSIFIERS if table.is_classes else REGRESSORS)
    return names if kind == CLEAN or rate == ONE_RATE else list(ALL_RATES)


def measure(cell: Cell, most_rows: int, names: list[str]) -> list[Line]:
    """Return what learners are worth in a cell."""
    table, kind, rate, draw = cell
    X, y, X_test, y_test = table.split(most_rows, draw)
    X_test, y_test = X_test[:MOST_TEST_ROWS], y_test[:MOST_TEST_ROWS]
    seed = np.random.default_rng([7, int(100 * rate), draw])
    if table.is_classes:
        y, y_test = codes(y, y_test)
        noise = label_noise.NOISES.get(kind)
        given, wrong = noise(X, y, rate, seed) if noise else (y, np.zeros(len(y), dtype=bool))
    else:
        given, wrong = with_errors(y, rate, SIDES.get(kind, (1.0, 1.0)), seed)
    start = perf_counter()
    judge = (RobustRVC() if table.is_classes else RobustRVR()).fit(X, given)
    judging = perf_counter() - start
    base: Line = {"half": table.half, "table": table.name, "kind": kind, "rate": rate, "draw": draw}
    base |= {"most_rows": most_rows, "task": "classes" if table.is_classes else "numbers", "judging": judging}
    worth = worth_of_labels if table.is_classes else worth_of_numbers
    known = CLASSIFIERS if table.is_classes else REGRESSORS
    rows = (X, given, wrong, X_test, y_test)
    return [{**base, "learner": name, **worth(known[name], judge, *rows)} for name in names]


def with_errors(
    y: Array, rate: float, signs: tuple[float, float], rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return targets of which a share was moved far, and which of them."""
    wrong = np.isin(np.arange(len(y)), rng.choice(len(y), int(rate * len(y)), replace=False))
    size = rng.uniform(*GROSS, len(y)) * rng.choice(signs, len(y))
    return np.where(wrong, y + size * np.std(y), y), wrong


def timed(fit: Callable[[], Any]) -> tuple[Any, float]:
    """Return a fit and its seconds; none where it fails."""
    start = perf_counter()
    try:
        return fit(), perf_counter() - start
    except (ValueError, TypeError, IndexError):
        return None, np.nan


def four(learner: Any, trusted: Any, cleaned: Any, X: Array, given: Array, wrong: Array) -> dict[str, Any]:
    """Return the four fits of a learner with their seconds."""
    return {
        "plain": timed(lambda: clone(learner).fit(X, given)),
        "trusted": timed(lambda: trusted.fit(X, given)),
        "cleanlab": timed(lambda: cleaned.fit(X, given)),
        "oracle": timed(lambda: clone(learner).fit(X[~wrong], given[~wrong])),
    }


def worth_of_labels(learner: Any, judge: Any, X: Array, given: Array, wrong: Array, *test: Array) -> Line:
    """Return errors and log losses of a classifier."""
    from cleanlab.classification import CleanLearning

    cleaned = CleanLearning(clone(learner), seed=0, find_label_issues_kwargs={"n_jobs": 1})
    fits = four(learner, TrustedClassifier(clone(learner), judge=judge), cleaned, X, given, wrong)
    X_test, y_test = test
    line: Line = {"kept": fits["trusted"][0].uses_trust_}
    for name, (model, seconds) in fits.items():
        model = getattr(model, "clf", model)
        error = loss = np.nan
        if model is not None:
            classes = np.arange(given.max() + 1)
            probability = np.clip(by_class(model, X_test, classes), LEAST, 1.0)
            probability, seen = probability / probability.sum(axis=1, keepdims=True), y_test >= 0
            error = 100.0 * float(np.mean(probability.argmax(axis=1) != y_test))
            loss = log_loss(y_test[seen], probability[seen], labels=classes)
        line |= {f"{name} error": error, f"{name} loss": loss, f"{name} seconds": seconds}
    return line


def worth_of_numbers(learner: Any, judge: Any, X: Array, given: Array, wrong: Array, *test: Array) -> Line:
    """Return errors of a regressor, in deviations of the right targets, and what its intervals cover."""
    from cleanlab.regression.learn import CleanLearning

    X_test, y_test = test
    unit = float(np.std(given[~wrong]))
    trusted = TrustedRegressor(clone(learner), judge=judge)
    fits = four(learner, trusted, CleanLearning(clone(learner), seed=0), X, given, wrong)
    line: Line = {"kept": trusted.uses_trust_}
    for name, (model, seconds) in fits.items():
        error = np.nan if model is None else root_mean_square(model.predict(X_test) - y_test) / unit
        line |= {f"{name} error": error, f"{name} seconds": seconds}
    lower, upper = trusted.predict_interval(X_test)
    line |= {"covered": float(np.mean((lower <= y_test) & (y_test <= upper)))}
    line["width"] = float(np.mean(upper - lower)) / unit
    right = TrustedRegressor(clone(learner), judge=clone(judge)).fit(X[~wrong], given[~wrong])
    lower, upper = right.predict_interval(X_test)
    line["oracle width"] = float(np.mean(upper - lower)) / unit
    return line


def root_mean_square(values: Array) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


# what is printed ------------------------------------------------------------------------------------


def show(lines: pd.DataFrame) -> None:
    """Print all tables of the lines."""
    for task, part in lines.groupby("task"):
        clean, dirty = part[part.kind == CLEAN], part[part.kind != CLEAN]
        if task == "numbers":
            show_numbers(dirty)
            show_intervals(part)
        else:
            show_labels(dirty)
        show_clean(clean, str(task))


def show_numbers(dirty: pd.DataFrame) -> None:
    """Print how near to the oracle learners are, and whether cleanlab is nearer."""
    print_title("Numbers with gross errors: RMSE over that of the oracle")
    rows = []
    for half, some in by_half(dirty):
        for (learner, kind, rate), each in some.groupby(["learner", "kind", "rate"]):
            ratios = {
                name: each[f"{name} error"] / each["oracle error"]
                for name in ("plain", "trusted", "cleanlab")
            }
            line = [half, str(learner), str(kind), f"{rate:.0%}", str(len(each))]
            line += [f"{ratio.median():.2f}, {ratio.max():.2f}" for ratio in ratios.values()]
            rows.append([*line, *beside_cleanlab(each)])
        rows.append([half, "all", "", "", str(len(some)), "", "", "", *beside_cleanlab(some)])
    heads = ["half", "learner", "errors", "rate", "cells", "plain: median, worst", "trusted", "cleanlab"]
    print_table([*heads, "below cleanlab", "seconds: trusted, cleanlab"], rows)


def beside_cleanlab(cells: pd.DataFrame) -> list[str]:
    """Return in what share of the cells trust errs no more than cleanlab, and seconds with the judge's."""
    known = cells[cells["cleanlab error"].notna()]
    won = (known["trusted error"] <= known["cleanlab error"]).mean()
    ours = (cells["trusted seconds"] + cells["judging"]).mean()
    return [f"{won:.2f}", f"{ours:.1f}, {cells['cleanlab seconds'].mean():.1f}"]


def show_intervals(cells: pd.DataFrame) -> None:
    """Print what intervals of 90 % cover, and how wide they are beside an oracle's."""
    print_title("Intervals of 90 % for any regressor: clean test rows covered, width over the oracle's")
    rows = []
    for half, some in by_half(cells):
        for (learner, rate), each in some.groupby(["learner", "rate"]):
            ratio = each.width / each["oracle width"]
            line = [half, str(learner), f"{rate:.0%}", str(len(each)), f"{each.covered.mean():.1%}"]
            rows.append([*line, f"{each.covered.min():.1%}", f"{ratio.median():.2f}", f"{ratio.max():.2f}"])
    print_table(["half", "learner", "rate", "cells", "covered", "least", "width: median", "worst"], rows)


def show_labels(dirty: pd.DataFrame) -> None:
    """Print errors and log losses, and how much of the gap to the oracle is closed."""
    print_title("Wrong labels: error, %, and log loss: plain, trusted, cleanlab, oracle")
    rows = []
    for half, some in by_half(dirty):
        groups = [
            *some.groupby(["learner", "kind"]),
            *some.groupby([some.learner, some.rate.map("{:.0%}".format)]),
        ]
        pooled = some[some.learner.isin(ALL_RATES)]
        for (learner, kind), each in [*groups, (("boosting and forest", "all"), pooled)]:
            means = each[[f"{name} {what}" for what in ("error", "loss") for name in NAMES]].mean()
            gap = means["plain error"] - means["oracle error"]
            closed = (means["plain error"] - means["trusted error"]) / gap if gap > 0.0 else np.nan
            known = each[each["cleanlab error"].notna()]
            line = [half, str(learner), str(kind), str(len(each))]
            line.append(" ".join(f"{means[f'{name} error']:.2f}" for name in NAMES))
            line.append(" ".join(f"{means[f'{name} loss']:.3f}" for name in NAMES))
            won = (known["trusted error"] <= known["cleanlab error"]).mean()
            surer = (known["trusted loss"] <= known["cleanlab loss"]).mean()
            rows.append([*line, f"{closed:.2f}", f"{won:.2f}", f"{surer:.2f}"])
    heads = ["half", "learner", "noise", "cells", "error", "log loss", "closed", "error below cleanlab's"]
    print_table([*heads, "log loss"], rows)


def show_clean(clean: pd.DataFrame, task: str) -> None:
    """Print what trust costs where nothing was made wrong."""
    print_title(f"Tables of {task} as they are: trusted less plain")
    rows = []
    for half, some in by_half(clean):
        for learner, each in [*some.groupby("learner"), ("all", some)]:
            line = [half, str(learner), str(len(each)), f"{each.kept.mean():.2f}"]
            if task == "classes":
                rows.append(
                    [*line, *costs(each, "error", 1.0, "", False), *costs(each, "loss", 100.0, " %", True)]
                )
            else:
                rows.append([*line, *costs(each, "error", 100.0, " %", True)])
    heads = ["error", "worst", "log loss", "worst"] if task == "classes" else ["RMSE", "worst"]
    print_table(["half", "learner", "tables", "doubt kept", *heads], rows)


def costs(clean: pd.DataFrame, what: str, unit: float, sign: str, relative: bool = True) -> list[str]:
    """Return the mean and the worst of what trust adds."""
    added = clean[f"trusted {what}"] - clean[f"plain {what}"]
    added = unit * (added / clean[f"plain {what}"] if relative else added)
    return [f"{added.mean():+.2f}{sign}", f"{added.max():+.2f}{sign} {clean.table[added.idxmax()]}"]
