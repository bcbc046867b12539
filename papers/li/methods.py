"""After Li et al. (2008): which of the methods the tables and figures show."""

from __future__ import annotations

from papers.li.protocol import CLASS_MEMBERSHIPS, MOVED
from rowtrust.memberships import MEMBERSHIPS

DEFAULT = "imbalance"
"""The membership that tables and figures show where they have place for one."""

DISTINCT = tuple(
    name
    for place, name in enumerate(CLASS_MEMBERSHIPS)
    if all(MEMBERSHIPS[name] != MEMBERSHIPS[earlier] for earlier in CLASS_MEMBERSHIPS[:place])
)
"""The memberships made for classes, each by its first name: one of them has two."""

FUZZY = f"fuzzy RVM, {DEFAULT}"
"""The fuzzy machine with that membership."""

METHODS = (
    "RVM",
    "RVM balanced",
    f"RVM, {MOVED}",
    "robust RVM",
    "channel RVM",
    "channel RVM balanced",
    f"channel RVM, {MOVED}",
    FUZZY,
    "SVM balanced",
    f"fuzzy SVM, {DEFAULT}",
    "SMOTE + SVM",
)
"""What tables 1 to 4 compare, of all that a repeat measures."""

REFERENCES = ("RVM", "RVM balanced")
"""Whom all are compared with, repeat by repeat."""
