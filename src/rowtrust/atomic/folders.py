"""Folders whose files are all of one run: the files of a run appear in one step.

A folder ``results`` looks so::

    results/run-rowtrust-k3v9x2ab/report.html    the files of the run
    results/current -> run-rowtrust-k3v9x2ab     a link, replaced in one step
    results/report.html -> current/report.html   links that stay, for people and programs

Where there are no links (Windows, FAT) ``current`` is a text file with the name of the run, still replaced in
one step, and ``results/report.html`` is a copy, renewed after it. Who reads several files while a run ends
can see copies of two runs there; the run that ``current`` names is whole at every moment, and if the process
was killed, the next run brings the copies in line.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

from rowtrust.atomic.files import (
    FILE_RIGHTS,
    LONGEST_NAME,
    aside_names,
    aside_start,
    existing,
    on_disk,
    pass_rights_on,
)
from rowtrust.atomic.locks import alone, claimed, remove, sweep

FOLDER_RIGHTS = 0o777
"""Rights of an ordinary folder before the umask is taken off; the usual ones of POSIX."""

CURRENT = "current"
"""Name of the link to the run whose files are shown; part of the command's interface."""

RUN = "run-rowtrust-"
"""How the folders of runs begin: so that no folder of the user is taken for one, and removed."""

RUNS = re.compile(re.escape(RUN) + r"[a-z0-9_]+")
"""How the names of the folders of runs look; the letters are those of ``tempfile.mkdtemp``."""

SCRATCH = ".rowtrust-scratch"
"""Name in a run's folder under which links and copies are made before they go to their place."""


