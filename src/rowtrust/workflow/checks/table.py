"""All checks of a table at once, and those of a test file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rowtrust.contracts import Indices
from rowtrust.trust import COMMON_SHARE
from rowtrust.workflow.checks.copies import (
    NATURAL,
    Copies,
    agreement,
    find_copies,
    row_numbers,
    sizes,
    with_targets,
)
from rowtrust.workflow.checks.leaks import find_leaks
from rowtrust.workflow.checks.records import Check, ordered
from rowtrust.workflow.records import Part
from rowtrust.workflow.splitting import group_numbers
from rowtrust.workflow.tables import InputError, Schema

SHOWN_ROWS = 100
"""Rows that a finding keeps the numbers of; more help nobody."""

MANY_NEAR = 0.01
"""Share of rows that are nearly equal from which on that is a warning: fewer may be so by chance. On half A
of the tables phoneme has 0.020, taxis, where trips look alike, 0.001."""

MANY_COMMON = 0.1
"""Share of rows with the inputs and, mostly, the target of others that are split one by one, from which on
that is severe: so many of the rows to judge by are known. A matter of words."""


FEWEST_OF_A_CLASS = 5
"""Rows of a class below which it is rare: it may lack in a fold of the comparison or among the test rows.
A guard."""

NEARLY_ALL = 0.95
"""Share of the rows with one target from which on it hardly varies: guessing it is then right as often, and
accuracy says little. Chosen by that, not by a study."""

SHOWN_CLASSES = 5
"""Rare classes that a message names; readability alone."""


def data_checks(schema: Schema, part: Part, copies: Copies | None = None, seed: int = 0) -> list[Check]:
    """Return all that is odd about a table, the severe findings first.

    Parameters
    ----------
    schema
        The columns.
    part
        The rows that have a target.
    copies
        Which rows have the same inputs, if that is known.
    seed
        Of the rows that are tried for leaks.
    """
    is_classes = schema.task == "classification"
    copies = find_copies(part.X, part.y, is_classes) if copies is None else copies
    leaks = find_leaks(part, is_classes, seed)
    known = [name for each in leaks if each.severity == "severe" for name in each.columns]
    found = [*check_copies(part, copies, is_classes, known), *check_shape(part, schema.target, is_classes)]
    return ordered([*leaks, *found])


def refuse_severe(found: list[Check]) -> None:
    """Refuse a table with severe findings, all of them in one message."""
    severe = [each for each in found if each.severity == "severe"]
    if severe:
        said = " ".join(f"({place}) {each.message} {each.cure}" for place, each in enumerate(severe, 1))
        raise InputError(f"--strict: {len(severe)} severe finding{'s' * (len(severe) > 1)}: {said}")


def check_copies(part: Part, copies: Copies, is_classes: bool, leaks: Sequence[str] = ()) -> list[Check]:
    """Say which rows are copies of others, contradict each other, or are nearly equal.

    Parameters
    ----------
    part
        The rows that have a target.
    copies
        Which of them have the same inputs.
    is_classes
        Whether the target holds classes.
    leaks
        Columns that know the target, so that rows of the same inputs cannot but agree in it.
    """
    if not copies.any:
        return []
    exact = row_numbers(part.X.drop(columns=list(leaks))) if leaks else copies.exact
    natural = agreement(exact, part.y, is_classes) < NATURAL
    stay = where_they_stay(part, copies)
    whole = with_targets(copies.exact, part.y)
    found = []
    if (surplus := len(whole) - len(np.unique(whole))) > 0:
        found.append(same_rows(part, whole, surplus, natural, stay))
    differ = np.bincount(copies.exact[np.unique(whole, return_index=True)[1]])[copies.exact] > 1
    if differ.any():
        found.append(contradictions(part, copies.exact, differ, natural, is_classes))
    only_near = (sizes(copies.near) > 1) & (sizes(copies.near) > sizes(copies.exact))
    if only_near.any():
        found.append(near_rows(part, copies.near, only_near, natural, stay))
    if copies.common.any():
        found.append(common_rows(part, copies.near, copies.common, natural))
    return found


def where_they_stay(part: Part, copies: Copies) -> str:
    """Say what becomes of copies in splits."""
    if part.times is not None:
        return "Splits by time do not keep them together: what was there before is known."
    if copies.common.any():
        return "They stay together in every split, except the commonest."
    return "They stay together in every split."


def same_rows(part: Part, whole: Indices, surplus: int, natural: bool, stay: str) -> Check:
    """Say which rows are copies, target and all."""
    copied = sizes(whole) > 1
    if natural:
        why = "rows of the same inputs often differ in the target, so they may be cases that look alike"
    else:
        why = "split between training and test they would inflate the scores"
    message = f"{surplus} of {len(whole)} rows repeat another row in all inputs and the target: {why}. {stay}"
    cure = "" if natural else "If one case was entered several times, keep it once."
    return Check(
        "copies", "note" if natural else "warning", message, cure, rows=numbers_of(part, copied, whole)
    )


def contradictions(
    part: Part, exact: Indices, differ: NDArray[np.bool_], natural: bool, is_classes: bool
) -> Check:
    """Say which rows have the same inputs and other targets."""
    what = "classes" if is_classes else "targets"
    odd = differ & ~is_usual(part, exact)
    differs = "differs" if odd.sum() == 1 else "differ"
    few = f" {odd.sum()} of them {differs} from most rows of the same inputs."
    message = (
        f"{differ.sum()} of {len(exact)} rows have the same inputs as another row but other {what}: no model "
        f"can fit all of them.{few if 2 * odd.sum() < differ.sum() else ''}"
    )
    cure = "Look for wrong targets among them, or for a column that tells them apart."
    return Check(
        "contradictions",
        "note" if natural or not is_classes else "warning",
        message,
        cure,
        rows=numbers_of(part, odd, exact),
    )


def near_rows(part: Part, near: Indices, which: NDArray[np.bool_], natural: bool, stay: str) -> Check:
    """Say which rows are nearly equal in their inputs."""
    quiet = natural or which.mean() < MANY_NEAR
    message = (
        f"{which.sum()} of {len(near)} rows have almost the inputs of another row: numbers that differ by "
        f"rounding, or by far less than usual. {stay}"
    )
    cure = "" if quiet else "If one case was entered several times, keep it once."
    return Check(
        "near copies", "note" if quiet else "warning", message, cure, rows=numbers_of(part, which, near)
    )


def common_rows(part: Part, near: Indices, which: NDArray[np.bool_], natural: bool) -> Check:
    """Say which combinations are so common that their rows are not kept together."""
    n_kinds = len(np.unique(near[which]))
    kinds = "one combination" if n_kinds == 1 else f"{n_kinds} combinations"
    is_severe = not natural and part.times is None and which.mean() >= MANY_COMMON
    message = (
        f"{which.sum()} of {len(near)} rows have {kinds} of inputs that more than {COMMON_SHARE:.0%} of all "
        "rows share: these rows are split one by one, so test rows share inputs with training rows, "
        + (
            "and mostly their targets, so that the scores of the model are inflated."
            if is_severe
            else "as new rows will."
        )
    )
    cure = "If one case was entered several times, keep it once." if is_severe else ""
    return Check(
        "common inputs", "severe" if is_severe else "note", message, cure, rows=numbers_of(part, which, near)
    )


def is_usual(part: Part, exact: Indices) -> NDArray[np.bool_]:
    """Return which rows have the one target that most rows of their inputs have."""
    table = pd.DataFrame({"kind": exact, "target": part.y})
    counts = table.groupby(["kind", "target"])["target"].transform("size")
    most = counts.groupby(table["kind"]).transform("max")
    is_most = counts == most
    n_best = table[is_most].groupby("kind")["target"].nunique()
    return np.asarray(is_most & (table["kind"].map(n_best) == 1))


def numbers_of(part: Part, which: NDArray[np.bool_], kinds: Indices) -> tuple[int, ...]:
    """Return the numbers in the file of some rows, those of one kind together; not all if they are many."""
    places = np.flatnonzero(which)
    first = np.unique(kinds, return_index=True)[1][np.unique(kinds, return_inverse=True)[1]]
    places = places[np.argsort(first[places], kind="stable")]
    return tuple(int(row) for row in part.rows[places][:SHOWN_ROWS])


def check_shape(part: Part, target: str, is_classes: bool) -> list[Check]:
    """Find rare classes, a target that hardly varies, and more inputs than rows.

    Parameters
    ----------
    part
        The rows that have a target.
    target
        Name of the target.
    is_classes
        Whether it holds classes.
    """
    found = rare_classes(part, target) if is_classes else []
    values, counts = np.unique(part.y, return_counts=True)
    share = counts.max() / len(part.y)
    if share >= NEARLY_ALL:
        common = values[counts.argmax()]
        message = (
            f"'{target}' is {common} in {share:.1%} of the rows: a constant prediction is right as often."
        )
        cure = (
            "Look at the scores of the other values, not at accuracy; collect more such rows."
            if is_classes
            else "Collect more rows with other values, or turn the target into classes."
        )
        found.append(Check("near-constant target", "warning", message, cure, (target,)))
    if part.X.shape[1] > len(part.y):
        message = (
            f"{part.X.shape[1]} input columns but {len(part.y)} rows: too few to see which inputs matter."
        )
        found.append(
            Check(
                "more columns than rows",
                "note",
                message,
                "Collect more rows, or --drop columns that cannot matter.",
            )
        )
    return found


def rare_classes(part: Part, target: str) -> list[Check]:
    """Name the classes of few rows."""
    classes, counts = np.unique(part.y, return_counts=True)
    rare = np.flatnonzero(counts < FEWEST_OF_A_CLASS)
    if not len(rare):
        return []
    rare = rare[np.argsort(counts[rare], kind="stable")]
    named = [f"'{classes[k]}' ({counts[k]} row{'' if counts[k] == 1 else 's'})" for k in rare[:SHOWN_CLASSES]]
    more = f" and {len(rare) - SHOWN_CLASSES} more" if len(rare) > SHOWN_CLASSES else ""
    several = len(rare) > 1
    rows = part.rows[np.isin(part.y, classes[rare])]
    message = (
        f"{'classes' if several else 'class'} of fewer than {FEWEST_OF_A_CLASS} rows in '{target}': "
        f"{', '.join(named)}{more}. There is little to learn from."
    )
    return [
        Check(
            "rare class",
            "warning",
            message,
            "Collect more such rows, or merge the class with another.",
            (target,),
            tuple(int(row) for row in rows),
        )
    ]


def check_test_rows(train: Part, test: Part, is_classes: bool) -> list[Check]:
    """Find rows of a test file whose inputs stand, exactly or nearly, in the training rows as well.

    Parameters
    ----------
    train, test
        The rows to fit, and those of the test file.
    is_classes
        Whether the target holds classes.
    """
    both = pd.concat([train.X, test.X], ignore_index=True)
    copies = find_copies(both)
    is_known = np.isin(copies.near[len(train.y) :], copies.near[: len(train.y)])
    if not is_known.any():
        return []
    y = np.concatenate([train.y, test.y])
    natural = agreement(copies.exact, y, is_classes) < NATURAL
    same = with_targets(copies.exact, y)
    n_whole = int(np.isin(same[len(train.y) :], same[: len(train.y)]).sum())
    rows = test.rows[is_known]
    message = (
        f"{is_known.sum()} of {len(test.y)} rows of the test file have, exactly or nearly, the inputs of "
        f"training rows, {n_whole} of them the target too: "
        + (
            "such inputs often come with different targets, so they may be other cases that look alike."
            if natural
            else "the model has seen them, and the scores are inflated."
        )
    )
    cure = "Take them out of the test file or out of the data, if they are the same cases."
    return [
        Check(
            "test rows in training",
            "warning" if natural else "severe",
            message,
            cure,
            rows=tuple(int(row) for row in rows[:SHOWN_ROWS]),
            where=" of the test file",
        )
    ]


def check_test_groups(group: str, train: pd.Series[Any], test: pd.DataFrame) -> list[Check]:
    """Find groups of a test file that the training rows have as well.

    Parameters
    ----------
    group
        Name of the column of the groups.
    train
        That column of the data.
    test
        The test file.
    """
    if group not in test.columns:
        message = f"the test file has no column '{group}': it may share groups with the data."
        return [
            Check("test groups unknown", "warning", message, f"Add '{group}' to the test file.", (group,))
        ]
    numbers = group_numbers(pd.concat([train, test[group]], ignore_index=True))
    is_known = np.isin(numbers[len(train) :], numbers[: len(train)])
    shared = test.loc[is_known, group]
    if shared.empty:
        return []
    message = (
        f"{len(shared)} of {len(test)} rows of the test file are of a '{group}' that the data have too "
        f"({', '.join(map(str, shared.unique()[:3]))}): the scores are inflated."
    )
    cure = f"Take them out of the test file or out of the data, or use --test 0.2 with --group '{group}'."
    return [
        Check(
            "test groups in training",
            "severe",
            message,
            cure,
            (group,),
            tuple(int(row) + 1 for row in np.flatnonzero(is_known)[:SHOWN_ROWS]),
            " of the test file",
        )
    ]
