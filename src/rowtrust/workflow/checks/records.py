"""What is wrong, odd or worth knowing about the data, told before any model is fitted."""

from __future__ import annotations

from dataclasses import dataclass

SEVERITIES = ("severe", "warning", "note")
"""How bad a finding is, the worst first: results mislead; look at it; it was dealt with and is only said."""


@dataclass(frozen=True)
class Check:
    """One finding about the data, as a linter has them.

    Attributes
    ----------
    code
        A short name that does not change, such as "leak": for filters and tests.
    severity
        One of ``SEVERITIES``; ``--strict`` fails on "severe".
    message
        One sentence, with figures and examples.
    cure
        What the user can do; empty where nothing is to be done.
    columns, rows
        Which columns, and which rows by their number in the file, as far as there are such.
    """

    code: str
    severity: str
    message: str
    cure: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()


def ordered(found: list[Check]) -> list[Check]:
    """Return the findings, the severe ones first."""
    return sorted(found, key=lambda each: SEVERITIES.index(each.severity))
