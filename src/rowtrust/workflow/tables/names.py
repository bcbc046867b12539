"""Names of columns and of categories: how they are spelt, and which of them the user may have meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rowtrust.workflow.tables.errors import InputError, listed

SHOWN_COLUMNS = 8
"""Columns that are listed when one is not found; readability alone."""


def check_columns(
    table: pd.DataFrame,
    target: str,
    drop: Sequence[str],
    apart: Mapping[str, str] = {},
    keep: Sequence[str] = (),
) -> None:
    """Refuse names that are no columns, a target that is something else, too, and other contradictions."""
    for name in (target, *drop, *apart, *keep):
        if name not in table.columns:
            raise InputError(f"there is no column '{name}'{advice(table, name)}")
    if target in drop:
        raise InputError(f"'{target}' is the target and cannot be dropped.")
    if target in apart:
        raise InputError(f"'{target}' is the target and cannot be what {apart[target]}.")
    if target in keep:
        raise InputError(f"'{target}' is the target and no input. Leave --keep out.")
    if both := [name for name in keep if name in drop]:
        raise InputError(f"'{both[0]}' is named by --keep and by --drop. Leave one of them out.")


def advice(table: pd.DataFrame, name: str) -> str:
    """Say what the user may have meant."""
    if len(table.columns) == 1:
        return f"; the file has the one column {listed(table.columns)}. Name its --delimiter."
    by_fold = {folded(column): column for column in reversed(list(table.columns))}
    alike = [column for column in table.columns if folded(column) == folded(name)]
    alike = alike or [by_fold[each] for each in get_close_matches(folded(name), by_fold)]
    if alike:
        return f". Did you mean {listed(alike)}?"
    counted = list(table.columns) == [str(number) for number in range(1, len(table.columns) + 1)]
    why = " as its first line holds data" if counted else ""
    bare = name.isdecimal() and 1 <= int(name) <= len(table.columns) and not counted
    cure = " If its first line holds data, not names, add --no-header." if bare else ""
    return f". The columns are {listed(table.columns, SHOWN_COLUMNS)}{why}.{cure}"


def alike_first(table: pd.DataFrame, names: Sequence[str], absent: Sequence[str]) -> str:
    """List the columns of a table, those first that are called much like columns it should have."""
    others = [column for column in table.columns if column not in names]
    by_fold = {folded(column): column for column in reversed(others)}
    alike = [by_fold[each] for name in absent for each in get_close_matches(folded(name), by_fold, 1)]
    return listed(dict.fromkeys([*alike, *table.columns]))


def folded(word: str) -> str:
    """Return a word without capitals, and with single blanks."""
    return " ".join(word.split()).casefold()


def spellings_of(words: pd.Series[Any]) -> dict[str, list[str]]:
    """Return the words that are spelt in several ways: the commonest spelling, and the others.

    Parameters
    ----------
    words
        Without gaps and without blanks around them.
    """
    return merged_counts(words.value_counts().to_dict())


def merged_counts(counts: Mapping[str, int]) -> dict[str, list[str]]:
    """Return the commonest spelling of each word with several, and the others; ties go to the first."""
    groups: dict[str, list[str]] = {}
    for word in sorted(counts, key=lambda each: (-counts[each], each)):
        groups.setdefault(folded(word), []).append(word)
    return {first: others for first, *others in groups.values() if others}


def in_one_spelling(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels that are words with one spelling each, the commonest; other labels as they are."""
    if labels.dtype.kind != "U":
        return labels
    words, place, counts = np.unique(labels, return_inverse=True, return_counts=True)
    merged = merged_counts(dict(zip(words.tolist(), counts.tolist(), strict=True)))
    if not merged:
        return labels
    known = {other: first for first, others in merged.items() for other in others}
    return np.array([known.get(word, word) for word in words.tolist()], dtype=str)[place]


def by_folded(words: Iterable[str]) -> dict[str, str]:
    """Return words by what they are in all spellings; one that is another's spelling comes first."""
    found: dict[str, str] = {}
    for word in words:
        found.setdefault(folded(word), word)
    return found
