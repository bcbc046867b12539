"""A paper's numbers beside ours, and how many standard errors lie between."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Literal

import numpy as np

TOLERANCE = 2.0
"""Standard errors within which two results count as the same."""

CSV_ENDING = ("paper_repeats", "difference_in_standard_errors", "verdict")
"""The last columns of a table's file."""

Direction = Literal["lower", "higher", "neither", "other machine"]
"""Which way is better. Times on another machine are shown, never judged."""


@dataclass(frozen=True)
class Number:
    """A mean over repeats.

    Parameters
    ----------
    mean
    deviation
        Standard deviation over the repeats; None where it is not known.
    count
        How many repeats.
    """

    mean: float
    deviation: float | None = None
    count: int = 1

    @classmethod
    def of(cls, values: Iterable[float]) -> Number:
        """Return mean and standard deviation of some values."""
        array = np.array(list(values), dtype=float)
        if array.size == 0:
            return cls(np.nan, None, 0)
        return cls(float(array.mean()), float(array.std(ddof=1)) if array.size > 1 else None, array.size)

    def text(self) -> str:
        """Return the number as papers print it."""
        if np.isnan(self.mean):
            return "-"
        if self.deviation is None:
            return f"{self.mean:.5g}"
        form = number_form(self.deviation)
        return f"{self.mean:{form}} ({self.deviation:{form}})"


@dataclass(frozen=True)
class Cell:
    """One measure of one row of a table.

    Parameters
    ----------
    row
        What the row is about, a word for each of the table's labels.
    measure
        The column.
    ours
        Our result.
    paper
        The published one, if there is one.
    better
        Which way is better.
    rival
        Whether the method is another library's, which is not ours to match.
    """

    row: tuple[str, ...]
    measure: str
    ours: Number
    paper: Number | None = None
    better: Direction = "lower"
    rival: bool = False

    @property
    def difference(self) -> float:
        """Ours minus theirs, in standard errors. Where the paper gives no spread, ours stands in."""
        if self.paper is None or self.ours.deviation is None or self.ours.count == 0:
            return np.nan
        theirs = self.paper.deviation if self.paper.deviation is not None else self.ours.deviation
        error = np.sqrt(self.ours.deviation**2 / self.ours.count + theirs**2 / self.paper.count)
        return float((self.ours.mean - self.paper.mean) / error) if error > 0 else np.nan

    @property
    def verdict(self) -> str:
        """Return "same" within two standard errors, else "better", "worse" or "differs"."""
        if np.isnan(self.difference) or self.better == "other machine":
            return ""
        if abs(self.difference) <= TOLERANCE:
            return "same"
        if self.better == "neither":
            return "differs"
        return "better" if (self.difference < 0) == (self.better == "lower") else "worse"


@dataclass(frozen=True)
class ResultTable:
    """A table of a paper, run again.

    Parameters
    ----------
    paper, number, title
        Which it is.
    labels
        Headings of the first columns.
    cells
        The results.
    notes
        What a reader must know.
    """

    paper: str
    number: int
    title: str
    labels: tuple[str, ...]
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()

    @property
    def measures(self) -> list[str]:
        """The measures, in order."""
        return list(dict.fromkeys(cell.measure for cell in self.cells))

    def pivot(self, measures: Sequence[str]) -> tuple[list[str], list[list[str]]]:
        """Return headings and rows of text for some measures, the paper's number beside ours."""
        chosen = [cell for cell in self.cells if cell.measure in measures]
        by_place = {(cell.row, cell.measure): cell for cell in chosen}
        compared = {cell.measure for cell in chosen if cell.paper is not None}
        headings = list(self.labels)
        for measure in measures:
            headings += [measure, "paper", "s.e."] if measure in compared else [measure]
        rows = []
        for row in dict.fromkeys(cell.row for cell in chosen):
            texts = list(row)
            for measure in measures:
                cell = by_place.get((row, measure))
                texts += cell_texts(cell) if measure in compared else cell_texts(cell)[:1]
            rows.append(texts)
        return headings, rows

    def blocks(self, most: int = 3) -> list[list[str]]:
        """Return the measures in groups that fit side by side."""
        return [self.measures[start : start + most] for start in range(0, len(self.measures), most)]

    def markdown(self) -> str:
        """Return the table for documentation."""
        parts = [f"### Table {self.number}. {self.title}", ""]
        for measures in self.blocks():
            headings, rows = self.pivot(measures)
            parts += [f"| {' | '.join(headings)} |", f"|{'---|' * len(headings)}"]
            parts += [f"| {' | '.join(row)} |" for row in rows]
            parts.append("")
        parts += [f"{note}\n" for note in self.notes]
        return "\n".join(parts)

    def csv(self) -> str:
        """Return one line per cell."""
        text = StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(
            [*self.labels, "measure", "ours", "ours_sd", "repeats", "paper", "paper_sd", *CSV_ENDING]
        )
        for cell in self.cells:
            theirs = cell.paper or Number(np.nan, None, 0)
            numbers = [cell.ours.mean, cell.ours.deviation, cell.ours.count]
            numbers += [theirs.mean, theirs.deviation, theirs.count, cell.difference]
            shown = ["" if number is None or np.isnan(number) else f"{number:.6g}" for number in numbers]
            writer.writerow([*cell.row, cell.measure, *shown, cell.verdict])
        return text.getvalue()


def cell_texts(cell: Cell | None) -> list[str]:
    """Return ours, the paper's and the difference, as text."""
    if cell is None:
        return ["-", "-", ""]
    mark = {"better": "+", "worse": "!", "differs": "?"}.get(cell.verdict, "")
    difference = "" if np.isnan(cell.difference) else f"{cell.difference:+.1f}{mark}"
    return [cell.ours.text(), cell.paper.text() if cell.paper else "-", difference]


def number_form(deviation: float) -> str:
    """Return the format that shows three figures of a standard deviation, and its mean as finely."""
    if deviation == 0:
        return ".5g"
    decimals = 2 - int(np.floor(np.log10(deviation)))
    return f".{max(decimals, 0)}f" if decimals <= 6 else ".2e"
