"""The target column: classes or numbers, and whether whole numbers are amounts or codes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype
from scipy.sparse import csr_array

from rowtrust.contracts import Array, Indices
from rowtrust.workflow.tables.cells import MISSING_WORDS, as_numbers, in_words, is_text, parse_numbers
from rowtrust.workflow.tables.columns import MOST_UNREADABLE, find_kind, find_numbers
from rowtrust.workflow.tables.errors import InputError, shortened
from rowtrust.workflow.tables.names import by_folded, folded, in_one_spelling

MOST_CLASSES = 100
"""Classes of a target; more are rather names of the rows. A guard."""

LONGEST_LABEL = 200
"""Characters of a class: a sentence or two. Every row has a label, and all take the room of the longest."""

FEW_NUMBERS = 10
"""Whole numbers with at most so many values are classes: grades and kinds. Of more the inputs decide. Taken
over without a study."""

ROWS_PER_CLASS = 10
"""Rows that more than two whole numbers need on average to be classes. Taken over without a study."""

ROWS_PER_CODE = 5
"""Rows that each of many whole numbers needs on average to be a class: one or two for each fold of the
comparison."""

EXACT_INTEGERS = 2**53
"""Up to here every whole number is a float of its own, by the format of floats."""


MOST_ROWS = 20_000
"""Rows that are looked at, evenly over the table: their means are sharp enough. Chosen for time."""

SIGNAL = 1.5
"""Times as much as by chance that the means of the inputs must differ between the numbers before their order
is asked for. By chance the ratio is 1, give or take 0.3 for a dozen numbers and two inputs."""

ORDERED = 0.5
"""Squared distance of a mean from the line between its two neighbours, in those from the mean of all: near 0
where inputs follow amounts, and 1.5 or more for codes. The five targets of numbers of half A, cut into 13, 26
or 60 steps, have 0.37 at most (0.48 on half B); in random order of 26 or 60 steps 0.8 at least."""


@dataclass(frozen=True)
class Target:
    """The target of the rows that have one.

    Attributes
    ----------
    task
        "classification" or "regression".
    values
        Labels (strings or whole numbers), or floats.
    rows
        Positions of the rows that have a target.
    reading
        How the cells of a target of numbers are read; see ``readings``.
    """

    task: str
    values: NDArray[Any]
    rows: NDArray[np.intp]
    reading: str = ""


def read_target(
    column: pd.Series[Any],
    task: str | None = None,
    *,
    comma: bool = False,
    inputs: Callable[[], pd.DataFrame] | None = None,
) -> Target:
    """Return the target, and whether it holds classes or numbers unless that is given.

    Parameters
    ----------
    column
        The target.
    task
        "classification" or "regression"; None to find out.
    comma
        Whether other columns have decimal commas: decides where this one leaves it open.
    inputs
        Returns the inputs of all rows, which tell codes from amounts; None to take many whole numbers as
        amounts.
    """
    if not column.notna().any():
        raise InputError(f"the target '{column.name}' has no value in any row. Choose another --target.")
    task = task or guessed_task(column, inputs)
    if task == "regression":
        return numbers_target(column, find_numbers(column, comma)[0])
    rows = labelled_rows(column)
    values = in_one_spelling(labels(column.iloc[rows]))
    check_classes(values, str(column.name))
    return Target(task, values, rows)


def labelled_rows(column: pd.Series[Any]) -> Indices:
    """Return the rows that have a label; a word for "missing" is one among words, but not among numbers."""
    present = column.notna().to_numpy()
    if is_text(column) and says_numbers(column):
        present = present & ~column.isin(list(MISSING_WORDS)).to_numpy()
    return np.flatnonzero(present)


def numbers_target(column: pd.Series[Any], reading: str = "", *, learns: bool = True) -> Target:
    """Return a target of numbers, without the rows where it is none.

    Parameters
    ----------
    column
        The target.
    reading
        How its cells are read; see ``readings``.
    learns
        Whether something is to be learnt from it: one number in all rows is then refused.
    """
    found = parse_numbers(column, reading)
    if found.unreadable_share > MOST_UNREADABLE:
        raise InputError(
            f"the target '{column.name}' holds text, not numbers. Use --task classification, or choose "
            "another --target."
        )
    numbers = found.values
    rows = np.flatnonzero(~np.isnan(numbers))
    if not len(rows):
        raise InputError(f"the target '{column.name}' has no number in any row.")
    if learns and len(np.unique(numbers[rows])) < 2:
        raise InputError(
            f"the target '{column.name}' is {numbers[rows][0]:g} in every row: nothing to learn. "
            "Choose another --target."
        )
    return Target("regression", numbers[rows], rows, reading)


def says_numbers(column: pd.Series[Any]) -> bool:
    """Whether there are numbers, or true and false, and nothing else but words for "missing"."""
    found = parse_numbers(column)
    return found.n_spoken > 0 and found.n_unreadable == 0


def guessed_task(column: pd.Series[Any], inputs: Callable[[], pd.DataFrame] | None = None) -> str:
    """Return "regression" for numbers, unless they are few whole ones, or codes."""
    present = column.dropna()
    if is_datetime64_any_dtype(present.dtype):
        raise InputError(f"the target '{present.name}' holds dates. Turn them into numbers.")
    found = find_numbers(present)[1]
    if is_bool_dtype(present.dtype) or found.n_truths or found.word_share > MOST_UNREADABLE:
        return "classification"
    known = ~np.isnan(found.values)
    numbers = found.values[known]
    n_distinct = len(np.unique(numbers))
    whole = bool((numbers == np.round(numbers)).all())
    if whole and n_distinct <= FEW_NUMBERS:
        common = n_distinct <= 2 or len(numbers) >= ROWS_PER_CLASS * n_distinct
        return "classification" if common else "regression"
    if inputs is None or not may_be_either(numbers):
        return "regression"
    rows = np.flatnonzero(column.notna())[known]
    return "classification" if are_codes(numbers, inputs().iloc[rows]) else "regression"


def may_be_either(values: NDArray[Any]) -> bool:
    """Whether targets may be codes of classes as well as amounts: some whole numbers, each often."""
    if values.dtype.kind not in "iuf" or (values != np.round(values)).any():
        return False
    n_distinct = len(np.unique(values))
    return 2 < n_distinct <= MOST_CLASSES and len(values) >= ROWS_PER_CODE * n_distinct


def labels(present: pd.Series[Any]) -> NDArray[Any]:
    """Return labels as whole numbers where they all are written so, otherwise as they are written.

    ``007`` stays as it is, unless the same number is written in another way beside it.
    """
    found = parse_numbers(present)
    if not is_bool_dtype(present.dtype) and found.n_unreadable == found.n_truths == 0:
        numbers = found.values
        if (numbers == np.round(numbers)).all() and (np.abs(numbers) < EXACT_INTEGERS).all():
            whole = np.asarray(numbers, dtype=np.int64)
            if not is_text(present) or written_plainly(present, whole):
                return whole
    places, different = pd.factorize(in_words(present).astype(object))
    words: NDArray[Any] = np.array([str(label).strip() for label in different], dtype=str)
    longest = max(words.tolist(), key=len)
    if len(longest) > LONGEST_LABEL:
        raise InputError(
            f"the target '{present.name}' has a value of {len(longest)} characters, '{shortened(longest)}': "
            f"classes have up to {LONGEST_LABEL}. Shorten it, or choose another --target."
        )
    return np.asarray(words[places])


def written_plainly(words: pd.Series[Any], numbers: NDArray[np.int64]) -> bool:
    """Whether numbers are written as Python writes them, or one of them in several ways.

    Whole numbers with gaps beside them are often written as 1.0.
    """
    words = words.str.strip().str.removesuffix(".0")
    ways = pd.DataFrame({"word": words.to_numpy(), "number": numbers}).drop_duplicates()
    plain = bool((ways["word"] == ways["number"].astype(str)).all())
    return plain or bool(ways["number"].duplicated().any())


def known_labels(column: pd.Series[Any], classes: NDArray[Any]) -> tuple[Indices, NDArray[Any], list[str]]:
    """Return the rows with a label among the classes, these labels, and the labels that are none of them.

    Parameters
    ----------
    column
        A target, all of it or a part.
    classes
        As :func:`labels` returned them for other rows, sorted: whole numbers or strings.
    """
    # Each label is looked at once, however many rows have it.
    which, different = pd.factorize(in_words(column.dropna()))
    present = pd.Series(different)
    written = np.array([str(label).strip() for label in present], dtype=object)
    words = pd.Series(classes.astype(str))
    place = pd.Index(words).get_indexer(pd.Index(written))
    whole = is_whole(words) & (parse_numbers(words).n_truths == 0)
    if whole.all() and as_numbers(words).is_unique:  # the same number, written in another way
        others = place < 0
        place[others] = pd.Index(as_numbers(words)).get_indexer(pd.Index(as_numbers(present[others])))
    common = by_folded(words)
    if len(common) == len(words):  # the same word in another spelling
        others = np.flatnonzero(place < 0)
        spelt = [common.get(folded(str(word)), "") for word in written[others]]
        place[others] = pd.Index(words).get_indexer(pd.Index(spelt, dtype=object))
    rows = np.flatnonzero(column.notna())
    silent = MISSING_WORDS if says_numbers(words) else ()
    unknown = [str(word) for word in pd.unique(written[place < 0]) if word not in silent]
    place = place[which]
    return rows[place >= 0], classes[place[place >= 0]], unknown


def is_whole(values: pd.Series[Any]) -> NDArray[np.bool_]:
    """Return which values are whole numbers that floats can tell apart."""
    numbers = as_numbers(values).to_numpy()
    return np.asarray((numbers == np.round(numbers)) & (np.abs(numbers) < EXACT_INTEGERS))


def check_classes(values: NDArray[Any], name: str) -> None:
    """Refuse one class, and a target that names nearly every row."""
    classes = np.unique(values)
    if len(classes) < 2:
        raise InputError(
            f"the target '{name}' has the one class '{classes[0]}'; at least two are needed. "
            "Check the rows, or choose another --target."
        )
    if len(classes) > min(MOST_CLASSES, max(2, len(values) // 2)):
        kind = find_kind(pd.Series(values.astype(str)))
        what = "dates" if kind == "date" else f"{len(classes)} different values"
        raise InputError(
            f"the target '{name}' has {what} in {len(values)} rows: neither classes nor numbers. Choose "
            "another --target."
        )


def are_codes(numbers: Array, X: pd.DataFrame) -> bool:
    """Whether some whole numbers are codes rather than amounts.

    Of amounts the mean of an input lies near the line between the means at the next smaller and the next
    larger number; of codes it lies anywhere. Where the inputs say nothing of the numbers, uneven gaps between
    them decide.

    Parameters
    ----------
    numbers
        The target of each row.
    X
        The inputs: numbers, and words.
    """
    steps = np.diff(np.unique(numbers))
    roughness = roughness_of(numbers, X)
    return len(np.unique(steps)) > 2 if roughness is None else roughness > ORDERED


def roughness_of(numbers: Array, X: pd.DataFrame) -> float | None:
    """Return how far means of the inputs lie from the line between their neighbours; None without signal."""
    rows = np.arange(0, len(numbers), max(1, len(numbers) // MOST_ROWS))
    values, place, counts = np.unique(numbers[rows], return_inverse=True, return_counts=True)
    Z = np.column_stack([as_ranks(X[name].iloc[rows]) for name in X.columns])
    sums = csr_array((np.ones(len(rows)), (place, np.arange(len(rows)))))
    means = np.asarray(sums @ Z) / counts[:, None]
    noise = ((Z - means[place]) ** 2).sum(axis=0) / max(1, len(rows) - len(values)) / counts[:, None]
    upper = ((values[1:-1] - values[:-2]) / (values[2:] - values[:-2]))[:, None]
    lower, weights = 1.0 - upper, counts[1:-1, None]
    between = (means[1:-1] - lower * means[:-2] - upper * means[2:]) ** 2
    between -= noise[1:-1] + lower**2 * noise[:-2] + upper**2 * noise[2:]
    apart, by_chance = (weights * means[1:-1] ** 2).sum(), (weights * noise[1:-1]).sum()
    if apart <= SIGNAL * by_chance:
        return None
    return float((weights * between).sum() / (apart - by_chance))


def as_ranks(values: pd.Series[Any]) -> NDArray[np.float64]:
    """Return a column as ranks around 0, gaps in the middle; categories in any order, which does as well."""
    if not is_numeric_dtype(values.dtype):
        values = pd.Series(pd.factorize(values)[0])
    ranks = values.rank()
    scale = float(ranks.std()) or 1.0
    return np.asarray((ranks - ranks.mean()).fillna(0.0) / scale, dtype=float)
