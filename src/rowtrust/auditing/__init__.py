"""Which rows are wrong, how many, and why."""

from rowtrust.auditing.finding import Findings, find_wrong_rows
from rowtrust.auditing.shares import Mixture, mixture

__all__ = ["Findings", "Mixture", "find_wrong_rows", "mixture"]
