"""What kind of object rows are, told without importing its library."""

from __future__ import annotations

from typing import Any


def is_dask(X: Any) -> bool:
    """Whether something is a dask array, dataframe or series."""
    kind = type(X)
    return kind.__module__.partition(".")[0] == "dask" and kind.__name__ in ("Array", "DataFrame", "Series")
