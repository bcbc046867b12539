"""Rows of a file as they were written, and tables that people open in a spreadsheet."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TextIO

import pandas as pd

from rowtrust.workflow.tables.cells import is_text, read_cells
from rowtrust.workflow.tables.layout import Layout, is_number

INDEX = re.compile(r"__index_level_\d+__")
"""Name of a column of a Parquet file in which pandas keeps the names of the rows: no input."""


FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")
"""How cells begin that spreadsheets take for formulas, some after leaving blanks out: the list of OWASP on
CSV injection."""


@dataclass(frozen=True)
class Records:
    """Rows of a file as they were written, each with its identity.

    Attributes
    ----------
    cells
        Text as it stands in a text file, values of a Parquet file; the index counts the rows of the file
        from 0.
    layout
        How the file is laid out; its delimiter is known.
    header
        Names of the columns as they were written; None where there are none.
    notes
        What is to be said of how the file was read.
    """

    cells: pd.DataFrame
    layout: Layout
    header: tuple[str, ...] | None
    notes: tuple[str, ...] = ()

    @cached_property
    def table(self) -> pd.DataFrame:
        """The rows for a study: gaps where cells are missing."""
        inputs = self.cells.loc[:, [not INDEX.fullmatch(str(name)) for name in self.cells.columns]]
        return read_cells(inputs, self.layout.decimal, self.layout.missing)

    def write_without(self, left_out: Collection[int], output: TextIO) -> int:
        """Write the rows as CSV, cells as they were, without some of them; return how many remain.

        Parameters
        ----------
        left_out
            Numbers of rows, counted from 1.
        output
            Where to write.
        """
        kept = self.cells[~(self.cells.index + 1).isin(list(left_out))]
        self._write(kept, self.header, output)
        return len(kept)

    def write_changed(self, column: str, changes: Mapping[int, str], output: TextIO) -> None:
        """Write the rows as CSV, cells as they were but for some of one column.

        Parameters
        ----------
        column
            Name of the column as it was read.
        changes
            New cells, by the numbers of their rows, counted from 1.
        output
            Where to write.
        """
        cells = self.cells[column].astype(object)
        for row, value in changes.items():
            cells.loc[row - 1] = value
        self._write(self.cells.assign(**{column: cells}), self.header, output)

    def write_with(self, name: str, values: Sequence[str], output: TextIO) -> None:
        """Write the rows as CSV, cells as they were, with one more column at the end.

        Parameters
        ----------
        name
            Of the new column.
        values
            Its cells, one a row.
        output
            Where to write.
        """
        header = None if self.header is None else (*self.header, name)
        self._write(self.cells.assign(**{name: list(values)}), header, output)

    def _write(self, cells: pd.DataFrame, header: Sequence[str] | None, output: TextIO) -> None:
        cells.to_csv(
            output,
            index=False,
            header=False if header is None else list(header),
            sep=self.layout.delimiter or ",",
            lineterminator="\n",
            quoting=csv.QUOTE_ALL if self._has_carriage_returns else csv.QUOTE_MINIMAL,
        )

    @property
    def _has_carriage_returns(self) -> bool:
        """Whether a cell has one, which readers take for the end of a line though writers do not quote it."""
        names = pd.Series(list(self.header or ()), dtype=object)
        columns = [names, *(self.cells[name] for name in self.cells.columns)]
        return any(
            bool(each.str.contains("\r", regex=False).any())
            for each in columns
            if len(each) and is_text(each)
        )


def write_csv(table: pd.DataFrame, output: Path | TextIO, digits: str, *, header: bool = True) -> None:
    """Write a table as CSV in which no cell of text is a formula.

    Parameters
    ----------
    table
        What to write, without its index.
    output
        Where to.
    digits
        How numbers are written, such as ``"%.6g"``.
    header
        Whether to write the names of the columns.
    """
    table = table.rename(columns=without_formula)
    for place, kind in enumerate(table.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            table.isetitem(place, table.iloc[:, place].astype(object).map(without_formula))
    table.to_csv(output, index=False, header=header, float_format=digits, lineterminator="\n")


def without_formula(cell: Any) -> Any:
    """Return a cell as it is, or with an apostrophe before it if a spreadsheet could run it.

    Numbers stay, and texts of one letter such as the class "+".
    """
    if isinstance(cell, str) and len(cell) > 1 and cell.startswith(FORMULAS) and not is_number(cell):
        return f"'{cell}"
    return cell
