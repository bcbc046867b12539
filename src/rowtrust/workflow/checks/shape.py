"""Tables from which little can be learnt: rare classes, targets that hardly vary, more columns than rows."""

from __future__ import annotations

import numpy as np

from rowtrust.workflow.checks.records import Check
from rowtrust.workflow.records import Part

FEWEST_OF_A_CLASS = 5
"""Rows of a class below which it is rare: it may lack in a fold of the comparison or among the test rows.
A guard."""

NEARLY_ALL = 0.95
"""Share of the rows with one target from which on it hardly varies: guessing it is then right as often, and
accuracy says little. Chosen by that, not by a study."""

SHOWN_CLASSES = 5
"""Rare classes that a message names; readability alone."""


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
        found.append(
            Check(
                "near-constant target",
                "warning",
                f"'{target}' is {common} in {share:.1%} of the rows: a constant prediction is right as "
                "often.",
                "Look at the scores of the other values, not at accuracy; collect more such rows."
                if is_classes
                else "Collect more rows with other values, or turn the target into classes.",
                (target,),
            )
        )
    if part.X.shape[1] > len(part.y):
        found.append(
            Check(
                "more columns than rows",
                "note",
                f"{part.X.shape[1]} input columns but {len(part.y)} rows: it is hardly possible to see "
                "which inputs matter.",
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
    return [
        Check(
            "rare class",
            "warning",
            f"{'classes' if several else 'class'} of fewer than {FEWEST_OF_A_CLASS} rows in '{target}': "
            f"{', '.join(named)}{more}. Little can be said of {'them' if several else 'it'}.",
            "Collect more such rows, or merge the class with another.",
            (target,),
            tuple(int(row) for row in rows),
        )
    ]
