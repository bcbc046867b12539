"""Files that appear whole or not at all: written aside, then renamed."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from rowtrust.atomic.locks import claimed, sweep

FILE_RIGHTS = 0o666
"""Rights of an ordinary file before the umask is taken off; the usual ones of POSIX."""

LONGEST_NAME = 200
"""Bytes of a name that go into that of the file aside; most systems allow 255, and some are ours."""

MOST_LINKS = 40
"""Links that are followed one after another; the limit of Linux."""

DESCRIPTORS = re.compile(r"/proc/(self|\d+)(/task/\d+)?/fd|/dev/fd")
"""Folders whose entries are files that a process has opened, as /dev/stdout is."""


@contextmanager
def written_aside(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a path to write to; at the end all of it appears at ``path``, or nothing at all.

    A link stays, and what it leads to is replaced. What is no regular file (a pipe, a device, what a process
    has opened) is written to and stays what it is. An earlier file passes its rights on. What killed runs of
    the same path have left is removed.

    Parameters
    ----------
    path
        The file; its folder must exist.
    """
    opened = opened_by_a_process(path)
    target = Path(os.path.realpath(path))
    earlier = existing(path)
    if opened is not None or (earlier is not None and not stat.S_ISREG(earlier.st_mode)):
        with aside_of(Path(tempfile.gettempdir()) / Path(path).name) as aside:
            yield aside
            write_into(os.fspath(path) if opened is None else opened, aside)
        return
    with aside_of(target) as aside:
        yield aside
        pass_rights_on(aside, FILE_RIGHTS, earlier)
        on_disk(aside)
        os.replace(aside, target)
        on_disk(target.parent)


def existing(path: str | os.PathLike[str]) -> os.stat_result | None:
    """Return what is known of the file that will be replaced or written to; refuse a folder."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    return found


@contextmanager
def aside_of(target: Path) -> Iterator[Path]:
    """Yield a new file beside ``target``, removed at the end; those of dead processes are removed first."""
    start = aside_start(target.name)
    sweep(target.parent, aside_names(target.name))
    with claimed(partial(new_file, target.parent, start)) as aside:
        try:
            yield aside
        finally:
            aside.unlink(missing_ok=True)


def aside_start(name: str) -> str:
    """Return how the names of what is written aside begin, for a file or folder of this name."""
    if len(os.fsencode(name)) > LONGEST_NAME:
        name = hashlib.sha256(os.fsencode(name)).hexdigest()
    return f".{name}.rowtrust-"


def aside_names(name: str) -> re.Pattern[str]:
    """Return how the names of what is written aside look, for a file or folder of this name."""
    return re.compile(re.escape(aside_start(name)) + r"[a-z0-9_]+\.part")


def new_file(folder: Path, start: str) -> Path:
    """Make an empty file that only its owner may read."""
    descriptor, name = tempfile.mkstemp(prefix=start, suffix=".part", dir=folder)
    os.close(descriptor)
    return Path(name)


def opened_by_a_process(path: str | os.PathLike[str]) -> int | str | None:
    """Return our own descriptor, or another's path, if links lead to a file that a process has opened.

    Where /dev/stdout leads to a regular file, its name is known; but others may be writing to it as well.
    """
    link = os.path.abspath(path)
    for _ in range(MOST_LINKS):
        folder, name = os.path.realpath(os.path.dirname(link)), os.path.basename(link)
        if DESCRIPTORS.fullmatch(folder):
            own = os.path.realpath("/proc/self/fd") == folder or folder == "/dev/fd"
            return int(name) if own and name.isdecimal() else link
        try:
            link = os.path.join(folder, os.readlink(link))
        except OSError:
            break
    return None


def write_into(place: int | str, content: Path) -> None:
    """Copy a file into a pipe or a device, or into what is open already, after what was written there."""
    if isinstance(place, int):
        sys.stdout.flush()
        place = os.dup(place)
    with open(content, "rb") as source, open(place, "wb") as sink:
        shutil.copyfileobj(source, sink)


def pass_rights_on(path: Path, rights: int, earlier: os.stat_result | None) -> None:
    """Give what only its owner may read the rights of what it replaces, else those of an ordinary file."""
    if earlier is None:
        mask = os.umask(0)
        os.umask(mask)
        path.chmod(rights & ~mask)
        return
    now = path.stat()
    if hasattr(os, "chown") and (now.st_uid, now.st_gid) != (earlier.st_uid, earlier.st_gid):
        with suppress(OSError):
            os.chown(path, earlier.st_uid, earlier.st_gid)
    path.chmod(stat.S_IMODE(earlier.st_mode))


def on_disk(path: Path) -> None:
    """Wait until a file or folder is on the disk, so that a power cut leaves no empty file in its place."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return  # a folder on Windows, or one that may not be listed
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(descriptor)
