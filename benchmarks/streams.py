"""Rows that come in blocks: partial_fit against a fit to all rows, shuffled and from a changing world."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.race import Settings
from benchmarks.report import print_table, print_title, verdict
from benchmarks.tables import read_tables
from rowtrust import RVC, RVR, RobustRVC, RobustRVR
from rowtrust.datasets import add_heavy_tails, flip_labels, make_friedman, make_ripley, make_rotating_stream

Array = NDArray[Any]
Case = tuple[str, Any, Array, Array, Array, Array]
"""A name, an estimator, rows to fit and rows to test."""

BLOCKS, TEST_ROWS = 20, 3000
"""Blocks of a table in random order, and rows that judge."""

CLASSES, NUMBERS = ("ripley", "pima", "phoneme", "splice"), ("taxis", "mpg")
"""Tables of half A that are run."""

MOST_ROWS = 3000
"""Rows of such a table to fit at most."""

STREAMS = ((RVC, 100), (RobustRVC, 100), (RVC, 250))
"""Estimators and sizes of blocks that follow the rotating boundary."""

PERIOD, PERIODS = 20, 2
"""Blocks of one revolution, and revolutions."""

EVERY = 4
"""After how many blocks a fit to all rows so far is made anew."""

TARGET = 0.01
"""Share of the log score by which partial_fit may fall behind."""


def run(settings: Settings) -> None:
    """Print both tables."""
    run_shuffled(settings)
    run_rotating(settings)


def run_shuffled(settings: Settings) -> None:
    """Print log scores after 20 blocks in random order."""
    print_title(f"{BLOCKS} blocks in random order: log score on other rows, in nats a row")
    lines, worst = [], np.inf
    for name, machine, *data in cases(settings):
        fitted, passed, *seconds = scores(machine, *data)
        change = (passed - fitted) / abs(fitted)
        worst = min(worst, change)
        lines.append(
            [name, machine.__name__, f"{len(data[1])}", f"{fitted:.4f}", f"{passed:.4f}", f"{change:+.2%}"]
            + [f"{each:.1f}" for each in seconds]
        )
        print(*lines[-1], flush=True)
    headers = ["table", "model", "rows", "fit", "partial_fit", "change", "fit s", "partial_fit s"]
    print_table(headers, lines)
    verdict(
        worst >= -TARGET, f"partial_fit falls behind by {max(-worst, 0.0):.2%} at most (target {TARGET:.0%})"
    )


def cases(settings: Settings) -> Iterator[Case]:
    """Yield made-up tables, and those of half A of the data folder."""
    sizes = (1000,) if settings.quick else (1000, 4000, 10_000)
    for n_rows in sizes:
        X, y = make_ripley(n_rows, random_state=0)
        test = make_ripley(TEST_ROWS, random_state=1)
        yield "Ripley", RVC, X, y, *test
        yield "Ripley, 10 % flipped", RobustRVC, X, flip_labels(y, 0.1, random_state=0)[0], *test
    for n_rows in sizes[:1]:
        X, y = make_friedman(1, n_rows, random_state=0)
        test = make_friedman(1, TEST_ROWS, random_state=1)
        yield "Friedman #1", RVR, X, y, *test
        yield "Friedman #1, heavy tails", RobustRVR, X, add_heavy_tails(y, 0.1, random_state=0)[0], *test
    if settings.data is None:
        return
    wanted = settings.tables or (*CLASSES, *NUMBERS)
    for table in read_tables(settings.data):
        if table.name in wanted and table.half == "A":
            X, y, X_test, y_test = table.split(settings.most_rows or MOST_ROWS)
            for machine in (RVC, RobustRVC) if table.is_classes else (RVR, RobustRVR):
                yield table.name, machine, X, y, X_test[:TEST_ROWS], y_test[:TEST_ROWS]


def scores(
    machine: Any, X: Array, y: Array, X_test: Array, y_test: Array
) -> tuple[float, float, float, float]:
    """Return the log scores of a fit to all rows and to blocks of them, and what each took."""
    order = np.random.default_rng(0).permutation(len(y))
    blocks = [(X[rows], y[rows]) for rows in np.array_split(order, BLOCKS)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = process_time()
        batch = machine(random_state=0).fit(X[order], y[order])
        middle = process_time()
        model = learned(machine(random_state=0), blocks, np.unique(y))
        end = process_time()
    fitted, passed = (each.log_score(X_test, y_test) for each in (batch, model))
    return fitted, passed, middle - start, end - middle


def learned(model: Any, blocks: list[tuple[Array, Array]], classes: Array) -> Any:
    """Return a model after blocks of rows."""
    options = {"classes": classes} if hasattr(model, "predict_proba") else {}
    for X, y in blocks:
        model.partial_fit(X, y, **options)
    return model


def run_rotating(settings: Settings) -> None:
    """Print how well the next block is predicted from the first full revolution on."""
    print_title("A boundary that rotates: log score on the next block, from the first revolution on")
    lines, reached = [], True
    for machine, size in STREAMS[:1] if settings.quick else STREAMS:
        found = np.array(list(rotating_scores(machine, size)))
        wins = found[:, 1] > found[:, 0]
        reached = reached and bool(wins.all())
        mean = [f"{each:.3f}" for each in found.mean(axis=0)]
        lines.append([machine.__name__, f"{size}", *mean, f"{wins.sum()} of {len(wins)}"])
    print_table(["model", "block", "fit to all so far", "partial_fit", "truth", "blocks won"], lines)
    verdict(reached, "partial_fit says more of every block looked at than the fit to all rows before it")


def rotating_scores(machine: Any, size: int) -> Iterator[tuple[float, float, float]]:
    """Yield the log scores on the next block: of a fit to all so far, of partial_fit, and of the truth."""
    stream = make_rotating_stream(PERIOD * (1 + PERIODS), size, period=PERIOD, random_state=0)
    model, blocks = machine(random_state=0), []
    for number, (X, y) in enumerate(stream):
        if number >= PERIOD and number % EVERY == 0:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                batch = machine(random_state=0).fit(*map(np.concatenate, zip(*blocks, strict=True)))
            truth = stream.probability(X, number)
            said = np.log(np.where(y == 1, truth, 1.0 - truth)).mean()
            yield batch.log_score(X, y), model.log_score(X, y), float(said)
        learned(model, [(X, y)], np.array([0, 1]))
        blocks.append((X, y))
