"""The papers' data from a folder of files, each checked against its published sum."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from importlib.resources import files
from pathlib import Path

VARIABLE = "ROWTRUST_DATA"
"""The environment variable that names the folder."""


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
    >>> from rowtrust.datasets.folder import data_folder
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
            f"{file} is not the published file: its SHA-256 is {digest}, expected "
            f"{published_sums()[path]}. Fetch it again."
        )
    return content.decode("latin-1")
