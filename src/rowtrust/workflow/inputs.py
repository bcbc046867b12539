"""What the inputs do: how much each matters, and how the prediction moves with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rowtrust.contracts import Array
from rowtrust.workflow.candidates import coded, predicted
from rowtrust.workflow.tables import Schema

SHUFFLES = 5
ROWS = 400
GRID = 41
CURVES = 4
MOST_INPUTS = 60
"""Inputs whose relevance is measured, in the order of the table."""


@dataclass(frozen=True)
class Relevance:
    """How much worse the log score of unseen rows gets, in nats per row, when an input is shuffled."""

    name: str
    mean: float
    deviation: float


@dataclass(frozen=True)
class Curve:
    """The average prediction as one input moves, the others staying as they are.

    ``band`` is the deviation of the rows' predictions around it.
    """

    name: str
    kind: str
    grid: list[Any]
    prediction: Array
    band: Array
    sample: Array


@dataclass(frozen=True)
class Surface:
    """The prediction over a plane through the inputs, and the rows projected onto it."""

    title: str
    caption: str
    names: tuple[str, str]
    first: Array
    second: Array
    prediction: Array
    rows: Array
    target: NDArray[Any]


Outcome = Callable[[Any], Array]


def relevances(
    schema: Schema, model: Any, X: pd.DataFrame, target: NDArray[Any], classes: NDArray[Any], seed: int
) -> list[Relevance]:
    """Return the relevance of every input, the largest first."""
    generator = np.random.default_rng(seed)
    rows = generator.choice(len(X), min(ROWS, len(X)), replace=False)
    X, target = X.iloc[rows], target[rows]
    base = log_score(model, X, target, classes)
    found = []
    for name in schema.names[:MOST_INPUTS]:
        drops = []
        for _ in range(SHUFFLES):
            shuffled = X.copy()
            shuffled[name] = X[name].to_numpy()[generator.permutation(len(X))]
            drops.append(base - log_score(model, shuffled, target, classes))
        found.append(Relevance(name, float(np.mean(drops)), float(np.std(drops))))
    return sorted(found, key=lambda each: -each.mean)


def log_score(model: Any, X: pd.DataFrame, target: NDArray[Any], classes: NDArray[Any]) -> float:
    """Return the mean log probability of the targets, each row's loss bounded at five nats.

    The bound keeps one wrong row from drowning what the others say.
    """
    prediction = predicted(model, X, classes)
    if isinstance(prediction, tuple):
        mean, deviation = prediction
        scores = -0.5 * ((target - mean) / deviation) ** 2 - np.log(deviation / deviation.mean())
        return float(np.maximum(scores, -5.0).mean())
    label = np.searchsorted(classes, target)
    return float(np.log(np.maximum(prediction[np.arange(len(label)), label], np.exp(-5.0))).mean())


def outcome_of(model: Any, classes: NDArray[Any]) -> Outcome:
    """Return the function that pictures show: the last class's probability, or the mean."""

    def outcome(X: Any) -> Array:
        prediction = predicted(model, X, classes)
        return np.asarray(prediction[0] if isinstance(prediction, tuple) else prediction[:, -1])

    return outcome


def curves(
    schema: Schema, outcome: Outcome, X: pd.DataFrame, ranking: list[Relevance], seed: int
) -> list[Curve]:
    """Return how the prediction moves with each of the most relevant inputs."""
    rows = np.random.default_rng(seed).choice(len(X), min(100, len(X)), replace=False)
    kinds = {column.name: column.kind for column in schema.inputs}
    return [curve(outcome, X.iloc[rows], X[each.name], kinds[each.name]) for each in ranking[:CURVES]]


def curve(outcome: Outcome, rows: pd.DataFrame, column: pd.Series[Any], kind: str) -> Curve:
    """Move one input over its range for all rows, and average."""
    grid = grid_of(column, kind)
    moved = pd.concat([rows] * len(grid), ignore_index=True)
    moved[str(column.name)] = np.repeat(np.array(grid, dtype=column.dtype), len(rows))
    values = outcome(moved).reshape(len(grid), len(rows))
    sample = column.dropna().to_numpy(dtype=float)[:300] if kind == "number" else np.empty(0)
    return Curve(str(column.name), kind, grid, values.mean(axis=1), values.std(axis=1), sample)


def grid_of(column: pd.Series[Any], kind: str) -> list[Any]:
    """Return places over the middle 96 % of a column of numbers, or the commonest categories."""
    if kind == "category":
        return list(column.value_counts().index[:12])
    low, high = np.nanpercentile(column, [2, 98])
    if not high > low:
        low, high = float(np.nanmin(column)), float(np.nanmax(column))
    return list(np.linspace(low, high, GRID))


def surface(
    schema: Schema, model: Any, X: pd.DataFrame, target: NDArray[Any], classes: NDArray[Any]
) -> Surface:
    """Return the prediction over two inputs if there are just two, else over the plane that shows most.

    That plane is spanned by the direction along which the prediction changes and, at a right angle to it, the
    one along which the rows spread most.
    """
    prepared = np.asarray(model[:-1].transform(X))
    names = [str(name).split("__")[-1] for name in model[:-1].get_feature_names_out()]
    outcome = outcome_of(model[-1], classes)
    plane = np.eye(2) if len(names) == 2 else telling_plane(prepared, outcome(prepared))
    places = (prepared - prepared.mean(axis=0)) @ plane.T
    first, second = (spread_over(column) for column in places.T)
    grid = np.column_stack([np.tile(first, GRID), np.repeat(second, GRID)])
    title = "over both inputs, scaled" if len(names) == 2 else "over the plane that shows most"
    return Surface(
        title=title,
        caption=caption_of(names, plane),
        names=(axis_name(names, plane[0]), axis_name(names, plane[1])),
        first=first,
        second=second,
        prediction=outcome(prepared.mean(axis=0) + grid @ plane).reshape(GRID, GRID),
        rows=places[:ROWS],
        target=coded(target, schema)[:ROWS],
    )


def telling_plane(prepared: Array, prediction: Array) -> Array:
    """Return two directions at a right angle, of length one."""
    centred = prepared - prepared.mean(axis=0)
    along = centred.T @ (prediction - prediction.mean())
    along /= max(float(np.linalg.norm(along)), 1e-300)
    rest = centred - np.outer(centred @ along, along)
    across = np.linalg.svd(rest[:2000], full_matrices=False)[2][0] if centred.shape[1] > 1 else 0.0 * along
    return np.vstack([along, across])


def axis_name(names: list[str], direction: Array) -> str:
    """Name a direction by the input that weighs most in it."""
    return names[int(np.abs(direction).argmax())] if direction.any() else ""


def caption_of(names: list[str], plane: Array) -> str:
    """Say which inputs weigh most in each direction."""
    if len(names) <= 2:
        return "Rows are training rows; inputs are in standard deviations."
    words = [
        ", ".join(f"{names[i]} ({direction[i]:+.2f})" for i in np.argsort(-np.abs(direction))[:3])
        for direction in plane
    ]
    return (
        "To the right the prediction changes most; upwards the rows spread most. In standard deviations; "
        f"heaviest to the right: {words[0]}; upwards: {words[1]}."
    )


def spread_over(column: Any) -> Array:
    """Return evenly spaced places over the middle 98 % of a column."""
    low, high = np.nanpercentile(column, [1, 99])
    return np.linspace(low, high if high > low else low + 1.0, GRID)
