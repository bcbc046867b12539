"""The judge of labels on the tables of classes: what it finds and counts, and what a fit gains by it.

Every cell is a table with one kind of wrong labels at one rate, or as it is. *Finding*: average precision and
F1 beside cleanlab over four learners, the same folds for all. *Counting*: rates of wrong labels, their number
and its interval. *Fitting*: errors and log losses on clean rows, beside the learners as they are and without
the rows that cleanlab names.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, f1_score, log_loss

from benchmarks import label_noise
from benchmarks.dirty_peers import PEERS, by_class, by_cleanlab, out_of_fold
from benchmarks.report import print_table, print_title
from benchmarks.tables import Table
from rowtrust import RVC, RobustRVC
from rowtrust.trust import Findings

Array = NDArray[Any]

RATES = (0.1, 0.2, 0.3)
"""Rates of wrong labels."""

NOISES = {
    "uniform": label_noise.uniform,
    "one-sided": label_noise.one_sided,
    "class-dependent": label_noise.class_dependent,
    "instance-dependent": label_noise.instance_dependent,
}
"""Kinds of wrong labels."""

CLEAN = "none"
"""The kind of a table as it is."""

COUNTED, EASY = ("uniform", "one-sided"), 0.15
"""Kinds whose numbers are judged, on tables whose clean error is below this."""

LEAST = 1e-6
"""The least probability that a log loss is taken of, the same for all."""

ENOUGH = 5
"""Likely errors from which on a cell counts in the mean of what is right among them."""

KEY = ("table", "noise", "rate", "draw", "most_rows")
"""What names a cell in a store."""

Cell = tuple[Table, str, float, int]
Line = dict[str, Any]


def cells(tables: list[Table], draws: int) -> list[Cell]:
    """Return tables as they are, and with every kind of noise at every rate."""
    kinds = [(CLEAN, 0.0), *((kind, rate) for kind in NOISES for rate in RATES)]
    return [(table, kind, rate, draw) for draw in range(draws) for table in tables for kind, rate in kinds]


def measure(cell: Cell, most_rows: int) -> Line:
    """Return what is found in a cell, and what fits to it are worth."""
    table, kind, rate, draw = cell
    X, y, X_test, y_test = table.split(most_rows, draw)
    y, y_test = codes(y, y_test)
    if kind == CLEAN:
        given, wrong = y, np.zeros(len(y), dtype=bool)
    else:
        given, wrong = NOISES[kind](X, y, rate, np.random.default_rng([7, int(100 * rate), draw]))
    line: Line = {"half": table.half, "table": table.name, "noise": kind, "rate": rate, "draw": draw}
    line["most_rows"] = most_rows
    line |= {"rows": len(y), "classes": int(y.max()) + 1}
    model = RobustRVC().fit(X, given)
    line |= found(model.judge_rows(X, given), given, y, wrong)
    line |= worth("RobustRVC", model, X_test, y_test, int(y.max()) + 1)
    line |= worth("RVC", RVC().fit(X, given), X_test, y_test, int(y.max()) + 1)
    for name, tuned in PEERS.items():
        peer = tuned(X, given, draw).fit(X, given)
        score, named = by_cleanlab(out_of_fold(peer, X, given, draw), given)
        line |= worth(name, peer, X_test, y_test, int(y.max()) + 1)
        if wrong.any():
            line[f"{name} AP"], line[f"{name} F1"] = (
                average_precision_score(wrong, score),
                f1_score(wrong, named),
            )
            kept = ~named if len(np.unique(given[~named])) == len(np.unique(given)) else slice(None)
            cleaned = tuned(X[kept], given[kept], draw).fit(X[kept], given[kept])
            line |= worth(f"{name} cleaned", cleaned, X_test, y_test, int(y.max()) + 1)
    return line


def codes(y: Array, y_test: Array) -> tuple[Array, Array]:
    """Return labels as 0, 1, ...; a class that is in the test rows only counts as an error, -1."""
    names, numbers = np.unique(y, return_inverse=True)
    place = np.searchsorted(names, y_test)
    return numbers, np.where(np.isin(y_test, names), place, -1)


def found(findings: Findings, given: Array, true: Array, wrong: Array) -> Line:
    """Return what the judge found of the wrong rows."""
    flagged, look = (
        np.isin(np.arange(len(given)), rows) for rows in (findings.flagged, findings.worth_a_look)
    )
    low, high = findings.expected_errors_interval
    line: Line = {
        "wrong": int(wrong.sum()),
        "flagged": int(flagged.sum()),
        "right": int((flagged & wrong).sum()),
    }
    line |= {"expected": findings.expected_errors, "inside": low <= wrong.sum() <= high}
    if wrong.any():
        rate = 1.0 - np.diag(np.asarray(findings.noise))
        true_rate = np.bincount(true, wrong) / np.bincount(true)
        line["rate off"] = float(np.abs(rate - true_rate).mean())
        line["AP"] = average_precision_score(wrong, findings.p_wrong)
        line["F1"], line["F1 likely"] = f1_score(wrong, look), f1_score(wrong, flagged)
    return line


def worth(name: str, model: Any, X: Array, y: Array, n_classes: int) -> Line:
    """Return the error and the log loss of a fitted model on clean rows."""
    probability = np.clip(by_class(model, X, np.arange(n_classes)), LEAST, 1.0)
    known = y >= 0
    probability /= probability.sum(axis=1, keepdims=True)
    loss = log_loss(y[known], probability[known], labels=np.arange(n_classes))
    return {f"{name} error": 100.0 * float(np.mean(probability.argmax(axis=1) != y)), f"{name} loss": loss}


# what is printed ------------------------------------------------------------------------------------


def show(lines: list[Line]) -> None:
    """Print all tables of the cells."""
    frame = pd.DataFrame(lines)
    easy = frame[frame.noise == CLEAN].groupby("table")["RVC error"].mean() < 100.0 * EASY
    dirty = frame[frame.noise != CLEAN]
    show_finding(dirty)
    show_counting(dirty.assign(easy=dirty.table.map(easy)))
    show_clean(frame[frame.noise == CLEAN])
    show_fitting(dirty)


def by_half(frame: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the cells of half A, of half B, and all."""
    return [*((str(half), part) for half, part in frame.groupby("half")), ("all", frame)]


