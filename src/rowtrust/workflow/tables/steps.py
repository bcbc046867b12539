"""Steps of a pipeline before the model: from a table as it was read to inputs in numbers.

Both are kept in model files, so their attributes are words and plain arrays.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from rowtrust.workflow.tables.errors import InputError
from rowtrust.workflow.tables.frames import as_frame, kind_of
from rowtrust.workflow.tables.schema import Schema

CYCLES = {"year": 365.2425, "week": 7.0, "day": 1.0}
"""Days of the cycles in which dates may matter: seasons, weekdays, hours. By the calendar."""

FULL_CYCLES = {"year": 1.0, "week": 1.0, "day": 0.0}
"""How many cycles dates must span for a feature of their own: within a part of a year the days say the same.
Hours vary where any two times of day differ."""

VARIES = 1e-9
"""Deviation of a cycle's sine and cosine from which on it varies: rounding of days is below."""


class ReadColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Read a table's columns as those of the training table were read.

    Takes any table with the columns of the model, in any order and with others beside them: text as in a
    file, or numbers, words and dates. Rows that were read before stay as they are.

    Parameters
    ----------
    schema : str
        What the columns are, as JSON: see ``Schema.as_json``.

    Attributes
    ----------
    n_features_in_ : int
        Columns that are needed.
    feature_names_in_ : ndarray of str
        Their names.
    """

    def __init__(self, schema: str) -> None:
        self.schema = schema

    @classmethod
    def of(cls, schema: Schema) -> ReadColumns:
        """Return the step for a schema."""
        return cls(json.dumps(schema.as_json()))

    def fit(self, X: Any, y: Any = None) -> ReadColumns:
        """Learn nothing: what the columns are is known."""
        names = self._schema().names
        self.n_features_in_ = len(names)
        self.feature_names_in_ = np.array(names, dtype=object)
        return self

    def transform(self, X: Any) -> pd.DataFrame:
        """Return the columns of the model as numbers, words without gaps, and days since 1970."""
        try:
            table = as_frame(X)
        except InputError as error:
            raise InputError(
                f"the model takes a table with named columns, got a {kind_of(X)}. Give a DataFrame."
            ) from error
        return self._schema().conform(table)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns, which stay."""
        return np.array(self._schema().names, dtype=object)

    def _schema(self) -> Schema:
        try:
            return Schema.from_json(json.loads(self.schema))
        except Exception as error:
            raise InputError("the model does not know its columns. Fit it again.") from error


class DateCycles(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Make features of dates: the days themselves, and the place in the year, the week and the day.

    A place in a cycle is a pair of sine and cosine, so that December is next to January. Cycles that the
    training dates do not go through, or in which they do not vary, get no features. Gaps stay gaps.

    Attributes
    ----------
    cycles_ : list of list of str
        The cycles of each column.
    n_features_in_ : int
        Columns of dates.
    feature_names_in_ : ndarray of str
        Their names.
    """

    def fit(self, X: pd.DataFrame, y: Any = None) -> DateCycles:
        """Find out in which cycles the dates vary."""
        self.feature_names_in_ = np.array([str(name) for name in X.columns], dtype=object)
        self.n_features_in_ = X.shape[1]
        self.cycles_ = [varying_cycles(X.iloc[:, place].to_numpy(dtype=float)) for place in range(X.shape[1])]
        return self

    def transform(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """Return days, sines and cosines of each column."""
        found = []
        for place, cycles in enumerate(self.cycles_):
            days = X.iloc[:, place].to_numpy(dtype=float)
            found.append(days[:, None])
            found.extend(on_circle(days, CYCLES[cycle]) for cycle in cycles)
        return np.hstack(found)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the name of each date, and of the places in its cycles."""
        names = []
        for name, cycles in zip(self.feature_names_in_, self.cycles_, strict=True):
            names.append(str(name))
            names += [f"{name} ({cycle}, {way})" for cycle in cycles for way in ("sine", "cosine")]
        return np.array(names, dtype=object)


def on_circle(days: NDArray[np.float64], period: float) -> NDArray[np.float64]:
    """Return sine and cosine of the place of each day in a cycle."""
    angle = 2.0 * np.pi * (np.mod(days, period) / period)
    return np.column_stack([np.sin(angle), np.cos(angle)])


def varying_cycles(days: NDArray[np.float64]) -> list[str]:
    """Return the cycles that days go through, and in which they have different places."""
    days = days[~np.isnan(days)]
    if not len(days):
        return []
    span = float(np.ptp(days))
    return [
        cycle
        for cycle, period in CYCLES.items()
        if span >= FULL_CYCLES[cycle] * period and on_circle(days, period).std(axis=0).max() > VARIES
    ]
