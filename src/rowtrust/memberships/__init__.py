"""Fuzzy memberships: how far each row is believed before the fit (Li et al. 2008, section 4).

A membership maps the training rows to numbers in ``(0, 1]`` that serve as fixed power weights. Small
constants are shares of the data's own scale, so no membership changes when its distances are all
multiplied by a number. Kernels are read one block of rows at a time: memory stays linear in ``n``.
"""

from rowtrust.memberships.base import Membership, SideInformation
from rowtrust.memberships.kinds import ClassCentre, Heuristic, Imbalance, Residual, Time
from rowtrust.memberships.registry import MEMBERSHIPS, normalised, resolve

__all__ = [
    "MEMBERSHIPS",
    "ClassCentre",
    "Heuristic",
    "Imbalance",
    "Membership",
    "Residual",
    "SideInformation",
    "Time",
    "normalised",
    "resolve",
]
