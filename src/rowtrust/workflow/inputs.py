"""What the inputs do: how much each matters, and how the prediction moves with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rowtrust.contracts import Array
from rowtrust.workflow.fitting import FittedModel
from rowtrust.workflow.predictions import predict_rows
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

DRAWN_ROWS = 400
"""Rows that are drawn over a surface; readability of the picture."""

GRID = 41
"""Places along an axis of curves and surfaces; smooth to the eye."""

PLANE_ROWS = 2000
"""Rows from which the second direction of the plane is found; more take longer and turn it little."""

CURVE_TAILS = [2, 98]
"""Percentiles between which a curve is drawn: outliers would squeeze it. Readability of the picture."""

SURFACE_TAILS = [1, 99]
"""Percentiles between which a surface is drawn; readability of the picture."""

CAPTION_INPUTS = 3
"""Inputs that a caption names for a direction; readability."""


@dataclass(frozen=True)
class Importance:
    """Permutation importance of an input.

    How much worse the log score of unseen rows gets, in nats per row, when the input is shuffled.
    """

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


@dataclass(frozen=True)
class InputEffects:
    """What the inputs do: their importance, the largest first, curves of some, and a surface."""

    importances: list[Importance]
    curves: list[Curve]
    surface: Surface


def input_effects(model: FittedModel, unseen: Part, seed: int) -> InputEffects:
    """Return what the inputs do, by rows the model has not seen and by those it was fitted to."""
    ranking = importances(model, unseen, seed)
    return InputEffects(ranking, curves(model, ranking, seed), surface(model))


def importances(model: FittedModel, unseen: Part, seed: int) -> list[Importance]:
    """Return the importance of every input, the largest first."""
    generator = np.random.default_rng(seed)
    rows = unseen.take(generator.choice(len(unseen.y), min(SCORED_ROWS, len(unseen.y)), replace=False))
    base = log_score(model, rows.X, rows.y)
    found = []
    for name in model.schema.names[:MOST_INPUTS]:
        drops = []
        for _ in range(SHUFFLES):
            shuffled = rows.X.copy()
            shuffled[name] = generator.permutation(rows.X[name].to_numpy())
            drops.append(base - log_score(model, shuffled, rows.y))
        found.append(Importance(name, float(np.mean(drops)), float(np.std(drops))))
    return sorted(found, key=lambda each: -each.mean)


def log_score(model: FittedModel, X: pd.DataFrame, target: NDArray[Any]) -> float:
    """Return the mean log probability of the targets, each row's loss cut off at ``WORST_SCORE``."""
    prediction = model.predict(X)
    if isinstance(prediction, tuple):
        mean, deviation = prediction
        scores = -0.5 * ((target - mean) / deviation) ** 2 - np.log(deviation / deviation.mean())
        return float(np.maximum(scores, WORST_SCORE).mean())
    given = prediction[np.arange(len(target)), model.labels(target)]
    return float(np.log(np.maximum(given, np.exp(WORST_SCORE))).mean())


def outcome(model: Any, X: Any, classes: NDArray[Any]) -> Array:
    """Return what pictures show: the last class's probability, or the mean."""
    prediction = predict_rows(model, X, classes)
    return np.asarray(prediction[0] if isinstance(prediction, tuple) else prediction[:, -1])


def curves(model: FittedModel, ranking: list[Importance], seed: int) -> list[Curve]:
    """Return how the prediction moves with each of the most important inputs."""
    X = model.train.X
    rows = X.iloc[np.random.default_rng(seed).choice(len(X), min(CURVE_ROWS, len(X)), replace=False)]
    kinds = {column.name: column.kind for column in model.schema.inputs}
    return [curve(model, rows, X[each.name], kinds[each.name]) for each in ranking[:CURVES]]


