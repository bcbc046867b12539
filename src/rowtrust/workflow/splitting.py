"""Which rows are used, what columns say of them, which are fitted and which judge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import infer_dtype, is_datetime64_any_dtype, is_numeric_dtype
from sklearn.model_selection import train_test_split

from rowtrust.contracts import Indices
from rowtrust.trust import alone_where, united
from rowtrust.workflow.folds import chosen_groups, latest
from rowtrust.workflow.records import Part, Settings
from rowtrust.workflow.tables import InputError, Schema
from rowtrust.workflow.tables.cells import MISSING_WORDS, in_words, parse_numbers
from rowtrust.workflow.tables.columns import MOST_UNREADABLE
from rowtrust.workflow.tables.dates import UNSURE, date_reading, parse_dates
from rowtrust.workflow.tables.errors import shortened
from rowtrust.workflow.tables.schema import role_columns
from rowtrust.workflow.tables.targets import known_labels, numbers_target

SECONDS = 86_400.0
"""Seconds of a day."""


FEWEST_ROWS = 10
"""Rows with a target below which nothing can be said, least of all by cross-fitting. A guard."""

FEWEST_OF_A_CLASS = 10
"""Rows of a class that a sample has at least, if there are so many: some for every fold. A guard."""


@dataclass(frozen=True)
class Times:
    """Places of rows in time.

    Attributes
    ----------
    values
        Seconds since 1970, or the numbers themselves; NaN where there is none.
    first, last
        The earliest and the latest, in words.
    ambiguous
        Whether days and months might be read the other way round.
    """

    values: NDArray[np.float64]
    first: str
    last: str
    ambiguous: bool = False


def times_of(column: pd.Series[Any]) -> Times:
    """Read a column as times: dates, texts that are dates, or numbers.

    Dates are read as in inputs. A few cells may be unreadable and count as missing.
    """
    if not column.notna().any():
        raise InputError(f"the column '{column.name}' of --time has no value. Name another column.")
    column = in_words(column)
    is_dates = is_datetime64_any_dtype(column.dtype) or infer_dtype(column, skipna=True).startswith("date")
    numbers = None if is_dates else parse_numbers(column)
    if numbers is not None and (is_numeric_dtype(column.dtype) or numbers.word_share <= MOST_UNREADABLE):
        return in_order(numbers.values, lambda value: f"{value:.10g}", str(column.name))
    reading = "" if is_dates else date_reading(column.dropna().astype(str))
    dates = parse_dates(column, reading)
    if dates.unreadable_share > MOST_UNREADABLE:
        raise InputError(
            f"the column '{column.name}' of --time holds '{shortened(dates.examples[0])}', which is neither "
            "a date nor a number. Write dates as 2020-01-31, or name another column."
        )
    return in_order(dates.values * SECONDS, as_date, str(column.name), ambiguous=reading == UNSURE)


def as_date(seconds: float) -> str:
    """Return seconds since 1970 as a date, with hours and minutes where there are some."""
    date = np.datetime64(round(seconds), "s").astype("datetime64[m]")
    return str(date).replace("T", " ").removesuffix(" 00:00")


def in_order(values: NDArray[np.float64], word: Any, name: str, ambiguous: bool = False) -> Times:
    """Return times with the first and the last in words; refuse a column of a single one."""
    first, last = float(np.nanmin(values)), float(np.nanmax(values))
    if first == last:
        raise InputError(
            f"the column '{name}' of --time is {word(first)} in every row and cannot order them. Name "
            "another column."
        )
    return Times(values, word(first), word(last), ambiguous)


def group_numbers(column: pd.Series[Any]) -> Indices:
    """Return a number for every row, the same for equal values of a column; rows without one stand alone."""
    words = column.astype(object).map(lambda value: str(value).strip(), na_action="ignore")
    codes = pd.factorize(words)[0].astype(np.intp)
    return alone_where(codes, codes < 0)


def usable(table: pd.DataFrame, settings: Settings) -> tuple[Schema, Part]:
    """Find the columns; return the rows that have a target, with their groups, times and names."""
    aside = columns_aside(settings)
    asked = (settings.target, settings.task, settings.drop, aside, settings.keep)
    schema, target = Schema.find(table, *asked)
    if len(target.rows) < FEWEST_ROWS:
        raise InputError(
            f"only {len(target.rows)} rows have a target; at least {FEWEST_ROWS} are needed. Give more rows."
        )
    numbers = np.asarray(table.index, dtype=np.intp)[target.rows] + 1
    rows = table.iloc[target.rows].rename(columns=str)
    part = Part(schema.conform(rows, checks=False), target.values, numbers)
    part = with_aside(part, rows, settings) if aside else part
    if part.weights is not None and not part.weights.all():
        part = part.take(np.flatnonzero(part.weights))
    if schema.task == "classification":
        check_two_classes(part)
    return schema, part


def columns_aside(settings: Settings) -> dict[str, str]:
    """Return the columns that are no inputs because they say what rows are, with the reason."""
    asked = {
        "--group": settings.group,
        "--time": settings.time,
        "--id": settings.id,
        "--weight": settings.weight,
    }
    for option, name in asked.items():
        if name == settings.target:
            raise InputError(f"{option} names the target '{name}'. Name another column.")
    return role_columns(settings)


def with_aside(part: Part, rows: pd.DataFrame, settings: Settings) -> Part:
    """Return rows with the groups, the times and the names that columns of the table give them.

    Rows without a group stand alone; rows without a time come first. Where there are both groups and times,
    the time of a row is the earliest of its group, so that a group is never cut.
    """
    groups = times = ids = weights = None
    if settings.weight is not None:
        weights = weights_of(rows[settings.weight])
    if settings.id is not None:
        ids = names_of(rows[settings.id])
    if settings.group is not None:
        number = group_numbers(rows[settings.group])
        groups = united(number)
        if len(np.unique(number)) < 2:
            raise InputError(
                f"the column '{settings.group}' of --group has one value in all rows. Name another column."
            )
    if settings.time is not None:
        times = times_of(rows[settings.time]).values
        times = np.where(np.isnan(times), -np.inf, times)
        if groups is not None:
            earliest = np.full(groups.max() + 1, np.inf)
            np.minimum.at(earliest, groups, np.where(np.isneginf(times), np.inf, times))
            times = np.where(np.isposinf(earliest[groups]), -np.inf, earliest[groups])
    return replace(part, groups=groups, times=times, ids=ids, weights=weights)


def divided(
    schema: Schema, everything: Part, settings: Settings, test: pd.DataFrame | None
) -> tuple[Part, Part | None]:
    """Return the rows to fit and those to judge by, None where cross-fitting must do.

    The latest rows judge where rows have times; groups stay on one side.
    """
    if test is not None:
        return everything, rows_of_test(schema, everything, test, settings.id, settings.group)
    if settings.test == 0.0:
        return everything, None
    is_classes = schema.task == "classification"
    if everything.times is not None:
        held_out = np.flatnonzero(latest(everything.times, settings.test))
    elif everything.groups is not None:
        strata = (
            np.unique(everything.y, return_inverse=True)[1] if is_classes else np.zeros_like(everything.rows)
        )
        held_out = np.flatnonzero(chosen_groups(everything.groups, strata, settings.test, settings.seed))
    else:
        held_out = drawn(everything, settings, is_classes)
    train_part = everything.take(np.setdiff1d(np.arange(len(everything.y)), held_out))
    if not len(train_part.y) or (is_classes and len(np.unique(train_part.y)) < 2):
        raise InputError("no two classes are left after holding out test rows. Use --no-test.")
    return train_part, everything.take(held_out)


def check_two_classes(part: Part) -> None:
    """Refuse two classes of which one has a single row: it cannot be learnt and judged."""
    names, counts = np.unique(part.y, return_counts=True)
    if len(names) == 2 and counts.min() < 2:
        raise InputError(
            f"the class '{names[counts.argmin()]}' has one row, of which nothing can be learnt. "
            "Give more rows of it."
        )


def drawn(everything: Part, settings: Settings, is_classes: bool) -> Indices:
    """Return rows to judge by, drawn at random; with classes, of each in proportion."""
    stratify = None
    if is_classes and np.unique(everything.y, return_counts=True)[1].min() >= 2:
        stratify = everything.y
    rows = np.arange(len(everything.y))
    try:
        _, held_out = train_test_split(
            rows, test_size=settings.test, stratify=stratify, random_state=settings.seed
        )
    except ValueError as error:
        raise InputError(
            f"{settings.test:.0%} of {len(rows)} rows cannot be held out with every class. Use --no-test, "
            "or another --test."
        ) from error
    return np.sort(held_out)


def rows_of_test(
    schema: Schema, everything: Part, test: pd.DataFrame, name: str | None = None, group: str | None = None
) -> Part:
    """Return the rows of a test file, which must have the columns and the classes of the table.

    Parameters
    ----------
    schema, everything
        The columns, and the rows of the table.
    test
        The test file.
    name
        The column that names the rows, if one does and the test file has it.
    group
        The column that groups them, likewise: intervals count groups, not rows.
    """
    test = test.rename(columns=str)
    ids = names_of(test[name]) if name in test.columns else None
    if schema.target not in test.columns:
        raise InputError(f"the test file has no column '{schema.target}'. Add the target.")
    if schema.task == "regression":
        found = numbers_target(test[schema.target], schema.target_reading, learns=False)
        part = Part(schema.conform(test.iloc[found.rows]), found.values, found.rows + 1)
        return replace(part, ids=taken(ids, found.rows), groups=groups_of(test, group, found.rows))
    rows, values, unknown = known_labels(test[schema.target], np.unique(everything.y))
    if unknown:
        raise InputError(f"the test file has the class '{unknown[0]}', which the data lack. Fix its labels.")
    if not len(rows):
        raise InputError(f"no row of the test file has a label in '{schema.target}'. Give rows with labels.")
    part = Part(schema.conform(test.iloc[rows]), values, rows + 1)
    return replace(part, ids=taken(ids, rows), groups=groups_of(test, group, rows))


def groups_of(test: pd.DataFrame, group: str | None, rows: Indices) -> Indices | None:
    """Return the groups of some rows of a test file; None if it has no such column, or all stand alone."""
    return united(group_numbers(test[group].iloc[rows])) if group in test.columns and len(rows) else None


def weights_of(column: pd.Series[Any]) -> NDArray[np.float64]:
    """Return how much rows count. Refuse what is no weight, empty cells and infinite numbers among it."""
    weights = np.asarray(parse_numbers(column).values, dtype=np.float64)
    bad = ~(weights >= 0.0)
    if bad.any():
        raise InputError(
            f"the column '{column.name}' of --weight must have numbers from 0 on, all of them finite; row "
            f"{column.index[bad.argmax()] + 1} has none, and {bad.sum() - 1} others. Write 1 for rows that "
            "count fully, 0 for rows to leave out."
        )
    if not weights.any():
        raise InputError(f"the column '{column.name}' of --weight is 0 in all rows. Give some a weight.")
    return weights


def names_of(column: pd.Series[Any]) -> NDArray[Any]:
    """Return the names of rows as words, empty where there is none."""
    return np.asarray(column.astype(object).where(column.notna(), "").map(str), dtype=object)


def taken(values: NDArray[Any] | None, rows: Indices) -> NDArray[Any] | None:
    """Return some of the values, if there are any."""
    return None if values is None else values[rows]


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
