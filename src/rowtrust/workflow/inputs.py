"""What the inputs do: how much each matters, and how the prediction moves with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rowtrust.contracts import Array, Indices
from rowtrust.workflow.fitting import FittedModel
from rowtrust.workflow.predictions import Prediction
from rowtrust.workflow.quality.per_class import positive_class
from rowtrust.workflow.records import Part

SHUFFLES = 5
"""Times that each input is shuffled: enough for a deviation. Scikit-learn's default, too."""

SCORED_ROWS = 400
"""Rows on which importance is measured; more take longer and change the ranking little."""

MOST_INPUTS = 60
"""Inputs whose importance is measured, in the order of the table; a guard for wide tables."""

WORST_SCORE = -5.0
"""Nats at which the loss of one row is cut off, so that a wrong row does not drown the others."""

CURVES = 4
"""Inputs whose curves are drawn; readability of the page."""

CURVE_ROWS = 100
"""Rows over which a curve is averaged; more take longer and move it little."""

MARKED_ROWS = 300
"""Rows that are marked below a curve; readability of the picture."""

SHOWN_CATEGORIES = 12
"""Categories that a picture has bars for; readability of the picture."""

MOST_STEPS = 10
"""Different whole numbers up to which an input is drawn as dots, not as a line; readability."""

FEW_STEPS = 5
"""Different numbers of any kind up to which an input is drawn as dots; readability."""

MOST_LINES = 4
"""Classes that a picture has a line for, the commonest; readability of the picture."""

MOST_REGIONS = 6
"""Classes up to which a plane is coloured by the most probable one; the page has so many colours."""

DRAWN_ROWS = 400
"""Rows that are drawn over a surface; readability of the picture."""

GRID = 41
"""Places along an axis of curves and surfaces; smooth to the eye."""

CURVE_TAILS = [2, 98]
"""Percentiles between which a curve is drawn: outliers would squeeze it. Readability of the picture."""

SURFACE_TAILS = [1, 99]
"""Percentiles between which a surface is drawn; readability of the picture."""


@dataclass(frozen=True)
class Importance:
    """Permutation importance of an input: how much worse unseen rows are predicted when it is shuffled.

    Attributes
    ----------
    name
        Of the input.
    mean, deviation
        For classes the loss of accuracy, as a share of the rows; for numbers the gain of the RMSE, in units
        of the target. Mean and deviation over the shuffles.
    score
        The loss of log score in nats per row. It ranks inputs whose shuffling moves the mean alike.
    """

    name: str
    mean: float
    deviation: float
    score: float = 0.0


@dataclass(frozen=True)
class Curve:
    """The average prediction as one input moves, the others staying as they are.

    Attributes
    ----------
    name
        Of the input.
    kind
        "number", "steps" for a few whole numbers or two values, "category" or "date".
    grid
        Values of the input.
    outcomes
        What is predicted: the names of classes whose probabilities are meant, or of the target.
    prediction, band : (values, outcomes)
        The average, and the deviation of the rows' predictions around it.
    sample
        Where training rows lie, for numbers and dates.
    """

    name: str
    kind: str
    grid: list[Any]
    outcomes: tuple[str, ...]
    prediction: Array
    band: Array
    sample: NDArray[Any]


@dataclass(frozen=True)
class Surface:
    """The prediction over the plane of the only two inputs, both numbers, and training rows in it.

    Attributes
    ----------
    names
        Of the two inputs, whose units the axes have.
    first, second : (GRID,)
        Places along the axes.
    outcomes
        Names of the classes, or of the target.
    prediction : (GRID, GRID, outcomes)
        At ``first`` along the second axis of the array and ``second`` along the first.
    rows : (n, 2)
        Training rows.
    target : (n,)
        Their classes by number, or their targets.
    """

    names: tuple[str, str]
    first: Array
    second: Array
    outcomes: tuple[str, ...]
    prediction: Array
    rows: Array
    target: NDArray[Any]


@dataclass(frozen=True)
class InputEffects:
    """What the inputs do: their importance, the largest first, curves of some, and a surface of just two."""

    importances: list[Importance]
    curves: list[Curve]
    surface: Surface | None


