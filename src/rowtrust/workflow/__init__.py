"""From a table to a model with its quality, its suspects and the reasons for both."""

from rowtrust.workflow.records import Settings, Study
from rowtrust.workflow.run import run_study

__all__ = ["Settings", "Study", "run_study"]
