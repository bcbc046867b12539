"""Fetchers of the papers' data, from a folder or from OpenML."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from rowtrust.contracts import Array

GLASS = {
    "build wind float": 1,
    "build wind non-float": 2,
    "vehic wind float": 3,
    "containers": 5,
    "tableware": 6,
    "headlamps": 7,
}
"""The numbers that the original file gives the kinds of glass."""

VARIABLE = "ROWTRUST_DATA"
"""The environment variable that names the folder."""

REALISATIONS = 10
"""Realisations of the banana data whose checksums are known; the published set has more."""

RETURNS = """
    Parameters
    ----------
    data_home : str or path, default=None
        Folder of the files; None asks the environment variable ``ROWTRUST_DATA``, and without it
        OpenML, where the set exists there.
    return_X_y : bool, default=False
        Whether to return ``(X, y)`` instead of a Bunch.

    Returns
    -------
    Bunch with ``data``, ``target``, ``name`` and ``source``, or the pair ``(X, y)``

    Raises
    ------
    DataNotFoundError
        If neither the folder nor OpenML has the data.

    Examples
    --------
    >>> from rowtrust.datasets import {function}
    >>> {function}("folder/of/files").data.shape  # doctest: +SKIP
    {shape}
    """
"""What the docstrings of all fetchers share."""


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
        raise DataNotFoundError(f"OpenML could not be reached for {name} ({error}). {cure(files)}") from error
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


class DataNotFoundError(OSError):
    """Neither the folder nor the network could give the data. The message names the cure.

    Examples
    --------
    >>> from rowtrust.datasets import DataNotFoundError, fetch_ripley
    >>> try:
    ...     fetch_ripley("no/such/folder")
    ... except DataNotFoundError:
    ...     print("name the folder of the files")
    name the folder of the files
    """


def data_folder(data_home: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the folder of files: the argument, or what the environment names, or None.

    Parameters
    ----------
    data_home
        A folder; None asks the environment variable ``ROWTRUST_DATA``.

    Returns
    -------
    Path or None

    Examples
    --------
    >>> from rowtrust.datasets.fetchers import data_folder
    >>> data_folder("somewhere").name
    'somewhere'
    """
    given = data_home if data_home is not None else os.environ.get(VARIABLE)
    return Path(given).expanduser() if given else None


@cache
def published_sums() -> dict[str, str]:
    """Return the SHA-256 of every known file by its path inside the folder."""
    text = files("rowtrust.datasets").joinpath("checksums.txt").read_text(encoding="utf-8")
    pairs = (line.split(maxsplit=1) for line in text.splitlines() if line.strip())
    return {path: digest for digest, path in pairs}


def checked_text(folder: Path, path: str) -> str:
    """Return the text of a file of the folder, after comparing its checksum.

    Raises
    ------
    DataNotFoundError
        If the file is missing.
    ValueError
        If its bytes are not the published ones.
    """
    file = folder / path
    if not file.is_file():
        raise DataNotFoundError(
            f"{file} does not exist. Put the file there, or choose another folder with data_home=, "
            f"the environment variable {VARIABLE} or --data; without any, OpenML is asked."
        )
    content = file.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != published_sums()[path]:
        raise ValueError(
            f"{file} is not the published file: its SHA-256 is {digest}, expected {published_sums()[path]}. "
            "Fetch it again."
        )
    return content.decode("latin-1")


Home = str | os.PathLike[str] | None
Rows = tuple[Array, NDArray[Any]]
Reader = Callable[..., Rows]
Fetcher = Callable[..., Any]


def documented(shape: tuple[int, int]) -> Callable[[Fetcher], Fetcher]:
    """Complete a fetcher's docstring with what all fetchers share."""

    def complete(function: Fetcher) -> Fetcher:
        shared = RETURNS.format(function=function.__name__, shape=shape)
        function.__doc__ = f"{(function.__doc__ or '').rstrip()}\n{shared}"
        return function

    return complete


