"""From a table to a model with its quality, its suspects and the reasons for both."""

from rowtrust.workflow.records import Part, Progress, Settings
from rowtrust.workflow.run import study_table
from rowtrust.workflow.study import Study

__all__ = ["Part", "Progress", "Settings", "Study", "study_table"]
