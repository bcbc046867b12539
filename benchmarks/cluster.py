"""Many rows on a Dask cluster: a fit to Parquet files by two worker processes on this machine.

``python -m benchmarks.cluster --rows 10000000`` writes the rows into a temporary folder, block by block, fits
``RobustRVC(basis=500)`` to them, and prints seconds, readings of all rows, accuracy on clean test rows, and
the largest memory that each worker had.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from dask import dataframe
from distributed import Client, LocalCluster
from numpy.typing import NDArray
from scipy.special import expit

from benchmarks.memory import resident_peak
from benchmarks.report import print_table, print_title, verdict
from rowtrust import RobustRVC

FEATURES, FLIPPED = 10, 0.1
BLOCK_ROWS, TEST_ROWS = 250_000, 100_000
WORKERS, MEMORY, LANDMARKS = 2, 2 * 2**30, 500


def main() -> None:
    """Read the command line, write the rows, fit, and print what it took."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the fit (default: a million)")
    parser.add_argument("--block-rows", type=int, default=BLOCK_ROWS, help="rows of a file")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        start = perf_counter()
        write_rows(Path(folder), given.rows, given.block_rows)
        print(f"{given.rows} rows written in {perf_counter() - start:.0f} s", flush=True)
        report(given.rows, measure(folder))


def make_block(number: int, n: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Draw rows of a block, labels of which one in ten is flipped, and the most probable true ones."""
    generator = np.random.default_rng([0, number])
    X = generator.normal(size=(n, FEATURES))
    latent = 2 * np.sin(2 * X[:, 0]) + 1.5 * X[:, 1] * X[:, 2] + X[:, 3] - 0.5 * X[:, 4] ** 2 + 0.5
    y = generator.random(n) < expit(3 * latent)
    return X, (y ^ (generator.random(n) < FLIPPED)).astype(int), (latent > 0).astype(int)


def blocks(rows: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the numbers of blocks, the first is 1, and their rows."""
    for number, start in enumerate(range(0, rows, size)):
        yield number + 1, min(size, rows - start)


def write_rows(folder: Path, rows: int, size: int) -> None:
    """Write one file a block."""
    for number, n in blocks(rows, size):
        X, y, _ = make_block(number, n)
        table = pd.DataFrame(X, columns=[f"x{column}" for column in range(FEATURES)]).assign(label=y)
        table.to_parquet(folder / f"{number:05}.parquet", compression=None)


def measure(folder: str) -> dict[str, Any]:
    """Fit on a cluster of its own; return what is to be told."""
    with (
        LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            memory_limit=MEMORY,
        ) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(WORKERS)
        workers = set(client.run(os.getpid).values())
        rows, model = dataframe.read_parquet(folder), RobustRVC(basis=LANDMARKS, random_state=0)
        start = perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(rows, "label")
        return {
            "seconds": perf_counter() - start,
            "reads": model.n_reads_,
            "vectors": len(model.relevance_),
            "accuracy": accuracy(model),
            "peaks": sorted(client.run(resident_peak).values()),
            "peak here": resident_peak(),
            "died": len(workers - set(client.run(os.getpid).values())),
        }


def accuracy(model: RobustRVC) -> float:
    """Return the share of clean test rows that are told right."""
    X, _, label = make_block(0, TEST_ROWS)
    names = [f"x{column}" for column in range(FEATURES)]
    return float(np.mean(model.predict(pd.DataFrame(X, columns=names)) == label))


def report(rows: int, found: dict[str, Any]) -> None:
    """Print the table, and whether the workers stayed within their memory."""
    print_title(f"RobustRVC(basis={LANDMARKS}) of {rows} rows from Parquet, {WORKERS} worker processes")
    peaks = [f"{peak:.0f}" for peak in found["peaks"]]
    headers = ["fit s", "reads", "vectors", "accuracy", "client MiB", *("worker MiB" for _ in peaks)]
    line = [f"{found['seconds']:.0f}", str(found["reads"]), str(found["vectors"]), f"{found['accuracy']:.4f}"]
    print_table(headers, [[*line, f"{found['peak here']:.0f}", *peaks]])
    within = max(found["peaks"]) < MEMORY / 2**20 and not found["died"]
    verdict(within, f"every worker stays below {MEMORY / 2**20:.0f} MiB, and {found['died']} died")


if __name__ == "__main__":
    main()
