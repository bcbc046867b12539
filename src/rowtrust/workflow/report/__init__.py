"""The HTML report of a study: one file, no scripts, nothing fetched."""

from rowtrust.workflow.report.page import render

__all__ = ["render"]
