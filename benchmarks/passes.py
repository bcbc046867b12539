"""Passes over the rows: how many a width takes, how far a longer run would go, what a default fit costs.

Every table of the manifest and four made problems, halves A and B side by side: constants were chosen on A.
With ``--reference PYTHON``, a Python that has an earlier version of the package, default fits of both are
timed one after the other, table by table.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

import rowtrust
from benchmarks.problems import moons, ripley_like, sinc
from benchmarks.race import Settings
from benchmarks.report import print_table, print_title, verdict
from benchmarks.tables import read_tables
from rowtrust.datasets import make_friedman, make_lone_outlier
from rowtrust.engines import Engine
from rowtrust.fitting import fits

Array = NDArray[Any]

MODELS = {True: ("RVC", "RobustRVC"), False: ("RVR", "RobustRVR")}
MOST_ROWS, QUICK_ROWS = 3000, 300
LONGER, CLOSE = 10, 0.1
"""How many times longer the run is that a fit is compared with, and the nats that it may end below it."""

GRID = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-3, 0, 4)}
"""Twenty settings, five folds: a hundred fits."""

MANY_INPUTS, MANY_ROWS = 18, 1000
DRAWS = 20
HALVES = ("A", "B", "made")


@dataclass(frozen=True)
class Task:
    """Rows to fit and rows to test on."""

    name: str
    half: str
    is_classes: bool
    arrays: dict[str, Array]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and inputs of the part to fit."""
        return self.arrays["X"].shape  # type: ignore[return-value]


@dataclass(frozen=True)
class Solve:
    """One output at one width: its passes, its bound, and that of a run of ten times the length."""

    task: Task
    model: str
    passes: int
    bound: float
    longer: float

    @property
    def is_close(self) -> bool:
        """Whether the longer run ends no more than ``CLOSE`` nats higher."""
        return self.bound >= self.longer - CLOSE


def run(settings: Settings) -> None:
    """Print the tables."""
    most = QUICK_ROWS if settings.quick else MOST_ROWS
    tasks = list(all_tasks(settings.data, most))
    passes(tasks)
    lone_outlier()
    small_fits()
    if settings.reference is not None:
        against(tasks, settings.reference)
    grid_searches(tasks)


def all_tasks(folder: Path | None, most: int) -> Iterator[Task]:
    """Yield the made problems, and the tables where their folder is known."""
    for name, is_classes, made in (
        ("moons", True, moons(300, 0)),
        ("Ripley-like", True, ripley_like(250, 0, 0.1)),
        ("sinc", False, sinc(100, 0, 0.1)),
    ):
        parts = {"X": made.X, "y": made.y, "X_test": made.X_test, "y_test": made.y_test}
        yield Task(name, "made", is_classes, parts)
    X, y = make_friedman(1, 1240, random_state=0)
    yield Task(
        "Friedman #1", "made", False, {"X": X[:240], "y": y[:240], "X_test": X[240:], "y_test": y[240:]}
    )
    if folder is None:
        print("\nTables: skipped; give the folder of manifest.csv with --data or ROWTRUST_DATA.")
        return
    for table in read_tables(folder):
        names = ("X", "y", "X_test", "y_test")
        parts = dict(zip(names, table.split(most), strict=True))
        yield Task(table.name, table.half, table.is_classes, parts)


# passes -------------------------------------------------------------------------------------------


def passes(tasks: list[Task]) -> None:
    """Count the passes of every width of the default fits, and run each ten times as long."""
    solves = [solve for task in tasks for model in MODELS[task.is_classes] for solve in counted(task, model)]
    print_title(f"Passes a width, and bounds beside runs of {LONGER} times the length")
    rows = []
    for half in HALVES:
        for model in (*MODELS[True], *MODELS[False], "all"):
            some = [each for each in solves if each.task.half == half and model in (each.model, "all")]
            if some:
                rows.append([half, model, *summary(some)])
    print_table(["half", "model", "fits", "median", "90 %", "most", "close", "mean nats below"], rows)
    counts = np.array([each.passes for each in solves])
    close = float(np.mean([each.is_close for each in solves]))
    verdict(bool(np.median(counts) <= 40), f"median passes {np.median(counts):.0f} (at most 40)")
    verdict(bool(counts.max() <= 200), f"most passes {counts.max()} (never above 200)")
    verdict(close >= 0.95, f"{100 * close:.1f} % of fits end within {CLOSE} nats of the longer run (95 %)")
    below = float(np.mean([each.longer - each.bound for each in solves]))
    verdict(below <= 0.0, f"mean bound {below:.3f} nats below the longer runs (not below)")


def summary(solves: list[Solve]) -> list[str]:
    counts = [each.passes for each in solves]
    below = np.mean([each.longer - each.bound for each in solves])
    close = np.mean([each.is_close for each in solves])
    return [
        f"{len(solves)}",
        f"{np.median(counts):.0f}",
        f"{np.percentile(counts, 90):.0f}",
        f"{max(counts)}",
        f"{100 * close:.1f} %",
        f"{below:.3f}",
    ]