def curve(model: FittedModel, rows: pd.DataFrame, column: pd.Series[Any], kind: str) -> Curve:
    """Move one input over its range for all rows, and average."""
    grid = grid_of(column, kind)
    moved = pd.concat([rows] * len(grid), ignore_index=True)
    moved[str(column.name)] = np.repeat(np.array(grid, dtype=column.dtype), len(rows))
    values = outcome(model.pipeline, moved, model.classes).reshape(len(grid), len(rows))
    sample = column.dropna().to_numpy(dtype=float)[:MARKED_ROWS] if kind == "number" else np.empty(0)
    return Curve(str(column.name), kind, grid, values.mean(axis=1), values.std(axis=1), sample)


def grid_of(column: pd.Series[Any], kind: str) -> list[Any]:
    """Return places over the middle 96 % of a column of numbers, or the commonest categories."""
    if kind == "category":
        return list(column.value_counts().index[:SHOWN_CATEGORIES])
    low, high = np.nanpercentile(column, CURVE_TAILS)
    if not high > low:
        low, high = float(np.nanmin(column)), float(np.nanmax(column))
    return list(np.linspace(low, high, GRID))


def surface(model: FittedModel) -> Surface:
    """Return the prediction over two inputs if there are just two, else over the plane that shows most.

    That plane is spanned by the direction along which the prediction changes and, at a right angle to it, the
    one along which the rows spread most.
    """
    prepared = model.prepared
    centre = prepared.mean(axis=0)
    names = [str(name).split("__")[-1] for name in model.pipeline[:-1].get_feature_names_out()]
    both = len(names) == 2
    plane = np.eye(2)
    if not both:
        plane = telling_plane(prepared, outcome(model.estimator, prepared, model.classes))
    places = (prepared - centre) @ plane.T
    first, second = (spread_over(column) for column in places.T)
    grid = np.column_stack([np.tile(first, GRID), np.repeat(second, GRID)])
    prediction = outcome(model.estimator, centre + grid @ plane, model.classes)
    y = model.train.y
    return Surface(
        title="over both inputs, scaled" if both else "over the plane that shows most",
        caption=caption_of(names, plane),
        names=(axis_name(names, plane[0]), axis_name(names, plane[1])),
        first=first,
        second=second,
        prediction=prediction.reshape(GRID, GRID),
        rows=places[:DRAWN_ROWS],
        target=(model.labels(y) if model.task == "classification" else y)[:DRAWN_ROWS],
    )


def telling_plane(prepared: Array, prediction: Array) -> Array:
    """Return two directions at a right angle, of length one."""
    centred = prepared - prepared.mean(axis=0)
    along = centred.T @ (prediction - prediction.mean())
    along /= max(float(np.linalg.norm(along)), 1e-300)
    rest = centred - np.outer(centred @ along, along)
    across = np.zeros_like(along)
    if len(along) > 1:
        across = np.linalg.svd(rest[:PLANE_ROWS], full_matrices=False)[2][0]
    return np.vstack([along, across])


def axis_name(names: list[str], direction: Array) -> str:
    """Name a direction by the input that weighs most in it."""
    return names[int(np.abs(direction).argmax())] if direction.any() else ""


def caption_of(names: list[str], plane: Array) -> str:
    """Say which inputs weigh most in each direction."""
    if len(names) <= 2:
        return "Rows are training rows; inputs are in standard deviations."
    words = []
    for direction in plane:
        heaviest = np.argsort(-np.abs(direction))[:CAPTION_INPUTS]
        words.append(", ".join(f"{names[i]} ({direction[i]:+.2f})" for i in heaviest))
    return (
        "To the right the prediction changes most; upwards the rows spread most. In standard deviations; "
        f"heaviest to the right: {words[0]}; upwards: {words[1]}."
    )


def spread_over(column: Any) -> Array:
    """Return evenly spaced places over the middle 98 % of a column."""
    low, high = np.nanpercentile(column, SURFACE_TAILS)
    return np.linspace(low, high if high > low else low + 1.0, GRID)
