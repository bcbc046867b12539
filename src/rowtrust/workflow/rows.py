"""The rows of a study: which are fitted, which judge, what is odd about them, and how that is said."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from rowtrust.trust import united
from rowtrust.workflow.checks.copies import Copies, find_copies, kept_together, row_numbers
from rowtrust.workflow.checks.records import Check, ordered
from rowtrust.workflow.checks.table import check_test_groups, check_test_rows, data_checks, refuse_severe
from rowtrust.workflow.folds import folds_of, predicted_rows
from rowtrust.workflow.predictions import FOLDS
from rowtrust.workflow.records import Part, Settings
from rowtrust.workflow.splitting import divided, times_of, usable
from rowtrust.workflow.streaming import WholeFile
from rowtrust.workflow.tables import InputError, Schema
from rowtrust.workflow.tables.targets import may_be_either

HELD_OUT = "test rows the model has not seen"
"""How the model was judged, in words, where rows were kept from it."""

CROSS_FITTED = "cross-fitting of the training rows"
"""How the model was judged, in words, where it was fitted without each fold in turn."""


@dataclass(frozen=True)
class StudyRows:
    """The rows of a study.

    Attributes
    ----------
    schema
        The columns.
    everything, train, held_out
        All rows with a target, those to fit, and those to judge by; no rows where cross-fitting must do.
    how
        How the model is judged by the rows kept for that, in words.
    checks
        What is odd about the rows, the severe first.
    """

    schema: Schema
    everything: Part
    train: Part
    held_out: Part | None
    how: str
    checks: list[Check]


def study_rows(
    table: pd.DataFrame, settings: Settings, test: pd.DataFrame | None = None, file: WholeFile | None = None
) -> StudyRows:
    """Check the rows of a table and split them as its groups, times and copies demand.

    Parameters
    ----------
    table
        All columns, the target among them.
    settings
        What the user asked for.
    test
        Rows to judge the model by, instead of a share of the table.
    file
        Where the table is a sample of a file: the file.
    """
    refuse_parts_of_files(settings, test, file)
    schema, everything = usable(table, settings)
    is_classes = schema.task == "classification"
    copies = find_copies(everything.X, everything.y, is_classes)
    if everything.times is None:
        everything = with_copies_grouped(everything, copies)
    train, held_out = divided(schema, everything, settings, test)
    checks = [*data_checks(schema, everything, copies, settings.seed), *aside_checks(table, settings)]
    if settings.task is None and may_be_either(everything.y):
        checks.append(task_check(schema, everything))
    if test is not None and held_out is not None:
        checks += check_test_rows(train, held_out, is_classes)
        if settings.group is not None:
            checks += check_test_groups(settings.group, table[settings.group], test.rename(columns=str))
    if file is not None and len(table) < file.n_rows and copies.any:
        checks.append(beyond_the_sample(len(table), file.n_rows))
    if settings.strict:
        refuse_severe(checks)
    how = (
        "" if held_out is None else how_held_out(train, held_out, settings, copies, is_file=test is not None)
    )
    return StudyRows(schema, everything, train, held_out, how, ordered(checks))


def with_copies_grouped(part: Part, copies: Copies) -> Part:
    """Return rows of which copies are in one group, together with the groups they have."""
    if not copies.any:
        return part
    apart = kept_together(copies)
    return replace(part, groups=united(apart) if part.groups is None else united(apart, part.groups))


def refuse_parts_of_files(settings: Settings, test: pd.DataFrame | None, file: WholeFile | None) -> None:
    """Refuse to keep groups or late rows of a file from the fit when not all its rows are at hand."""
    if file is None or test is not None or settings.test == 0.0:
        return
    option = "--group" if settings.group is not None else "--time" if settings.time is not None else None
    if option is not None:
        raise InputError(
            f"{option} cannot keep test rows from the fit of a file of {file.n_rows} rows, of which only a "
            "sample is at hand. Use --fast to study the sample alone, or give the test rows with --test FILE."
        )


def how_held_out(train: Part, held_out: Part, settings: Settings, copies: Copies, *, is_file: bool) -> str:
    """Say by which rows the model is judged, and which of them it knows all the same."""
    if is_file:
        words = "the rows of the test file"
    elif settings.time is not None:
        share = len(held_out.y) / (len(train.y) + len(held_out.y))
        words = f"the latest {share:.0%} of the rows by '{settings.time}'".replace("%", " %")
        if settings.group is not None:
            words += f", counted from the first of each '{settings.group}', which is never cut"
    else:
        words = HELD_OUT
        if settings.group is not None:
            words += f", no '{settings.group}' in both"
        if copies.any:
            words += ", duplicates kept together"
            words += " except the commonest" * bool(copies.common.any())
    if is_file or copies.any:
        numbers = row_numbers(pd.concat([train.X, held_out.X], ignore_index=True))
        n_known = int(np.isin(numbers[len(train.y) :], numbers[: len(train.y)]).sum())
        if n_known:
            words += f"; {n_known} of them have the inputs of a training row"
    return words


def cross_fitted(compared: Part, is_classes: bool, settings: Settings) -> tuple[Part, str]:
    """Return the rows that cross-fitting predicts, and how in words.

    Parameters
    ----------
    compared
        The rows of the comparison.
    is_classes
        Whether the target holds classes.
    settings
        What the user asked for.
    """
    folds = folds_of(compared, is_classes, FOLDS, settings.seed)
    if compared.times is not None:
        what = f"the later rows by '{settings.time}', each part predicted from the rows before it"
        if settings.group is not None:
            what += f", counted from the first of each '{settings.group}', which is never cut"
    else:
        what = f"{len(folds)}-fold {CROSS_FITTED}"
        if settings.group is not None:
            what += f", no '{settings.group}' in two folds"
        elif compared.groups is not None:
            what += ", duplicates kept together"
            numbers = row_numbers(compared.X)
            kinds = len(np.unique(np.column_stack([numbers, compared.groups]), axis=0))
            what += " except the commonest" * (kinds > len(np.unique(numbers)))
    return compared.take(predicted_rows(folds)), what


def aside_checks(table: pd.DataFrame, settings: Settings) -> list[Check]:
    """Return what was found in the columns of groups, times and names."""
    table = table.rename(columns=str)
    found = []
    if settings.group is not None and (n_missing := int(table[settings.group].isna().sum())):
        message = f"{n_missing} rows have no '{settings.group}': each is a group of its own."
        found.append(Check("rows without a group", "note", message, columns=(settings.group,)))
    if settings.weight is not None:
        message = (
            f"fits weight the rows by '{settings.weight}'; scores and the choice of the model weight all "
            "rows "
            "alike."
        )
        found.append(Check("weights", "note", message, columns=(settings.weight,)))
    if settings.time is not None:
        found += time_checks(table[settings.time])
    if settings.id is not None and (n_again := int(table[settings.id].dropna().duplicated().sum())):
        message = f"{n_again} rows repeat the '{settings.id}' of an earlier row."
        cure = f"If it names a case of several rows, keep them together with --group '{settings.id}'."
        found.append(Check("repeated names", "note", message, cure, (settings.id,)))
    return found


def task_check(schema: Schema, part: Part) -> Check:
    """Say how a target of whole numbers was taken that may be codes of classes as well as amounts."""
    is_classes, n_distinct = schema.task == "classification", len(np.unique(part.y))
    taken = "classes" if is_classes else "numbers: rows of similar numbers have similar inputs"
    other = ("amounts or grades", "regression") if is_classes else ("codes of classes", "classification")
    message = (
        f"the target '{schema.target}' has {n_distinct} whole numbers from {part.y.min():.0f} to "
        f"{part.y.max():.0f} and was taken as {taken}."
    )
    return Check("task", "note", message, f"If they are {other[0]}, add --task {other[1]}.", (schema.target,))


def time_checks(column: pd.Series[Any]) -> list[Check]:
    """Say how a column of times was read, and of which rows it says nothing."""
    times, name = times_of(column), str(column.name)
    message = f"'{name}' was read as from {times.first} to {times.last}" + (
        ", the month before the day; it could be the day before the month." * times.ambiguous or "."
    )
    cure = "If that is wrong, write dates as 2020-01-31." if times.ambiguous else ""
    found = [Check("time", "warning" if times.ambiguous else "note", message, cure, (name,))]
    if n_missing := int(np.isnan(times.values).sum()):
        message = (
            f"{n_missing} rows have no '{name}' that can be read: they count as the earliest and are "
            "never among the test rows. If they are late, the scores are inflated."
        )
        found.append(
            Check(
                "rows without a time",
                "warning",
                message,
                "Fill in the times, or take these rows out.",
                (name,),
            )
        )
    return found


def beyond_the_sample(n_sample: int, n_rows: int) -> Check:
    """Say that copies are sought in the sample of a file only."""
    message = (
        f"duplicates were searched among {n_sample} of the file's {n_rows} rows: other rows that are fitted "
        "may repeat test rows."
    )
    cure = "Remove duplicates from the file first, or give the test rows with --test FILE."
    return Check("copies beyond the sample", "warning", message, cure)
