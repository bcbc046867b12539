"""What is said of how columns were read: one finding a column, or one for all columns of a kind."""

from __future__ import annotations

from typing import Any

import pandas as pd

from rowtrust.workflow.checks.records import Check, together
from rowtrust.workflow.tables.columns import find_kind
from rowtrust.workflow.tables.dates import UNSURE
from rowtrust.workflow.tables.describing import ColumnFacts, first_such
from rowtrust.workflow.tables.errors import listed, shortened
from rowtrust.workflow.tables.names import spellings_of
from rowtrust.workflow.tables.readings import (
    CURRENCY,
    DECIMAL_COMMA,
    LIMITS,
    PERCENT,
    THOUSANDS,
    Cell,
    parsed_cell,
)
from rowtrust.workflow.tables.schema import Schema
from rowtrust.workflow.tables.steps import MOST_CATEGORIES

MOSTLY_MISSING = 0.5
"""Share of missing cells from which on a column is said to be mostly missing. A matter of words."""

NEAR_CONSTANT = 0.99
"""Share of the rows with one value from which on a column is nearly constant. A matter of words."""

SHOWN_SPELLINGS = 3
"""Words with several spellings that a message shows; readability alone."""

LEFT_OUT = {
    "names nearly every row": (
        "id",
        "names nearly every row: an ID, not used",
        "If it measures something, add --keep {0}; --id {0} shows it beside the rows.",
    ),
    "row number": ("id", "counts the rows: not used", "If it measures something, add --keep {0}."),
    "free text": ("text", "free text: not used", "Turn it into categories or numbers to use it."),
    "constant": ("constant", "the same in every row: not used", ""),
    "all missing": ("all-missing", "empty in every row: not used", ""),
    "neither numbers nor text": (
        "neither",
        "neither numbers nor text: not used",
        "Turn it into numbers or words to use it.",
    ),
    "left out by --drop": ("dropped", "left out by --drop", ""),
}
"""What is said of columns that are no inputs: the code, what they are, and the cure; {0} is the column."""

NOTES = {
    PERCENT: "numbers with a percent sign, such as {}, were read as the number of per cent",
    CURRENCY: "numbers with a currency, such as {}, were read without it",
    THOUSANDS: "numbers such as {} were read as having marks between thousands",
    DECIMAL_COMMA: "numbers such as {} were read as having a decimal comma",
}
"""What is said of each reading; {} is an example."""

CURES = {
    THOUSANDS: "If the comma is a decimal mark, add --decimal ','.",
    DECIMAL_COMMA: "If the comma stands between thousands, write the numbers without it.",
}
"""What can be done where a reading may be wrong."""


def reading_checks(table: pd.DataFrame, schema: Schema, facts: list[ColumnFacts]) -> list[Check]:
    """Return what is worth saying of how the columns of a table were read.

    Parameters
    ----------
    table
        As it was read from its file, all columns.
    schema
        What was found of it.
    facts
        What :func:`rowtrust.workflow.tables.describing.column_facts` says of its columns.
    """
    table = table.rename(columns=str)
    found = []
    for fact in facts:
        if fact.role in ("input", "target"):
            found += [*unreadable(fact, len(table)), *readings(table[fact.name], fact)]
            found += [*spellings(table[fact.name], fact, schema), *sparse(table[fact.name], fact, len(table))]
    return [*named_as_values(table, facts), *together(found), *counted(table, schema), *left_out(schema)]


def named_as_values(table: pd.DataFrame, facts: list[ColumnFacts]) -> list[Check]:
    """Say that the names of the columns of words may be the first row, as they are values of them."""
    words = [fact.name for fact in facts if fact.kind == "category" and is_words(table[fact.name])]
    same = [name for name in words if (table[name] == name).any()]
    if len(same) < 2 or len(same) < len(words) / 2:
        return []
    message = f"the names of the columns {listed(same)} are values in them, too"
    cure = "If the first line holds data, not names, add --no-header."
    return [Check("header", "warning", message, cure, tuple(same))]


def called(fact: ColumnFacts) -> str:
    """Return how messages call a column."""
    return f"{'the target' if fact.role == 'target' else 'column'} '{shortened(fact.name)}'"


def unreadable(fact: ColumnFacts, n_rows: int) -> list[Check]:
    """Say how many cells could not be read, and which are limits."""
    found = []
    limits = [each for each in fact.examples if (cell := parsed_cell(each)) is not None and cell.limit]
    if fact.n_unreadable:
        shown = listed(each for each in fact.examples if fact.n_limits == 0 or each not in limits)
        then = "the rows were not used" if fact.role == "target" else "count as missing"
        message = (
            f"{called(fact)}: {fact.n_unreadable} of {n_rows} cells are no {fact.kind}s and {then}: {shown}"
        )
        cure = "Fix them; words that stand for a missing cell can be named with --missing."
        found.append(Check("unreadable", "warning", message, cure, (fact.name,)))
    if fact.n_limits:
        message = (
            f"{called(fact)}: {fact.n_limits} of {n_rows} cells are detection limits, such as "
            f"{listed(limits)}: below a limit counts as half of it, above as the limit"
        )
        found.append(Check(LIMITS, "note", message, "", (fact.name,)))
    return found


