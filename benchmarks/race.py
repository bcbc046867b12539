"""Timing: every entrant fits the same problems, in turn, in one process, on one thread."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.problems import Problem

Score = Callable[[Any, Problem], dict[str, float]]
"""What a fitted model is worth on a problem, by name."""


@dataclass(frozen=True)
class Settings:
    """What the command line asks for.

    Attributes
    ----------
    repeats
        Timed runs of each race, each on data of its own seed.
    quick
        Whether to run small sizes and few seeds only.
    patience
        Seconds; a model with a longer run gets no further ones.
    data
        Folder with real data, if there is one.
    reference
        A Python with an earlier version of the package, if there is one.
    store
        File that results are added to, so that a run can go on where it ended.
    only, tables
        Names of the models and of the tables to run; all unless given.
    most_rows
        Rows to fit at most, where a part's own number is not wanted.
    draws, jobs
        Splits and flips of every cell, and processes.
    """

    repeats: int = 3
    quick: bool = False
    patience: float = 20.0
    data: Path | None = None
    reference: str | None = None
    store: Path | None = None
    only: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    most_rows: int | None = None
    draws: int = 1
    jobs: int = 1


@dataclass(frozen=True)
class Options(Settings):
    """What the command line asks for, with what few parts know.

    Attributes
    ----------
    kinds
        "classes", "numbers" or both (part: trusted).
    half
        The half of the manifest to run and to print; both if empty.
    moments
        Kills of each command (part: kills).
    """

    kinds: tuple[str, ...] = ()
    half: str = ""
    moments: int = 50


@dataclass(frozen=True)
class Entrant:
    """A model in a race.

    Attributes
    ----------
    name
        As it stands in the table.
    build
        Makes an unfitted estimator from a seed.
    largest
        The most rows it is asked to fit.
    """

    name: str
    build: Callable[[int], Any]
    largest: float = np.inf


@dataclass(frozen=True)
class Run:
    """One fit: how long it took, how many vectors it kept, how good it is, whether it warned."""

    seconds: float
    vectors: int
    scores: dict[str, float]
    warned: bool


@dataclass
class Record:
    """All runs of one entrant on problems of one kind; run i is the problem i of every record."""

    name: str
    runs: list[Run] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """The median time of a fit."""
        return median(run.seconds for run in self.runs)

    @property
    def vectors(self) -> float:
        """The median number of vectors kept."""
        return median(run.vectors for run in self.runs)

    def mean(self, score: str) -> float:
        """Return the mean of a score over the runs."""
        return float(np.mean([run.scores[score] for run in self.runs]))

    def lead(self, other: Record, score: str) -> float:
        """Return by how much the mean score exceeds the other's, on the problems that both have run."""
        pairs = zip(self.runs, other.runs, strict=False)
        return float(np.mean([mine.scores[score] - theirs.scores[score] for mine, theirs in pairs]))


def one_thread() -> AbstractContextManager[Any]:
    """Pin BLAS and OpenMP to one thread inside the ``with`` block."""
    limits: AbstractContextManager[Any] = threadpool_limits(limits=1)
    return limits


def race(
    entrants: Iterable[Entrant], problems: list[Problem], score: Score, patience: float = np.inf
) -> dict[str, Record]:
    """Let all entrants fit all problems; return their records by name.

    Problem by problem rather than entrant by entrant, so that a busy spell of the machine meets all.
    """
    n_rows = len(problems[0].X)
    allowed = [entrant for entrant in entrants if n_rows <= entrant.largest]
    records = {entrant.name: Record(entrant.name) for entrant in allowed}
    for entrant in allowed:
        warm_up(entrant, problems[0])
    for seed, problem in enumerate(problems):
        for entrant in allowed:
            runs = records[entrant.name].runs
            if not runs or runs[-1].seconds <= patience:
                runs.append(timed_fit(entrant.build(seed), problem, score))
    return records


def warm_up(entrant: Entrant, problem: Problem, n_rows: int = 40) -> None:
    """Fit a few rows, so that no first run pays for imports and first calls."""
    # Evenly over the sorted targets: every class is among them.
    rows = np.argsort(problem.y)[np.linspace(0, len(problem.y) - 1, n_rows).astype(int)]
    entrant.build(0).fit(problem.X[rows], problem.y[rows]).predict(problem.X[rows])


def timed_fit(model: Any, problem: Problem, score: Score) -> Run:
    """Fit the model, the clock running, and score it, the clock stopped."""
    gc.collect()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = perf_counter()
        model.fit(problem.X, problem.y)
        seconds = perf_counter() - start
    # scikit-learn's ConvergenceWarning is a UserWarning.
    warned = any(issubclass(warning.category, UserWarning | RuntimeWarning) for warning in caught)
    return Run(seconds, vector_count(model), score(model, problem), warned)


def vector_count(model: Any) -> int:
    """Return how many training rows a fitted model needs for its predictions."""
    for inner in ("best_estimator_", "base_estimator_"):
        if hasattr(model, inner):
            return vector_count(getattr(model, inner))
    if hasattr(model, "calibrated_classifiers_"):
        return sum(vector_count(part.estimator) for part in model.calibrated_classifiers_)
    for rows in ("relevance_", "support_", "X_train_"):
        if hasattr(model, rows):
            return len(getattr(model, rows))
    raise TypeError(f"No attribute of {type(model).__name__} says how many vectors it keeps.")