def fetched(name: str, *files: str, shape: tuple[int, int]) -> Callable[[Reader], Fetcher]:
    """Turn a function that reads the texts of some files into the fetcher of a set."""

    def decorate(read: Reader) -> Fetcher:
        def fetch(data_home: Home = None, *, return_X_y: bool = False) -> Any:
            return gathered(name, files, read, data_home, return_X_y)

        functools.update_wrapper(fetch, read, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
        del fetch.__wrapped__  # type: ignore[attr-defined]  # the signature is that of a fetcher
        return documented(shape)(fetch)

    return decorate


def gathered(name: str, files: tuple[str, ...], read: Reader, data_home: Home, return_X_y: bool) -> Any:
    """Return the complete rows of a set from the folder, or from OpenML where no folder is named."""
    folder = data_folder(data_home)
    if folder is None:
        data, target = from_openml(name, files)
    else:
        data, target = read(*(checked_text(folder, file) for file in files))
    complete = np.isfinite(data).all(axis=1)
    data, target = data[complete], target[complete]
    if return_X_y:
        return data, target
    return Bunch(data=data, target=target, name=name, source=str(folder) if folder else "OpenML")


def table(text: str, **options: Any) -> Array:
    """Return the numbers of a text."""
    return np.loadtxt(StringIO(text), **options)


def cells(text: str) -> NDArray[Any]:
    """Return the cells of comma-separated text, rows with a missing cell left out."""
    rows = [line.strip().split(",") for line in text.splitlines() if line.strip()]
    return np.array([row for row in rows if "?" not in row])


def last_is_target(text: str) -> Rows:
    """Read whitespace-separated numbers whose last column is the target."""
    numbers = table(text)
    return numbers[:, :-1], numbers[:, -1]


@fetched("ripley", "ripley/synth.tr", "ripley/synth.te", shape=(1250, 2))
def fetch_ripley(train: str, test: str) -> Rows:
    """Ripley's synthetic two-class data: the 250 training rows, then the 1000 test rows."""
    rows = np.vstack([table(text, skiprows=1) for text in (train, test)])
    return rows[:, :2], rows[:, 2].astype(int)


@documented((5300, 2))
def fetch_banana(data_home: Home = None, *, realisation: int = 1, return_X_y: bool = False) -> Any:
    """Raetsch's banana data: the 400 training rows of a realisation (1 to 10), then its 4900 test rows.

    From OpenML the same 5300 rows come in one order of their own, whatever the realisation.
    """
    if not 1 <= realisation <= REALISATIONS:
        raise ValueError(f"realisation must lie between 1 and {REALISATIONS}; got {realisation}.")
    files = tuple(
        f"banana/banana_{part}_{kind}_{realisation}.asc"
        for part in ("train", "test")
        for kind in ("data", "labels")
    )

    def read(*texts: str) -> Rows:
        X = np.vstack([table(texts[0]), table(texts[2])])
        return X, (np.concatenate([table(texts[1]), table(texts[3])]) > 0).astype(int)

    return gathered("banana", files, read, data_home, return_X_y)


@fetched("liver", "bupa/bupa.data", shape=(345, 6))
def fetch_liver(text: str) -> Rows:
    """BUPA's liver disorders. The class is the seventh column, as in the papers.

    Its donors meant that column as a split into training and test rows, not as a diagnosis.
    """
    numbers = table(text, delimiter=",")
    return numbers[:, :6], (numbers[:, 6] == 2).astype(int)


@fetched("ionosphere", "ionosphere/ionosphere.data", shape=(351, 34))
def fetch_ionosphere(text: str) -> Rows:
    """Radar returns from the ionosphere: class 1 is good, 0 is bad. The second column is constant."""
    rows = cells(text)
    return rows[:, :-1].astype(float), (rows[:, -1] == "g").astype(int)


@fetched("cancer", "breast_cancer_wisconsin/breast-cancer-wisconsin.data", shape=(683, 9))
def fetch_cancer(text: str) -> Rows:
    """Wisconsin breast cancer (1992): class 1 is malignant. The 16 incomplete rows are left out."""
    numbers = cells(text).astype(float)
    return numbers[:, 1:10], (numbers[:, 10] == 4).astype(int)


@fetched("boston", "boston_housing/housing.data", shape=(506, 13))
def fetch_boston(text: str) -> Rows:
    """Boston housing: the median value of homes in 506 tracts, in thousands of dollars.

    One of its columns is built on race. Use it to compare with papers, not to learn about housing.
    """
    return last_is_target(text)


@fetched("robot arm", "robot_arm/Mackay-inputs.data", "robot_arm/Mackay-outputs.data", shape=(600, 2))
def fetch_robot_arm(inputs: str, outputs: str) -> Rows:
    """MacKay's robot arm: two joint angles to two coordinates. Rows 0-199 train, 200-399 and 400-599 test."""
    return table(inputs), table(outputs)


@fetched("concrete", "uci_regression/concrete/data.txt", shape=(1030, 8))
def fetch_concrete(text: str) -> Rows:
    """Compressive strength of concrete in MPa."""
    return last_is_target(text)


@fetched("yacht", "uci_regression/yacht/data.txt", shape=(308, 6))
def fetch_yacht(text: str) -> Rows:
    """Residuary resistance of sailing yachts."""
    return last_is_target(text)


@fetched("pima", "imbalanced/pima/pima-indians-diabetes.data", shape=(768, 8))
def fetch_pima(text: str) -> Rows:
    """Diabetes among Pima women: class 1 is diabetes. Zeros stand for missing values in some columns."""
    numbers = table(text, delimiter=",")
    return numbers[:, :-1], numbers[:, -1].astype(int)


@fetched("pima of Ripley", "pima_ripley/pima-training.csv", "pima_ripley/pima-test.csv", shape=(532, 7))
def fetch_pima_ripley(train: str, test: str) -> Rows:
    """Ripley's complete Pima rows: 200 to train, then 332 to test. Class 1 is diabetes."""
    lines = [line for text in (train, test) for line in text.splitlines()[1:] if line.strip()]
    rows = np.array([line.split() for line in lines])
    return rows[:, :7].astype(float), (np.char.strip(rows[:, 7], '"') == "Yes").astype(int)


@fetched("glass", "imbalanced/glass/glass.data", shape=(214, 9))
def fetch_glass(text: str) -> Rows:
    """Glass from the scene of a crime: six kinds, by refractive index and eight oxides."""
    numbers = table(text, delimiter=",")
    return numbers[:, 1:10], numbers[:, 10].astype(int)
