"""What the columns of a table are, found once and kept with the model."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from rowtrust.workflow.tables.cells import MISSING_MARKS, Numbers, in_words, parse_numbers
from rowtrust.workflow.tables.columns import MOST_UNREADABLE, Look, is_called_id, look_at, words_of_name
from rowtrust.workflow.tables.dates import parse_dates
from rowtrust.workflow.tables.errors import InputError, UnreadableWarning, listed
from rowtrust.workflow.tables.names import (
    SHOWN_COLUMNS,
    alike_first,
    by_folded,
    check_columns,
    folded,
    spellings_of,
)
from rowtrust.workflow.tables.readings import DECIMAL_COMMA, THOUSANDS
from rowtrust.workflow.tables.targets import Target, read_target

MISSING = "(missing)"
"""A missing category is a category of this name, which a file's own words are unlikely to be."""

KINDS = ("number", "category", "date")
"""Kinds of columns that are inputs."""

UNUSABLE = ("all missing", "neither numbers nor text")
"""Kinds of columns that no model can use."""

REASONS = {"text": "free text", "id": "names nearly every row"}
"""Why columns of a kind are no inputs, where the kind itself does not say it."""

ROLES = {
    "id": "names the rows",
    "group": "groups the rows",
    "time": "orders the rows",
    "weight": "weighs the rows",
}
"""Why columns to which the user has given a role are no inputs."""

MOST_INPUTS = 10_000
"""Input columns that are accepted; more are a table that was read wrongly, or no table. A guard."""

ENOUGH_CELLS = 20
"""Filled cells from which on a column is refused of which much cannot be read: of fewer, one slip is much.
Not studied."""

KEPT_CATEGORIES = 200
"""Categories of a column that are kept with the model; of more, new ones are not told from old. A guard for
the size of model files."""


