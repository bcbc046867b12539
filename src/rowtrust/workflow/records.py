"""What a study is asked, the rows it works on, and who hears of its steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rowtrust.contracts import Indices

MODEL, REPORT, FLAGGED, REVIEW, METRICS, MANIFEST = FILES = (
    "model.skops",
    "report.html",
    "flagged.csv",
    "review.csv",
    "metrics.json",
    "manifest.json",
)
"""Names of the files in the folder of a study; part of the command's interface."""


@dataclass(frozen=True)
class Settings:
    """What the user asked for.

    Attributes
    ----------
    data
        Name of the file, for the report.
    target
        Name of the target column.
    model
        "auto", "robust", "plain", "fuzzy" or "svr".
    task
        "classification" or "regression"; None to find out.
    test
        Share of the rows to keep for judging; zero for none.
    drop
        Columns to leave out.
    fast
        Whether to fit on landmarks.
    seed
        Of every random choice.
    command
        The command line to run it again.
    dask
        Address of a Dask scheduler whose workers read the rows of the fit; None for this process.
    device
        Where the rows of the fit are computed with, such as "cuda"; None for the processor.
    group
        Column whose equal values stay on one side of every split: patients, batches, sites.
    time
        Column that orders the rows: the latest ones judge the model.
    id
        Column that names the rows in every output.
    strict
        Whether a severe check of the data ends the study.
    weight
        Column that says how much each row counts; a row of weight 0 is not used.
    keep
        Columns that are inputs, whatever they look like.
    refit
        Whether the model is fitted to all rows once its quality is measured.
    """

    data: str
    target: str
    model: str = "auto"
    task: str | None = None
    test: float = 0.2
    drop: tuple[str, ...] = ()
    fast: bool = False
    seed: int = 0
    command: str = ""
    dask: str | None = None
    device: str | None = None
    group: str | None = None
    time: str | None = None
    id: str | None = None
    strict: bool = False
    weight: str | None = None
    keep: tuple[str, ...] = ()
    refit: bool = True


@dataclass(frozen=True)
class Part:
    """Rows of a table as a model takes them.

    Attributes
    ----------
    X, y
        Inputs and targets.
    rows
        Numbers of the rows in the file; the first is 1.
    groups
        Rows of one number stay on one side of every split; None where every row stands alone.
    times
        Where the rows are ordered by a column: their places in time, the earliest being the least.
    ids
        Names of the rows, where a column names them.
    weights
        How much each row counts, where a column says so.
    """

    X: pd.DataFrame
    y: NDArray[Any]
    rows: Indices
    groups: Indices | None = None
    times: NDArray[np.float64] | None = None
    ids: NDArray[Any] | None = None
    weights: NDArray[np.float64] | None = None

    def take(self, which: Indices) -> Part:
        """Return some of the rows."""
        known = (self.groups, self.times, self.ids, self.weights)
        aside: Any = (None if each is None else each[which] for each in known)
        return Part(self.X.iloc[which], self.y[which], self.rows[which], *aside)


class Progress:
    """Told of every step of a study; the command line draws a bar from it."""

    def start(self, total: float) -> None:
        """Learn what all steps will cost together."""

    def step(self, description: str, cost: float = 1.0) -> None:
        """Learn that the next step begins, and what it will cost."""

    def rows(self, count: int) -> None:
        """Learn that so many more rows were read in the present step."""

    def say(self, text: str) -> None:
        """Learn of something that cannot wait until the end."""

    def part(self, share: float) -> None:
        """Learn which share of the present step is done."""
