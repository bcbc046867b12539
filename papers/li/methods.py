"""After Li et al. (2008): which of the methods the tables and figures show."""

from __future__ import annotations

from papers.li.protocol import MOVED

DEFAULT = "imbalance"
"""The membership that tables and figures show where they have place for one."""

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
