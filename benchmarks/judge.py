"""The judge: which rows are flagged, and which errors are found, with ``RobustRVR`` and ``RobustRVC``.

Numbers: a smooth function of three inputs under noise of several shapes, and the tables of numbers, as they
are, with gross errors, and with moderate ones beside cleanlab's regression and a forest. Labels:
``judge_labels`` and ``judge_truth``. ``--only`` names parts, ``--jobs`` processes, ``--draws`` draws.
``--only held-out`` keeps held-out predictions of labels in the folder ``--store`` and prints every criterion
of the judge on them: minutes for the folder, half a minute from then on.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict

from benchmarks import judge_criteria, judge_held_out, judge_labels, judge_truth
from benchmarks.accuracy_cells import Options
from benchmarks.race import Settings, one_thread
from benchmarks.report import print_table, print_title
from benchmarks.tables import Table, read_tables
from rowtrust import RobustRVR
from rowtrust.trust import Findings

Array = NDArray[Any]

PARTS = ("shapes", "numbers", "innocent", "labels", "real")
"""What ``--only`` may name."""

HELD_OUT, RIGHT_DRAWS = "held-out", 6
"""The part that is run only if it is named, and its draws of right labels."""

MOST_ROWS, QUICK_ROWS, SIZES = 1000, 200, (100, 400)
"""Rows of a table that are judged, and rows of the smooth function."""

DRAWS = 20
"""Draws of what is synthetic, unless ``--quick``; ``--draws`` are those of the tables."""

SHARES, GROSS, MODERATE = (0.05, 0.1), (4.0, 8.0), (2.0, 4.0)
"""Shares of errors, and their sizes in deviations of the targets."""

LEVEL = 0.4
"""Deviation of the noise where that of the function is one."""

Shape = Callable[[np.random.Generator, Array, Array], Array]
"""Makes targets of a generator, inputs and the function at them."""

SHAPES: dict[str, Shape] = {
    "gauss": lambda rng, X, f: f + LEVEL * rng.normal(size=len(f)),
    "laplace": lambda rng, X, f: f + LEVEL * rng.laplace(size=len(f)) / np.sqrt(2.0),
    "t(3)": lambda rng, X, f: f + LEVEL * rng.standard_t(3, size=len(f)) / np.sqrt(3.0),
    "lognormal": lambda rng, X, f: f + LEVEL * (np.exp(rng.normal(size=len(f))) - np.exp(0.5)) / 2.16,
    "gamma": lambda rng, X, f: f + LEVEL * (rng.gamma(1.0, size=len(f)) - 1.0),
    "Poisson": lambda rng, X, f: rng.poisson(np.exp(0.6 * f + 0.7)).astype(float),
    "grows with an input": lambda rng, X, f: (
        f + LEVEL * rng.normal(size=len(f)) * np.exp(0.8 * X[:, 0] - 0.64)
    ),
    "30 % zeros": lambda rng, X, f: inflated(rng, f, 0.3),
    "80 % zeros": lambda rng, X, f: inflated(rng, f, 0.8),
    "95 % zeros": lambda rng, X, f: inflated(rng, f, 0.95),
    "two values": lambda rng, X, f: (f + 0.5 * rng.normal(size=len(f)) > 0.0).astype(float),
}
"""Shapes of noise."""

NOT_JUDGED = ("80 % zeros", "95 % zeros", "two values")
"""Shapes of which no row can be judged."""


def inflated(rng: np.random.Generator, f: Array, share: float) -> Array:
    """Return positive targets, a share of them zero."""
    return np.where(rng.random(len(f)) < share, 0.0, np.exp(f + LEVEL * rng.normal(size=len(f))))


def run(settings: Options) -> None:
    """Print the tables; those of the manifest need its folder."""
    draws = 2 if settings.quick else DRAWS
    wanted = settings.only or PARTS
    if "shapes" in wanted:
        print_shapes(draws, settings.jobs)
    if "innocent" in wanted:
        judge_truth.print_innocent(draws, settings.jobs)
    if settings.data is None:
        print("\njudge: tables are skipped; give the folder of manifest.csv with --data or ROWTRUST_DATA.")
        return
    if HELD_OUT in wanted:
        print_held_out(settings)
    most_rows = settings.most_rows or (QUICK_ROWS if settings.quick else MOST_ROWS)
    tables = [
        each
        for each in read_tables(settings.data)
        if each.name in (settings.tables or [each.name]) and each.half in (settings.half or "AB")
    ]
    tables = sorted(tables, key=place)
    if "numbers" in wanted:
        print_numbers([each for each in tables if not each.is_classes], most_rows, settings.jobs)
    if "labels" in wanted:
        print_labels([each for each in tables if each.is_classes], most_rows, settings)
    if "real" in wanted and (settings.data / "real").is_dir():
        judge_truth.print_real(settings.data / "real")


def print_held_out(settings: Options) -> None:
    """Keep what models say of labels that they have not seen, and print what the judge makes of it."""
    if settings.store is None or settings.data is None:
        print("\njudge: held-out predictions need a folder, --store.")
        return
    classes = sorted((each for each in read_tables(settings.data) if each.is_classes), key=place)
    for cells in (
        judge_held_out.cells_of(classes, 1, settings.most_rows or SIZES[-1]),
        judge_held_out.right_cells(RIGHT_DRAWS),
        judge_held_out.real_cells(settings.data / "real"),
    ):
        quietly(judge_held_out.keep, cells, settings.store)
    quietly(judge_criteria.show, settings.store)


def print_labels(tables: list[Table], most_rows: int, settings: Settings) -> None:
    """Print what is found of wrong labels; what the store has is not measured again."""
    store = settings.store
    lines = pd.read_csv(store).to_dict("records") if store and store.exists() else []
    known = {tuple(line[name] for name in judge_labels.KEY) for line in lines}
    cells = [
        cell
        for cell in judge_labels.cells(tables, settings.draws)
        if (cell[0].name, *cell[1:], most_rows) not in known
    ]
    work = (joblib.delayed(quietly)(judge_labels.measure, cell, most_rows) for cell in cells)
    for line in joblib.Parallel(settings.jobs, batch_size=1, return_as="generator_unordered")(work):
        lines.append(line)
        if store:
            pd.DataFrame(lines).to_csv(store, index=False)
    judge_labels.show(lines)


def side_by_side(jobs: int, function: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Return what a function says of each of some arguments, in so many processes."""
    work = (joblib.delayed(quietly)(function, *each) for each in zip(*arguments, strict=True))
    return list(joblib.Parallel(jobs, batch_size=1)(work))


