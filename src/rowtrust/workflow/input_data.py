"""A table as the user gave it: a path, or a frame that is in memory already."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rowtrust.workflow.records import Settings
from rowtrust.workflow.tables import InputError, Layout, Reading, read_for_study, read_table
from rowtrust.workflow.tables.cells import read_cells
from rowtrust.workflow.tables.layout import check_names
from rowtrust.workflow.tables.reading import FAST_ROWS, read_names
from rowtrust.workflow.tables.sources import can_be_read_again, source_name
from rowtrust.workflow.tables.steps import as_frame

FRAME = "DataFrame"
"""What a table from memory is called in messages and reports; it has no name of its own."""


@dataclass(frozen=True)
class InputTable:
    """A table as the user gave it.

    Attributes
    ----------
    path
        Of a file, or ``-`` for standard input; empty for a frame.
    frame
        The table itself; None for a file.
    """

    path: str = ""
    frame: pd.DataFrame | None = None

    @property
    def name(self) -> str:
        """What reports call it: the name of the file, without its folder."""
        if self.frame is not None:
            return FRAME
        return source_name(self.path) if self.path == "-" else Path(self.path).name

    @property
    def file(self) -> str | None:
        """The path, where there is one."""
        return self.path if self.frame is None else None

    @property
    def can_be_read_again(self) -> bool:
        """Whether it is a regular file."""
        return self.frame is None and can_be_read_again(self.path)

    def names(self, layout: Layout) -> list[str] | None:
        """Return the names of the columns where a look at the beginning tells them; refuse no table."""
        if self.frame is None:
            return read_names(self.path, layout)
        return [name_of(each) for each in self.frame.columns]

    def for_study(
        self, layout: Layout, fast: bool, seed: int, on_rows: Callable[[int], None] | None = None
    ) -> Reading:
        """Return the rows, or a sample of them if a file is large or with ``fast``."""
        if self.frame is None:
            return read_for_study(self.path, layout, fast, seed, on_rows)
        layout.limits.check("rows", len(self.frame), FRAME)
        layout.limits.check("columns", self.frame.shape[1], FRAME)
        table, notes = cells_of(self.frame, layout), []
        if fast and len(table) > FAST_ROWS:
            drawn = np.random.default_rng(seed).choice(len(table), FAST_ROWS, replace=False)
            notes = [f"a random sample of {FAST_ROWS} of the {len(table)} rows was used (--fast)"]
            table = table.iloc[np.sort(drawn)]
        return Reading(table, len(self.frame), notes, ())

    def table(self, layout: Layout) -> pd.DataFrame:
        """Return all rows."""
        return read_table(self.path, layout) if self.frame is None else cells_of(self.frame, layout)


@dataclass(frozen=True)
class Question:
    """What a user asks of a table, checked.

    Attributes
    ----------
    data
        The table.
    settings
        What is asked.
    layout
        How a text file is laid out.
    test
        Rows to judge the model by; None for a share of the table, or for cross-fitting.
    """

    data: InputTable
    settings: Settings
    layout: Layout = field(default_factory=Layout)
    test: InputTable | None = None


def path_or_frame(data: Any) -> InputTable:
    """Return what the user gave as a path or a frame; refuse what is neither.

    Parameters
    ----------
    data
        A path, a frame of pandas or polars, or anything with ``to_pandas``, ``__arrow_c_stream__`` or
        ``__dataframe__``.
    """
    if isinstance(data, InputTable):
        return data
    if isinstance(data, str | os.PathLike):
        return InputTable(path=os.fspath(data))
    return InputTable(frame=as_frame(data))


def cells_of(frame: pd.DataFrame, layout: Layout) -> pd.DataFrame:
    """Return a frame as files are read: rows counted from 0, columns named by text, gaps where cells are."""
    names = [name_of(each) for each in frame.columns]
    check_names(names, "the DataFrame")
    if not len(frame):
        raise InputError("the DataFrame has no rows. Give one with data.")
    cells = frame.set_axis(pd.RangeIndex(len(frame)), axis=0).set_axis(names, axis=1)
    return read_cells(cells, layout.decimal, layout.missing)


def name_of(label: Hashable) -> str:
    """Return the name of a column; those of several levels in one."""
    return " ".join(map(str, label)) if isinstance(label, tuple) else str(label)
