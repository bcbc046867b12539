"""The sets that exist on OpenML, through scikit-learn, which checks OpenML's own checksums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowtrust.contracts import Array
from rowtrust.datasets.folder import VARIABLE, DataNotFoundError


@dataclass(frozen=True)
class Entry:
    """Where a set lives on OpenML, and which label is the positive class.

    Parameters
    ----------
    number
        OpenML's identifier of the set.
    target
        Name of the target column.
    positive
        Label of the positive class; None keeps the targets as they are.
    """

    number: int
    target: str
    positive: str | None = None


GLASS = {
    "build wind float": 1,
    "build wind non-float": 2,
    "vehic wind float": 3,
    "containers": 5,
    "tableware": 6,
    "headlamps": 7,
}
"""The numbers that the original file gives the kinds of glass."""

ENTRIES = {
    "banana": Entry(1460, "Class", "2"),
    "boston": Entry(531, "MEDV"),
    "cancer": Entry(15, "Class", "malignant"),
    "concrete": Entry(44959, "strength"),
    "glass": Entry(41, "Type"),
    "ionosphere": Entry(59, "class", "g"),
    "liver": Entry(8, "selector", "2"),
    "pima": Entry(37, "class", "tested_positive"),
}
"""Sets that are complete on OpenML, by OpenML's numbers. Ripley's data and the robot arm's are not."""


def from_openml(name: str, files: tuple[str, ...]) -> tuple[Array, NDArray[Any]]:
    """Return inputs and targets from OpenML; without a network, say what to do instead."""
    if name not in ENTRIES:
        raise DataNotFoundError(f"The {name} data are not on OpenML. {cure(files)}")
    from sklearn.datasets import fetch_openml

    entry = ENTRIES[name]
    try:
        found = fetch_openml(
            data_id=entry.number, target_column=entry.target, as_frame=False, parser="liac-arff"
        )
    except OSError as error:  # scikit-learn raises URLError, HTTPError and timeouts: all are OSError
        raise DataNotFoundError(
            f"OpenML could not be reached for the {name} data ({error}). {cure(files)}"
        ) from error
    data = np.asarray(found.data, dtype=float)
    return data, coded(np.asarray(found.target), entry)


def coded(target: NDArray[Any], entry: Entry) -> NDArray[Any]:
    """Return classes as 0 and 1 where one of them is the positive one; numbers as floats."""
    if entry.positive is not None:
        return np.asarray(target.astype(str) == entry.positive, dtype=int)
    if entry is ENTRIES["glass"]:
        return np.array([GLASS[str(kind).strip("'")] for kind in target])
    return np.asarray(target, dtype=float)


def cure(files: tuple[str, ...]) -> str:
    """Say how to give the files by hand."""
    return (
        f"Point data_home=, the environment variable {VARIABLE} or --data at a folder with "
        f"{' and '.join(files)}."
    )
