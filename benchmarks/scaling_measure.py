"""One fit of the part on scaling, in a process of its own; prints what was measured as JSON.

``python -m benchmarks.scaling_measure fit 100000 array RobustRVC``, or one of ``peer`` and ``numbers``.
Threads are as a user has them: nothing is pinned.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rowtrust
from benchmarks.memory import resident_peak
from benchmarks.scaling_costs import PATIENCE, REPEATS, measured_constants, work_of
from rowtrust import RobustRVC
from rowtrust.datasets import ManyRows, make_many_rows
from rowtrust.datasets.large import latent
from rowtrust.engines import ArraySource, Block, Chunk, RowSource, StreamEngine
from rowtrust.engines.sources import CHUNK_ROWS, added, in_order
from rowtrust.engines.stream import ChunkFunction
from rowtrust.inference.passes import weighted_gram
from rowtrust.kernels import Basis, Kernel
from rowtrust.numerics.blocks import single_blas_thread, thread_count

Array = NDArray[Any]

OWN, PEER = "RobustRVC", "Nystroem + logistic"
COLUMNS, TEST_ROWS, WARM_UP_ROWS = 500, 20_000, 300
CLOCKS = {"seconds": "", "cpu": "_cpu"}

SMALL_NOISE, LARGE_NOISE, OUTLIERS = 0.5, 10.0, 0.1
"""Standard deviations of the noise on numbers, and the share of rows that have the large one."""

GRID = {
    "nystroem__gamma": [0.01, 0.03, 0.1, 0.3],
    "logisticregression__C": [0.1, 1.0, 10.0],
}
"""Twelve settings of the peer, around the usual gamma of a tenth for ten inputs and the default C of 1."""


class GeneratedSource(RowSource):
    """Rows that are made again for every reading, in the threads that work on them."""

    def __init__(self, rows: ManyRows) -> None:
        self.rows, self._n_threads = rows, thread_count()

    def chunks(self) -> Iterator[Chunk]:
        """Yield all rows once."""
        return map(self.chunk, range(0, self.rows.n_samples, CHUNK_ROWS))

    def chunk(self, start: int) -> Chunk:
        """Return the rows from a position on."""
        X, y = self.rows.between(start, min(start + CHUNK_ROWS, self.rows.n_samples))
        return Chunk(X, y, None, start)

    def _sum(self, function: Callable[[Chunk], Any]) -> Any:
        starts: Any = iter(range(0, self.rows.n_samples, CHUNK_ROWS))
        with ThreadPoolExecutor(self._n_threads) as pool:
            made = in_order(pool, lambda start: function(self.chunk(start)), starts, 2 * self._n_threads)
            return added(made)


def measure_fit(size: int, form: str, name: str) -> list[dict[str, Any]]:
    """Fit ours once; return a line on the fit and one on every pass over all rows."""
    line: dict[str, Any] = {"kind": "fit", "model": name, "rows": size, "form": form}
    line["imported"] = resident_peak()
    rows = make_many_rows(size, random_state=0)
    model = RobustRVC(basis=COLUMNS, random_state=0)
    RobustRVC(basis=COLUMNS, random_state=0).fit(*make_many_rows(WARM_UP_ROWS, random_state=2).arrays())
    X, y = rows.arrays() if form == "array" else (None, None)
    source: RowSource = GeneratedSource(rows) if X is None else ArraySource(X, y)
    with recorded() as passes:
        fit = partial(model._fit_source, source, None) if X is None else partial(model.fit, X, y)
        line |= timed(fit)
    line |= {"peak": resident_peak(), "reads": getattr(model, "n_reads_", None), **worth(model)}
    line |= {"vectors": len(model.relevance_), "threads": min(thread_count(), -(-size // CHUNK_ROWS))}
    line |= full_pass(source, rows.between(0, COLUMNS)[0])
    travelled = [function for function, _ in passes if isinstance(function, ChunkFunction)]
    if travelled:
        line |= measured_constants(source, travelled[-1], line["threads"])
    key = {name: line[name] for name in ("model", "rows", "form")}
    return [
        line,
        *(
            {"kind": "pass", **key, "number": number, **vars(work_of(function)), **taken}
            for number, (function, taken) in enumerate(passes)
        ),
    ]


def measure_peer(size: int, form: str, name: str) -> list[dict[str, Any]]:
    """Fit Nystroem's columns and a logistic regression, chosen by five folds."""
    line: dict[str, Any] = {"kind": "peer", "model": name, "rows": size, "form": form}
    line["imported"] = resident_peak()
    X, y = make_many_rows(size, random_state=0).arrays()
    pipeline = make_pipeline(
        StandardScaler(), Nystroem(n_components=COLUMNS, random_state=0), LogisticRegression()
    )
    model = GridSearchCV(pipeline, GRID, cv=5, n_jobs=2)
    line |= timed(partial(model.fit, X, y))
    line["cpu"] = None  # most of it is in other processes
    return [line | worth(model) | {"chosen": " ".join(f"{value:g}" for value in model.best_params_.values())}]


