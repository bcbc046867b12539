"""How many threads: one of BLAS around many small factorisations, one a core over many rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

from joblib import cpu_count
from threadpoolctl import ThreadpoolController

_limit = Lock()
"""Who has it has set the limit."""


@contextmanager
def single_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread inside the ``with`` block.

    A sparse fit makes thousands of small matrix calls. Handing each to a team of threads costs more
    than it saves, and on a machine with another busy process it is slower by orders of magnitude.

    The limit is one of the whole process. Where blocks overlap in several threads the first sets it and lifts
    it on its own way out; the others change nothing, and may be without it from then on. What was set
    before comes back whatever the order: a limit that another thread has set cannot be lifted.
    """
    if not _limit.acquire(blocking=False):
        yield
        return
    try:
        with _controller().limit(limits=1, user_api="blas"):
            yield
    finally:
        _limit.release()


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
