"""From a table to a model with its quality, its flagged rows and the reasons for both."""

from rowtrust.workflow.records import Part, Progress, Settings
from rowtrust.workflow.run import run_study
from rowtrust.workflow.study import Study

__all__ = ["Part", "Progress", "Settings", "Study", "run_study"]
