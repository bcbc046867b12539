"""Files and folders that appear whole or not at all: written aside, then renamed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE_RIGHTS = 0o666
"""Rights of an ordinary file before the umask is taken off; the usual ones of POSIX."""

FOLDER_RIGHTS = 0o777
"""Rights of an ordinary folder before the umask is taken off; the usual ones of POSIX."""


@contextmanager
def written_aside(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a path beside ``path``; rename it to ``path`` at the end, or leave nothing at all."""
    path = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    aside = Path(name)
    try:
        yield aside
        _apply_umask(aside, FILE_RIGHTS)
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


@contextmanager
def folder_written_aside(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a folder beside ``folder``; rename it at the end, or leave nothing at all.

    Where ``folder`` exists, the new files replace those of the same names one by one, and others stay.
    """
    folder = Path(folder)
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        yield aside
        if folder.exists():
            for file in aside.iterdir():
                os.replace(file, folder / file.name)
        else:
            _apply_umask(aside, FOLDER_RIGHTS)
            os.rename(aside, folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _apply_umask(path: Path, rights: int) -> None:
    """Give what only its owner may read the rights of an ordinary file or folder."""
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(rights & ~mask)
