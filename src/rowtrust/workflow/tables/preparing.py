"""From columns to a model's inputs: a scikit-learn pipeline."""

from __future__ import annotations

from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rowtrust.workflow.tables.schema import Schema

MOST_CATEGORIES = 30
"""Categories of a column with an input of their own; rarer ones share one. Taken over without a study."""


def pipeline(schema: Schema, model: Any) -> Pipeline:
    """Return the preparation of a table's inputs followed by the model, unfitted.

    Gaps in numbers are filled with the median, numbers are brought to mean zero and variance one,
    and categories get one input each.
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
    return Pipeline([("prepare", ColumnTransformer(parts)), ("model", model)])
