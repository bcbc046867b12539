"""The preparation of a table's columns, reduced to numbers and lists of words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin

from rowtrust.contracts import Array
from rowtrust.export.portable import ExportError
from rowtrust.workflow.tables import Schema
from rowtrust.workflow.tables.errors import listed

UNKNOWN = "\u241f no such category"
"""A word that no table has, by which an encoder shows what it does with new ones. Its first letter is the
symbol for a unit separator."""


@dataclass(frozen=True)
class NumberInput:
    """A column of numbers: missing values become ``fill``, then ``(x - mean) / scale``."""

    name: str
    fill: float
    mean: float
    scale: float


@dataclass(frozen=True)
class CategoryInput:
    """A column of words: each sets one of ``width`` inputs to one; ``unknown`` is -1 where none is set."""

    name: str
    place: dict[str, int]
    unknown: int
    width: int


def described(pipeline: Any, schema: Schema) -> list[NumberInput | CategoryInput]:
    """Return the inputs of a fitted pipeline in the order of the model's features.

    The step that reads columns of text is left out: an exported model takes numbers and words as they are
    after it.
    """
    parts = pipeline["prepare"].named_transformers_
    if "dates" in parts:
        raise ExportError(
            f"a model with dates cannot be exported: {listed(schema.of_kind('date'))}. Fit it again with "
            "--drop for these columns, or with days as a number in their place."
        )
    found: list[NumberInput | CategoryInput] = []
    if "numbers" in parts:
        fill, scale = parts["numbers"]["fill"], parts["numbers"]["scale"]
        columns = zip(schema.of_kind("number"), fill.statistics_, scale.mean_, scale.scale_, strict=True)
        found += [NumberInput(name, *(float(each) for each in values)) for name, *values in columns]
    if "categories" in parts:
        found += categories(parts["categories"], schema.of_kind("category"))
    return found


def categories(encoder: Any, names: list[str]) -> list[CategoryInput]:
    """Return how a fitted encoder codes every category, and an unseen one."""
    found, start = [], 0
    for place, (name, known) in enumerate(zip(names, encoder.categories_, strict=True)):
        words = [*known, UNKNOWN]
        probe = pd.DataFrame(
            {other: [encoder.categories_[i][0]] * len(words) for i, other in enumerate(names)}
        )
        probe[name] = np.array(words, dtype=object)
        encoded = encoded_quietly(encoder, probe)
        width = width_of(encoder, place)
        block = encoded[:, start : start + width]
        where = np.where(block.any(axis=1), block.argmax(axis=1), -1)
        mapping = {str(word): int(number) for word, number in zip(known, where[:-1], strict=True)}
        found.append(CategoryInput(name, mapping, int(where[-1]), width))
        start += width
    return found


def width_of(encoder: Any, place: int) -> int:
    """Return how many features a column becomes: rare categories share one."""
    rare = encoder.infrequent_categories_[place]
    return len(encoder.categories_[place]) - (len(rare) - 1 if rare is not None else 0)


def encoded_quietly(encoder: Any, probe: pd.DataFrame) -> Array:
    """Encode without the warning about unknown categories, which are the point here."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(encoder.transform(probe))


class Preparation(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The same preparation as a transformer of its own, which the ONNX converter knows.

    Parameters
    ----------
    inputs : list of NumberInput and CategoryInput
    """

    def __init__(self, inputs: list[NumberInput | CategoryInput]) -> None:
        self.inputs = inputs

    @property
    def n_outputs(self) -> int:
        """How many features come out."""
        return sum(1 if isinstance(each, NumberInput) else each.width for each in self.inputs)

    def fit(self, X: Any, y: Any = None) -> Preparation:
        """Do nothing: everything is known."""
        return self

    def transform(self, X: Any) -> Any:
        """Not needed: this class only carries its inputs to the converter."""
        raise NotImplementedError("Use the pipeline that was exported.")
