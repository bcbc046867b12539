"""A paper's numbers beside ours, and how many standard errors lie between."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

import numpy as np

from papers.numbers import LEAST_DRAWS, Direction, Number

__all__ = ["TOLERANCE", "Cell", "Direction", "Number", "ResultTable"]

TOLERANCE = 2.0
"""Standard errors within which two results count as the same."""

BEYOND = 100.0
"""Standard errors from which on their number says nothing more."""

CSV_ENDING = ("paper_repeats", "difference_in_standard_errors", "verdict")
"""The last columns of a table's file."""


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
    protocol
        By which rules the number was made, where a table has several.
    digit
        Where chance has no part in a number: a unit of the last digit that the paper prints.
    astray
        How many repeats failed by a rule of the table's own.
    """

    row: tuple[str, ...]
    measure: str
    ours: Number
    paper: Number | None = None
    better: Direction = "lower"
    rival: bool = False
    protocol: str = ""
    digit: float | None = None
    astray: int = 0

    @property
    def failed(self) -> int:
        """How many of our repeats failed, by ``Number.failed`` or by the table's own rule."""
        return max(self.astray, self.ours.failed(self.better))

    @property
    def difference(self) -> float:
        """Ours minus theirs, in standard errors.

        A printed spread is the measure of ours too if ours is larger: a spread must not excuse the mean
        that one failed repeat moved. Where a mean is printed without a spread, ours stands in. A single run
        of the paper is one more draw: it is compared with our median, by the robust deviation of our draws.
        """
        if self.paper is None or self.digit is not None or self.ours.count == 0:
            return np.nan
        printed = self.paper.deviation
        if printed is None and self.paper.count == 1 and len(self.ours.values) >= LEAST_DRAWS:
            return self._difference_from_one_run(self.paper.mean)
        if self.ours.deviation is None:
            return np.nan
        own = self.ours.deviation if printed is None else min(self.ours.deviation, printed)
        theirs = self.ours.deviation if printed is None else printed
        error = np.sqrt(own**2 / self.ours.count + theirs**2 / self.paper.count)
        return in_errors(self.ours.mean - self.paper.mean, float(error))

    def _difference_from_one_run(self, theirs: float) -> float:
        """Return our median minus a single run, in robust deviations of such a difference."""
        values, logarithmic = self.ours.scaled
        if logarithmic and theirs <= 0.0:
            values, logarithmic = np.array(self.ours.values), False
        gap = float(np.median(values)) - (np.log(theirs) if logarithmic else theirs)
        deviation = 1.4826 * float(np.median(np.abs(values - np.median(values))))
        # The median of n Gaussian draws has pi / 2 times the variance of their mean.
        error = deviation * np.sqrt(1.0 + 0.5 * np.pi / len(values))
        return in_errors(gap, float(error))

    @property
    def verdict(self) -> str:
        """Return "same" within two standard errors, else "better", "worse" or "differs".

        A failed repeat makes it "worse", wherever mean and median lie. A number without chance is the
        "same" to a unit of the last printed digit, which papers round or cut.
        """
        if self.paper is None or self.better == "other machine":
            return ""
        if self.digit is not None:
            return "same" if abs(self.ours.mean - self.paper.mean) < 1.001 * self.digit else "differs"
        if self.failed:
            return "worse"
        if np.isnan(self.difference):
            return ""
        if abs(self.difference) <= TOLERANCE:
            return "same"
        if self.better == "neither":
            return "differs"
        return "better" if (self.difference < 0) == (self.better == "lower") else "worse"

    @property
    def compared(self) -> str:
        """The difference as text: with a mark by the verdict, and the number of failed repeats."""
        mark = {"better": "+", "worse": "!", "differs": "?"}.get(self.verdict, "")
        if self.digit is not None and self.verdict:
            return f"to the digit{mark}" if self.verdict == "same" else f"not to the digit{mark}"
        if np.isnan(self.difference) or self.better == "other machine":
            return ""
        sign = "+" if self.difference > 0 else "-"
        text = f"{self.difference:+.1f}" if abs(self.difference) < BEYOND else f"{sign}{BEYOND:g} and more"
        return f"{text}{mark}" + (f" ({self.failed} failed)" if self.failed else "")


def in_errors(gap: float, error: float) -> float:
    """Return a difference in standard errors; without any spread it is none, or beyond all."""
    if error > 0 or np.isnan(gap):
        return gap / error if error > 0 else np.nan
    return float(np.sign(gap) * np.inf) if gap else 0.0


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
    number: str
    title: str
    labels: tuple[str, ...]
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()

    @property
    def measures(self) -> list[str]:
        """The measures, in order."""
        return list(dict.fromkeys(cell.measure for cell in self.cells))

    @property
    def protocols(self) -> list[str]:
        """The protocols, in order; a single one has no name."""
        return list(dict.fromkeys(cell.protocol for cell in self.cells))

    def pivot(self, measures: Sequence[str]) -> tuple[list[str], list[list[str]]]:
        """Return headings and rows of text for some measures, the paper's number beside ours."""
        if len(self.protocols) > 1:
            return self._side_by_side(measures)
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

    def _side_by_side(self, measures: Sequence[str]) -> tuple[list[str], list[list[str]]]:
        """Return the printed number once, then every protocol's that has the measure."""
        chosen = [cell for cell in self.cells if cell.measure in measures]
        by_place = {(cell.row, cell.measure, cell.protocol): cell for cell in chosen}
        headings = list(self.labels)
        rows = {cell.row: list(cell.row) for cell in chosen}
        for measure in measures:
            there = list(dict.fromkeys(cell.protocol for cell in chosen if cell.measure == measure))
            printed = any(cell.paper is not None for cell in chosen if cell.measure == measure)
            if printed:
                headings += [f"{measure}, printed", *(word for name in there for word in (name, "s.e."))]
            else:
                headings += [f"{measure}, {name}" for name in there]
            for row, texts in rows.items():
                shown = [cell_texts(by_place.get((row, measure, name))) for name in there]
                if printed:
                    texts += [next((text[1] for text in shown if text[1] != "-"), "-")]
                    texts += [word for text in shown for word in (text[0], text[2])]
                else:
                    texts += [text[0] for text in shown]
        return headings, list(rows.values())

    def blocks(self, most: int = 3) -> list[list[str]]:
        """Return the measures in groups that fit side by side: one by one where protocols do."""
        most = 1 if len(self.protocols) > 1 else most
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
            [
                *self.labels,
                "measure",
                "protocol",
                "ours",
                "ours_sd",
                "repeats",
                "paper",
                "paper_sd",
                *CSV_ENDING,
            ]
        )
        for cell in self.cells:
            theirs = cell.paper or Number(np.nan, None, 0)
            numbers = [cell.ours.mean, cell.ours.deviation, cell.ours.count]
            numbers += [theirs.mean, theirs.deviation, theirs.count, cell.difference]
            shown = ["" if number is None or np.isnan(number) else f"{number:.6g}" for number in numbers]
            writer.writerow([*cell.row, cell.measure, cell.protocol, *shown, cell.verdict])
        return text.getvalue()


def cell_texts(cell: Cell | None) -> list[str]:
    """Return ours, the paper's and the difference, as text."""
    if cell is None:
        return ["-", "-", ""]
    return [cell.ours.text(), cell.paper.text() if cell.paper else "-", cell.compared]
