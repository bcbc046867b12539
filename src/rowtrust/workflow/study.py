"""What a study finds out."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd

from rowtrust.auditing import Findings
from rowtrust.workflow.candidates import Candidate
from rowtrust.workflow.fitting import FittedModel
from rowtrust.workflow.inputs import InputEffects
from rowtrust.workflow.predictions import Prediction
from rowtrust.workflow.quality import Figure
from rowtrust.workflow.records import Part, Settings
from rowtrust.workflow.suspects import suspect_rows


@dataclass(frozen=True)
class Judged:
    """Rows that the model has not seen, how that came, what was predicted of them, and how good that is."""

    rows: Part
    how: str
    prediction: Prediction
    figures: list[Figure]


@dataclass(frozen=True)
class Study:
    """Everything that was found out about a table. Pictures and files are made from it."""

    settings: Settings
    candidates: list[Candidate]
    chosen: str
    model: FittedModel
    judged: Judged
    inputs: InputEffects
    findings: Findings
    suspects: pd.DataFrame
    n_unusable: int
    notes: list[str] = field(default_factory=list)

    @property
    def suspect_rows(self) -> list[int]:
        """Numbers of the suspects in the file."""
        return suspect_rows(self.suspects)