def input_effects(model: FittedModel, unseen: Part, seed: int) -> InputEffects:
    """Return what the inputs do, by rows the model has not seen and by those it was fitted to."""
    ranking = importances(model, unseen, seed)
    return InputEffects(ranking, curves(model, ranking, seed), surface(model, seed))


def importances(model: FittedModel, unseen: Part, seed: int) -> list[Importance]:
    """Return the importance of every input, the largest first."""
    generator = np.random.default_rng(seed)
    rows = unseen.take(generator.choice(len(unseen.y), min(SCORED_ROWS, len(unseen.y)), replace=False))
    prediction = model.predict(rows.X)
    base = np.array([error(model, prediction, rows.y), -log_score(model, prediction, rows.y)])
    found = []
    shuffled = pd.concat(
        [rows.X] * SHUFFLES, ignore_index=True
    )  # a table of many columns takes as long as five
    for name in model.schema.names[:MOST_INPUTS]:
        as_given = shuffled[name]
        places = [generator.permutation(len(rows.y)) for _ in range(SHUFFLES)]
        shuffled[name] = rows.X[name].iloc[np.concatenate(places)].to_numpy()
        losses = [
            [error(model, prediction, rows.y), -log_score(model, prediction, rows.y)]
            for prediction in in_parts(model.predict(shuffled), SHUFFLES)
        ]
        shuffled[name] = as_given
        mean, score = np.mean(losses, axis=0) - base
        found.append(Importance(name, float(mean), float(np.std(losses, axis=0)[0]), float(score)))
    return sorted(found, key=lambda each: (-each.mean, -each.score))


def in_parts(prediction: Prediction, n_parts: int) -> list[Prediction]:
    """Return the predictions of tables of one length that were put below each other."""
    if isinstance(prediction, tuple):
        mean, deviation = (np.split(each, n_parts) for each in prediction)
        return list(zip(mean, deviation, strict=True))
    return list(np.split(prediction, n_parts))


def error(model: FittedModel, prediction: Prediction, target: NDArray[Any]) -> float:
    """Return the share of rows whose most probable class is another one, or the RMSE."""
    if isinstance(prediction, tuple):
        return float(np.sqrt(np.mean((target - prediction[0]) ** 2)))
    return float(np.mean(prediction.argmax(axis=1) != model.labels(target)))


def log_score(model: FittedModel, prediction: Prediction, target: NDArray[Any]) -> float:
    """Return the mean log probability of the targets, each row's loss cut off at ``WORST_SCORE``."""
    if isinstance(prediction, tuple):
        mean, deviation = prediction
        scores = -0.5 * ((target - mean) / deviation) ** 2 - np.log(deviation / deviation.mean())
        return float(np.maximum(scores, WORST_SCORE).mean())
    given = prediction[np.arange(len(target)), model.labels(target)]
    return float(np.log(np.maximum(given, np.exp(WORST_SCORE))).mean())


def shown_classes(model: FittedModel) -> Indices:
    """Return which classes pictures show: the positive one of two, else the commonest few, in their order."""
    counts = np.bincount(model.labels(model.train.y), minlength=len(model.classes))
    positive = positive_class(model.classes, counts)
    if positive is not None:
        return np.array([positive])
    return np.sort(np.argsort(-counts, kind="stable")[:MOST_LINES])


def outcomes(model: FittedModel, X: Any, which: Indices) -> Array:
    """Return what pictures show of rows, of shape (n, outcomes): probabilities of classes, or the mean."""
    prediction = model.predict(X)
    return prediction[0][:, None] if isinstance(prediction, tuple) else prediction[:, which]


def outcome_names(model: FittedModel, which: Indices) -> tuple[str, ...]:
    """Name what pictures show."""
    if model.task == "regression":
        return (model.schema.target,)
    return tuple(str(name) for name in model.classes[which])


