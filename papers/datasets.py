"""The data that the reproductions read, and what tells their contents apart."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowtrust.contracts import Array
from rowtrust.datasets import (
    fetch_banana,
    fetch_boston,
    fetch_cancer,
    fetch_concrete,
    fetch_glass,
    fetch_ionosphere,
    fetch_liver,
    fetch_pima,
    fetch_ripley,
    fetch_robot_arm,
    fetch_yacht,
)

FETCHERS: dict[str, Callable[..., Any]] = {
    "banana": fetch_banana,
    "boston": fetch_boston,
    "cancer": fetch_cancer,
    "concrete": fetch_concrete,
    "glass": fetch_glass,
    "ionosphere": fetch_ionosphere,
    "liver": fetch_liver,
    "pima": fetch_pima,
    "ripley": fetch_ripley,
    "robot arm": fetch_robot_arm,
    "yacht": fetch_yacht,
}
"""Every data set that an experiment can name."""


@cache
def load(name: str, data: str | None) -> tuple[Array, NDArray[Any]]:
    """Return inputs and targets of a data set, from a folder or downloaded."""
    X, y = FETCHERS[name](data, return_X_y=True)
    return X, y


@cache
def digest(name: str, data: str | None) -> str:
    """Return what tells the contents of a data set from any others, wherever they lie."""
    found = hashlib.sha256()
    for part in load(name, data):
        array = np.ascontiguousarray(part)
        found.update(f"{array.dtype.str}{array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()
