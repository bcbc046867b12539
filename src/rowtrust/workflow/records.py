"""What a study is asked, and what it finds out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from rowtrust.auditing import Findings
from rowtrust.auditing.reasons import vectors_of
from rowtrust.contracts import Indices
from rowtrust.workflow import inputs, quality
from rowtrust.workflow.candidates import Candidate
from rowtrust.workflow.tables import Schema


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
        Share of the rows to hold out; zero for none.
    drop
        Columns to leave out.
    fast
        Whether to fit on landmarks.
    seed
        Of every random choice.
    command
        The command line to run it again.
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


@dataclass(frozen=True)
class Part:
    """Rows of a table as a model takes them, with their numbers in the file."""

    X: pd.DataFrame
    y: NDArray[Any]
    rows: Indices

    def take(self, which: Indices) -> Part:
        """Return some of the rows."""
        return Part(self.X.iloc[which], self.y[which], self.rows[which])


@dataclass(frozen=True)
class Study:
    """Everything that was found out about a table. Pictures and files are made from it."""

    settings: Settings
    schema: Schema
    classes: NDArray[Any]
    train: Part
    judged: Part
    judged_on: str
    candidates: list[Candidate]
    chosen: str
    model: Pipeline
    prediction: Any
    figures: list[quality.Figure]
    relevance: list[inputs.Relevance]
    curves: list[inputs.Curve]
    surface: inputs.Surface
    findings: Findings
    suspects: pd.DataFrame
    n_unusable: int
    notes: list[str] = field(default_factory=list)

    @property
    def estimator(self) -> Any:
        """The fitted rowtrust estimator at the end of the pipeline."""
        return self.model[-1]

    @property
    def vectors(self) -> Indices:
        """Training rows that the model keeps."""
        return vectors_of(self.estimator)


class Progress:
    """Told of every step of a study; the command line draws a bar from it."""

    def start(self, total: int) -> None:
        """Learn how many steps there will be."""

    def step(self, description: str) -> None:
        """Learn that the next step begins."""
