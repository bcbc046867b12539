"""One BLAS thread around many small factorisations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

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


@cache
def _controller() -> ThreadpoolController:
    """Look up the BLAS libraries once: the look-up costs as much as a small fit."""
    return ThreadpoolController()
