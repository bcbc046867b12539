"""Fetchers of tables with real errors, from a folder: nothing is shipped, nothing downloaded."""

from __future__ import annotations

import os
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from rowtrust.contracts import Array
from rowtrust.datasets.fetchers import VARIABLE, DataNotFoundError, checked_text, data_folder

Home = str | os.PathLike[str] | None

JIRA = {
    "activemq": ("5.0.0", "5.2.0"),
    "camel": ("1.4.0",),
    "derby": ("10.2.1.6", "10.5.1.1"),
    "groovy": ("1_5_7", "1_6_BETA_2"),
    "jruby": ("1.1", "1.5.0"),
}
"""Releases by project: those of Yatish et al. (2019) whose files are in the folder."""

JIRA_ANSWERS = ("File", "HeuBug", "HeuBugCount", "RealBug", "RealBugCount")
"""Columns that are no measurements."""

BOSTON_INPUTS = (
    "CRIM",
    "ZN",
    "INDUS",
    "CHAS",
    "NOX",
    "RM",
    "AGE",
    "DIS",
    "RAD",
    "TAX",
    "PTRATIO",
    "B",
    "LSTAT",
)
"""The thirteen inputs of everybody's Boston."""

AIR_INPUTS = ("PT08.S1(CO)", "PT08.S2(NMHC)", "PT08.S3(NOx)", "PT08.S4(NO2)", "PT08.S5(O3)", "T", "RH", "AH")
"""The five cheap sensors, temperature, and relative and absolute humidity."""

AIR_MISSING = -200.0
"""What stands in the file for a missing value."""


def fetch_jira(data_home: Home = None, *, release: str = "camel-1.4.0") -> Bunch:
    """Modules of Java projects: whether each had a bug, by a heuristic and by following issue reports.

    The heuristic looks for words of repair in commits; 8 to 29 % of its labels are wrong, most to one
    side, and not
    at random (Yatish et al. 2019). Releases of one project share files: split them by project.

    Parameters
    ----------
    data_home : str or path, default=None
        Folder of the files; None asks the environment variable ``ROWTRUST_DATA``.
    release : str, default="camel-1.4.0"
        Project and version, as "jruby-1.1".

    Returns
    -------
    Bunch
        With ``data`` (65 measurements), ``given`` and ``true`` (0, 1), ``group`` (the project),
        ``feature_names``,
        ``name`` and ``source``.

    Raises
    ------
    DataNotFoundError
        If the folder is not named, or does not have the file.

    Examples
    --------
    >>> from rowtrust.datasets import fetch_jira
    >>> fetch_jira("folder/of/files").data.shape  # doctest: +SKIP
    (1515, 65)
    """
    known = [f"{project}-{version}" for project, versions in JIRA.items() for version in versions]
    if release not in known:
        raise ValueError(f"release must be one of {', '.join(known)}; got {release!r}.")
    folder = named(data_home)
    columns = csv_columns(folder, f"real/jira/{release}.csv")
    names = [name for name in columns if name not in JIRA_ANSWERS]
    given, true = ((columns[name] == "TRUE").astype(int) for name in ("HeuBug", "RealBug"))
    return Bunch(
        data=numbers_of(columns, names),
        given=given,
        true=true,
        group=release.split("-")[0],
        feature_names=names,
        name=release,
        source=str(folder),
    )


def fetch_cifar10n(data_home: Home = None) -> Bunch:
    """CIFAR-10N: probabilities of held-out pictures, the classes that people gave, and the true ones.

    50 000 pictures, 10 classes, 9 % of the labels wrong; out-of-fold probabilities of a ResNet-18, from
    cleanlab's
    benchmark of label errors.

    Parameters
    ----------
    data_home : str or path, default=None
        Folder of the files; None asks the environment variable ``ROWTRUST_DATA``.

    Returns
    -------
    Bunch
        With ``probabilities``, ``given``, ``wrong`` (a mask), ``name`` and ``source``.

    Raises
    ------
    DataNotFoundError
        If the folder is not named, or does not have the file.

    Examples
    --------
    >>> from rowtrust.datasets import fetch_cifar10n
    >>> fetch_cifar10n("folder/of/files").probabilities.shape  # doctest: +SKIP
    (50000, 10)
    """
    return network(data_home, "cifar10n", "real/cifar10n/aggregate_resnet18.npz")


