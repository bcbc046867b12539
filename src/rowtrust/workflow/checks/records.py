"""What is wrong, odd or worth knowing about the data, told before any model is fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rowtrust.workflow.tables.errors import listed

SHOWN_ROWS = 8
"""Rows that a finding names; a line of text."""

MOST_ALIKE = 3
"""Findings of one kind that are listed one by one; more are one line with a count. Readability alone."""

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
    where
        Of which table the rows are, such as " of the test file"; empty for the data.
    """

    code: str
    severity: str
    message: str
    cure: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    where: str = ""

    def rows_text(self, names: Sequence[Any] | None = None) -> str:
        """Return the first rows in words, by their names or their numbers; nothing where there are none."""
        named = [str(each) for each in (self.rows if names is None else names)]
        if not named:
            return ""
        shown = ", ".join(named[:SHOWN_ROWS]) + ", \u2026" * (len(named) > SHOWN_ROWS)
        return f"Row{'s' * (len(named) > 1)} {shown}{self.where}"


def ordered(found: list[Check]) -> list[Check]:
    """Return the findings, the severe ones first."""
    return sorted(found, key=lambda each: SEVERITIES.index(each.severity))


def together(found: list[Check]) -> list[Check]:
    """Return findings by their kinds, those of one kind as one where they are many."""
    kinds: dict[str, list[Check]] = {}
    for each in found:
        kinds.setdefault(each.code, []).append(each)
    return [one for alike in kinds.values() for one in merged(alike)]


def merged(alike: list[Check]) -> list[Check]:
    """Return a few findings of one kind as they are, many as one that counts them."""
    if len(alike) <= MOST_ALIKE:
        return alike
    columns = tuple(dict.fromkeys(name for each in alike for name in each.columns))
    others = listed(columns[len(alike[0].columns) :])
    message = f"{alike[0].message}. The same of {len(alike) - 1} more columns: {others}"
    return [replace(alike[0], message=message, columns=columns)]
