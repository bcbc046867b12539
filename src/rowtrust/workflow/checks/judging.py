"""Rows of a test file that the training rows know already."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from rowtrust.workflow.checks.copies import NATURAL, agreement, find_copies, with_targets
from rowtrust.workflow.checks.records import Check
from rowtrust.workflow.checks.table import SHOWN_ROWS
from rowtrust.workflow.grouping import group_numbers
from rowtrust.workflow.records import Part


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
    return [
        Check(
            "test rows in training",
            "warning" if natural else "severe",
            f"{is_known.sum()} of {len(test.y)} rows of the test file have, exactly or nearly, the inputs of "
            f"training rows, {n_whole} of them the target too: "
            + (
                "such inputs often come with different targets, so they may be other cases that look alike."
                if natural
                else "the model has seen them, and the scores are inflated."
            ),
            "Take them out of the test file or out of the data, if they are the same cases.",
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
        return [
            Check(
                "test groups unknown",
                "warning",
                f"the test file has no column '{group}': whether its groups are others is unknown.",
                f"Add '{group}' to the test file.",
                (group,),
            )
        ]
    numbers = group_numbers(pd.concat([train, test[group]], ignore_index=True))
    is_known = np.isin(numbers[len(train) :], numbers[: len(train)])
    shared = test.loc[is_known, group]
    if shared.empty:
        return []
    return [
        Check(
            "test groups in training",
            "severe",
            f"{len(shared)} of {len(test)} rows of the test file are of a '{group}' that the data have too "
            f"({', '.join(map(str, shared.unique()[:3]))}): the scores are inflated.",
            f"Take them out of the test file or out of the data, or use --test 0.2 with --group '{group}'.",
            (group,),
            tuple(int(row) + 1 for row in np.flatnonzero(is_known)[:SHOWN_ROWS]),
            " of the test file",
        )
    ]