@contextmanager
def folder_written_aside(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield an empty folder to write files into; at the end all appear in ``folder``, or none.

    Files of the same names are replaced in one step, other files stay. What killed runs have left is removed,
    what a living process is writing is not.

    Parameters
    ----------
    folder
        The folder. It need not exist; its parent must.
    """
    folder = Path(os.path.realpath(folder))
    sweep(folder.parent, aside_names(folder.name))
    if not folder.exists():
        with new_folder_aside(folder) as run:
            yield run
    else:
        check_current(folder)
        sweep_runs(folder)
        with new_run(folder) as run:
            yield run
            finish(run, folder)
            with claimed(
                partial(still_there, folder)
            ):  # so that no other run goes through the steps at the same time
                publish(folder, run)
    sweep_runs(folder)  # our own too, if another one is shown by now: it is not locked any more


def folder_locked(
    folder: str | os.PathLike[str], waiting: Callable[[], None] | None = None
) -> AbstractContextManager[None]:
    """Keep other runs from a folder that will be written, from before the work to the end of the writing.

    Parameters
    ----------
    folder
        The folder. It need not exist; its parent must.
    waiting
        Called before another run is waited for; None raises ``BusyError`` instead.
    """
    folder = Path(os.path.realpath(folder))
    place = folder.parent if os.access(folder.parent, os.W_OK) else folder
    return alone(place / f"{aside_start(folder.name)}lock", waiting)


def check_current(folder: Path) -> None:
    """Refuse a folder where something of the user has the name that the link must have."""
    if os.path.lexists(folder / CURRENT) and current_run(folder) is None:
        raise ValueError(f"{folder / CURRENT} was not made by rowtrust. Move it, or choose another folder.")


def current_run(folder: Path) -> str | None:
    """Return the name of the run whose files a folder shows; None if it has none."""
    path = folder / CURRENT
    try:
        name = os.readlink(path) if path.is_symlink() else first_line(path)
    except (OSError, UnicodeError):
        return None
    return name if RUNS.fullmatch(name) else None


def first_line(path: Path) -> str:
    """Return the first line of a text file, or as much of it as the name of a run can have."""
    if not path.is_file():
        return ""
    with open(path, encoding="utf-8") as file:
        return file.readline(LONGEST_NAME).strip()


def sweep_runs(folder: Path) -> None:
    """Remove runs that nobody writes and that are not shown."""
    sweep(folder, RUNS, spared=lambda path: path.name == current_run(folder))


@contextmanager
def new_folder_aside(folder: Path) -> Iterator[Path]:
    """Yield the folder of a run inside a whole new folder, which is renamed at the end."""
    make = partial(new_folder, folder.parent, aside_start(folder.name), ".part")
    with claimed(make) as aside:
        try:
            with new_run(aside) as run:
                yield run
                finish(run, folder)
                publish(aside, run)
                pass_rights_on(aside, FOLDER_RIGHTS, None)
                put(aside, run, folder)
        finally:
            remove(aside)


def put(aside: Path, run: Path, folder: Path) -> None:
    """Rename a whole folder; if another run has made it in the meantime, put the files there."""
    try:
        os.rename(aside, folder)
    except OSError:
        if not folder.is_dir():
            raise
        check_current(folder)
        moved = folder / run.name
        os.rename(run, moved)
        with claimed(partial(still_there, folder)):
            publish(folder, moved)
    on_disk(folder.parent)


def still_there(folder: Path) -> Path:
    """Return a folder; raise an error if somebody removed it, so that nobody waits for it for ever."""
    folder.stat()
    return folder


def new_folder(place: Path, start: str, end: str = "") -> Path:
    """Make a folder that only its owner may read."""
    return Path(tempfile.mkdtemp(prefix=start, suffix=end, dir=place))


@contextmanager
def new_run(folder: Path) -> Iterator[Path]:
    """Yield a new folder of a run, removed at the end unless its files are shown."""
    with claimed(partial(new_folder, folder, RUN)) as run:
        try:
            yield run
        finally:
            if current_run(folder) != run.name:
                remove(run)


def finish(run: Path, folder: Path) -> None:
    """Give the files of a run the rights of those they replace, and wait until they are on the disk."""
    for path in run.iterdir():
        pass_rights_on(path, FILE_RIGHTS, existing(folder / path.name))
        on_disk(path)
    pass_rights_on(run, FOLDER_RIGHTS, None)
    on_disk(run)


def publish(folder: Path, run: Path) -> None:
    """Show the files of a run, by one step from those that were shown before."""
    names = sorted(os.listdir(run))
    if has_links(run):
        if not all(is_shown_by_link(folder, name) for name in names):
            put_behind_links(folder, run, names)
        show_run(folder, run, run)
        return
    for name in names:  # what links show until now goes on without them
        if is_shown_by_link(folder, name) and (folder / name).is_file():
            put_copy(run, folder / name, folder / name)
    put_text(run, run.name, folder / CURRENT)
    on_disk(folder)
    for name in names:
        put_copy(run, run / name, folder / name)
    on_disk(folder)


def has_links(run: Path) -> bool:
    """Whether links can be made here, and replaced in one step, which Windows cannot do."""
    if os.name != "posix":
        return False
    try:
        os.symlink(CURRENT, run / SCRATCH)
    except (OSError, NotImplementedError):
        return False
    (run / SCRATCH).unlink()
    return True


def is_shown_by_link(folder: Path, name: str) -> bool:
    """Whether a file in the folder is the link to that of the current run."""
    path = folder / name
    return path.is_symlink() and os.readlink(path) == os.path.join(CURRENT, name)


def put_behind_links(folder: Path, run: Path, names: list[str]) -> None:
    """Replace files by links to the current run, while what they show stays the same at every step.

    What is shown now becomes a run of its own, which becomes the current one; then the links are put.
    """
    shown = [name for name in names if (folder / name).is_file()]
    if shown:
        with new_run(folder) as earlier:
            for name in shown:
                duplicate(folder / name, earlier / name)
                on_disk(earlier / name)
            pass_rights_on(earlier, FOLDER_RIGHTS, None)
            on_disk(earlier)
            show_run(folder, earlier, run)
    for name in names:
        if not is_shown_by_link(folder, name):
            put_link(run, os.path.join(CURRENT, name), folder / name)


def show_run(folder: Path, shown: Path, run: Path) -> None:
    """Let the link lead to another run: the one step."""
    on_disk(folder)
    put_link(run, shown.name, folder / CURRENT)
    on_disk(folder)


def put_link(run: Path, leads_to: str, path: Path) -> None:
    """Make a link in the folder of a run, then put it where it belongs, replacing what is there."""
    os.symlink(leads_to, run / SCRATCH)
    os.replace(run / SCRATCH, path)


def put_copy(run: Path, source: Path, path: Path) -> None:
    """Copy a file into the folder of a run, then put it where it belongs, replacing what is there."""
    duplicate(source, run / SCRATCH)
    os.replace(run / SCRATCH, path)
    (run / SCRATCH).unlink(missing_ok=True)  # one file of two names is not renamed


def put_text(run: Path, text: str, path: Path) -> None:
    """Write a line in the folder of a run, then put it where it belongs, replacing what is there."""
    with open(run / SCRATCH, "w", encoding="utf-8") as file:
        file.write(f"{text}\n")
    on_disk(run / SCRATCH)
    os.replace(run / SCRATCH, path)


def duplicate(path: Path, other: Path) -> None:
    """Give a file a second name, or copy it where it cannot have one."""
    try:
        os.link(os.path.realpath(path), other)
    except (OSError, NotImplementedError):
        shutil.copy2(path, other)
        on_disk(other)
