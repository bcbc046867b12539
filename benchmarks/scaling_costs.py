"""What a pass over all rows costs: counted, timed part by part, and predicted.

A pass over n rows with K columns in the model, E that enter it and S more to be scored takes

    n (c_kernel (K + E + S) + c_multiply (K^2 + g (K + E)^2 / 2 + (K + E) S) + c_row) / threads + waiting

seconds: kernel entries; multiplications of the latent variances, of g weighted Gram matrices (half of each is
enough) and of the scores; what every row costs besides, its reading among it; and the time that a round waits
for rows and for its threads. All four are measured, by passes that do one thing only: the first three in CPU
seconds of the process, which a busy machine disturbs least.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter, process_time
from typing import Any

import numpy as np

from rowtrust.engines import Block, Chunk, RowSource, StreamEngine
from rowtrust.engines.stream import ChunkFunction, as_they_are
from rowtrust.inference.passes import RowPass, curved_statistics, weighted_gram
from rowtrust.inference.posterior import Posterior
from rowtrust.inference.scoring import block_scores
from rowtrust.numerics.blocks import single_blas_thread

REPEATS, PATIENCE = 3, 20.0
"""How often a part is timed, unless that has taken so many seconds; the fastest counts."""

CONSTANTS = ("kernel_s", "multiply_s", "row_s", "waiting_s")


@dataclass(frozen=True)
class Work:
    """What a pass does.

    Attributes
    ----------
    what
        Name of the function of a block, or of a chunk.
    in_model, entering, scored
        Columns in the model, columns that enter it, and columns that are scored.
    grams
        Weighted Gram matrices of the columns that are in the model or enter it.
    """

    what: str
    in_model: int = 0
    entering: int = 0
    scored: int = 0
    grams: int = 0

    @property
    def inside(self) -> int:
        """Columns in the model and those that enter it."""
        return self.in_model + self.entering

    @property
    def entries(self) -> int:
        """Kernel entries of a row."""
        return self.inside + self.scored

    @property
    def multiplications(self) -> float:
        """Multiplications of a row, each with an addition."""
        return self.in_model**2 + 0.5 * self.grams * self.inside**2 + self.inside * self.scored

    def seconds(self, n_rows: float, constants: Any, workers: float) -> float:
        """Return what a pass takes where nothing waits."""
        own = constants["kernel_s"] * self.entries + constants["multiply_s"] * self.multiplications
        return float(n_rows * (own + constants["row_s"]) / workers)


def work_of(function: Any) -> Work:
    """Return what a function of chunks does to a row."""
    if not isinstance(function, ChunkFunction):
        given = function.args if isinstance(function, partial) else ()
        models = [each.predictive_model_ for each in given if hasattr(each, "predictive_model_")]
        return Work(name_of(function), sum(model.basis.n_columns for model in models))
    inner = function.function
    if not isinstance(inner, RowPass):
        return Work(name_of(inner))
    reduce = inner.reduce
    scored = 0
    curved = reduce is curved_statistics
    if isinstance(reduce, partial) and reduce.func is block_scores:
        scored = sum(len(tile) for tile in reduce.keywords["tiles"])
        curved = reduce.keywords["curved"]
    in_model = len(function.state.columns)
    return Work(name_of(reduce), in_model, len(inner.columns) - in_model, scored, 1 + curved)


def name_of(function: Any) -> str:
    """Return what a function is called."""
    function = function.func if isinstance(function, partial) else function
    return str(getattr(function, "__name__", type(function).__name__)).strip("<>")


# constants ------------------------------------------------------------------------------------------


def measured_constants(source: RowSource, travelled: ChunkFunction, threads: int) -> dict[str, float]:
    """Return CPU seconds of a kernel entry, a multiplication and a row, and the seconds that a round waits.

    ``travelled`` is a pass of the fit, with its columns, its likelihood and its preparation of rows.
    """
    row_pass, state = travelled.function, travelled.state
    assert isinstance(row_pass, RowPass)
    columns = row_pass.columns
    n_rows, width = source.map_reduce(count_rows), len(columns)
    phi = np.random.default_rng(0).random((travelled.block_rows, width))
    engine = StreamEngine(source, travelled.basis, travelled.basis.centres[:2], travelled.prepare)
    plain = StreamEngine(source, travelled.basis, travelled.basis.centres[:2], as_they_are)
    one = Posterior(state.posterior.mean[:1], state.posterior.root[:1, :1], 0.0)
    bias = replace(state, columns=columns[:1], precision=state.precision[:1], posterior=one)
    alone = RowPass(row_pass.coding, columns[:1], curved_statistics)
    with single_blas_thread():
        prepared = cpu_of(lambda: engine.map_reduce(nothing, columns, None))
        kernel = cpu_of(lambda: engine.map_reduce(only_kernel, columns, columns))
        multiply = cpu_of(lambda: plain.map_reduce(only_gram, columns, phi))
        row = cpu_of(lambda: engine.map_reduce(alone, columns, bias))
        read = cpu_of(lambda: source.map_reduce(count_rows))
        reading = fastest(lambda: source.map_reduce(count_rows), perf_counter)
    return {
        "kernel_s": (kernel - prepared) / (n_rows * width),
        "multiply_s": (multiply - read) / (n_rows * 0.5 * width**2),
        "row_s": row / n_rows,
        "waiting_s": max(0.0, reading - read / threads),
    }


def fastest(part: Callable[[], Any], clock: Callable[[], float]) -> float:
    """Return the seconds of the fastest of a few calls."""
    taken: list[float] = []
    while len(taken) < REPEATS and sum(taken) < PATIENCE:
        start = clock()
        part()
        taken.append(clock() - start)
    return min(taken)


cpu_of = partial(fastest, clock=process_time)


def count_rows(chunk: Chunk) -> int:
    return int(chunk.X.shape[0])


def nothing(block: Block, state: None) -> float:
    return 0.0


def only_kernel(block: Block, columns: Any) -> float:
    return float(block.phi(columns)[0, 0])


def only_gram(block: Block, phi: Any) -> Any:
    return weighted_gram(phi[: len(block.weight)], block.weight)