def show_finding(dirty: pd.DataFrame) -> None:
    """Print average precision and F1, beside cleanlab over four learners."""
    print_title(
        "Finding wrong labels: average precision, and F1 of the rows worth a look; cleanlab over four"
    )
    rows = []
    for half, part in by_half(dirty):
        for noise, some in [*part.groupby("noise"), ("all", part)]:
            precision, f1 = some[[f"{name} AP" for name in PEERS]], some[[f"{name} F1" for name in PEERS]]
            pooled = some.right.sum() / max(some.flagged.sum(), 1)
            each = (some.right / some.flagged)[some.flagged >= ENOUGH].mean()
            won = (precision.max(axis=1) <= some.AP).mean()
            line = [half, str(noise), str(len(some)), f"{some.AP.mean():.3f}", numbers(precision.mean())]
            line += [f"{won:.2f}", f"{some.F1.mean():.3f}", numbers(f1.mean())]
            rows.append([*line, f"{pooled:.2f}", f"{each:.2f}"])
    heads = ["half", "noise", "cells", "AP", f"cleanlab over {', '.join(PEERS)}", "best in", "F1", "cleanlab"]
    print_table([*heads, "likely errors that are: pooled", "mean"], rows)


def numbers(values: Any) -> str:
    """Return numbers in one cell."""
    return " ".join(f"{value:.3f}" for value in values)


def show_counting(dirty: pd.DataFrame) -> None:
    """Print how far rates and numbers of wrong labels are off."""
    print_title("Counting wrong labels: rates, numbers, intervals of 90 %")
    rows = []
    for half, part in by_half(dirty):
        for (easy, noise), some in part.groupby(["easy", "noise"]):
            ratio = some.expected / some.wrong
            within = ((ratio < 1.5) & (ratio > 1.0 / 1.5)).mean()
            kind = "told apart" if easy else "overlap"
            line = [half, kind, str(noise), str(len(some)), f"{some['rate off'].mean():.3f}"]
            rows.append([*line, f"{ratio.median():.2f}", f"{within:.2f}", f"{some.inside.mean():.2f}"])
    heads = [
        "half",
        "classes",
        "noise",
        "cells",
        "rates off by",
        "expected / there",
        "within 1.5",
        "interval holds",
    ]
    print_table(heads, rows)


def show_clean(clean: pd.DataFrame) -> None:
    """Print what doubt costs where labels are as they are."""
    print_title("Labels as they are: log loss of RobustRVC less that of RVC, and likely errors")
    rows = []
    for half, part in by_half(clean):
        cost = part["RobustRVC loss"] - part["RVC loss"]
        worst = part.table[cost.idxmax()]
        error = part["RobustRVC error"] - part["RVC error"]
        share = (part.flagged / part.rows).mean()
        line = [
            half,
            f"{cost.mean():+.4f}",
            f"{cost.max():+.4f} {worst}",
            f"{error.mean():+.2f}",
            f"{share:.2%}",
        ]
        rows.append([*line, f"{(part.expected / part.rows).mean():.2%}"])
    print_table(["half", "mean", "worst", "error", "flagged", "expected"], rows)


def show_fitting(dirty: pd.DataFrame) -> None:
    """Print errors and log losses on clean rows of fits to wrong labels."""
    models = ["RobustRVC", "RVC", *(f"{name}{suffix}" for name in PEERS for suffix in ("", " cleaned"))]
    for measure_name, digits in (("error", 2), ("loss", 3)):
        print_title(f"Fits to wrong labels: {'error, %' if measure_name == 'error' else 'log loss'}")
        rows = []
        for half, part in by_half(dirty):
            size = np.where(part.classes == 2, "2", "3 and more")
            for (several, noise, rate), some in part.groupby([size, "noise", "rate"]):
                means = [f"{some[f'{model} {measure_name}'].mean():.{digits}f}" for model in models]
                rows.append([half, str(several), str(noise), f"{rate:.0%}", *means])
        print_table(["half", "classes", "noise", "rate", *models], rows)
