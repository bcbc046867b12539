"""A model fitted to a table, with what it needs to know of the table, and what its fits warned of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from warnings import WarningMessage

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from rowtrust.contracts import Array, Indices, LandmarksWarning
from rowtrust.svr.output import ConstantFitWarning
from rowtrust.workflow.predictions import Prediction, fit_rows, predict_rows
from rowtrust.workflow.records import Part, Settings
from rowtrust.workflow.streaming import (
    StoredBlocks,
    WholeFile,
    all_in_memory,
    as_dask,
    connected,
    fit_on_device,
    joined,
    stored,
)
from rowtrust.workflow.tables import InputError, Schema, pipeline
from rowtrust.workflow.tables.errors import UnreadableWarning

LITTLE = 1.0
"""Nats of evidence that a fit could still gain below which its predictions change little: a factor of e
between two models is no more than a hint. A rule of thumb."""

LITTLE_PER_ROW = 1e-3
"""The same for a fit that says what it could gain of each row: a thousandth nat changes no figure."""

CONSTANT = (
    "the model 'svr' found nothing in the inputs that explains the target in at least one fit, and predicted "
    "a constant there"
)
"""What is said of a fit that is no better than a constant."""

LANDMARKS = "there are many rows: kernels are centred on a random sample of them; all rows are fitted"
"""What is said where landmarks stand for rows."""

FEW_OF_A_CLASS = (
    "the rarest class has fewer rows than there are folds, so that some fits of the comparison never saw it: "
    "figures of this class mean little"
)
"""What is said where scikit-learn warns that a class has too few rows for the folds."""

GAIN = re.compile(r"could still gain (\S+) nats( per row)?")
"""How the fits of this library say what they could still gain."""


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
        The rows it was fitted to; of a large file those that are at hand: a sample, and the rows it keeps.
    pipeline
        Preparation of the inputs, and the estimator.
    n_fitted
        How many rows it was fitted to.
    relevance
        Positions among the training rows of the vectors that the estimator keeps, in its order.
    """

    schema: Schema
    classes: NDArray[Any]
    train: Part
    pipeline: Pipeline
    n_fitted: int
    relevance: Indices

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
        """Training rows that the model keeps, each once even if it has several widths."""
        return np.unique(self.relevance)

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


def fit_model(
    schema: Schema, estimator: Any, everything: Part, train: Part, device: str | None = None
) -> FittedModel:
    """Fit an estimator to the training rows; the classes are those of all rows."""
    classes = classes_of(schema, everything)
    model = pipeline(schema, estimator)
    with told_in_one_line():
        if device is None:
            fit_rows(model, train.X, train.y, train.weights)
        else:
            fit_on_device(estimator, np.asarray(model[:-1].fit_transform(train.X)), train.y, device)
    return FittedModel(schema, classes, train, model, len(train.y), positions(estimator))


def fit_to_file(
    schema: Schema,
    estimator: Any,
    everything: Part,
    train: Part,
    judging: Indices,
    file: WholeFile,
    settings: Settings,
    on_pass: Callable[[], None],
) -> FittedModel:
    """Fit an estimator to all rows of a file of which a sample is at hand.

    Parameters
    ----------
    everything, train
        The sample, and what of it may be fitted: inputs are prepared as these rows say.
    judging
        Numbers of the rows that are kept for judging.
    on_pass
        Called at every pass over all rows.
    """
    classes = classes_of(schema, everything)
    model = pipeline(schema, estimator)
    preparation = model[:-1].fit(train.X)
    with stored(file.parts(schema, classes, judging), preparation, file.place, on_pass) as blocks:
        with told_in_one_line():
            fit_to_blocks(estimator, blocks, settings)
        numbers = blocks.numbers_of(positions(estimator))
        n_fitted = sum(blocks.lengths)
    kept = file.rows(schema, classes, np.unique(numbers))
    train = joined([train, kept])
    return FittedModel(schema, classes, train, model, n_fitted, np.searchsorted(train.rows, numbers))


def fit_to_blocks(estimator: Any, blocks: StoredBlocks, settings: Settings) -> None:
    """Fit an estimator to stored rows, here, on a device, or where the workers of a cluster are."""
    if settings.device is not None:
        fit_on_device(estimator, *all_in_memory(blocks), settings.device)
    elif settings.dask is not None:
        with connected(settings.dask):
            estimator.fit(*as_dask(blocks))
    else:
        estimator.fit(blocks)


def classes_of(schema: Schema, everything: Part) -> NDArray[Any]:
    """Return the classes, sorted; nothing for numbers."""
    return np.unique(everything.y) if schema.task == "classification" else np.empty(0)


def positions(estimator: Any) -> Indices:
    """Return the positions of the vectors that a fitted estimator keeps, among the rows of its fit."""
    found = getattr(estimator, "relevance_", getattr(estimator, "support_", ()))
    return np.asarray(found, dtype=np.intp)


@contextmanager
def told_in_one_line() -> Iterator[None]:
    """Turn what an estimator refuses into one line."""
    try:
        yield
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"the model cannot be fitted: {str(error).splitlines()[0]}") from error


def tell_warnings(caught: Iterable[WarningMessage]) -> tuple[list[str], list[str]]:
    """Return what the user should know in plain words, and all warnings about fits for the record.

    Warnings between libraries (of deprecation and the like) are in neither. What has no plain words here is
    about the inside of a computation and goes to the record alone.
    """
    about = [each for each in caught if issubclass(each.category, UserWarning | RuntimeWarning)]
    messages = [" ".join(str(each.message).split()) for each in about]
    unsettled = [
        message
        for each, message in zip(about, messages, strict=True)
        if issubclass(each.category, ConvergenceWarning)
    ]
    notes = [unsettled_words(unsettled)] if unsettled else []
    if any(issubclass(each.category, ConstantFitWarning) for each in about):
        notes.append(CONSTANT)
    if any(issubclass(each.category, LandmarksWarning) for each in about):
        notes.append(LANDMARKS)
    if any("least populated class" in message for message in messages):
        notes.append(FEW_OF_A_CLASS)
    unreadable = [str(each.message) for each in about if issubclass(each.category, UnreadableWarning)]
    notes.extend(f"in the rows of --test, {message}" for message in dict.fromkeys(unreadable))
    return notes, list(dict.fromkeys(messages))


def unsettled_words(messages: list[str]) -> str:
    """Say that fits stopped before convergence, and whether that matters."""
    fits = "one fit" if len(messages) == 1 else f"{len(messages)} fits"
    start = f"{fits} stopped just short of convergence"
    if all(is_little(message) for message in messages):
        return f"{start}; predictions barely change"
    return f"{start}; predictions might still change. 'warnings' in metrics.json has the details"


def is_little(message: str) -> bool:
    """Whether a fit that stopped early says that it had little left to gain."""
    found = GAIN.search(message)
    if found is None:
        return False
    try:
        gain = float(found[1])
    except ValueError:
        return False
    return gain < (LITTLE_PER_ROW if found[2] else LITTLE)