def fetch_roman(data_home: Home = None) -> Bunch:
    """Handwritten roman numerals: probabilities of held-out pictures, the given labels, and which are wrong.

    2831 pictures, 10 classes, 13 % of the labels wrong; out-of-fold probabilities of a ResNet-18, from
    cleanlab's
    benchmark of label errors.

    Parameters
    ----------
    data_home : str or path, default=None
        Folder of the files; None asks the environment variable ``ROWTRUST_DATA``.

    Returns
    -------
    Bunch
        With ``probabilities``, ``given``, ``wrong`` (a mask), ``name`` and ``source``.

    Raises
    ------
    DataNotFoundError
        If the folder is not named, or does not have the file.

    Examples
    --------
    >>> from rowtrust.datasets import fetch_roman
    >>> fetch_roman("folder/of/files").probabilities.shape  # doctest: +SKIP
    (2831, 10)
    """
    return network(data_home, "roman", "real/roman/resnet18.npz")


def fetch_corrected_boston(data_home: Home = None) -> Bunch:
    """Boston housing with the prices as published, and as they were corrected in eight tracts.

    One of its columns is built on race. Use it to compare with papers, not to learn about housing.

    Parameters
    ----------
    data_home : str or path, default=None
        Folder of the files; None asks the environment variable ``ROWTRUST_DATA``.

    Returns
    -------
    Bunch
        With ``data``, ``given`` and ``true`` (thousands of dollars), ``feature_names``, ``name`` and
        ``source``.

    Raises
    ------
    DataNotFoundError
        If the folder is not named, or does not have the file.

    Examples
    --------
    >>> from rowtrust.datasets import fetch_corrected_boston
    >>> fetch_corrected_boston("folder/of/files").data.shape  # doctest: +SKIP
    (506, 13)
    """
    folder = named(data_home)
    columns = csv_columns(folder, "real/boston_corrected.csv")
    given, true = (columns[name].astype(float) for name in ("MEDV", "CMEDV"))
    return Bunch(
        data=numbers_of(columns, BOSTON_INPUTS),
        given=given,
        true=true,
        feature_names=list(BOSTON_INPUTS),
        name="boston",
        source=str(folder),
    )


def fetch_air_quality(data_home: Home = None) -> Bunch:
    """Hours beside a road in Italy: cheap gas sensors, and what a reference analyser measured.

    Rows in which a sensor or the reference is missing are left out. Hours in a row resemble each other:
    split by week.

    Parameters
    ----------
    data_home : str or path, default=None
        Folder of the files; None asks the environment variable ``ROWTRUST_DATA``.

    Returns
    -------
    Bunch
        With ``data`` (five sensors and the weather), ``target`` (carbon monoxide of the reference,
        mg/m3), ``week``
        (since the start), ``feature_names``, ``name`` and ``source``.

    Raises
    ------
    DataNotFoundError
        If the folder is not named, or does not have the file.

    Examples
    --------
    >>> from rowtrust.datasets import fetch_air_quality
    >>> fetch_air_quality("folder/of/files").data.shape  # doctest: +SKIP
    (7344, 8)
    """
    folder = named(data_home)
    columns = csv_columns(folder, "real/AirQualityUCI.csv")
    data, target = numbers_of(columns, AIR_INPUTS), columns["CO(GT)"].astype(float)
    known = (data != AIR_MISSING).all(axis=1) & (target != AIR_MISSING)
    return Bunch(
        data=data[known],
        target=target[known],
        week=np.flatnonzero(known) // (7 * 24),
        feature_names=list(AIR_INPUTS),
        name="air quality",
        source=str(folder),
    )


def named(data_home: Home) -> Path:
    """Return the folder of files."""
    folder = data_folder(data_home)
    if folder is None:
        raise DataNotFoundError(
            f"These data are read from a folder only: name it with data_home= or the environment variable "
            f"{VARIABLE}."
        )
    return folder


def network(data_home: Home, name: str, path: str) -> Bunch:
    """Return a network's probabilities with the given labels, and which are wrong."""
    folder = named(data_home)
    with np.load(BytesIO(checked_text(folder, path).encode("latin-1")), allow_pickle=False) as file:
        arrays = {key: file[key] for key in file.files}
    given = arrays["given"].astype(int)
    wrong = arrays["wrong"].astype(bool) if "wrong" in arrays else given != arrays["true"]
    probabilities = arrays["pred_probs"].astype(float)
    return Bunch(probabilities=probabilities, given=given, wrong=wrong, name=name, source=str(folder))


def csv_columns(folder: Path, path: str) -> dict[str, NDArray[Any]]:
    """Return the columns of a CSV file by their names, as text."""
    text = checked_text(folder, path).replace('"', "")
    header, *_ = text.splitlines()
    cells = np.loadtxt(StringIO(text), delimiter=",", dtype=str, skiprows=1, comments=None)
    return dict(zip(header.split(","), cells.T, strict=True))


def numbers_of(columns: dict[str, NDArray[Any]], names: Any) -> Array:
    """Return some columns as numbers."""
    return np.column_stack([columns[name].astype(float) for name in names])
