"""What a study finds out."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd
from sklearn.pipeline import Pipeline

from rowtrust.auditing import Findings
from rowtrust.workflow.candidates import Candidate
from rowtrust.workflow.checks import Check
from rowtrust.workflow.fitting import FittedModel
from rowtrust.workflow.inputs import InputEffects
from rowtrust.workflow.predictions import Prediction
from rowtrust.workflow.quality.records import Calibration, Curves, Figure, PerClass, Reference
from rowtrust.workflow.records import Part, Settings
from rowtrust.workflow.suspects import suspect_rows
from rowtrust.workflow.tables.facts import ColumnFacts


@dataclass(frozen=True)
class Judged:
    """Rows that the model has not seen, how that came, what was predicted of them, and how good that is.

    Attributes
    ----------
    rows, how, prediction
        The rows, why they are unseen in words, and what was predicted of them.
    figures
        How good that is on all of them. One that cannot be told is left out: look figures up by name.
    references
        Other models on the same rows.
    per_class, curves
        Of classes: each against the others; how well they are ranked.
    calibration
        Whether probabilities or intervals can be taken at face value.
    remarks
        What is not given, and why.
    """

    rows: Part
    how: str
    prediction: Prediction
    figures: list[Figure]
    references: list[Reference] = field(default_factory=list)
    per_class: list[PerClass] = field(default_factory=list)
    curves: list[Curves] = field(default_factory=list)
    calibration: Calibration | None = None
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Study:
    """Everything that was found out about a table. Pictures and files are made from it."""

    settings: Settings
    candidates: list[Candidate]
    chosen: str
    fitted: FittedModel
    judged: Judged
    inputs: InputEffects
    findings: Findings
    suspects: pd.DataFrame
    n_unusable: int
    notes: list[str] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    columns: list[ColumnFacts] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def model(self) -> Pipeline:
        """The fitted pipeline: it takes a table with the columns of the data."""
        return self.fitted.pipeline

    @property
    def suspect_rows(self) -> list[int]:
        """Numbers of the suspects in the file."""
        return suspect_rows(self.suspects)
