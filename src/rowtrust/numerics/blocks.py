"""Work on rows in blocks: how large these are, on how many threads, and numbers that scatter rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from threading import Lock

import numpy as np
from joblib import cpu_count
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

KEPT_BYTES = 2**28
"""Rows, or distances between rows and centres, that are kept in memory have this size at most: distances of
512 centres to 65536 rows. A limit on memory."""

TILE = 2048
"""Columns whose values exist at a time: with more, a block would hold few rows and be all overhead. It does
not matter much: with 512 to 8192 a fit to 5000 rows of Ripley's data takes the same time within a tenth."""

BLOCK_NUMBERS = 2**19
"""Doubles in the largest temporary of one row block, 4 MiB: small enough for the cache, large enough for
BLAS-3. See ``engines.memory`` for what other sizes cost."""


def block_rows(n_columns: int, numbers: int = BLOCK_NUMBERS) -> int:
    """Return how many rows of ``n_columns`` doubles make one block."""
    return max(1, numbers // max(1, n_columns))


def row_blocks(n_rows: int, size: int) -> Iterator[slice]:
    """Yield consecutive slices of at most ``size`` rows; none of no rows.

    scikit-learn's ``gen_batches`` refuses no rows, and takes longer to check its arguments than a small
    block takes.
    """
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))


FEW_ROWS = 20_000
"""Rows below which a team of threads costs boosting more than it saves: 100 trees of 300, 2000 and 20 000
rows of 8 inputs take 0.08, 0.13 and 0.32 s with one thread, with two on busy cores 0.26, 0.57 and 0.79 s."""

_limits = {"blas": Lock(), "openmp": Lock()}
"""Who has one of them has set the limit of that library."""


def single_blas_thread() -> AbstractContextManager[None]:
    """Limit BLAS to one thread inside the ``with`` block.

    A sparse fit makes thousands of small matrix calls. Handing each to a team of threads costs more
    than it saves, and on a machine with another busy process it is slower by orders of magnitude.
    """
    return _single_thread("blas")


def threads_for(n_rows: int) -> AbstractContextManager[None]:
    """Limit OpenMP to one thread inside the ``with`` block where rows are few, for the same reason."""
    return _single_thread("openmp") if n_rows < FEW_ROWS else nullcontext()


@contextmanager
def _single_thread(library: str) -> Iterator[None]:
    """Limit a library to one thread.

    The limit is one of the whole process. Where blocks overlap in several threads the first sets it and lifts
    it on its own way out; the others change nothing, and may be without it from then on. What was set
    before comes back whatever the order: a limit that another thread has set cannot be lifted.
    """
    if not _limits[library].acquire(blocking=False):
        yield
        return
    try:
        # what uses OpenMP may have been imported since the last look
        controller = _controller() if library == "blas" else ThreadpoolController()
        with controller.limit(limits=1, user_api=library):
            yield
    finally:
        _limits[library].release()


def thread_count() -> int:
    """Return how many threads may work on rows side by side: the cores, or fewer where BLAS has fewer.

    Who limits BLAS, as joblib does in its processes, limits these with it.
    """
    allowed = [library.num_threads for library in _controller().lib_controllers if library.user_api == "blas"]
    return int(max(1, min([cpu_count(), *allowed])))


@cache
def _controller() -> ThreadpoolController:
    """Look up the BLAS libraries once: the look-up costs as much as a small fit."""
    return ThreadpoolController()


GOLDEN, FIRST_MIX, SECOND_MIX = (
    np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
"""Increment and factors of the SplitMix64 generator, which scatters nearby numbers."""


def scattered(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the finaliser of SplitMix64 (Steele et al. 2014) of each number."""
    bits = bits + GOLDEN
    bits = (bits ^ (bits >> np.uint64(30))) * FIRST_MIX
    bits = (bits ^ (bits >> np.uint64(27))) * SECOND_MIX
    return np.asarray(bits ^ (bits >> np.uint64(31)))
