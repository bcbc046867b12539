"""What a model says of rows, class probabilities or mean and deviation; and new rows at predictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from rowtrust.contracts import Array, Indices
from rowtrust.workflow.folds import Folds
from rowtrust.workflow.quality.figures import interval_factor
from rowtrust.workflow.tables import InputError, Schema
from rowtrust.workflow.tables.cells import parse_numbers
from rowtrust.workflow.tables.errors import listed
from rowtrust.workflow.tables.names import advice
from rowtrust.workflow.tables.schema import conformed_words

Prediction: TypeAlias = Array | tuple[Array, Array]
"""Class probabilities of shape (n, classes), or mean and deviation of shape (n,) each."""

FOLDS = 3
"""Folds of cross-fitting: three fits a candidate. Taken over without a study; more take longer."""


EXAMPLES = 3
"""Categories that a remark names; readability alone."""


def predict_rows(model: Any, X: Any, classes: NDArray[Any]) -> Prediction:
    """Return class probabilities in the order of ``classes``, or mean and deviation."""
    if not hasattr(model, "predict_proba"):
        mean, deviation = model.predict(X, return_std=True)
        return mean, deviation
    probability = np.zeros((len(X), len(classes)))
    probability[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(X)
    return probability


def fit_rows(model: Pipeline, X: Any, y: NDArray[Any], weights: Array | None) -> Pipeline:
    """Fit a pipeline to some rows, which count as much as their weights say, if there are any."""
    given = {} if weights is None else {f"{model.steps[-1][0]}__sample_weight": weights}
    return model.fit(X, y, **given)


def cross_fit(
    model: Pipeline,
    X: pd.DataFrame,
    y: NDArray[Any],
    folds: Folds,
    step: Callable[[], None],
    weights: Array | None = None,
) -> Prediction:
    """Return predictions of the rows of all folds, in order, each by a fit to what its fold allows.

    The last fit stays in ``model``. Rows count in the fits as much as their weights say.
    """
    parts = []
    for train, test in folds:
        step()
        fit_rows(model, X.iloc[train], y[train], None if weights is None else weights[train])
        parts.append((test, predict_rows(model, X.iloc[test], np.unique(y))))
    return in_row_order(parts)


def in_row_order(parts: list[tuple[Indices, Prediction]]) -> Prediction:
    """Put predictions of folds back into the order of the rows."""
    order = np.argsort(np.concatenate([rows for rows, _ in parts]))
    if isinstance(parts[0][1], tuple):
        mean, deviation = (np.concatenate([part[which] for _, part in parts])[order] for which in (0, 1))
        return mean, deviation
    return np.concatenate([part for _, part in parts])[order]


def prediction_table(model: Pipeline, schema: Schema, rows: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return the predictions of some rows as a table: with probabilities, or with intervals of ``level``."""
    prediction = predict_rows(model, schema.conform(rows), getattr(model, "classes_", np.empty(0)))
    if isinstance(prediction, tuple):
        mean, deviation = prediction
        half = interval_factor(model[-1], level) * deviation
        return pd.DataFrame({"prediction": mean, "lower": mean - half, "upper": mean + half})
    best = model.classes_[prediction.argmax(axis=1)]
    columns = {f"P({name})": prediction[:, place] for place, name in enumerate(model.classes_)}
    return pd.DataFrame({"prediction": best, **columns})


def columns_to_keep(table: pd.DataFrame, named: Sequence[str], known: str | None) -> list[str]:
    """Return the columns that name the rows: those the user names, else that of the model if it is there."""
    for name in named:
        if name not in table.columns:
            raise InputError(f"--id: there is no column '{name}'{advice(table, name)}")
    if named:
        return list(named)
    return [known] if known is not None and known in table.columns else []


def with_columns(table: pd.DataFrame, names: Sequence[str], predictions: pd.DataFrame) -> pd.DataFrame:
    """Return predictions with columns of their rows before them."""
    if not names:
        return predictions
    return pd.concat([table[list(names)].set_axis(predictions.index, axis=0), predictions], axis=1)


@dataclass
class Unseen:
    """Counts categories that a model has not seen, over the pieces of a file.

    Parameters
    ----------
    schema
        What the model knows of its columns.
    """

    schema: Schema
    counts: dict[str, int] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)
    unreadable: dict[str, int] = field(default_factory=dict)

    def look_at(self, table: pd.DataFrame) -> None:
        """Count the rows with new categories and remember the first of these; count what is no number."""
        for column in self.schema.inputs:
            if column.kind == "number" and column.name in table.columns:
                found = parse_numbers(table[column.name], column.reading).n_unreadable
                if found:
                    self.unreadable[column.name] = self.unreadable.get(column.name, 0) + found
        for name, words in self.schema.unseen(table).items():
            column = next(each for each in self.schema.inputs if each.name == name)
            n_rows = int(conformed_words(table[name], column).isin(words).sum())
            self.counts[name] = self.counts.get(name, 0) + n_rows
            known = self.examples.setdefault(name, [])
            known.extend([word for word in words if word not in known][: EXAMPLES - len(known)])

    @property
    def remarks(self) -> list[str]:
        """A remark for each column with cells that are no numbers, and for each with new categories."""
        unread = [
            f"column '{name}': cells that are no numbers count as missing ({count} of them)"
            for name, count in self.unreadable.items()
        ]
        return unread + [
            f"column '{name}': {count} row{'s' * (count > 1)} with categories that the model has not seen, "
            f"such as {listed(self.examples[name])}; they count as none of its categories"
            for name, count in self.counts.items()
        ]
