"""Which rows are used: those with a target, those to fit, those to judge by."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from rowtrust.workflow.records import Part, Settings
from rowtrust.workflow.tables import InputError, Schema
from rowtrust.workflow.tables.cells import MISSING_WORDS
from rowtrust.workflow.tables.schema import apart
from rowtrust.workflow.tables.targets import known_labels, numbers_target

FEWEST_ROWS = 10
"""Rows with a target below which nothing can be said, least of all by cross-fitting. A guard."""

FEWEST_OF_A_CLASS = 10
"""Rows of a class that a sample has at least, if there are so many: some for every fold. A guard."""


def usable(table: pd.DataFrame, settings: Settings) -> tuple[Schema, Part]:
    """Find the columns; return the rows that have a target."""
    schema, target = Schema.find(table, settings.target, settings.task, settings.drop, apart(settings))
    if len(target.rows) < FEWEST_ROWS:
        raise InputError(
            f"only {len(target.rows)} rows have a target; at least {FEWEST_ROWS} are needed. Give more rows."
        )
    numbers = np.asarray(table.index, dtype=np.intp)[target.rows] + 1
    return schema, Part(schema.conform(table.iloc[target.rows]), target.values, numbers)


def divided(
    schema: Schema, everything: Part, settings: Settings, test: pd.DataFrame | None
) -> tuple[Part, Part | None]:
    """Return the rows to fit and those to judge by, None where cross-fitting must do."""
    if test is not None:
        return everything, rows_of_test(schema, everything, test)
    if settings.test == 0.0:
        return everything, None
    stratify = None
    if schema.task == "classification" and np.unique(everything.y, return_counts=True)[1].min() >= 2:
        stratify = everything.y
    rows = np.arange(len(everything.y))
    try:
        train, held_out = train_test_split(
            rows, test_size=settings.test, stratify=stratify, random_state=settings.seed
        )
    except ValueError as error:
        raise InputError(
            f"{settings.test:.0%} of {len(rows)} rows cannot be held out with every class in them. "
            "Use --no-test, or another --test."
        ) from error
    train_part = everything.take(np.sort(train))
    if schema.task == "classification" and len(np.unique(train_part.y)) < 2:
        raise InputError("no two classes are left after holding out test rows. Use --no-test.")
    return train_part, everything.take(np.sort(held_out))


def rows_of_test(schema: Schema, everything: Part, test: pd.DataFrame) -> Part:
    """Return the rows of a test file, which must have the columns and the classes of the table."""
    test = test.rename(columns=str)
    if schema.target not in test.columns:
        raise InputError(f"the test file has no column '{schema.target}'. Add the target.")
    if schema.task == "regression":
        found = numbers_target(test[schema.target], schema.target_reading, learns=False)
        return Part(schema.conform(test.iloc[found.rows]), found.values, found.rows + 1)
    rows, values, unknown = known_labels(test[schema.target], np.unique(everything.y))
    if unknown:
        raise InputError(f"the test file has the class '{unknown[0]}', which the data lack. Mend its labels.")
    if not len(rows):
        raise InputError(f"no row of the test file has a label in '{schema.target}'. Give rows with labels.")
    return Part(schema.conform(test.iloc[rows]), values, rows + 1)


def doubtful_classes(part: Part) -> list[str]:
    """Say of each class that is called as missing cells are that it was taken as a class."""
    return [
        f"{(part.y == word).sum()} rows have the class '{word}': if it means that the label is missing, add "
        f"--missing {word}"
        for word in sorted(set(part.y.astype(str)) & MISSING_WORDS)
    ]


def sample(part: Part, most: int, seed: int, stratify: bool) -> Part:
    """Return at most so many of the rows, at random; with classes, of each in proportion and none lost."""
    if len(part.y) <= most:
        return part
    generator = np.random.default_rng(seed)
    if not stratify:
        return part.take(np.sort(generator.choice(len(part.y), most, replace=False)))
    order = generator.permutation(len(part.y))
    place, counts = np.unique(part.y[order], return_inverse=True, return_counts=True)[1:]
    share = np.maximum(np.minimum(counts, FEWEST_OF_A_CLASS), counts * most // len(part.y))
    chosen = [order[np.flatnonzero(place == label)[: share[label]]] for label in range(len(counts))]
    return part.take(np.sort(np.concatenate(chosen)))
