"""The real data of the papers: from a folder of files if there is one, else from OpenML."""

from __future__ import annotations

import os
from collections.abc import Callable
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from rowtrust.contracts import Array
from rowtrust.datasets.folder import checked_text, data_folder
from rowtrust.datasets.openml import from_openml

Home = str | os.PathLike[str] | None
Rows = tuple[Array, NDArray[Any]]

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
        If neither folder nor network has the data; the message says what to do.

    Examples
    --------
    >>> from rowtrust.datasets import {function}
    >>> {function}("folder/of/files").data.shape  # doctest: +SKIP
    {shape}
    """

Fetcher = Callable[..., Any]


def documented(shape: tuple[int, int]) -> Callable[[Fetcher], Fetcher]:
    """Complete a fetcher's docstring with what all fetchers share."""

    def complete(function: Fetcher) -> Fetcher:
        shared = RETURNS.format(function=function.__name__, shape=shape)
        function.__doc__ = f"{(function.__doc__ or '').rstrip()}\n{shared}"
        return function

    return complete


def gathered(
    name: str, files: tuple[str, ...], read: Callable[..., Rows], data_home: Home, return_X_y: bool
) -> Any:
    """Return a set from the folder, or from OpenML where no folder is named."""
    folder = data_folder(data_home)
    if folder is None:
        data, target = from_openml(name, files)
    else:
        data, target = read(*(checked_text(folder, file) for file in files))
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


@documented((1250, 2))
def fetch_ripley(data_home: Home = None, *, return_X_y: bool = False) -> Any:
    """Ripley's synthetic two-class data: the 250 training rows, then the 1000 test rows."""

    def read(train: str, test: str) -> Rows:
        rows = np.vstack([table(text, skiprows=1) for text in (train, test)])
        return rows[:, :2], rows[:, 2].astype(int)

    return gathered("ripley", ("ripley/synth.tr", "ripley/synth.te"), read, data_home, return_X_y)


@documented((5300, 2))
def fetch_banana(data_home: Home = None, *, realisation: int = 1, return_X_y: bool = False) -> Any:
    """Raetsch's banana data: the 400 training rows of a realisation (1 to 10), then its 4900 test rows.

    From OpenML the same 5300 rows come in one order of their own, whatever the realisation.
    """
    if not 1 <= realisation <= 10:
        raise ValueError(f"realisation must lie between 1 and 10; got {realisation}.")
    files = tuple(
        f"banana/banana_{part}_{kind}_{realisation}.asc"
        for part in ("train", "test")
        for kind in ("data", "labels")
    )

    def read(*texts: str) -> Rows:
        X = np.vstack([table(texts[0]), table(texts[2])])
        return X, (np.concatenate([table(texts[1]), table(texts[3])]) > 0).astype(int)

    return gathered("banana", files, read, data_home, return_X_y)


@documented((345, 6))
def fetch_liver(data_home: Home = None, *, return_X_y: bool = False) -> Any:
    """BUPA's liver disorders. The class is the seventh column, as in the papers.

    Its donors meant that column as a split into training and test rows, not as a diagnosis.
    """

    def read(text: str) -> Rows:
        numbers = table(text, delimiter=",")
        return numbers[:, :6], (numbers[:, 6] == 2).astype(int)

    return gathered("liver", ("bupa/bupa.data",), read, data_home, return_X_y)


@documented((351, 34))
def fetch_ionosphere(data_home: Home = None, *, return_X_y: bool = False) -> Any:
    """Radar returns from the ionosphere: class 1 is good, 0 is bad. The second column is constant."""

    def read(text: str) -> Rows:
        rows = cells(text)
        return rows[:, :-1].astype(float), (rows[:, -1] == "g").astype(int)

    return gathered("ionosphere", ("ionosphere/ionosphere.data",), read, data_home, return_X_y)


@documented((683, 9))
def fetch_cancer(data_home: Home = None, *, return_X_y: bool = False) -> Any:
    """Wisconsin breast cancer (1992): class 1 is malignant. The 16 incomplete rows are left out."""

    def read(text: str) -> Rows:
        numbers = cells(text).astype(float)
        return numbers[:, 1:10], (numbers[:, 10] == 4).astype(int)

    file = "breast_cancer_wisconsin/breast-cancer-wisconsin.data"
    found = gathered("cancer", (file,), read, data_home, False)
    complete = np.isfinite(found.data).all(axis=1)
    found.data, found.target = found.data[complete], found.target[complete]
    return (found.data, found.target) if return_X_y else found


@documented((506, 13))
def fetch_boston(data_home: Home = None, *, return_X_y: bool = False) -> Any:
    """Boston housing: the median value of homes in 506 tracts, in thousands of dollars.

    One of its columns is built on race. Use it to compare with papers, not to learn about housing.
    """
    return gathered("boston", ("boston_housing/housing.data",), last_is_target, data_home, return_X_y)


@documented((600, 2))
def fetch_robot_arm(data_home: Home = None, *, return_X_y: bool = False) -> Any:
    """MacKay's robot arm: two joint angles to two coordinates. Rows 0-199 train, 200-399 and 400-599 test."""
    files = ("robot_arm/Mackay-inputs.data", "robot_arm/Mackay-outputs.data")
    return gathered(
        "robot arm", files, lambda inputs, outputs: (table(inputs), table(outputs)), data_home, return_X_y
    )


@documented((1030, 8))
def fetch_concrete(data_home: Home = None, *, return_X_y: bool = False) -> Any:
    """Compressive strength of concrete in MPa."""
    return gathered("concrete", ("uci_regression/concrete/data.txt",), last_is_target, data_home, return_X_y)


@documented((308, 6))
def fetch_yacht(data_home: Home = None, *, return_X_y: bool = False) -> Any:
    """Residuary resistance of sailing yachts."""
    return gathered("yacht", ("uci_regression/yacht/data.txt",), last_is_target, data_home, return_X_y)


@documented((768, 8))
def fetch_pima(data_home: Home = None, *, return_X_y: bool = False) -> Any:
    """Diabetes among Pima women: class 1 is diabetes. Zeros stand for missing values in some columns."""

    def read(text: str) -> Rows:
        numbers = table(text, delimiter=",")
        return numbers[:, :-1], numbers[:, -1].astype(int)

    file = "imbalanced/pima/pima-indians-diabetes.data"
    return gathered("pima", (file,), read, data_home, return_X_y)


@documented((532, 7))
def fetch_pima_ripley(data_home: Home = None, *, return_X_y: bool = False) -> Any:
    """Ripley's complete Pima rows: 200 to train, then 332 to test. Class 1 is diabetes."""

    def read(train: str, test: str) -> Rows:
        rows = np.array(
            [line.split() for text in (train, test) for line in text.splitlines()[1:] if line.strip()]
        )
        return rows[:, :7].astype(float), (np.char.strip(rows[:, 7], '"') == "Yes").astype(int)

    files = ("pima_ripley/pima-training.csv", "pima_ripley/pima-test.csv")
    return gathered("pima of Ripley", files, read, data_home, return_X_y)


@documented((214, 9))
def fetch_glass(data_home: Home = None, *, return_X_y: bool = False) -> Any:
    """Glass from the scene of a crime: six kinds, by refractive index and eight oxides."""

    def read(text: str) -> Rows:
        numbers = table(text, delimiter=",")
        return numbers[:, 1:10], numbers[:, 10].astype(int)

    return gathered("glass", ("imbalanced/glass/glass.data",), read, data_home, return_X_y)
