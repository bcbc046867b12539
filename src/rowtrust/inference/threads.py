"""One BLAS thread around many small factorisations."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


def single_blas_thread() -> AbstractContextManager[Any]:
    """Limit BLAS to one thread inside the ``with`` block.

    A sparse fit makes thousands of small matrix calls. Handing each to a team of threads costs more
    than it saves, and on a machine with another busy process it is slower by orders of magnitude.
    """
    limiter: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limiter


@cache
def _controller() -> ThreadpoolController:
    """Look up the BLAS libraries once: the look-up costs as much as a small fit."""
    return ThreadpoolController()
