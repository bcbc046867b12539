"""One word in several spellings: capitals and blanks make no other class or category."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray


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
