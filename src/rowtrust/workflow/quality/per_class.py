"""Each class against the others: counts, sensitivity, specificity, predictive values, curves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowtrust.contracts import Array, Indices
from rowtrust.workflow.quality.areas import FEWEST_ROWS, curves_of
from rowtrust.workflow.quality.figures import share_figure
from rowtrust.workflow.quality.records import Curves, Figure, PerClass

YES = frozenset({"yes", "y", "true", "t", "1", "1.0", "positive", "pos", "+", "case", "event", "present"})
"""Names of classes that say which of two is the positive one, in small letters. Words of the trade."""

NO = frozenset(
    (
        *("no", "n", "false", "f", "0", "0.0", "-1", "negative", "neg", "-", "control", "none", "absent"),
        "healthy",
    )
)
"""Names of the other one."""

MEASURES = ("sensitivity", "specificity", "positive predictive value", "negative predictive value", "F1")
"""What is said of each class against the others; names in reports and files."""

MOST_CURVES = 6
"""Classes up to which each has its curves; more are too many for a picture."""


def positive_class(classes: NDArray[Any], counts: Indices) -> int | None:
    """Return which of two classes is the positive one; None if there are not two.

    It is the one whose name says so beside the other's ("yes" beside "no", "1" beside "0"); else the rarer
    one among the rows that were fitted; else the last.
    """
    if len(classes) != 2:
        return None
    words = [str(each).strip().lower() for each in classes]
    for number in (0, 1):
        if words[number] in YES and words[1 - number] not in YES:
            return number
        if words[1 - number] in NO and words[number] not in NO:
            return number
    return int(counts[0] >= counts[1])


def class_tables(
    probability: Array,
    label: NDArray[np.intp],
    classes: NDArray[Any],
    n_train: Indices,
    groups: Indices | None = None,
) -> list[PerClass]:
    """Return the table of each class.

    Parameters
    ----------
    probability, label
        What was predicted of the judged rows, and what they are: positions among the classes.
    classes
        Sorted.
    n_train
        Rows of each class that were fitted.
    groups
        Rows of one number are no independent rows.
    """
    chosen = probability.argmax(axis=1)
    positive = positive_class(classes, n_train)
    return [
        class_table(
            str(name), chosen == number, label == number, int(n_train[number]), number == positive, groups
        )
        for number, name in enumerate(classes)
    ]


def class_table(
    name: str,
    predicted: NDArray[np.bool_],
    truly: NDArray[np.bool_],
    n_train: int,
    is_positive: bool,
    groups: Indices | None,
) -> PerClass:
    """Return the table of one class: which rows were predicted as it, and which truly are."""
    found = [
        among("sensitivity", predicted, truly, groups, "share of the class that is found (recall)"),
        among("specificity", ~predicted, ~truly, groups, "share of the others that is recognised"),
        among(
            "positive predictive value", truly, predicted, groups, "share of these predictions that are right"
        ),
        among(
            "negative predictive value",
            ~truly,
            ~predicted,
            groups,
            "share of other predictions that are right",
        ),
        harmonic(among("F1", predicted & truly, predicted | truly, groups, "")),
    ]
    return PerClass(
        name,
        is_positive,
        n_train,
        int(truly.sum()),
        int((predicted & truly).sum()),
        int((predicted & ~truly).sum()),
        int((~predicted & truly).sum()),
        int((~predicted & ~truly).sum()),
        share_figure("prevalence", truly, groups, "share of the class among the judged rows"),
        dict(zip(MEASURES, found, strict=True)),
    )


def among(
    name: str, hit: NDArray[np.bool_], which: NDArray[np.bool_], groups: Indices | None, explanation: str
) -> Figure | None:
    """Return the share of hits among some rows; None if there are none of these."""
    if not which.any():
        return None
    return share_figure(name, hit[which], None if groups is None else groups[which], explanation)


def harmonic(overlap: Figure | None) -> Figure | None:
    """Return F1 from the share of rows both of the class and predicted so, among those that are either.

    F1 is 2 J / (1 + J) of this share J, so that its interval is as exact.
    """
    if overlap is None:
        return None
    value, lower, upper = (
        2.0 * each / (1.0 + each) for each in (overlap.value, overlap.lower, overlap.upper)
    )
    meaning = "harmonic mean of sensitivity and positive predictive value"
    return Figure("F1", value, lower, upper, meaning, overlap.method)


def all_curves(
    probability: Array, label: NDArray[np.intp], tables: list[PerClass], groups: Indices | None = None
) -> list[Curves]:
    """Return the curves of the positive one of two classes, or of each of a few that can be told apart."""
    numbers = [number for number, each in enumerate(tables) if each.is_positive] or list(range(len(tables)))
    if len(numbers) > MOST_CURVES:
        return []
    return [
        curves_of(tables[number].name, probability[:, number], label == number, groups)
        for number in numbers
        if 0 < (label == number).sum() < len(label)
    ]


def too_few(tables: list[PerClass]) -> list[str]:
    """Say which classes have too few judged rows, and what is not given therefore."""
    few = [each for each in tables if each.n_judged < FEWEST_ROWS]
    if not few:
        return []
    names = ", ".join(f"'{each.name}' ({each.n_judged})" for each in few[:MOST_CURVES])
    more = f" and {len(few) - MOST_CURVES} more" if len(few) > MOST_CURVES else ""
    words = (
        f"Too few judged rows of class {names}{more}: at least {FEWEST_ROWS} are needed to say how well a "
        "class is ranked (AUC, average precision); all that is said of it is uncertain. More rows would help."
    )
    return [words]
