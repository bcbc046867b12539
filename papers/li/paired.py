"""Two methods on the same repeats: on how many problems one is better, by more than chance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.stats import sem

from papers.experiments import Record
from papers.tables import TOLERANCE, Direction
from rowtrust.contracts import Array

LOWER = ("log loss", "RMSE", "MAE", "width", "error %")
"""Measures of which less is better."""

RULE = (
    f"One method is better than another on a problem where the mean of their paired differences lies more "
    f"than {TOLERANCE:g} of its standard errors on the good side; else they are the same."
)
"""When a difference counts."""


def direction(measure: str) -> Direction:
    """Return which way is better; a coverage is neither."""
    if measure == "coverage %":
        return "neither"
    return "lower" if measure in LOWER else "higher"


@dataclass(frozen=True)
class Tally:
    """On how many problems a method was better than another, the same, or worse.

    Parameters
    ----------
    better, same, worse
    """

    better: int = 0
    same: int = 0
    worse: int = 0

    @property
    def count(self) -> int:
        """How many problems there were."""
        return self.better + self.same + self.worse

    def verdict(self) -> int:
        """Return 1 where a method is better on more than half of the problems, -1 where worse, else 0."""
        return int(2 * self.better > self.count) - int(2 * self.worse > self.count)


def differences(records: Iterable[Record], method: str, other: str, measure: str) -> Array:
    """Return what one method has more of a measure than another, repeat by repeat."""
    return np.array([record[method][measure] - record[other][measure] for record in records], dtype=float)


def standard_error(values: Array) -> float:
    """Return the standard error of the mean of some values; NaN of fewer than two."""
    return float(sem(values)) if len(values) > 1 else np.nan


def outcome(values: Array, measure: str) -> int:
    """Return 1 where paired differences say better, -1 where they say worse, 0 where they say nothing.

    A measure of which neither way is better, and differences that are not numbers, are errors of the caller.
    """
    if direction(measure) not in ("lower", "higher"):
        raise ValueError(f"No way of {measure!r} is better: it cannot tell two methods apart.")
    if np.isnan(values).any():
        raise ValueError(
            f"{int(np.isnan(values).sum())} of {len(values)} differences in {measure!r} are NaN."
        )
    error = standard_error(values)
    if np.isnan(error) or abs(values.mean()) <= TOLERANCE * error:
        return 0
    return int(np.sign(values.mean())) * (-1 if direction(measure) == "lower" else 1)


def tally(groups: Iterable[list[Record]], method: str, other: str, measure: str) -> Tally:
    """Count over problems on which of them a method is better than another."""
    found = [outcome(differences(records, method, other, measure), measure) for records in groups]
    return Tally(found.count(1), found.count(0), found.count(-1))


@dataclass(frozen=True)
class Compared:
    """One method against another over some problems, and how to say it.

    Parameters
    ----------
    topic
        What is asked: sentences of one topic and subject stand together.
    subject, other
        What the methods are called.
    measure
        What was measured.
    found
        On how many problems which was better.
    """

    topic: str
    subject: str
    other: str
    measure: str
    found: Tally

    def words(self) -> str:
        """Say which is better, on how many problems; the counts alone decide."""
        found = self.found
        counts = f"({found.better}:{found.worse} of {found.count})"
        if found.better == found.worse:
            return f"{'not told apart from' if found.better == 0 else 'no better than'} {self.other} {counts}"
        word = "better" if found.better > found.worse else "worse"
        if found.verdict() == 0:
            return f"at times {word} than {self.other} {counts}"
        mostly = "mostly " if found.better and found.worse else ""
        return f"{mostly}{word} than {self.other} {counts}"


COUNTS_READ = (
    "Counts are of problems: 7:1 of 10 is better on seven, worse on one and the same on two. More than half "
    "decide, mostly if there are exceptions; fewer say at times."
)
"""How the counts are to be read, and which words follow from them."""


def sentences(comparisons: Iterable[Compared]) -> list[str]:
    """Return a paragraph for every topic: a sentence for every subject, its measures one after the other."""
    found: dict[str, dict[str, dict[str, list[str]]]] = {}
    for item in comparisons:
        measures = found.setdefault(item.topic, {}).setdefault(item.subject, {})
        measures.setdefault(item.measure, []).append(item.words())
    return [
        f"{topic}. "
        + " ".join(f"{capital(subject)} is {listed(said)}." for subject, said in subjects.items())
        for topic, subjects in found.items()
    ]


def listed(measures: dict[str, list[str]]) -> str:
    """Return what is said in each measure."""
    return "; ".join(f"in {measure} {', '.join(parts)}" for measure, parts in measures.items())


def capital(words: str) -> str:
    """Return words that begin a sentence; names that are code stay as they are."""
    return words[0].upper() + words[1:] if words.startswith(("the ", "a ")) else words