def curves(model: FittedModel, ranking: list[Importance], seed: int) -> list[Curve]:
    """Return how the prediction moves with each of the most important inputs."""
    X = model.train.X
    rows = X.iloc[np.random.default_rng(seed).choice(len(X), min(CURVE_ROWS, len(X)), replace=False)]
    kinds = {column.name: column.kind for column in model.schema.inputs}
    ranking = [each for each in ranking if X[each.name].notna().any()]
    which = shown_classes(model) if model.task == "classification" else np.empty(0, dtype=np.intp)
    return [curve(model, rows, X[each.name], kinds[each.name], which) for each in ranking[:CURVES]]


def curve(model: FittedModel, rows: pd.DataFrame, column: pd.Series[Any], kind: str, which: Indices) -> Curve:
    """Move one input over its range for all rows, and average."""
    kind = drawn_kind(column, kind)
    grid = grid_of(column, kind)
    moved = pd.concat([rows] * len(grid), ignore_index=True)
    moved[column.name] = np.repeat(np.array(grid, dtype=column.dtype), len(rows))
    names = outcome_names(model, which)
    values = outcomes(model, moved, which).reshape(len(grid), len(rows), len(names))
    sample = column.dropna().to_numpy()[:MARKED_ROWS] if kind in ("number", "date") else np.empty(0)
    if kind == "date":
        grid, sample = list(as_dates(grid)), as_dates(sample)
    return Curve(str(column.name), kind, grid, names, values.mean(axis=1), values.std(axis=1), sample)


def drawn_kind(column: pd.Series[Any], kind: str) -> str:
    """Return how a column is drawn: by its kind in the table, and for numbers by how many there are."""
    if kind == "date":
        return "date"
    if kind == "category" or not pd.api.types.is_numeric_dtype(column):
        return "category"
    values = column.dropna().unique()
    few_whole = len(values) <= MOST_STEPS and bool(np.all(np.mod(values, 1) == 0))
    return "steps" if few_whole or len(values) <= FEW_STEPS else "number"


def as_dates(days: Any) -> NDArray[np.datetime64]:
    """Return days since the start of 1970, as columns of dates have them, as dates."""
    return (86_400 * np.asarray(days, dtype=float)).round().astype("datetime64[s]")


def grid_of(column: pd.Series[Any], kind: str) -> list[Any]:
    """Return places over the middle 96 % of a column, all values of a few, or the commonest categories."""
    if kind == "category":
        return list(column.value_counts().index[:SHOWN_CATEGORIES])
    if kind == "steps":
        return sorted(column.dropna().unique())
    low, high = np.nanpercentile(column, CURVE_TAILS)
    if not high > low:
        low, high = float(np.nanmin(column)), float(np.nanmax(column))
    return list(np.linspace(low, high, GRID))


def surface(model: FittedModel, seed: int) -> Surface | None:
    """Return the prediction over the plane of two numbers, if these are the only inputs; else nothing."""
    X, which = model.train.X, np.arange(len(model.classes))
    names = model.schema.names
    kinds = {column.name: column.kind for column in model.schema.inputs}
    plane = [str(name) for name in names if drawn_kind(X[name], kinds[name]) == "number"]
    if len(names) != 2 or len(plane) != 2 or len(which) > MOST_REGIONS:
        return None
    first, second = (spread_over(X[name]) for name in plane)
    places = [np.tile(first, GRID), np.repeat(second, GRID)]
    grid = pd.DataFrame(dict(zip(plane, places, strict=True)))[names]
    outcome = outcome_names(model, which)
    known = np.flatnonzero(X.notna().all(axis=1))
    drawn = np.random.default_rng(seed).permutation(known)[:DRAWN_ROWS]
    y = model.train.y[drawn]
    return Surface(
        names=(plane[0], plane[1]),
        first=first,
        second=second,
        outcomes=outcome,
        prediction=outcomes(model, grid, which).reshape(GRID, GRID, len(outcome)),
        rows=X[plane].to_numpy(dtype=float)[drawn],
        target=model.labels(y) if model.task == "classification" else y,
    )


def spread_over(column: Any) -> Array:
    """Return evenly spaced places over the middle 98 % of a column."""
    low, high = np.nanpercentile(column, SURFACE_TAILS)
    return np.linspace(low, high if high > low else low + 1.0, GRID)
