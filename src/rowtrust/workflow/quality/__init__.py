"""How good a model is, on all judged rows, with intervals, and beside other models."""

from rowtrust.workflow.quality.figures import interval_factor, quality_figures
from rowtrust.workflow.quality.records import (
    LEVEL,
    Bin,
    Calibration,
    Curves,
    Figure,
    PerClass,
    Reference,
)
from rowtrust.workflow.quality.sentences import (
    against_references,
    beats_guessing,
    calibration_words,
    is_lopsided,
    leading,
    quality_json,
)

__all__ = [
    "LEVEL",
    "Bin",
    "Calibration",
    "Curves",
    "Figure",
    "PerClass",
    "Reference",
    "against_references",
    "beats_guessing",
    "calibration_words",
    "interval_factor",
    "is_lopsided",
    "leading",
    "quality_figures",
    "quality_json",
]
