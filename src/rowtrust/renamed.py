"""Attributes that have another name now: the old one warns for one release."""

from __future__ import annotations

import warnings
from typing import Any


class Renamed:
    """The old name of an attribute: it warns, and returns what has another name now.

    Parameters
    ----------
    now
        The new name.
    """

    def __init__(self, now: str) -> None:
        self.now = now

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        found = getattr(instance, self.now)
        kind = type(instance).__name__
        warnings.warn(
            f"{kind}.{self.name} is called {self.now} now; the next release drops the old name.",
            FutureWarning,
            stacklevel=2,
        )
        return found
