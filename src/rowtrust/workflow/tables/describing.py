"""What is known of each column of a table, for the data section of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rowtrust.workflow.tables.cells import Numbers, is_text, parse_numbers
from rowtrust.workflow.tables.columns import find_numbers
from rowtrust.workflow.tables.dates import parse_dates
from rowtrust.workflow.tables.errors import brief, shortened
from rowtrust.workflow.tables.names import in_one_spelling
from rowtrust.workflow.tables.schema import MISSING, REASONS, ROLES, Column, Schema, conformed_words
from rowtrust.workflow.tables.targets import labelled_rows, labels

SHOWN_CATEGORIES = 3
"""Categories that a summary names, the commonest; a line of a report."""

CATEGORY_LENGTH = 20
"""Letters of a category in a summary; three of them in a line of a report."""


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


def column_facts(table: pd.DataFrame, schema: Schema) -> list[ColumnFacts]:
    """Return how each column of a table was read, in the order of the table.

    Parameters
    ----------
    table
        As it was read from its file, all columns.
    schema
        What was found of it.
    """
    table = table.rename(columns=str)
    inputs = {column.name: column for column in schema.inputs}
    left_out = dict(schema.left_out)
    found = []
    for name in table.columns:
        if name == schema.target:
            found.append(target_facts(table[name], schema))
        elif name in inputs:
            found.append(input_facts(table[name], inputs[name]))
        elif name in left_out:
            found.append(other_facts(table[name], left_out[name]))
    return found


def input_facts(values: pd.Series[Any], column: Column, role: str = "input") -> ColumnFacts:
    """Return what is known of an input."""
    if column.kind == "category":
        return words_facts(conformed_words(values, column), column.name, role)
    if column.kind == "date":
        dates = parse_dates(values, column.reading)
        return numbers_facts(dates, column, role, range_of(dates.values, in_days=True))
    numbers = parse_numbers(values, column.reading)
    return numbers_facts(numbers, column, role, range_of(numbers.values))


def target_facts(values: pd.Series[Any], schema: Schema) -> ColumnFacts:
    """Return what is known of the target."""
    if schema.task == "regression":
        return input_facts(values, Column(schema.target, "number", 0.0, schema.target_reading), "target")
    rows = labelled_rows(values)
    words = np.full(len(values), MISSING, dtype=object)
    words[rows] = in_one_spelling(labels(values.iloc[rows])).astype(str)
    return words_facts(pd.Series(words, dtype=object), schema.target, "target")


def other_facts(values: pd.Series[Any], why: str) -> ColumnFacts:
    """Return what is known of a column that is no input."""
    role = next((role for role, reason in ROLES.items() if reason == why), "left out")
    kinds = {reason: kind for kind, reason in REASONS.items()}
    kind = kinds.get(why, why)
    if role != "left out" or kind == "left out by --drop":
        kind = "number" if find_numbers(values)[1].word_share == 0 else "category"
    n_missing = int(values.isna().sum())
    n_different = int(values.astype(str).where(values.notna()).nunique())
    return ColumnFacts(str(values.name), role, kind, n_missing=n_missing, n_distinct=n_different, why=why)


def words_facts(words: pd.Series[Any], name: str, role: str) -> ColumnFacts:
    """Return what is known of a column of categories or classes."""
    present = words[words != MISSING]
    counts = present.value_counts()
    shown = [
        f"{shortened(word, CATEGORY_LENGTH)} ({times / len(present):.0%})"
        for word, times in counts.iloc[:SHOWN_CATEGORIES].items()
    ]
    summary = ", ".join([*shown, "…"] if len(counts) > SHOWN_CATEGORIES else shown)
    n_missing = len(words) - len(present)
    return ColumnFacts(name, role, "category", n_missing=n_missing, n_distinct=len(counts), summary=summary)


def numbers_facts(found: Numbers, column: Column, role: str, summary: str) -> ColumnFacts:
    """Return what is known of a column of numbers or dates."""
    present = found.values[~np.isnan(found.values)]
    return ColumnFacts(
        column.name,
        role,
        column.kind,
        column.reading,
        n_missing=len(found.values) - found.n_spoken,
        n_unreadable=found.n_unreadable + found.n_infinite,
        n_limits=found.n_limits,
        examples=(*found.examples, *found.limits),
        n_distinct=len(np.unique(present)),
        summary=summary,
    )


def range_of(values: NDArray[np.float64], in_days: bool = False) -> str:
    """Return least, greatest and middle number in words."""
    if np.isnan(values).all():
        return ""
    low, middle, high = (float(f(values)) for f in (np.nanmin, np.nanmedian, np.nanmax))
    if in_days:
        first, last = (str(np.datetime64(int(np.floor(day)), "D")) for day in (low, high))
        return f"{first} to {last}"
    return f"{brief(low)} to {brief(high)}, median {brief(middle)}"


def first_such(values: pd.Series[Any], test: Any, most: int = 1000) -> str:
    """Return the first cell of text, among some, that a test accepts; nothing if there is none."""
    if not is_text(values):
        return ""
    return next((str(word).strip() for word in values.dropna().unique()[:most] if test(str(word))), "")
