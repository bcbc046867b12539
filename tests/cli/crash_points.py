"""Kill commands before their calls that change files; print what was there afterwards, as JSON.

A script of its own, so that processes are forked from one without threads: ``crash_points.py [--all]``.
Scenarios that few users will see are killed before some calls only, unless all are asked for.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np

from benchmarks import kills
from rowtrust.atomic import written_aside
from rowtrust.atomic.folders import current_run
from rowtrust.workflow import results
from rowtrust.workflow.tables import reading

CALLS = [
    *((os, name) for name in ("replace", "rename", "symlink", "link", "unlink", "rmdir", "mkdir", "chmod")),
    (os, "fsync"),
    (shutil, "rmtree"),
]
"""Calls that change what a reader sees, or should."""

EVERY = 7
"""Calls from one kill to the next, in scenarios that few users will see."""

MOMENTS = 3
"""Random moments of each command."""

RIVAL_MOMENTS = 20
"""Random moments of two fits into one folder, of which only the writing is left: a second or two."""

ENTERED: list[Any] = []
"""What was entered for good: it would end if nobody had it."""

PLACE = "results"
FIT = ("fit", "data.csv", "-t", "kind", "-q", "--force", "-o", PLACE)
Files = list[bytes | None]


@dataclass(frozen=True)
class Scenario:
    """A command, and what is there before it.

    ``shown`` reads what is there, ``start`` makes it; ``around`` is entered where the command runs. It is
    killed before every ``every``-th of the ``calls``, at most ``most`` times.
    """

    name: str
    line: tuple[str, ...]
    start: Callable[[], Any]
    shown: Callable[[], Files]
    around: Callable[[], Any] = nullcontext
    every: int = 1
    calls: tuple[tuple[Any, str], ...] = tuple(CALLS)
    most: int = 1000

    def complete(self) -> None:
        """Run the command to its end; here, where it starts no threads."""
        if self.calls == tuple(CALLS):
            with self.around():
                assert kills.command(self.line) == 0
        else:
            kills.complete(self.line, self.enter)

    def enter(self) -> None:
        """Enter for good, in a process that ends with the command."""
        enter(self.around)


def enter(around: Callable[[], Any]) -> None:
    """Enter for good, in a process that ends with the command."""
    entered = around()
    entered.__enter__()
    ENTERED.append(entered)


def bytes_of(*paths: str) -> Files:
    return [Path(path).read_bytes() if os.path.exists(path) else None for path in paths]


def by_names() -> Files:
    """Return the results as people and programs see them."""
    return bytes_of(*(f"{PLACE}/{name}" for name in kills.RESULTS))


def by_current() -> Files:
    """Return the results that the text file names, where there are no links."""
    run = current_run(Path(PLACE))
    return by_names() if run is None else bytes_of(*(f"{PLACE}/{run}/{name}" for name in kills.RESULTS))


def cached(folder: str, without_links: bool = False) -> Callable[[], Any]:
    """Let a fit take the results of an earlier one, so that all that is left of it is the writing."""
    files = dict(zip(kills.RESULTS, bytes_of(*(f"{folder}/{name}" for name in kills.RESULTS)), strict=True))

    def write(study: Any, aside: Path, seconds: float) -> None:
        for name, content in files.items():
            if name == "model.skops":
                with written_aside(aside / name) as path:
                    path.write_bytes(content)
            else:
                (aside / name).write_bytes(content)

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise OSError(1, "Operation not permitted")

    @contextmanager
    def around() -> Iterator[None]:
        with (
            mock.patch.object(results, "run_study", return_value=SimpleNamespace(notes=[], provenance={})),
            mock.patch.object(results, "write_files", write),
            mock.patch.object(os, "symlink", refuse if without_links else os.symlink),
            mock.patch.object(os, "link", refuse if without_links else os.link),
        ):
            yield

    return around


def plain() -> None:
    """Make the folder of an earlier version: five files, and one of the user."""
    Path(PLACE).mkdir()
    for name in kills.RESULTS:
        shutil.copy(f"one/{name}", f"{PLACE}/{name}")
    Path(PLACE, "mine.txt").write_text("mine")


@contextmanager
def in_pieces() -> Iterator[None]:
    """Let a fit keep prepared rows on the disk."""
    with mock.patch.object(reading, "IN_MEMORY_ROWS", 30), mock.patch.object(reading, "CHUNK_ROWS", 20):
        yield


def scenarios(every: int) -> list[Scenario]:
    """Return all scenarios; call it where the table and the models are."""
    new, bare = cached("two"), cached("two", without_links=True)

    def earlier(around: Callable[[], Any]) -> Callable[[], None]:
        return Scenario("", FIT, lambda: None, by_names, around).complete

    linked, copied = earlier(cached("one")), earlier(cached("one", without_links=True))
    found = [
        Scenario("fit: first", FIT, lambda: None, by_names, new, min(every, 3)),
        Scenario("fit: later", FIT, linked, by_names, new),
        Scenario("fit: plain folder", FIT, plain, by_names, new, min(every, 3)),
        Scenario("fit: empty folder", FIT, lambda: Path(PLACE).mkdir(), by_names, new, every),
        Scenario("fit: first, no links", FIT, lambda: None, by_current, bare, every),
        Scenario("fit: later, no links", FIT, copied, by_current, bare, every),
        Scenario("fit: plain folder, no links", FIT, plain, by_current, bare, every),
        Scenario("fit: links, then none", FIT, linked, by_current, bare, every),
        Scenario("fit: no links, then some", FIT, copied, by_names, new, every),
    ]
    for case in kills.CASES[1:]:
        start = lambda case=case: kills.command(case.earlier)  # noqa: E731
        shown = lambda case=case: bytes_of(*case.outputs)  # noqa: E731
        found.append(Scenario(case.name, case.later, start, shown))
    streamed = (*kills.FIT, "--seed", "2", "-o", PLACE)
    blocks = ((np, "save"),)
    found.append(Scenario("fit: in pieces", streamed, linked, by_names, in_pieces, 4, blocks, most=1))
    return found


def armed(calls: tuple[tuple[Any, str], ...], number: int) -> None:
    """Let the process be killed before its call of this number."""
    counted = count(1)

    def guarded(call: Callable[..., Any]) -> Callable[..., Any]:
        def before(*args: Any, **kwargs: Any) -> Any:
            if next(counted) == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **kwargs)

        return before

    for module, name in calls:
        setattr(module, name, guarded(getattr(module, name)))


def killed(scenario: Scenario, number: int) -> int:
    """Run a command that is killed before one of its calls; return how it ended."""

    def prepare() -> None:
        scenario.enter()
        armed(scenario.calls, number)

    return kills.ended(kills.forked(scenario.line, prepare))


def outcome(scenario: Scenario, template: Path) -> dict[str, Any]:
    """Kill a command before its calls in turn, and look."""
    scenario.start()
    earlier, listed = scenario.shown(), kills.listing()
    shutil.copytree(".", template, symlinks=True)
    scenario.complete()
    later, clean = scenario.shown(), kills.listing()
    found: dict[str, Any] = {"points": 0, "earlier": 0, "later": 0, "faults": []}
    for number in range(scenario.every, scenario.every * scenario.most + 1, scenario.every):
        restore(template)
        assert (scenario.shown(), kills.listing()) == (earlier, listed)
        code, now = killed(scenario, number), scenario.shown()
        if code == 0:
            break
        found["points"] += 1
        found["earlier"] += now == earlier
        found["later"] += now == later
        faults = [f"ended with {code}"] if code != -signal.SIGKILL else []
        faults += ["neither the earlier results nor the new ones"] if now not in (earlier, later) else []
        scenario.complete()
        left = sorted(set(kills.listing()) ^ set(clean))
        faults += [f"left {left}"] if left else []
        if scenario.calls == tuple(CALLS):  # else it is a fit, and its report is not the same twice
            seen = by_names() if PLACE in scenario.line else scenario.shown()
            faults += ["the next run showed something else"] if seen != later else []
        found["faults"] += [f"call {number}: {each}" for each in faults]
    return found


def restore(template: Path) -> None:
    """Make the place what it was."""
    for path in Path().iterdir():
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    shutil.copytree(template, ".", symlinks=True, dirs_exist_ok=True)


def two_fits(generator: np.random.Generator) -> kills.Counts:
    """Kill one of two fits into one folder; of each only the lock, the waiting and the writing is left."""
    studies = {"earlier": "one", "one": "two", "two": "three"}
    kills.complete((*kills.FIT, "--seed", "3", "-o", "three"))
    prepare = {name: partial(enter, cached(folder)) for name, folder in studies.items()}
    return kills.rival_counts(RIVAL_MOMENTS, generator, prepare)


def main() -> None:
    """Run all scenarios, then kill the commands at random moments."""
    found = {}
    with kills.prepared_place() as place, tempfile.TemporaryDirectory() as templates:
        shutil.copytree(place, Path(templates) / "start", symlinks=True)
        for number, scenario in enumerate(scenarios(1 if "--all" in sys.argv else EVERY)):
            restore(Path(templates) / "start")
            found[scenario.name] = outcome(scenario, Path(templates) / str(number))
        restore(Path(templates) / "start")
        generator = np.random.default_rng(0)
        moments = [vars(kills.counts(case, MOMENTS, generator)) for case in kills.CASES]
        restore(Path(templates) / "start")
        moments.append(vars(two_fits(generator)))
    print(json.dumps({"points": found, "moments": moments}))


if __name__ == "__main__":
    main()
