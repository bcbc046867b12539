"""Commands killed at random moments: earlier results are whole or the new ones are, and nothing stays behind.

Every run is a process of its own, forked from one that has imported everything, so that the moments are
moments of work and not of imports. One half of them is drawn over the whole run, the other from the moment on
that something is written.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pandas as pd

from benchmarks.race import Settings
from benchmarks.report import print_table, print_title
from rowtrust.workflow.records import FILES

ROWS = 40
"""Rows of the table: few, so that a run takes half a second."""

MOMENTS, QUICK_MOMENTS = 50, 5
"""Kills of each command, unless told otherwise."""

ATTEMPTS = 20
"""Pairs of runs at most for each kill of one of them: on a busy machine most are over too soon. A guard."""

POLL = 0.0005
"""Seconds between looks at what is written."""

FIT = ("fit", "data.csv", "-t", "kind", "--model", "plain", "--no-refit", "-q", "--force")
CLEAN = ("clean", "data.csv", "-t", "kind", "--review", "review.csv", "-q", "--force", "-o", "clean.csv")

RESULTS = FILES
"""Files of a study."""


@dataclass(frozen=True)
class Case:
    """A command that writes over its own earlier results.

    Attributes
    ----------
    name
        For the table.
    earlier, later
        Two command lines that write different contents to the same place.
    outputs
        What they write.
    """

    name: str
    earlier: tuple[str, ...]
    later: tuple[str, ...]
    outputs: tuple[str, ...]


CASES = (
    Case(
        "fit",
        (*FIT, "--seed", "1", "-o", "results"),
        (*FIT, "--seed", "2", "-o", "results"),
        tuple(f"results/{name}" for name in RESULTS),
    ),
    Case(
        "predict",
        ("predict", "one", "data.csv", "--force", "-o", "out.csv"),
        ("predict", "two", "data.csv", "--force", "-o", "out.csv"),
        ("out.csv",),
    ),
    Case(
        "clean",
        (*CLEAN, "--how", "correct"),
        (*CLEAN, "--how", "remove"),
        ("clean.csv",),
    ),
    Case(
        "export",
        ("export", "one", "model.c", "--force"),
        ("export", "two", "model.c", "--force"),
        ("model.c",),
    ),
)


RIVALS = (("one", (*FIT, "--seed", "2", "-o", "results")), ("two", (*FIT, "--seed", "3", "-o", "results")))
"""Two runs that may replace what is in a folder, and so wait for each other."""


@dataclass
class Counts:
    """What was there after the kills of a command."""

    name: str
    kills: int = 0
    earlier: int = 0
    later: int = 0
    else_: int = 0
    leftovers: int = 0
    what: list[str] = field(default_factory=list)


def run(settings: Settings) -> None:
    """Print the table."""
    most = QUICK_MOMENTS if settings.quick else int(getattr(settings, "moments", MOMENTS))
    print_title(f"Commands killed by SIGKILL, {most} moments each")
    head = ["command", "kills", "earlier whole", "new whole", "anything else", "left after the next run"]
    lines = []
    for found in all_counts(most):
        numbers = (found.kills, found.earlier, found.later, found.else_, found.leftovers)
        lines.append([found.name, *map(str, numbers)])
        for each in found.what:
            print(each)
    print_table(head, lines)


def all_counts(moments: int, seed: int = 0) -> list[Counts]:
    """Kill each command so many times; return what was there afterwards."""
    generator = np.random.default_rng(seed)
    with prepared_place():
        return [*(counts(case, moments, generator) for case in CASES), rival_counts(moments, generator)]


@contextmanager
def prepared_place() -> Iterator[Path]:
    """Go to a new folder with a table and two models; all that the commands import is imported."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="rowtrust-kills-") as folder:
        os.chdir(folder)
        try:
            table = small_table()
            table.to_csv("data.csv", index=False)
            review = pd.DataFrame({"row": [1, 2, 3], "given": table["kind"].head(3), "verdict": "wrong"})
            review.assign(corrected="perhaps").to_csv("review.csv", index=False)
            for line in (
                (*FIT, "--seed", "1", "-o", "one"),
                (*FIT, "--seed", "2", "-o", "two"),
                ("export", "one", "/dev/null", "--format", "c"),
            ):
                if command(line):
                    raise RuntimeError(f"{' '.join(line)} failed.")
            yield Path(folder)
        finally:
            os.chdir(here)


