"""Repeats of an experiment: run side by side, each kept on disk the moment it is done."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any
from zlib import crc32

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from rowtrust import __version__

Record = dict[str, Any]


@dataclass(frozen=True)
class Study:
    """One cell of a protocol, to be repeated.

    Parameters
    ----------
    name
        What the records are filed under.
    function
        Called as ``function(seed, data, **settings)``; a function of a module, so that other processes
        can find it. Returns what JSON can hold.
    settings
        The cell's settings. Records of other settings are not mistaken for these.
    repeats
        How many records there shall be.
    stream
        Studies of one stream get the same seeds: their repeats are paired.
    """

    name: str
    function: Callable[..., Record]
    settings: dict[str, Any] = field(default_factory=dict)
    repeats: int = 1
    stream: str = ""

    def seed(self, base: int, repeat: int) -> int:
        """Return the seed of a repeat, a different one for every stream and repeat."""
        words = [base, crc32((self.stream or self.name).encode()), repeat]
        return int(np.random.SeedSequence(words).generate_state(1)[0] % 2**31)

    def fingerprint(self, base: int) -> str:
        """Return what tells these settings, this seed and this version from all others."""
        identity = json.dumps([self.name, self.settings, self.stream, base, __version__], sort_keys=True)
        return hashlib.sha256(identity.encode()).hexdigest()[:10]


@dataclass(frozen=True)
class Store:
    """A folder of finished repeats, one file each.

    A file appears under its name only when it is complete, so a run can be killed at any moment: the
    next one finds every finished repeat and does the others.

    Parameters
    ----------
    folder
        Where the files go.
    seed
        The seed that all others are derived from.
    data
        Folder of the papers' data, handed to the studies; not part of what tells records apart.
    jobs
        Repeats side by side.
    """

    folder: Path
    seed: int = 0
    data: str | None = None
    jobs: int = 1

    def path(self, study: Study, repeat: int) -> Path:
        """Return the file of a repeat."""
        return self.folder / f"{study.name}-{study.fingerprint(self.seed)}" / f"{repeat:04d}.json"

    def missing(self, studies: Iterable[Study]) -> list[tuple[Study, int]]:
        """Return what is still to do: first repeats of all studies first."""
        pairs = [(study, repeat) for study in studies for repeat in range(study.repeats)]
        pending = [(study, repeat) for study, repeat in pairs if not self.path(study, repeat).exists()]
        return sorted(pending, key=lambda pair: pair[1])

    def records(self, study: Study) -> list[Record]:
        """Return the finished repeats of a study, in order."""
        paths = (self.path(study, repeat) for repeat in range(study.repeats))
        return [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]

    def perform(self, study: Study, repeat: int) -> str:
        """Run one repeat and keep it; return its study's name."""
        start = perf_counter()
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            record = study.function(study.seed(self.seed, repeat), self.data, **study.settings)
        write_whole(
            self.path(study, repeat), json.dumps({**record, "seconds": perf_counter() - start}, default=float)
        )
        return study.name

    def collect(self, studies: Iterable[Study], progress: Progress | None = None) -> dict[str, list[Record]]:
        """Do what is missing, side by side, and return all records by the study's name."""
        studies = list(studies)
        pending = self.missing(studies)
        if pending:
            finished = self._perform_all(pending)
            for _ in progress(finished, len(pending)) if progress else finished:
                pass
        return {study.name: self.records(study) for study in studies}

    def _perform_all(self, pending: list[tuple[Study, int]]) -> Iterator[str]:
        pool = Parallel(n_jobs=min(self.jobs, len(pending)), return_as="generator_unordered")
        names: Iterator[str] = pool(delayed(self.perform)(study, repeat) for study, repeat in pending)
        return names


Progress = Callable[[Iterator[str], int], Iterator[str]]
"""Shows a bar while it passes the names of finished repeats on."""


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(file.name, path)