def quietly(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function on one thread, without its warnings."""
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore")
        return function(*arguments)


def place(table: Table) -> tuple[str, str]:
    return table.half, table.name


# numbers --------------------------------------------------------------------------------------------


def smooth(shape: str, size: int, draw: int) -> tuple[Array, Array]:
    """Return inputs and targets of a smooth function under noise of a shape."""
    rng = np.random.default_rng([draw, size, sum(map(ord, shape))])
    X = rng.normal(size=(size, 3))
    f = np.sin(2.0 * X[:, 0]) + 0.5 * X[:, 1] ** 2 - X[:, 1] * X[:, 2]
    return X, SHAPES[shape](rng, X, (f - f.mean()) / f.std())


def with_errors(
    y: Array, share: float, sizes: tuple[float, float] = GROSS, draw: int = 3
) -> tuple[Array, Array]:
    """Return targets of which a share was moved far, and which of them."""
    rng, wrong = np.random.default_rng(draw), np.zeros(len(y), dtype=bool)
    wrong[rng.choice(len(y), int(share * len(y)), replace=False)] = True
    size = rng.uniform(*sizes, len(y)) * rng.choice([-1.0, 1.0], len(y))
    return np.where(wrong, y + size * np.std(y), y), wrong


def judged(X: Array, y: Array) -> Findings:
    """Return what the judge says of numbers."""
    return RobustRVR().fit(X, y).judge_rows(X, y)


def named(findings: Findings) -> Array:
    """Return which rows are likely errors."""
    return np.isin(np.arange(len(findings.p_wrong)), findings.flagged)


def shape_cell(shape: str, size: int, share: float, draw: int) -> tuple[float, bool, Array]:
    """Return the share of flagged rows, whether the judge abstained, and counts: found, there, named."""
    X, y = smooth(shape, size, draw)
    dirty, wrong = with_errors(y, share, draw=draw) if share else (y, np.zeros(len(y), dtype=bool))
    found = judged(X, dirty)
    some = named(found)
    return float(some.mean()), bool(found.reason), np.array([(some & wrong).sum(), wrong.sum(), some.sum()])


def print_shapes(draws: int, jobs: int) -> None:
    """Print shares of flagged rows among clean ones, and what is found of gross errors."""
    print_title(f"Numbers under noise of a shape, {draws} draws: likely errors")
    cells = [(shape, size, 0.0, draw) for shape in SHAPES for size in SIZES for draw in range(draws)]
    cells += [
        (shape, SIZES[-1], share, draw)
        for shape in SHAPES
        if shape not in NOT_JUDGED
        for share in SHARES
        for draw in range(draws)
    ]
    done = dict(zip(cells, side_by_side(jobs, shape_cell, *zip(*cells, strict=True)), strict=True))
    rows = []
    for shape in SHAPES:
        clean = [done[shape, size, 0.0, draw] for size in SIZES for draw in range(draws)]
        abstained = sum(each[1] for each in clean)
        line = [shape, f"{np.mean([each[0] for each in clean]):.2%}", f"{abstained} of {len(clean)}"]
        for share in SHARES:
            counts = [
                done[shape, SIZES[-1], share, draw][2] for draw in range(draws) if shape not in NOT_JUDGED
            ]
            found, there, flagged = np.sum(counts, axis=0) if counts else (0, 0, 0)
            line += [f"{found / there:.2f}, {found / flagged:.2f}" if there else ""]
        rows.append(line)
    found_of = [f"{share:.0%} errors: recall, precision" for share in SHARES]
    print_table(["noise", "flagged, clean", "abstained", *found_of], rows)


def table_cell(table: Table, share: float, most_rows: int) -> tuple[str, float]:
    """Return what is flagged in a table with gross errors, and the share of its rows."""
    X, y, *_ = table.split(most_rows)
    dirty, wrong = with_errors(np.asarray(y, dtype=float), share)
    found = judged(X, dirty)
    some = named(found)
    return f"{some.sum()}, {(some & wrong).sum()} of {wrong.sum()}{' -' * bool(found.reason)}", some.mean()


def moderate_cell(table: Table, share: float) -> tuple[float, float, float]:
    """Return the average precision of moderate errors: ours, cleanlab's regression, a forest's residuals."""
    from cleanlab.regression.learn import CleanLearning

    X, y, *_ = table.split(SIZES[-1])
    dirty, wrong = with_errors(np.asarray(y, dtype=float), share, MODERATE)
    forest = RandomForestRegressor(200, random_state=0)
    theirs = CleanLearning(forest, seed=0).find_label_issues(X, dirty)["label_quality"]
    residual = np.abs(dirty - cross_val_predict(forest, X, dirty, cv=5))
    rank = np.argsort(judged(X, dirty).order)
    ours, cleanlab, trees = (
        average_precision_score(wrong, each) for each in (-rank, -np.asarray(theirs), residual)
    )
    return ours, cleanlab, trees


def print_numbers(tables: list[Table], most_rows: int, jobs: int) -> None:
    """Print what is flagged in tables, as they are and with errors."""
    print_title(f"Tables of numbers, up to {most_rows} rows: likely errors, and which of them are right")
    shares = (0.0, *SHARES)
    cells = [(table, share) for table in tables for share in shares]
    done = side_by_side(jobs, table_cell, *zip(*cells, strict=True), [most_rows] * len(cells))
    cells = [(table, share) for table in tables for share in SHARES]
    moderate = side_by_side(jobs, moderate_cell, *zip(*cells, strict=True))
    rows = []
    for which, table in enumerate(tables):
        line = [text for text, _ in done[len(shares) * which :][: len(shares)]]
        ours = moderate[len(SHARES) * which :][: len(SHARES)]
        rows.append([table.half, table.name, *line, *(" ".join(f"{x:.3f}" for x in each) for each in ours)])
    heads = ["as it is", *(f"{share:.0%} errors" for share in SHARES)]
    print_table(
        ["half", "table", *heads, *(f"{share:.0%} moderate: AP, cleanlab, forest" for share in SHARES)], rows
    )
    for half in ("A", "B"):
        flagged = [
            share
            for table, (_, share) in zip(tables, done[:: len(shares)], strict=True)
            if table.half == half
        ]
        print(f"half {half}: {np.mean(flagged):.2%} of the rows are flagged in the tables as they are")
    means = " ".join(f"{mean:.3f}" for mean in np.mean(moderate, axis=0))
    print(f"moderate errors, mean average precision of ours, cleanlab, a forest: {means}")