def small_table(n_rows: int = ROWS, seed: int = 0) -> pd.DataFrame:
    """Two numbers, and classes that follow them, some of them wrong."""
    generator = np.random.default_rng(seed)
    first, second = generator.normal(size=(2, n_rows))
    kind = np.where((first > 0) ^ (generator.random(n_rows) < 0.1), "yes", "no")
    return pd.DataFrame({"first": first, "second": second, "kind": kind})


def command(line: tuple[str, ...]) -> int:
    """Run a command in this process; return its number for the shell."""
    from rowtrust.cli import app

    with open(os.devnull, "w") as silent, redirect_stdout(silent):
        try:
            return int(app(list(line), standalone_mode=False) or 0)
        except SystemExit as end:
            return int(end.code or 0)
        except Exception as error:
            code = getattr(error, "exit_code", None)
            if code is None:
                raise
            return int(code)


def forked(line: tuple[str, ...], prepare: Callable[[], Any] | None = None) -> int:
    """Run a command in a new process; return the process's number at once.

    ``prepare`` is called there first.
    """
    sys.stdout.flush()
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        if prepare is not None:
            prepare()
        code = command(line)
    finally:
        os._exit(code)


def ended(process: int) -> int:
    """Wait for a process; return its number for the shell, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def complete(line: tuple[str, ...], prepare: Callable[[], Any] | None = None) -> None:
    """Run a command to its end."""
    code = ended(forked(line, prepare))
    if code:
        raise RuntimeError(f"{' '.join(line)} ended with {code}.")


def content(path: str) -> Any:
    """Return what a file says, without what differs from run to run of the same command."""
    if not os.path.exists(path):
        return None
    if path.endswith(".json"):
        told = json.loads(Path(path).read_text())
        return {name: value for name, value in told.items() if name not in ("seconds", "written")}
    if path.endswith(".skops"):  # the schema holds addresses in memory
        with ZipFile(path) as archive:
            return sorted(archive.read(name) for name in archive.namelist() if name != "schema.json")
    # the report tells the time, and how long fits took, last in the rows of a table
    return re.sub(b'class="when">[^<]*<|<td class="n">[^<]*</td></tr>', b"<", Path(path).read_bytes())


def contents(case: Case) -> list[Any]:
    """Return what the outputs of a command say."""
    return [content(path) for path in case.outputs]


def listing() -> list[str]:
    """Return all names here, those of runs without what is random."""
    found = (str(path) for path in Path().rglob("*"))
    return sorted(re.sub(r"run-rowtrust-\w+", "run-rowtrust-*", name) for name in found)


def counts(case: Case, moments: int, generator: np.random.Generator) -> Counts:
    """Kill a command at random moments; after each kill look, then let the next run end and look again."""
    written, end = duration(case)
    later = contents(case)
    complete(case.earlier)
    earlier, clean = contents(case), listing()
    if any(one == other for one, other in zip(earlier, later, strict=True)):
        raise RuntimeError(f"{case.name}: two runs cannot be told apart.")
    found = Counts(case.name)
    for attempt in count():
        if found.kills == moments:
            break
        seconds = (end - written if attempt % 2 else end) * generator.random()
        if not kill(case, seconds, from_writing=bool(attempt % 2)):  # the run was over: no kill
            complete(case.earlier)
            continue
        found.kills += 1
        judge(found, contents(case), earlier, later)
        complete(case.earlier)
        left = sorted(set(listing()) ^ set(clean))
        found.leftovers += len(left)
        found.what += [f"{case.name} left: {each}" for each in left]
        if contents(case) != earlier:
            raise RuntimeError(f"{case.name}: the run after a kill wrote something else.")
    return found


def rival_counts(
    moments: int, generator: np.random.Generator, prepare: Mapping[str, Callable[[], Any]] | None = None
) -> Counts:
    """Run two fits into one folder and kill either; the other waits, or is refused, and nothing is lost.

    Every second time neither may replace anything, and the folder is not there before. *Earlier* counts
    results of the run that was killed, or those from before, *new* those of the other one. ``prepare`` is
    called in the process of a run, by its name.
    """
    prepared = prepare or {}
    whole = {}
    for name, line in RIVALS:
        start = time.perf_counter()
        complete(line, prepared.get(name))
        end = time.perf_counter() - start
        whole[name] = contents(CASES[0])
    complete(CASES[0].earlier, prepared.get("earlier"))
    clean = listing()
    found = Counts("two fits")
    for attempt in range(ATTEMPTS * moments):  # a run that is over before its moment is not killed
        if found.kills == moments:
            break
        polite = bool(attempt % 2)
        if polite:
            shutil.rmtree("results")
        lines = {name: [word for word in line if not (polite and word == "--force")] for name, line in RIVALS}
        running = {name: forked(tuple(line), prepared.get(name)) for name, line in lines.items()}
        time.sleep((1.0 if polite else 2.0) * end * generator.random())
        victim, other = generator.permutation(list(whole))
        os.kill(running[victim], signal.SIGKILL)
        killed, code = ended(running[victim]) == -signal.SIGKILL, ended(running[other])
        now = contents(CASES[0])
        nothing = polite and all(each is None for each in now)
        if now == whole[other] and code == 0:
            found.later += killed
        elif now == whole[victim] or (code != 0 and polite and nothing):
            found.earlier += killed
        else:
            found.else_ += 1
            pairs = zip(CASES[0].outputs, now, whole[other], strict=True)
            strange = ", ".join(path for path, one, wanted in pairs if one != wanted)
            found.what.append(f"two fits, polite {polite}: {other} ended with {code}, not its own: {strange}")
        found.kills += killed
        complete(CASES[0].earlier, prepared.get("earlier"))
        left = sorted(set(listing()) ^ set(clean))
        found.leftovers += len(left)
        found.what += [f"two fits left: {each}" for each in left]
    return found


def judge(found: Counts, now: list[Any], earlier: list[Any], later: list[Any]) -> None:
    """Count what was there after a kill."""
    if now == earlier:
        found.earlier += 1
    elif now == later:
        found.later += 1
    else:
        found.else_ += 1
        found.what.append(f"{found.name}: neither the earlier results nor the new ones")


def duration(case: Case) -> tuple[float, float]:
    """Return after how many seconds a run writes something, and after how many it is over."""
    before, start = sizes(), time.perf_counter()
    process = forked(case.later)
    written = wait_for_writing(process, before, start)
    if written is not None:
        os.waitpid(process, 0)
    end = time.perf_counter() - start
    return end if written is None else written, end  # over before it was seen to write


def kill(case: Case, seconds: float, from_writing: bool = False) -> bool:
    """Run a command and kill it after so many seconds, or so many after it writes; return if it was alive."""
    before, start = sizes(), time.perf_counter()
    process = forked(case.later)
    if from_writing:
        if wait_for_writing(process, before, start) is None:
            return False
        start = time.perf_counter()
    time.sleep(max(0.0, start + seconds - time.perf_counter()))
    os.kill(process, signal.SIGKILL)
    return ended(process) == -signal.SIGKILL


def wait_for_writing(process: int, before: dict[str, int], start: float) -> float | None:
    """Wait until a run has written something; return the seconds since ``start``, None if it ended first."""
    while os.waitpid(process, os.WNOHANG) == (0, 0):
        if any(before.get(name) != size for name, size in sizes().items()):
            return time.perf_counter() - start
        time.sleep(POLL)
    return None


def sizes() -> dict[str, int]:
    """Return the sizes of all files here."""
    found = {}
    for folder, _, names in os.walk("."):
        for name in names:
            try:
                found[f"{folder}/{name}"] = os.lstat(f"{folder}/{name}").st_size
            except FileNotFoundError:
                continue
    return found
