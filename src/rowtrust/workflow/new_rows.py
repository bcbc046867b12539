"""New rows at predictions: their names are kept, and what the model has never seen is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from sklearn.preprocessing import OneHotEncoder

from rowtrust.workflow.tables import InputError, Schema
from rowtrust.workflow.tables.errors import listed
from rowtrust.workflow.tables.schema import advice

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
    pipeline, schema
        The model.
    """

    pipeline: Any
    schema: Schema
    counts: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._known = known_categories(self.pipeline)

    def look_at(self, table: pd.DataFrame) -> None:
        """Count the new categories of some rows."""
        words = self.schema.conform(table, checks=False)
        for name, known in self._known.items():
            new = words[name][~words[name].isin(known)]
            if not len(new):
                continue
            self.counts[name] = self.counts.get(name, 0) + len(new)
            seen = self.examples.setdefault(name, [])
            for word in new.drop_duplicates().head(EXAMPLES):
                if len(seen) < EXAMPLES and word not in seen:
                    seen.append(word)

    @property
    def remarks(self) -> list[str]:
        """A remark for each column with new categories."""
        return [
            f"column '{name}': {count} row{'s' * (count > 1)} with categories that the model has not seen, "
            f"such as {listed(self.examples[name])}; they count as none of its categories"
            for name, count in self.counts.items()
        ]


def known_categories(pipeline: Any) -> dict[str, set[Any]]:
    """Return the categories that the encoders of a fitted pipeline have seen, by column."""
    found: dict[str, set[Any]] = {}
    for _, step in getattr(pipeline, "steps", []):
        for _, part, names in getattr(step, "transformers_", []):
            if isinstance(part, OneHotEncoder):
                found.update(zip(names, map(set, part.categories_), strict=True))
    return found
