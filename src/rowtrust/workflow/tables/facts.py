"""What is known of each column of a table: how it was read, and what could not be read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ColumnFacts:
    """How a column was read, for the data section of a report.

    Attributes
    ----------
    name
        Of the column.
    role
        "input", "target", "left out", "id", "group" or "time".
    kind
        "number", "category", "date", "text", "id", "constant", "all missing", ...
    reading
        How its cells were read: "" as they stand, or in words, such as "percent", "thousands in commas".
    n_missing, n_unreadable
        Cells that are empty, and cells that hold something which could not be read and count as missing.
    n_limits
        Cells that are detection limits, such as ``<5``.
    examples
        Some of the unreadable cells and limits, as they stand in the file.
    n_distinct
        Different values.
    summary
        Its values in a few words: range and median, or the commonest categories.
    why
        Why it is no input; empty for inputs.
    """

    name: str
    role: str
    kind: str
    reading: str = ""
    n_missing: int = 0
    n_unreadable: int = 0
    n_limits: int = 0
    examples: tuple[str, ...] = ()
    n_distinct: int = 0
    summary: str = ""
    why: str = ""