def readings(values: pd.Series[Any], fact: ColumnFacts) -> list[Check]:
    """Say how numbers and dates were read."""
    if fact.kind == "date":
        return [date_check(values, fact)]
    found = []
    for reading in (PERCENT, CURRENCY, THOUSANDS, DECIMAL_COMMA):
        if reading in fact.reading:
            example = first_such(values, lambda word, reading=reading: shows(parsed_cell(word), reading))
            message = f"{called(fact)}: {NOTES[reading].format(repr(shortened(example)))}"
            code = reading.replace(" ", "-")
            found.append(Check(code, "note", message, CURES.get(reading, ""), (fact.name,)))
    return found


def shows(cell: Cell | None, reading: str) -> bool:
    """Whether a cell shows why its column has a reading."""
    if cell is None:
        return False
    if reading == THOUSANDS:
        return cell.form in ("thousands", "either", "blanks")
    return cell.mark == reading or (reading == DECIMAL_COMMA and cell.form in ("comma", "either"))


def date_check(values: pd.Series[Any], fact: ColumnFacts) -> Check:
    """Say that a column holds dates, and in which order they were read."""
    order = f", read with the {fact.reading}" if fact.reading else ""
    if fact.reading == UNSURE:
        example = first_such(values, lambda word: True)
        message = (
            f"{called(fact)} holds dates such as '{shortened(example)}': nothing tells day from month, and "
            "the month was taken to be first"
        )
        return Check("date", "warning", message, "Write dates as 2020-01-31.", (fact.name,))
    message = f"{called(fact)} holds dates ({fact.summary}){order}: its days and cycles are inputs"
    cure = f"If you will predict later rows, judge by the latest ones: add --time '{fact.name}'."
    return Check("date", "note", message, cure, (fact.name,))


def spellings(values: pd.Series[Any], fact: ColumnFacts, schema: Schema) -> list[Check]:
    """Say which words were found in several spellings."""
    if fact.kind != "category" or not is_words(values):
        return []
    merged = spellings_of(values.dropna().astype(str).str.strip())
    if not merged:
        return []
    shown = [
        f"'{first}' also as {listed(others)}" for first, others in list(merged.items())[:SHOWN_SPELLINGS]
    ]
    more = f" and {len(merged) - len(shown)} more" if len(merged) > len(shown) else ""
    what = "classes" if fact.role == "target" else "categories"
    message = f"{called(fact)}: spellings of {what} were merged: {'; '.join(shown)}{more}"
    return [Check("spellings", "warning", message, "If they differ, rename them.", (fact.name,))]


def is_words(values: pd.Series[Any]) -> bool:
    """Whether a column can have words in several spellings."""
    return not pd.api.types.is_numeric_dtype(values.dtype)


def sparse(values: pd.Series[Any], fact: ColumnFacts, n_rows: int) -> list[Check]:
    """Say what little there is in an input: gaps, one value, or very many categories."""
    if fact.role == "target":
        return []
    found = []
    gone = fact.n_missing + fact.n_unreadable
    if gone > MOSTLY_MISSING * n_rows:
        message = f"{called(fact)}: {gone} of {n_rows} cells are missing"
        found.append(Check("mostly-missing", "warning", message, "", (fact.name,)))
    may_be = fact.n_distinct <= 1 + (1 - NEAR_CONSTANT) * n_rows
    counts = values.value_counts(normalize=True) if may_be else values.iloc[:0]
    if len(counts) and counts.iloc[0] >= NEAR_CONSTANT and n_rows - gone > 1:
        message = (
            f"{called(fact)} is '{shortened(counts.index[0])}' in {counts.iloc[0]:.1%} of its filled cells"
        )
        found.append(Check("near-constant", "note", message, "", (fact.name,)))
    if fact.kind == "category" and fact.n_distinct > MOST_CATEGORIES:
        message = f"{called(fact)} has {fact.n_distinct} categories: the rarest share one input"
        found.append(Check("category-many", "note", message, "", (fact.name,)))
    return found


def counted(table: pd.DataFrame, schema: Schema) -> list[Check]:
    """Say that the inputs may be nothing but a count of the rows."""
    if not all(find_kind(table[name]) in ("row number", "id") for name in schema.names):
        return []
    message = (
        f"column{'s' * (len(schema.names) > 1)} {listed(schema.names)}: used, as there is no other input"
    )
    cure = "If it only counts or names the rows, give a table with more columns."
    return [
        Check(
            "count-as-input", "warning", f"{message}; it counts or names the rows", cure, tuple(schema.names)
        )
    ]


def left_out(schema: Schema) -> list[Check]:
    """Say which columns are no inputs, one finding for each reason."""
    found = []
    for reason, (code, what, cure) in LEFT_OUT.items():
        names = [name for name, why in schema.left_out if why == reason]
        if names:
            message = f"column{'s' * (len(names) > 1)} {listed(names)}: {what}"
            name = f"'{shortened(names[0])}'" if len(names) == 1 else "COLUMN"
            found.append(Check(code, "note", message, cure.format(name), tuple(names)))
    return found