def measure_numbers(size: int, form: str, name: str) -> list[dict[str, Any]]:
    """Fit a regressor once."""
    line: dict[str, Any] = {"kind": "numbers", "model": name, "rows": size, "form": form}
    line["imported"] = resident_peak()
    X, y = numbers(size, 0, OUTLIERS)
    model = getattr(rowtrust, name)(basis=COLUMNS, random_state=0)
    line |= timed(partial(model.fit, X, y))
    line |= {
        "peak": resident_peak(),
        "reads": getattr(model, "n_reads_", None),
        "vectors": len(model.relevance_),
    }
    X, y = numbers(TEST_ROWS, 1, 0.0)
    mean, deviation = model.predict(X, return_std=True)
    line["rmse"] = float(np.sqrt(np.mean((y - mean) ** 2)))
    line["log_score"] = float(-np.mean(norm.logpdf(y, mean, deviation)))
    return [line]


def numbers(size: int, seed: int, outliers: float) -> tuple[Array, Array]:
    """Return inputs, and the latent function with noise, much of it in a share of the rows."""
    X, _ = make_many_rows(size, random_state=seed).arrays()
    generator = np.random.default_rng(seed)
    spread = np.where(generator.random(size) < outliers, LARGE_NOISE, SMALL_NOISE)
    return X, latent(X) + spread * generator.standard_normal(size)


def timed(fit: Callable[[], Any]) -> dict[str, float]:
    """Return the seconds of a fit, and how often it warned."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start, cpu = perf_counter(), process_time()
        fit()
        seconds = {"seconds": perf_counter() - start, "cpu": process_time() - cpu}
    return {**seconds, "warned": len(caught)}


def worth(model: Any) -> dict[str, float]:
    """Return error and log loss on rows whose labels are clean."""
    X, y = make_many_rows(TEST_ROWS, flipped=0.0, random_state=1).arrays()
    error = float(np.mean(model.predict(X) != y))
    return {"error": error, "log_loss": float(log_loss(y, model.predict_proba(X)))}


# passes ---------------------------------------------------------------------------------------------


@contextmanager
def recorded() -> Iterator[list[tuple[Any, dict[str, float]]]]:
    """Note what is asked of all rows inside the ``with`` block, and the seconds of the answer."""
    passes: list[tuple[Any, dict[str, float]]] = []
    read = RowSource.map_reduce

    def noting(self: RowSource, function: Any) -> Any:
        start, cpu = perf_counter(), process_time()
        answer = read(self, function)
        passes.append((function, {"seconds": perf_counter() - start, "cpu": process_time() - cpu}))
        return answer

    RowSource.map_reduce = noting  # type: ignore[method-assign]
    try:
        yield passes
    finally:
        RowSource.map_reduce = read  # type: ignore[method-assign]


def full_pass(source: RowSource, centres: Array) -> dict[str, float]:
    """Return the seconds of one full pass: all columns of one kernel at all rows, and their weighted Gram."""
    basis = Basis(Kernel("rbf", gamma=0.1), centres)
    engine, columns = StreamEngine(source, basis, centres[:2]), np.arange(1, basis.n_columns)
    taken: list[dict[str, float]] = []
    with single_blas_thread():  # as in a fit: the threads are those of the chunks
        while len(taken) < REPEATS and sum(each["seconds"] for each in taken) < PATIENCE:
            taken.append(timed(partial(engine.map_reduce, kernel_and_gram, columns, columns)))
    return {f"full_pass{end}": min(each[name] for each in taken) for name, end in CLOCKS.items()}


def kernel_and_gram(block: Block, columns: Array) -> Array:
    return weighted_gram(block.phi(columns), block.weight)


MEASURES = {"fit": measure_fit, "peer": measure_peer, "numbers": measure_numbers}

if __name__ == "__main__":
    kind, size, form, name = sys.argv[1:]
    print(json.dumps(MEASURES[kind](int(size), form, name)))