def counted(task: Task, model: str) -> list[Solve]:
    """Fit with default settings; tell of every width and output."""
    found: list[Solve] = []
    count = 0
    read, solve = Engine.map_reduce, fits.solve

    def counting(self: Any, *args: Any) -> Any:
        nonlocal count
        count += 1
        return read(self, *args)

    def twice(problem: Any, solver: Any, max_iter: int, observe: Any = None, first: Any = None) -> Any:
        nonlocal count
        count = 0
        solution = solve(problem, solver, max_iter, observe, first)
        taken, steps = count, LONGER * len(solution.trace)
        longer = solve(problem, replace(solver, tol=1e-12), steps, None, first)
        found.append(Solve(task, model, taken, solution.state.bound, longer.state.bound))
        return solution

    with replaced(Engine, "map_reduce", counting), replaced(fits, "solve", twice), quiet():
        getattr(rowtrust, model)().fit(task.arrays["X"], task.arrays["y"])
    return found


@contextmanager
def replaced(where: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(where, name)
    setattr(where, name, value)
    try:
        yield
    finally:
        setattr(where, name, before)


@contextmanager
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


# trust and small fits -------------------------------------------------------------------------------


def lone_outlier() -> None:
    """Print the trust in the outlier of Hwang's figure 1(b)."""
    trust = []
    for seed in range(1, DRAWS + 1):
        X, y, outlier = make_lone_outlier(60, random_state=seed)
        trust.append(float(rowtrust.RobustRVC().fit(X, y).sample_trust_[outlier][0]))
    print_title("The lone outlier of Hwang's figure 1(b)")
    verdict(
        np.mean(trust) < 0.5,
        f"mean trust {np.mean(trust):.3f} over {DRAWS} draws, from {min(trust):.2f} to "
        f"{max(trust):.2f} (below 0.5)",
    )


def small_fits() -> None:
    """Print what a fit of 200 rows with two inputs takes."""
    print_title("Small fits: 200 rows, two inputs, CPU milliseconds, the fastest of five")
    data = moons(200, 0)
    for name, settings, limit in (("one width", {"gamma": "scale"}, 50.0), ("default search", {}, 150.0)):
        for model in MODELS[True]:
            taken = []
            for _ in range(5):
                machine = getattr(rowtrust, model)(**settings)
                start = process_time()
                machine.fit(data.X, data.y)
                taken.append(1000 * (process_time() - start))
            verdict(min(taken) <= limit, f"{model}, {name}: {min(taken):.0f} ms (at most {limit:.0f})")


# beside others --------------------------------------------------------------------------------------


def against(tasks: list[Task], reference: str) -> None:
    """Time default fits of this version and of an earlier one, table by table."""
    results: list[tuple[Task, str, dict[str, float], dict[str, float]]] = []
    with tempfile.TemporaryDirectory() as folder:
        for task in tasks:
            file = str(Path(folder) / "task.npz")
            np.savez(file, **task.arrays)
            for model in MODELS[task.is_classes]:
                now, before = (timed(python, model, file) for python in (sys.executable, reference))
                results.append((task, model, now, before))
    print_title("Default fits: CPU time, error and log loss beside those of the earlier version")
    rows = [
        [
            task.half,
            task.name,
            model,
            f"{now['seconds']:.2f}",
            f"{before['seconds']:.2f}",
            f"{now['seconds'] / before['seconds']:.2f}",
            f"{now['error'] - before['error']:+.2f}",
            f"{now['loss'] - before['loss']:+.4f}",
            f"{now['vectors']:.0f} / {before['vectors']:.0f}",
        ]
        for task, model, now, before in results
    ]
    print_table(["half", "table", "model", "s", "before", "ratio", "error", "log loss", "vectors"], rows)
    for half in (*HALVES, "all"):
        some = [each for each in results if half in (each[0].half, "all")]
        if some:
            ratio = float(np.median([now["seconds"] / before["seconds"] for _, _, now, before in some]))
            error, loss = (
                float(np.mean([now[key] - before[key] for _, _, now, before in some]))
                for key in ("error", "loss")
            )
            verdict(ratio <= 1 / 3, f"{half}: median ratio of CPU times {ratio:.2f} (at most a third)")
            verdict(error <= 0.1, f"{half}: mean error {error:+.3f} points (at most +0.1)")
            verdict(loss <= 0.003, f"{half}: mean log loss {loss:+.4f} (at most +0.003)")


def timed(python: str, model: str, file: str) -> dict[str, float]:
    """Return what a default fit takes and is worth, with whatever version that Python has."""
    script = str(Path(__file__).with_name("timed_fit.py"))
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([python, script, model, file], capture_output=True, text=True, check=True, env=own)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def grid_searches(tasks: list[Task]) -> None:
    """Time the default fits beside a grid search of SVC, where there are many inputs and rows."""
    print_title(f"Beside a hundred fits of SVC: {MANY_INPUTS} inputs or more, {MANY_ROWS} rows or more")
    for task in tasks:
        n_rows, n_inputs = task.shape
        if not task.is_classes or n_rows < MANY_ROWS or n_inputs < MANY_INPUTS:
            continue
        start = process_time()
        GridSearchCV(SVC(), GRID, cv=5).fit(task.arrays["X"], task.arrays["y"])
        grid = process_time() - start
        for model in MODELS[True]:
            machine = getattr(rowtrust, model)()
            start = process_time()
            machine.fit(task.arrays["X"], task.arrays["y"])
            taken = process_time() - start
            verdict(
                grid >= 5 * taken,
                f"{task.name} ({n_rows} x {n_inputs}), {model}: {taken:.1f} s against {grid:.1f} s, "
                f"{grid / taken:.1f} times faster (at least 5)",
            )
