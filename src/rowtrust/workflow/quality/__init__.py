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
from rowtrust.workflow.quality.telling import against_references, calibration_words, quality_json

__all__ = [
    "LEVEL",
    "Bin",
    "Calibration",
    "Curves",
    "Figure",
    "PerClass",
    "Reference",
    "against_references",
    "calibration_words",
    "interval_factor",
    "quality_figures",
    "quality_json",
]
