"""Repeats of an experiment: run side by side, each kept on disk the moment it is done."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from time import perf_counter
from typing import Any
from zlib import crc32

import numpy as np
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from rowtrust import __version__
from rowtrust.atomic import written_aside

Record = dict[str, Any]
"""What one repeat measured."""


@dataclass(frozen=True)
class Experiment:
    """One cell of a protocol, to be repeated.

    Parameters
    ----------
    name
        What the records are filed under.
    function
        Called as ``function(seed, data, **settings)``; a function of a module, so that other processes
        can find it. Returns what JSON can write.
    settings
        The cell's settings. Records of other settings are not mistaken for these.
    repeats
        How many records there shall be.
    stream
        Experiments of one stream get the same seeds: their repeats are paired.
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
        Folder of the papers' data, handed to the experiments; not part of what tells records apart.
    jobs
        Repeats side by side.
    """

    folder: Path
    seed: int = 0
    data: str | None = None
    jobs: int = 1

    def path(self, experiment: Experiment, repeat: int) -> Path:
        """Return the file of a repeat."""
        return self.folder / f"{experiment.name}-{experiment.fingerprint(self.seed)}" / f"{repeat:04d}.json"

    def missing(self, experiments: Iterable[Experiment]) -> list[tuple[Experiment, int]]:
        """Return what is still to do: first repeats of all experiments first."""
        pending = [
            (experiment, repeat)
            for experiment in experiments
            for repeat in range(experiment.repeats)
            if not self.path(experiment, repeat).exists()
        ]
        return sorted(pending, key=itemgetter(1))

    def records(self, experiment: Experiment) -> list[Record]:
        """Return the finished repeats of an experiment, in order."""
        paths = (self.path(experiment, repeat) for repeat in range(experiment.repeats))
        return [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]

    def perform(self, experiment: Experiment, repeat: int) -> str:
        """Run one repeat and keep it; return its experiment's name."""
        start = perf_counter()
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            record = experiment.function(experiment.seed(self.seed, repeat), self.data, **experiment.settings)
        record = {**record, "seconds": perf_counter() - start}
        write_text(self.path(experiment, repeat), json.dumps(record, default=float))
        return experiment.name

    def collect(
        self, experiments: Iterable[Experiment], progress: Progress | None = None
    ) -> dict[str, list[Record]]:
        """Do what is missing, side by side, and return all records by the experiment's name."""
        experiments = list(experiments)
        pending = self.missing(experiments)
        if pending:
            finished = self._perform_all(pending)
            for _ in progress(finished, len(pending)) if progress else finished:
                pass
        return {experiment.name: self.records(experiment) for experiment in experiments}

    def _perform_all(self, pending: list[tuple[Experiment, int]]) -> Iterator[str]:
        pool = Parallel(n_jobs=min(self.jobs, len(pending)), return_as="generator_unordered")
        names: Iterator[str] = pool(
            delayed(self.perform)(experiment, repeat) for experiment, repeat in pending
        )
        return names


Progress = Callable[[Iterator[str], int], Iterator[str]]
"""Shows a bar while it passes the names of finished repeats on."""


def write_text(path: Path, text: str) -> None:
    """Write a file so that it is there completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_aside(path) as aside:
        aside.write_text(text, encoding="utf-8")
