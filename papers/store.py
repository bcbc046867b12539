"""Repeats of an experiment: run side by side, each kept on disk the moment it is done."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from time import perf_counter

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from papers.experiments import Experiment, Record
from papers.software import software
from rowtrust.atomic import written_aside


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
        Folder of the papers' data, handed to the experiments. Its contents tell records apart, not its place.
    jobs
        Repeats side by side.
    """

    folder: Path
    seed: int = 0
    data: str | None = None
    jobs: int = 1

    def path(self, experiment: Experiment, repeat: int) -> Path:
        """Return the file of a repeat."""
        return (
            self.folder
            / f"{experiment.name}-{experiment.fingerprint(self.seed, self.data)}"
            / f"{repeat:04d}.json"
        )

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

    def perform(self, experiment: Experiment, repeat: int, file: Path) -> str:
        """Run one repeat and keep it in its file; return its experiment's name.

        The file is named by who asks, with the code that was there then.
        """
        start = perf_counter()
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            seed = experiment.seed(self.seed, repeat)
            record = experiment.function(seed, self.data, **experiment.settings)
        record = {**record, "seconds": perf_counter() - start, "made with": software()}
        if self.path(experiment, repeat) != file:
            raise RuntimeError(f"The code of {experiment.name} changed while it ran: run the command again.")
        write_text(file, json.dumps(record, default=float))
        return experiment.name

    def attempt(self, experiment: Experiment, repeat: int, file: Path) -> str | Exception:
        """Run one repeat; return what went wrong, so that the others are done first."""
        try:
            return self.perform(experiment, repeat, file)
        except Exception as error:
            error.add_note(f"in repeat {repeat} of {experiment.name}")
            return error

    def collect(
        self, experiments: Iterable[Experiment], progress: Progress | None = None
    ) -> dict[str, list[Record]]:
        """Do what is missing, side by side, and return all records by the experiment's name."""
        experiments = list(experiments)
        pending = self.missing(experiments)
        if pending:
            failures: list[Exception] = []
            finished = self._finished(pending, failures)
            for _ in progress(finished, len(pending)) if progress else finished:
                pass
            if failures:
                failures[0].add_note(f"{len(failures)} of {len(pending)} repeats failed; the others are kept")
                raise failures[0]
        return {experiment.name: self.records(experiment) for experiment in experiments}

    def _finished(self, pending: list[tuple[Experiment, int]], failures: list[Exception]) -> Iterator[str]:
        """Yield the names of experiments as their repeats end, and put errors aside."""
        pool = Parallel(n_jobs=min(self.jobs, len(pending)), return_as="generator_unordered")
        for outcome in pool(
            delayed(self.attempt)(experiment, repeat, self.path(experiment, repeat))
            for experiment, repeat in pending
        ):
            if isinstance(outcome, Exception):
                failures.append(outcome)
                yield "a repeat failed"
            else:
                yield outcome


Progress = Callable[[Iterator[str], int], Iterator[str]]
"""Shows a bar while it passes the names of finished repeats on."""


def write_text(path: Path, text: str) -> None:
    """Write a file so that it is there completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_aside(path) as aside:
        aside.write_text(text, encoding="utf-8")