@dataclass(frozen=True)
class Column:
    """An input.

    Attributes
    ----------
    name
        Of the column.
    kind
        "number", "category" or "date".
    typical
        A value to stand for it: a median, the commonest word, days since 1970.
    reading
        How its cells are read; see ``readings`` and ``dates``.
    categories
        The words of a category as they are spelt most often; nothing if there were too many.
    spellings
        Where words have several spellings: what they have in common, and the spelling that is used.
    """

    name: str
    kind: str
    typical: float | str
    reading: str = ""
    categories: tuple[str, ...] = ()
    spellings: tuple[tuple[str, str], ...] = ()

    @cached_property
    def known(self) -> dict[str, str]:
        """The spelling of each word that was seen, by what all its spellings have in common."""
        return {**by_folded(self.categories), **dict(self.spellings)}


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
    target_reading
        How the cells of a target of numbers are read; see ``readings``.
    """

    inputs: tuple[Column, ...]
    target: str
    task: str
    left_out: tuple[tuple[str, str], ...] = ()
    target_reading: str = ""

    @classmethod
    def find(
        cls,
        table: pd.DataFrame,
        target: str,
        task: str | None = None,
        drop: Sequence[str] = (),
        apart: Mapping[str, str] = {},
        keep: Sequence[str] = (),
    ) -> tuple[Schema, Target]:
        """Find out what the columns of a table are; leave out what no model can use.

        Parameters
        ----------
        table
            All columns.
        target
            Name of the target.
        task
            "classification" or "regression"; None to find out.
        drop
            Columns to leave out.
        apart
            Columns that have another role, with what that is: the reason why they are no inputs.
        keep
            Columns that are inputs all the same.
        """
        table = table.rename(columns=str)
        check_columns(table, target, drop, apart, keep)
        aside = {name: why for name, why in apart.items() if name not in (*drop, *keep)}
        inputs, left_out = find_inputs(table.drop(columns=[target, *dict.fromkeys([*drop, *aside])]), keep)
        left_out += [*aside.items(), *((name, "left out by --drop") for name in drop)]
        conformed = partial(cls(tuple(inputs), target, "").conform, table, checks=False)
        found = read_target(table[target], task, inputs=conformed)
        if THOUSANDS in found.reading and any(DECIMAL_COMMA in column.reading for column in inputs):
            found = read_target(table[target], task, comma=True, inputs=conformed)
        return cls(tuple(inputs), target, found.task, tuple(left_out), found.reading), found

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
            Whether to refuse a column of numbers in which much is none, and to warn of cells that cannot be
            read: not for a piece of a file, where such cells may stand together, nor where they are reported.
        """
        table = table.rename(columns=str)
        absent = [name for name in self.names if name not in table.columns]
        if absent:
            raise InputError(
                f"the data lack the column{'s' * (len(absent) > 1)} {listed(absent)} of the model. "
                f"Rename or add; the data have {alike_first(table, self.names, absent)}."
            )
        return pd.DataFrame(
            {c.name: conformed(table[c.name], c, checks) for c in self.inputs}, index=table.index
        )

    def unseen(self, table: pd.DataFrame) -> dict[str, list[str]]:
        """Return the categories of a table that the model has not seen, by column.

        Columns of which the model does not know all categories are passed over, and so are gaps.
        """
        found = {}
        for column in self.inputs:
            if column.kind == "category" and column.categories and column.name in table.columns:
                words = conformed_words(table[column.name], column)
                new = sorted(set(words.unique()) - {*column.categories, MISSING})
                if new:
                    found[column.name] = new
        return found

    def as_json(self) -> dict[str, Any]:
        """Return the schema for JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Schema:
        """Return the schema that :meth:`as_json` described."""
        inputs = tuple(column_from_json(each) for each in stored["inputs"])
        left_out = tuple((str(name), str(reason)) for name, reason in stored["left_out"])
        reading = str(stored.get("target_reading", ""))
        return cls(inputs, str(stored["target"]), str(stored["task"]), left_out, reading)


def column_from_json(stored: dict[str, Any]) -> Column:
    """Return a column that was stored; older files lack some of what is known of it."""
    words = tuple(str(word) for word in stored.get("categories", ()))
    spelt = tuple((str(key), str(word)) for key, word in stored.get("spellings", ()))
    return Column(**{**stored, "categories": words, "spellings": spelt})


def conformed(values: pd.Series[Any], column: Column, checks: bool) -> pd.Series[Any]:
    """Return one input as numbers, as days since 1970, or as words without gaps."""
    if column.kind == "category":
        return conformed_words(values, column)
    parse = parse_numbers if column.kind == "number" else parse_dates
    found: Numbers = parse(values, column.reading)
    if checks and found.unreadable_share > MOST_UNREADABLE and found.n_spoken >= ENOUGH_CELLS:
        raise InputError(
            f"column '{column.name}' holds {column.kind}s in the model but {found.unreadable_share:.0%} "
            "other text in the data. Fix the column."
        )
    if checks and found.n_unreadable:
        words = (
            f"column '{column.name}' has cells that are no {column.kind}s: they count as missing. Fix them."
        )
        warnings.warn(words, UnreadableWarning, stacklevel=2)
    return pd.Series(found.values, index=values.index)


def conformed_words(values: pd.Series[Any], column: Column) -> pd.Series[Any]:
    """Return words without gaps, each in one spelling."""
    places, different = pd.factorize(in_words(values).astype(object), use_na_sentinel=True)
    words = [str(word).strip() for word in different]
    words = [MISSING if word in MISSING_MARKS else column.known.get(folded(word), word) for word in words]
    found = np.array([*words, MISSING], dtype=object)[places]  # gaps have the place -1
    return pd.Series(found, index=values.index, dtype=object)


def role_columns(settings: Any) -> dict[str, str]:
    """Return the columns to which the user has given a role, with what that is.

    Parameters
    ----------
    settings
        With the names of columns, or None, as ``id``, ``group``, ``time`` and ``weight``.
    """
    named = {getattr(settings, role, None): why for role, why in ROLES.items()}
    return {name: why for name, why in named.items() if name is not None}


def find_inputs(table: pd.DataFrame, keep: Sequence[str] = ()) -> tuple[list[Column], list[tuple[str, str]]]:
    """Return the inputs, and the columns that cannot help with the reason.

    Numbers that count the rows are inputs where nothing else is left, unless they are called IDs.
    """
    looks = looks_of(table)
    looks.update({name: as_input(name, looks[name]) for name in keep})
    if not any(look.kind in KINDS for look in looks.values()):
        counts = [name for name, look in looks.items() if is_count(name, look)]
        looks.update({name: replace(looks[name], kind="number") for name in counts})
    inputs = [column_of(table[name], look) for name, look in looks.items() if look.kind in KINDS]
    left_out = [
        (name, REASONS.get(look.kind, look.kind)) for name, look in looks.items() if look.kind not in KINDS
    ]
    if not inputs:
        why = "; ".join(f"'{name}': {reason}" for name, reason in left_out[:SHOWN_COLUMNS])
        raise InputError(
            f"no input column is left beside the target{f' ({why})' if why else ''}. Give a table with more "
            f"columns{', or name inputs with --keep' if why else ''}."
        )
    check_inputs(len(inputs))
    return inputs, left_out


def check_inputs(n_inputs: int) -> None:
    """Refuse more inputs than a table can have."""
    if n_inputs > MOST_INPUTS:
        raise InputError(f"{n_inputs} input columns are too many; at most {MOST_INPUTS}. --drop some.")


def is_count(name: str, look: Look) -> bool:
    """Whether a column was taken for a count of the rows by its numbers alone."""
    numbers = look.kind == "row number" or (look.kind == "id" and look.numbers.word_share <= MOST_UNREADABLE)
    return numbers and not is_called_id(words_of_name(name))


def as_input(name: str, look: Look) -> Look:
    """Return what a column is that must be an input; refuse one that no model can use."""
    if look.kind in KINDS:
        return look
    if look.kind in UNUSABLE:
        raise InputError(f"the column '{name}' of --keep is {look.kind}: no model can use it. Leave it out.")
    if look.dates is not None:
        return replace(look, kind="date")
    return replace(look, kind="number" if look.numbers.word_share <= MOST_UNREADABLE else "category")


def looks_of(table: pd.DataFrame) -> dict[str, Look]:
    """Look at all columns; where 1,234 may be either, the others decide what commas are."""
    looks = {name: look_at(table[name]) for name in table.columns}
    if any(DECIMAL_COMMA in look.reading for look in looks.values()):
        for name, look in looks.items():
            if THOUSANDS in look.reading:
                looks[name] = look_at(table[name], comma=True)
    return looks


def column_of(values: pd.Series[Any], look: Look) -> Column:
    """Return an input with all that is kept of it."""
    name = str(values.name)
    if look.kind != "category":
        found = look.numbers.values if look.dates is None else look.dates.values
        return Column(name, look.kind, float(np.nanmedian(found)), look.reading)
    words = values.dropna().astype(str).str.strip()
    spelt = spellings_of(words)
    other = {word: first for first, others in spelt.items() for word in others}
    words = words.map(lambda word: other.get(word, word)) if other else words
    different = sorted(words.unique())
    return Column(
        name,
        look.kind,
        str(words.mode().iloc[0]),
        "",
        tuple(different) if len(different) <= KEPT_CATEGORIES else (),
        tuple((folded(first), first) for first in spelt),
    )
