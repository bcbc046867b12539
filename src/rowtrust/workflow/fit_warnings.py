"""What fits warned of, in plain words: a note or two, and the warnings themselves for the record."""

from __future__ import annotations

import re
from collections.abc import Iterable
from warnings import WarningMessage

from sklearn.exceptions import ConvergenceWarning

from rowtrust.contracts import LandmarksWarning
from rowtrust.svr.output import ConstantFitWarning
from rowtrust.workflow.tables.errors import UnreadableWarning

LITTLE = 1.0
"""Nats of evidence that a fit could still gain below which its predictions change little: a factor of e
between two models is no more than a hint. A rule of thumb."""

LITTLE_PER_ROW = 1e-3
"""The same for a fit that says what it could gain of each row: a thousandth nat changes no figure."""

CONSTANT = (
    "the model 'svr' found nothing in the inputs that explains the target in at least one fit, and answered "
    "a constant there"
)
"""What is said of a fit that is no better than a constant."""

LANDMARKS = (
    "there are many rows: the model's kernels stand on some of them, drawn at random; all rows are fitted"
)
"""What is said where landmarks stand for rows."""

FEW_OF_A_CLASS = (
    "the rarest class has fewer rows than there are folds, so that some fits of the comparison never saw it: "
    "figures of this class mean little"
)
"""What is said where scikit-learn warns that a class has too few rows for the folds."""

GAIN = re.compile(r"could still gain (\S+) nats( per row)?")
"""How the fits of this library say what they could still gain."""


def tell_warnings(caught: Iterable[WarningMessage]) -> tuple[list[str], list[str]]:
    """Return what the user should know in plain words, and all warnings about fits for the record.

    Warnings between libraries (of deprecation and the like) are in neither. What has no plain words here is
    about the inside of a computation and goes to the record alone.
    """
    about = [each for each in caught if issubclass(each.category, UserWarning | RuntimeWarning)]
    messages = [" ".join(str(each.message).split()) for each in about]
    unsettled = [
        message
        for each, message in zip(about, messages, strict=True)
        if issubclass(each.category, ConvergenceWarning)
    ]
    notes = [unsettled_words(unsettled)] if unsettled else []
    if any(issubclass(each.category, ConstantFitWarning) for each in about):
        notes.append(CONSTANT)
    if any(issubclass(each.category, LandmarksWarning) for each in about):
        notes.append(LANDMARKS)
    if any("least populated class" in message for message in messages):
        notes.append(FEW_OF_A_CLASS)
    unreadable = [str(each.message) for each in about if issubclass(each.category, UnreadableWarning)]
    notes.extend(f"in the rows of --test, {message}" for message in dict.fromkeys(unreadable))
    return notes, list(dict.fromkeys(messages))


def unsettled_words(messages: list[str]) -> str:
    """Say that fits stopped before convergence, and whether that matters."""
    fits = "one fit" if len(messages) == 1 else f"{len(messages)} fits"
    start = f"{fits} stopped just short of convergence"
    if all(is_little(message) for message in messages):
        return f"{start}; predictions barely change"
    return f"{start}; predictions might still change. 'warnings' in metrics.json has the details"


def is_little(message: str) -> bool:
    """Whether a fit that stopped early says that it had little left to gain."""
    found = GAIN.search(message)
    if found is None:
        return False
    try:
        gain = float(found[1])
    except ValueError:
        return False
    return gain < (LITTLE_PER_ROW if found[2] else LITTLE)
