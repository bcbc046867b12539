"""What the user may choose, checked alike for the command and for Python, and commands to go on with."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowtrust.limits import Limits
from rowtrust.workflow.records import Settings
from rowtrust.workflow.tables import InputError, Layout
from rowtrust.workflow.tables.errors import shortened
from rowtrust.workflow.tables.targets import may_be_either

MODELS = ("auto", "robust", "plain", "fuzzy", "svr")
"""What --model may be; part of the command's interface."""

TASKS = ("classification", "regression")
"""What --task may be; part of the command's interface."""

IN_PYTHON = {
    "--no-test": "test=0",
    "--no-header": "header=False",
    "--no-refit": "refit=False",
    "--fast": "fast=True",
    "--strict": "strict=True",
    "--force": "force=True",
    "another --output": "another folder",
}
"""What options without a value are called in Python."""

ARGUMENTS = (
    "target|model|task|test|group|time|id|weight|drop|keep|seed|"
    "delimiter|encoding|decimal|missing|device|dask"
)
"""Options that are arguments of ``study_table``; others stay as they are: they may be words of the data."""

PLACES = ("COLUMN", "FILE")
"""Words that stand for a value in messages."""

OPTION = re.compile(rf"--({ARGUMENTS})\b(?: ('[^']*'|[\w-]*\d[\w-]*|{'|'.join(PLACES)}))?")
"""An option in a message, with a value where it is in quotes, has a digit, as latin-1, or stands for one."""


CLEANED = "cleaned.csv"
"""What the corrected copy is called in suggestions."""


def check_choice(option: str, value: str, choices: Sequence[str]) -> str:
    """Return a value that may be chosen; refuse others, and say which was meant."""
    if value in choices:
        return value
    alike = get_close_matches(str(value).lower(), choices, n=1)
    meant = f" Did you mean {alike[0]}?" if alike else ""
    raise InputError(
        f"{option} must be one of {', '.join(choices)}, got '{shortened(value)}'.{meant or ' Choose one.'}"
    )


def check_task(task: str | None) -> str | None:
    """Refuse a task that does not exist."""
    return None if task is None else check_choice("--task", task, TASKS)


def layout_of(
    delimiter: str | None,
    encoding: str,
    decimal: str,
    header: bool,
    missing: Iterable[str] = (),
    limits: Limits | None = None,
) -> Layout:
    """Return the layout that options describe."""
    if delimiter is not None:
        delimiter = delimiter.replace("\\t", "\t")
        if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
            raise InputError(
                f"--delimiter must be one ASCII character, no quote or line end: '{shortened(delimiter)}'."
            )
    if len(decimal) != 1:
        raise InputError(f"--decimal must be one character, got '{decimal}'.")
    words = tuple(word.strip() for word in several(missing))
    return Layout(delimiter, encoding, decimal, header, words, limits or Limits.from_environment())


def several(words: str | Iterable[str]) -> tuple[str, ...]:
    """Return some words as a tuple, also where one was given alone."""
    return (words,) if isinstance(words, str) else tuple(str(each) for each in words)


def in_python(message: str) -> str:
    """Return a message with options as arguments of Python: ``--decimal ','`` as ``decimal=','``."""
    for option, argument in IN_PYTHON.items():
        message = message.replace(option, argument)
    return OPTION.sub(lambda found: found[1] + (f"={quoted(found[2])}" if found[2] else ""), message)


def quoted(value: str) -> str:
    """Return a value as a text of Python."""
    return value if value.startswith("'") or value in PLACES else f"'{value}'"


@contextmanager
def told_in_python() -> Iterator[None]:
    """Let messages about data and arguments name arguments of Python, not options of the command."""
    try:
        yield
    except InputError as error:
        raise InputError(in_python(str(error))) from error.__cause__


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
