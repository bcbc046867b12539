"""What the columns of a table are, found once and kept with the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from rowtrust.workflow.tables.cells import Numbers, parse_numbers
from rowtrust.workflow.tables.columns import MOST_UNREADABLE, find_kind
from rowtrust.workflow.tables.errors import InputError, listed
from rowtrust.workflow.tables.targets import Target, read_target

MISSING = "(missing)"
"""A missing category is a category of this name, which a file's own words are unlikely to be."""

KINDS = ("number", "category")
"""Kinds of columns that are inputs."""

MOST_INPUTS = 10_000
"""Input columns that are accepted; more are a table that was read wrongly, or no table. A guard."""

SHOWN_COLUMNS = 8
"""Columns that are listed when one is not found; readability alone."""


@dataclass(frozen=True)
class Column:
    """An input: its name, its kind ("number" or "category"), and a value to stand for it."""

    name: str
    kind: str
    typical: float | str


@dataclass(frozen=True)
class Schema:
    """The columns a model needs.

    Attributes
    ----------
    inputs
        Columns of the model, in order.
    target
        Name of the target.
    task
        "classification" or "regression".
    left_out
        Columns that were not used, with the reason.
    """

    inputs: tuple[Column, ...]
    target: str
    task: str
    left_out: tuple[tuple[str, str], ...] = ()

    @classmethod
    def find(
        cls, table: pd.DataFrame, target: str, task: str | None = None, drop: Sequence[str] = ()
    ) -> tuple[Schema, Target]:
        """Find out what the columns of a table are; refuse what no model can use."""
        table = table.rename(columns=str)
        check_columns(table, target, drop)
        found = read_target(table[target], task)
        inputs, left_out = find_inputs(table.drop(columns=[target, *drop]))
        left_out += [(name, "left out by --drop") for name in drop]
        return cls(tuple(inputs), target, found.task, tuple(left_out)), found

    @property
    def names(self) -> list[str]:
        """Names of the inputs."""
        return [column.name for column in self.inputs]

    def of_kind(self, kind: str) -> list[str]:
        """Return the names of the inputs of a kind."""
        return [column.name for column in self.inputs if column.kind == kind]

    def conform(self, table: pd.DataFrame, *, checks: bool = True) -> pd.DataFrame:
        """Return the inputs as the model wants them; refuse a table that lacks or garbles some.

        Parameters
        ----------
        table
            Rows with the columns of the model, in any order.
        checks
            Whether to refuse a column of numbers in which much is none: not for a piece of a file, where
            such cells may stand together.
        """
        table = table.rename(columns=str)
        absent = [name for name in self.names if name not in table.columns]
        if absent:
            raise InputError(
                f"the data lack the column{'s' * (len(absent) > 1)} {listed(absent)} of the model. "
                f"Rename or add; the data have {listed(table.columns)}."
            )
        return pd.DataFrame(
            {c.name: conformed(table[c.name], c, checks) for c in self.inputs}, index=table.index
        )

    def as_json(self) -> dict[str, Any]:
        """Return the schema for JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Schema:
        """Return the schema that :meth:`as_json` described."""
        inputs = tuple(Column(each["name"], each["kind"], each["typical"]) for each in stored["inputs"])
        left_out = tuple((str(name), str(reason)) for name, reason in stored["left_out"])
        return cls(inputs, str(stored["target"]), str(stored["task"]), left_out)


def conformed(values: pd.Series[Any], column: Column, checks: bool) -> pd.Series[Any]:
    """Return one input as numbers, or as words without gaps."""
    if column.kind == "number":
        numbers = parse_numbers(values)
        if checks and numbers.unreadable_share > MOST_UNREADABLE:
            raise InputError(
                f"column '{column.name}' holds numbers in the model but {numbers.unreadable_share:.0%} other "
                "text in the data. Mend the column."
            )
        return pd.Series(numbers.values, index=values.index)
    words = values.astype(object).where(values.notna(), MISSING)
    return words.map(lambda word: str(word).strip()).astype(object)


def check_columns(table: pd.DataFrame, target: str, drop: Sequence[str]) -> None:
    """Refuse names that are no columns."""
    for name in (target, *drop):
        if name not in table.columns:
            raise InputError(f"there is no column '{name}'{advice(table, name)}")
    if target in drop:
        raise InputError(f"'{target}' is the target and cannot be dropped.")


def advice(table: pd.DataFrame, name: str) -> str:
    """Say what the user may have meant."""
    if len(table.columns) == 1:
        return f"; the file has the one column {listed(table.columns)}. Name its --delimiter."
    alike = [column for column in table.columns if column.strip().lower() == name.strip().lower()]
    if alike:
        return f". Did you mean {listed(alike)}?"
    return f". The columns are {listed(table.columns, SHOWN_COLUMNS)}."


def find_inputs(table: pd.DataFrame) -> tuple[list[Column], list[tuple[str, str]]]:
    """Return the inputs, and the columns that cannot help with the reason; refuse dates and prose."""
    kinds, typical = {}, {}
    for name in table.columns:
        numbers = parse_numbers(table[name])
        kinds[name] = find_kind(table[name], numbers)
        typical[name] = typical_value(table[name], kinds[name], numbers)
    refuse(kinds)
    inputs = [Column(name, kind, typical[name]) for name, kind in kinds.items() if kind in KINDS]
    left_out = [(name, kind) for name, kind in kinds.items() if kind not in KINDS]
    if not inputs:
        raise InputError("no input column is left beside the target. Give a table with more columns.")
    if len(inputs) > MOST_INPUTS:
        raise InputError(f"{len(inputs)} input columns are too many; at most {MOST_INPUTS}. --drop some.")
    return inputs, left_out


def refuse(kinds: dict[str, str]) -> None:
    """Refuse columns that need the user's decision, all of them in one message."""
    reasons = {
        "date": ("dates", "turn them into numbers, such as days since a start,"),
        "text": ("free text", "turn it into categories or numbers,"),
    }
    for kind, (what, cure) in reasons.items():
        names = [name for name, found in kinds.items() if found == kind]
        if names:
            drops = " ".join(f"--drop '{name}'" for name in names)
            raise InputError(
                f"column{'s' * (len(names) > 1)} {listed(names)} hold{'s' * (len(names) == 1)} {what}: "
                f"{cure} or leave out with {drops}."
            )
    commas = [name for name, kind in kinds.items() if kind == "decimal comma"]
    if commas:
        raise InputError(f"column {listed(commas)} has numbers with a decimal comma. Add --decimal ','.")


def typical_value(values: pd.Series[Any], kind: str, numbers: Numbers) -> float | str:
    """Return the median, or the commonest word; nothing of a column that is no input."""
    if kind not in KINDS:
        return ""
    if kind == "number":
        return float(np.nanmedian(numbers.values))
    return str(values.dropna().astype(str).str.strip().mode().iloc[0])
