"""Which rows are wrong, how many, and why."""

from rowtrust.auditing.finding import Findings, audit_fit, find_wrong_rows
from rowtrust.numerics.mixtures import Mixture, mixture

__all__ = ["Findings", "Mixture", "audit_fit", "find_wrong_rows", "mixture"]
