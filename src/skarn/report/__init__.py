"""The HTML report of a study: one file, no scripts, nothing fetched."""

from skarn.report.page import render

__all__ = ["render"]
