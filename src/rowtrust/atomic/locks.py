"""What is being written, told from what a killed process has left behind.

A writer has a lock on the file or folder that it writes. The system takes the lock away when the process
ends, however it ends; so what nobody has locked is dead and may be swept.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

DEAD_AFTER = 24 * 3600.0
"""Seconds after which what cannot be locked counts as dead, on systems and disks that have no locks. Chosen
without a study: no run that we know of takes a day."""


@contextmanager
def claimed(make: Callable[[], Path]) -> Iterator[Path]:
    """Make a file or folder and have the lock on it until the end.

    Parameters
    ----------
    make
        Called for a new one; again if somebody swept it before it was locked.
    """
    path, lock = _made_and_locked(make)
    try:
        yield path
    finally:
        if lock is not None:
            os.close(lock)


def _made_and_locked(make: Callable[[], Path]) -> tuple[Path, int | None]:
    """Return what was made and a descriptor with its lock; none where there are no locks."""
    while True:
        path = make()
        try:
            lock = _locked(path)
        except FileNotFoundError:
            continue  # swept before it was opened
        if lock is None or _is_same(lock, path):
            return path, lock
        os.close(lock)


class BusyError(OSError):
    """Another process writes to the same place."""


@contextmanager
def alone(path: Path, waiting: Callable[[], None] | None) -> Iterator[None]:
    """Have a lock file for as long as it takes; it goes at the end, or with the next who has it.

    Parameters
    ----------
    path
        The lock file.
    waiting
        Called before another process is waited for; None raises ``BusyError`` instead.
    """
    with (
        suppress(FileNotFoundError),
        nullcontext(True) if fcntl is None else _lock_of_the_dead(path) as is_free,
    ):
        if not is_free:
            if waiting is None:
                raise BusyError(errno.EWOULDBLOCK, os.strerror(errno.EWOULDBLOCK), os.fspath(path))
            waiting()

    def made() -> Path:
        path.touch()
        return path

    with claimed(made):
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def sweep(place: Path, name: re.Pattern[str], spared: Callable[[Path], bool] = lambda path: False) -> None:
    """Remove the files and folders that dead processes have left in a place.

    Parameters
    ----------
    place
        The folder to look through.
    name
        How their names look.
    spared
        What to keep nevertheless; asked while nobody else can have the lock.
    """
    try:
        found = [place / each for each in os.listdir(place) if name.fullmatch(each)]
    except OSError:
        return  # a folder that may be written, but not listed
    for path in found:
        with suppress(OSError), _lock_of_the_dead(path) as is_dead:
            if is_dead and not spared(path):
                remove(path)


def remove(path: Path) -> None:
    """Remove a file, a link, or a folder with all that is in it, as far as possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _locked(path: Path) -> int | None:
    """Return a descriptor with the lock on a new file or folder; None where there are no locks."""
    if fcntl is None:
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    except PermissionError:
        return None  # a folder that may be written, but not listed
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _is_same(descriptor: int, path: Path) -> bool:
    """Whether a path still leads to the file that was opened."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except FileNotFoundError:
        return False


@contextmanager
def _lock_of_the_dead(path: Path) -> Iterator[bool]:
    """Yield whether nobody writes a file or folder; it stays so until the end."""
    if fcntl is None or path.is_symlink():
        yield _is_old(path)
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            is_taken = error.errno in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)
            yield not is_taken and _is_old(path)
        else:
            yield True
    finally:
        os.close(descriptor)


def _is_old(path: Path) -> bool:
    return time.time() - os.lstat(path).st_mtime > DEAD_AFTER
