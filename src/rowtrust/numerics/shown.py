"""Values as messages show them: without the names of NumPy's types."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def shown(value: Any) -> str:
    """Return what ``repr`` returns, with NumPy's numbers and words as Python's, also within containers."""
    return repr(plain(value))


def shown_few(values: NDArray[Any], most: int = 5) -> str:
    """Return the first of some values: a message is to stay short."""
    return shown(values[:most].tolist())


def plain(value: Any) -> Any:
    """Return a value with NumPy's scalars, also those in lists, tuples and dictionaries, as Python's."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {plain(name): plain(each) for name, each in value.items()}
    if type(value) in (list, tuple, set):
        return type(value)(plain(each) for each in value)
    return value
