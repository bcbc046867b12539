"""From a table as it was read to a model's inputs: a scikit-learn pipeline and its own steps.

Both steps are kept in model files, so their attributes are words and plain arrays.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rowtrust.workflow.tables.errors import InputError
from rowtrust.workflow.tables.schema import Schema

CYCLES = {"year": 365.2425, "week": 7.0, "day": 1.0}
"""Days of the cycles in which dates may matter: seasons, weekdays, hours. By the calendar."""

FULL_CYCLES = {"year": 1.0, "week": 1.0, "day": 0.0}
"""How many cycles dates must span for a feature of their own: within a part of a year the days say the same.
Hours vary where any two times of day differ."""

VARIES = 1e-9
"""Deviation of a cycle's sine and cosine from which on it varies: rounding of days is below."""

MOST_CATEGORIES = 30
"""Categories of a column with an input of their own; rarer ones share one. Taken over without a study."""


def as_frame(data: Any) -> pd.DataFrame:
    """Return a frame of another library as one of pandas."""
    if isinstance(data, pd.DataFrame):
        return data
    if getattr(data, "ndim", 2) != 2:
        raise InputError(f"the data are a {kind_of(data)}, no table. Give a DataFrame with columns.")
    if hasattr(data, "to_pandas"):
        found = data.to_pandas()
    elif hasattr(data, "__arrow_c_stream__"):
        found = pyarrow.table(data).to_pandas()
    elif hasattr(data, "__dataframe__"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of pandas, for what has no Arrow stream
            found = pd.api.interchange.from_dataframe(data)
    else:
        raise InputError(f"the data are a {kind_of(data)}. Give a DataFrame or the path of a file.")
    if not isinstance(found, pd.DataFrame):
        raise InputError(f"the data are a {kind_of(data)}, no table. Give a DataFrame with columns.")
    return found


def kind_of(data: Any) -> str:
    """Return the name of a value's type, with its library where it has one."""
    kind = type(data)
    library = kind.__module__.partition(".")[0]
    return kind.__name__ if library == "builtins" else f"{library} {kind.__name__}"


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
                f"the model takes a DataFrame with named columns, got a {kind_of(X)}."
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


def pipeline(schema: Schema, model: Any) -> Pipeline:
    """Return the preparation of a table's inputs followed by the model, unfitted.

    The table may be as it was read. Gaps in numbers are filled with the median, numbers are brought to mean
    zero and variance one, categories get one input each, and dates their days and places in the year, the
    week and the day.
    """
    numbers = Pipeline(
        [("fill", SimpleImputer(strategy="median", keep_empty_features=True)), ("scale", StandardScaler())]
    )
    categories = OneHotEncoder(
        handle_unknown="infrequent_if_exist", drop=None, max_categories=MOST_CATEGORIES, sparse_output=False
    )
    parts = [("numbers", numbers, schema.of_kind("number"))] if schema.of_kind("number") else []
    if schema.of_kind("category"):
        parts.append(("categories", categories, schema.of_kind("category")))
    if schema.of_kind("date"):
        parts.append(
            ("dates", Pipeline([("cycles", DateCycles()), *clone(numbers).steps]), schema.of_kind("date"))
        )
    return Pipeline(
        [("read", ReadColumns.of(schema)), ("prepare", ColumnTransformer(parts)), ("model", model)]
    )
