"""Which rows are wrong, how many, and why."""

from skarn.audit.finding import Findings, find_wrong_rows
from skarn.audit.shares import Mixture, mixture

__all__ = ["Findings", "Mixture", "find_wrong_rows", "mixture"]
