"""From columns to a model's inputs: a scikit-learn pipeline."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rowtrust.workflow.tables.schema import Schema
from rowtrust.workflow.tables.steps import DateCycles, ReadColumns

MOST_CATEGORIES = 30
"""Categories of a column with an input of their own; rarer ones share one. Taken over without a study."""


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
