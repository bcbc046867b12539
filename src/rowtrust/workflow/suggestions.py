"""Commands that are suggested as the next step, whole: with all options that they need."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowtrust.workflow.records import Settings
from rowtrust.workflow.tables import Layout
from rowtrust.workflow.tables.targets import may_be_either

CLEANED = "cleaned.csv"
"""What the corrected copy is called in suggestions."""


def layout_words(layout: Layout | Mapping[str, Any]) -> list[str]:
    """Return the options that describe how a text file is laid out, where it is not as usual."""
    known = layout if isinstance(layout, Mapping) else vars(layout)
    words = []
    for name in ("delimiter", "encoding", "decimal"):
        if known[name] != getattr(Layout(), name):
            words += [f"--{name}", known[name].replace("\t", "\\t")]
    words += [each for word in known["missing"] for each in ("--missing", word)]
    return [*words, *["--no-header"] * (not known["header"])]


def column_words(settings: Settings, task: str | None = None) -> list[str]:
    """Return the options that name target, task and the columns that are no inputs, or inputs."""
    words = ["--target", settings.target, *(["--task", task] if task else [])]
    words += [] if settings.group is None else ["--group", settings.group]
    words += [each for name in settings.drop for each in ("--drop", name)]
    return [*words, *(each for name in settings.keep for each in ("--keep", name))]


def clean_command(
    settings: Settings, inputs: Sequence[Mapping[str, Any]], task: str, y: NDArray[Any], review: Path
) -> str:
    """Return the command that makes a corrected copy of the data of a study.

    Parameters
    ----------
    settings
        Of the study.
    inputs
        Records of the tables that were read, the data first; see ``manifest``.
    task, y
        What the target was taken as, and its values: the task is named where they may be either.
    review
        Path of the review.
    """
    path = inputs[0]["path"] if inputs and inputs[0]["path"] not in (None, "-") else "DATA"
    named = settings.task or (task if may_be_either(y) else None)
    layout = layout_words(inputs[0].get("layout", Layout())) if inputs else []
    words = [path, *column_words(settings, named), *layout, "--review", str(review), "-o", CLEANED]
    return f"rowtrust clean {shlex.join(words)}"


def fit_command(copy: Path, settings: Settings, layout: Layout, weight: str | None) -> str:
    """Return the command that studies a corrected copy, which is UTF-8 whatever the data were."""
    plain = {**vars(layout), "encoding": Layout().encoding}
    words = [str(copy), *column_words(settings, settings.task), *layout_words(plain)]
    words += [] if weight is None else ["--weight", weight]
    return f"rowtrust fit {shlex.join([*words, '-o', str(copy.with_suffix(''))])}"


def counts_columns(names: list[str]) -> bool:
    """Whether columns have no names but are counted, as those of a file without a header."""
    return names == [str(number) for number in np.arange(1, len(names) + 1)]
