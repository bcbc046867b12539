"""Scaling: fits to more and more rows, each in a fresh process with all cores; time, memory, readings, worth.

Rows are made block by block: ten inputs, two classes, a tenth of the labels flipped. Test rows are clean. In
the process of every fit a full kernel-and-Gram pass over its rows is timed, and the parts of a pass, of which
the cost model is made. Results go into a store (``--store``): what it has is not run again.
``python -m benchmarks.scaling_report STORE`` makes the page of it.
"""

from __future__ import annotations

import csv
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.race import Settings
from benchmarks.scaling_costs import CONSTANTS
from benchmarks.scaling_measure import OWN, PEER
from benchmarks.scaling_report import PEER_ROWS, SAMPLE_ROWS, report

SIZES, QUICK_SIZES = (1_000, 10_000, 100_000, 1_000_000), (1_000, 30_000)
BLOCKS = (1_000_000,)
"""Sizes of rows that are fitted as an iterable of blocks, never all in memory."""

PINNED = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What would keep a fit from using all cores."""

KEY = ["kind", "rows", "form", "model"]
COLUMNS = [
    *(*KEY, "seconds", "cpu", "reads", "peak", "imported", "error", "log_loss", "vectors", "warned"),
    *("rmse", "log_score"),
    *("full_pass", "full_pass_cpu", "threads", *CONSTANTS, "chosen"),
    *("number", "what", "in_model", "entering", "scored", "grams", "machine"),
]
"""What a line of the store has: a fit, the peer's fit, a regressor's, or one pass of a fit."""

REGRESSORS = ("RVR", "RobustRVR")

Task = tuple[str, int, str, str]
"""What to measure, the number of rows, how they are given, and the model."""


def run(settings: Settings) -> None:
    """Run what the store does not have, and print the page."""
    with tempfile.TemporaryDirectory() as folder:
        store = settings.store or Path(folder) / "scaling.csv"
        fill(store, settings)
        print(report(store), flush=True)


def fill(store: Path, settings: Settings) -> None:
    """Measure what the store lacks, and write every process's lines as it ends."""
    is_new = not store.exists() or store.stat().st_size == 0
    done = set() if is_new else keys(store)
    with store.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if is_new:
            writer.writeheader()
        for task in tasks(settings):
            if task not in done:
                print("measuring", *task, flush=True)
                writer.writerows({**line, "machine": machine()} for line in measured_afresh(*task))
                file.flush()


def keys(store: Path) -> set[Task]:
    """Return what a store has."""
    frame = pd.read_csv(store)
    return set(frame[KEY].itertuples(index=False, name=None))


def tasks(settings: Settings) -> Iterator[Task]:
    """Yield what to measure, small sizes first."""
    sizes = settings.sizes or (QUICK_SIZES if settings.quick else SIZES)
    blocks = settings.blocks or (() if settings.quick or settings.sizes else BLOCKS)
    largest = max((*sizes, *blocks))
    wanted: list[Task] = [("fit", size, "array", OWN) for size in sizes]
    wanted += [("fit", SAMPLE_ROWS, "array", OWN)] * (largest > SAMPLE_ROWS and SAMPLE_ROWS not in sizes)
    wanted += [("fit", size, "blocks", OWN) for size in blocks]
    wanted += [("peer", PEER_ROWS, "array", PEER)] * (PEER_ROWS in sizes)
    wanted += [("numbers", PEER_ROWS, "array", name) for name in REGRESSORS if PEER_ROWS in sizes]
    for task in sorted(wanted, key=lambda each: each[1]):
        if not settings.only or task[0] in settings.only:
            yield task


def measured_afresh(kind: str, size: int, form: str, model: str) -> list[dict[str, Any]]:
    """Measure in a process of its own, where nothing is pinned to one thread."""
    command = [sys.executable, "-m", "benchmarks.scaling_measure", kind, str(size), form, model]
    own = {name: value for name, value in os.environ.items() if name not in PINNED}
    finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=own)
    lines: list[dict[str, Any]] = json.loads(finished.stdout)
    return lines


def machine() -> str:
    """Return one line on what the figures were measured with."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    return f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}, {packages}"
