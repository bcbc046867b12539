"""New rows at predictions: their names are kept, and what the model has never seen is reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from rowtrust.workflow.tables import InputError, Schema
from rowtrust.workflow.tables.cells import parse_numbers
from rowtrust.workflow.tables.errors import listed
from rowtrust.workflow.tables.names import advice
from rowtrust.workflow.tables.schema import conformed_words

EXAMPLES = 3
"""Categories that a remark names; readability alone."""


def columns_to_keep(table: pd.DataFrame, named: Sequence[str], known: str | None) -> list[str]:
    """Return the columns that name the rows: those the user names, else that of the model if it is there."""
    for name in named:
        if name not in table.columns:
            raise InputError(f"--id: there is no column '{name}'{advice(table, name)}")
    if named:
        return list(named)
    return [known] if known is not None and known in table.columns else []


def with_columns(table: pd.DataFrame, names: Sequence[str], predictions: pd.DataFrame) -> pd.DataFrame:
    """Return predictions with columns of their rows before them."""
    if not names:
        return predictions
    return pd.concat([table[list(names)].set_axis(predictions.index, axis=0), predictions], axis=1)


@dataclass
class Unseen:
    """Counts categories that a model has not seen, over the pieces of a file.

    Parameters
    ----------
    schema
        What the model knows of its columns.
    """

    schema: Schema
    counts: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)
    unreadable: dict[str, int] = field(default_factory=dict)

    def look_at(self, table: pd.DataFrame) -> None:
        """Count the rows with new categories and remember the first of these; count what is no number."""
        for column in self.schema.inputs:
            if column.kind == "number" and column.name in table.columns:
                found = parse_numbers(table[column.name], column.reading).n_unreadable
                if found:
                    self.unreadable[column.name] = self.unreadable.get(column.name, 0) + found
        for name, words in self.schema.unseen(table).items():
            column = next(each for each in self.schema.inputs if each.name == name)
            n_rows = int(conformed_words(table[name], column).isin(words).sum())
            self.counts[name] = self.counts.get(name, 0) + n_rows
            known = self.examples.setdefault(name, [])
            known.extend([word for word in words if word not in known][: EXAMPLES - len(known)])

    @property
    def remarks(self) -> list[str]:
        """A remark for each column with cells that are no numbers, and for each with new categories."""
        unread = [
            f"column '{name}': cells that are no numbers count as missing ({count} of them)"
            for name, count in self.unreadable.items()
        ]
        return unread + [
            f"column '{name}': {count} row{'s' * (count > 1)} with categories that the model has not seen, "
            f"such as {listed(self.examples[name])}; they count as none of its categories"
            for name, count in self.counts.items()
        ]
