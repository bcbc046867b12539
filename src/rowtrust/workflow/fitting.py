"""A model fitted to a table, with what it needs to know of the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from rowtrust.auditing.reasons import vectors_of
from rowtrust.contracts import Array, Indices
from rowtrust.workflow.predictions import Prediction, predict_rows
from rowtrust.workflow.records import Part
from rowtrust.workflow.tables import InputError, Schema, pipeline


@dataclass(frozen=True)
class FittedModel:
    """A model fitted to a table.

    Attributes
    ----------
    schema
        What the columns of the table are.
    classes
        Classes of the whole table, sorted, of which the training rows may lack some; empty for numbers.
    train
        The rows it was fitted to.
    pipeline
        Preparation of the inputs, and the estimator.
    """

    schema: Schema
    classes: NDArray[Any]
    train: Part
    pipeline: Pipeline

    @property
    def task(self) -> str:
        """Either "classification" or "regression"."""
        return self.schema.task

    @property
    def estimator(self) -> Any:
        """The fitted rowtrust estimator at the end of the pipeline."""
        return self.pipeline[-1]

    @property
    def vectors(self) -> Indices:
        """Training rows that the model keeps."""
        return vectors_of(self.estimator)

    @property
    def prepared(self) -> Array:
        """The training rows as the estimator saw them."""
        return np.asarray(self.pipeline[:-1].transform(self.train.X))

    def predict(self, X: pd.DataFrame) -> Prediction:
        """Return probabilities of all classes, or mean and deviation."""
        return predict_rows(self.pipeline, X, self.classes)

    def labels(self, y: NDArray[Any]) -> NDArray[np.intp]:
        """Return labels as positions among the classes."""
        return np.searchsorted(self.classes, y)


def fit_model(schema: Schema, estimator: Any, everything: Part, train: Part) -> FittedModel:
    """Fit an estimator to the training rows; the classes are those of all rows."""
    classes = np.unique(everything.y) if schema.task == "classification" else np.empty(0)
    try:
        fitted = pipeline(schema, estimator).fit(train.X, train.y)
    except ValueError as error:
        raise InputError(f"the model cannot be fitted: {str(error).splitlines()[0]}") from error
    return FittedModel(schema, classes, train, fitted)
