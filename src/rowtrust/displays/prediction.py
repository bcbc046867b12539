"""What a regressor predicts along one input, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.stats import norm

from rowtrust.contracts import Array
from rowtrust.displays._base import Display
from rowtrust.displays._frames import (
    checked_resolution,
    checked_targets,
    name_of,
    numbers_of,
    position_of,
    refuse_absent_rows,
    replaced,
    typical,
)
from rowtrust.displays._machines import (
    checked_mask,
    flagged_of,
    inputs_of,
    is_vector,
    machine_of,
    vector_word,
)
from rowtrust.displays.looks import AXIS_LENGTH, checked_numbers, colours, short
from rowtrust.displays.marks import Mask, draw_rings, draw_squares, opacity_of, place_legend
from rowtrust.estimators import BayesianSVR

MARGIN = 0.04
"""How far the curve reaches beyond the rows on each side, as a share of their range; by eye."""

ONE_EACH = "Give one number for each x, or one number for all."
"""What predictions that are given must be."""

DARK, LIGHT = 0.4, 0.2
"""Opacity of the model's band, and of that of model and noise; by eye, on light and on dark paper."""


@dataclass(kw_only=True, eq=False, repr=False)
class PredictionDisplay(Display):
    """The predictive mean along one input, with the band of the model and that of model and noise.

    The dark band says where the function lies, the light one where a new target lies, each with probability
    ``level``. Rows are dots; relevance or support vectors are ringed, flagged rows are squared.

    Use :meth:`from_estimator` or :meth:`from_predictions` to create one.

    Parameters
    ----------
    x : ndarray of shape (n_points,)
        The input that varies.
    mean, function_std, noise_std : ndarrays of shape (n_points,)
        Predictive mean, and the standard deviations of function and noise.
    level : float, default=0.95
        Probability of the bands.
    lower, upper : ndarrays of shape (n_points,), default=None
        The interval of new targets; None draws that of a Gaussian with these deviations.
    rows : ndarray of shape (n_rows, 2), default=None
        Input and target of the rows to draw.
    vectors, flagged : ndarrays of bool of shape (n_rows,), default=None
        Rows to ring, and rows to square.
    vector_name : str, default="relevance vector"
        What the vectors are called.
    names : tuple of str, default=("input", "target")
        Of both axes.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.
    line_ : matplotlib Line2D
        The mean.
    function_band_, band_ : matplotlib collections
        Where the function lies, and where a new target lies.
    rings_, squares_ : matplotlib PathCollection, or None
        The marks; None where there is nothing to mark.
    legend_ : matplotlib Legend
        What names bands and marks.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust import RobustRVR
    >>> from rowtrust.displays import PredictionDisplay
    >>> generator = np.random.default_rng(0)
    >>> X = np.sort(generator.uniform(-10, 10, (60, 1)), axis=0)
    >>> y = np.sinc(X[:, 0] / np.pi) + 0.1 * generator.standard_normal(60)
    >>> display = PredictionDisplay.from_estimator(RobustRVR().fit(X, y), X, y, grid_resolution=50)
    >>> display.mean.shape
    (50,)
    >>> bool((display.lower < display.mean).all())
    True
    """

    size = (7.2, 4.2)

    x: Array
    mean: Array
    function_std: Array
    noise_std: Array
    level: float = 0.95
    lower: Array | None = None
    upper: Array | None = None
    rows: Array | None = None
    vectors: Mask | None = None
    flagged: Mask | None = None
    vector_name: str = "relevance vector"
    names: tuple[str, str] = ("input", "target")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        column: int | str = 0,
        level: float = 0.95,
        grid_resolution: int = 300,
        flagged: Any = None,
        legend: bool = True,
        ax: Any = None,
    ) -> Self:
        """Draw what a fitted regressor predicts along one input, the others at their medians.

        Other inputs that are no numbers are at their most frequent values.
        Where there are other inputs the rows have other values of them: dots need not lie within the bands.

        Parameters
        ----------
        estimator : regressor
            A fitted one of this library, or a pipeline or a search that ends with one.
        X : array-like of shape (n_rows, n_features)
            Rows: the input varies over their range.
        y : array-like of shape (n_rows,), default=None
            Their targets; None draws no rows.
        column : int or str, default=0
            Position of the input that varies, from the end where it is negative, or its name in a dataframe.
        level : float, default=0.95
            Probability of the bands.
        grid_resolution : int, default=300
            Points of the curve.
        flagged : "audit" or array-like of bool of shape (n_rows,), default=None
            Rows to square; "audit" asks :func:`rowtrust.find_wrong_rows`.
        legend : bool, default=True
            Whether to draw a legend, if there is something to name.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        PredictionDisplay
            The display.
        """
        refuse_absent_rows(X)
        rows, place = (X if hasattr(X, "shape") else np.asarray(X)), position_of(column, X)
        x = range_of(numbers_of(rows, place), checked_resolution(grid_resolution))
        points = replaced(typical(rows, len(x)), place, x)
        found = predictions_of(estimator, points, checked_level(level))
        if y is None and flagged is not None:
            raise ValueError("flagged rows are squared, and without y no rows are drawn. Give y.")
        dots = None if y is None else np.column_stack([numbers_of(rows, place), checked_targets(y, rows)])
        return cls(
            x=x,
            **found,
            level=level,
            rows=dots,
            vectors=None if dots is None else is_vector(estimator, rows),
            vector_name=vector_word(machine_of(estimator)),
            flagged=flagged_of(estimator, rows, y, flagged),
            names=(name_of(X, place), str(getattr(y, "name", None) or "target")),
        ).plot(ax, legend=legend)

    @classmethod
    def from_predictions(
        cls,
        x: Any,
        mean: Any,
        function_std: Any,
        noise_std: Any,
        *,
        level: float = 0.95,
        rows: Any = None,
        flagged: Any = None,
        legend: bool = True,
        ax: Any = None,
    ) -> Self:
        """Draw predictions.

        Parameters
        ----------
        x : array-like of shape (n_points,)
            The input that varies, in ascending order.
        mean, function_std, noise_std : array-like of shape (n_points,)
            Predictive mean, and the standard deviations of function and noise; one number stands for all.
        level : float, default=0.95
            Probability of the bands, taken to be Gaussian.
        rows : array-like of shape (n_rows, 2), default=None
            Input and target of rows to draw.
        flagged : array-like of bool of shape (n_rows,), default=None
            Rows to square.
        legend : bool, default=True
            Whether to draw a legend, if there is something to name.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        PredictionDisplay
            The display.
        """
        names = ("x", "mean", "function_std", "noise_std")
        given = [
            checked_numbers(each, name, ONE_EACH)
            for each, name in zip((x, mean, function_std, noise_std), names, strict=True)
        ]
        if given[0].ndim != 1 or any(each.shape not in ((), given[0].shape) for each in given[1:]):
            shapes = ", ".join(f"{name} {each.shape}" for name, each in zip(names, given, strict=True))
            raise ValueError(f"the shapes do not fit together: {shapes}. {ONE_EACH}")
        if (given[2] < 0.0).any() or (given[3] < 0.0).any():
            raise ValueError("function_std and noise_std are standard deviations, and cannot be negative.")
        places, middle, function, noise = np.broadcast_arrays(*given)
        half = deviations(checked_level(level)) * np.hypot(function, noise)
        numbers: dict[str, Any] = {"mean": middle, "function_std": function, "noise_std": noise}
        ends = {"lower": middle - half, "upper": middle + half}
        marked = checked_rows(rows, flagged)
        return cls(x=places, **numbers, **ends, level=level, **marked).plot(ax, legend=legend)

    def _draw(self, ax: Any) -> None:
        palette, share = colours(ax), f"{100.0 * self.level:g} %"
        half = deviations(self.level) * self.function_std
        fill: dict[str, Any] = {"color": palette.first, "linewidth": 0}
        whole = deviations(self.level) * np.hypot(self.function_std, self.noise_std)
        lower = self.mean - whole if self.lower is None else self.lower
        upper = self.mean + whole if self.upper is None else self.upper
        outer, inner = f"new target, {share}", f"function, {share}"
        self.band_ = ax.fill_between(self.x, lower, upper, alpha=opacity_of(LIGHT, ax), label=outer, **fill)
        self.function_band_ = ax.fill_between(
            self.x, self.mean - half, self.mean + half, alpha=opacity_of(DARK, ax), label=inner, **fill
        )
        (self.line_,) = ax.plot(self.x, self.mean, color=palette.first, linewidth=1.8, label="mean")
        self.rings_ = self.squares_ = None
        if self.rows is not None:
            self._draw_rows(ax, self.rows)
        across, up = (short(name, AXIS_LENGTH) for name in self.names)
        ax.set(xlabel=across, ylabel=up)
        ax.margins(x=0.0)
        self.legend_ = place_legend(ax)

    def _draw_rows(self, ax: Any, rows: Array) -> None:
        ax.scatter(*rows.T, s=12, color=colours(ax).ink, alpha=0.75, linewidths=0, label="row", zorder=3)
        if self.vectors is not None and self.vectors.any():
            self.rings_ = draw_rings(ax, rows[self.vectors], label=self.vector_name)
        if self.flagged is not None:
            self.squares_ = draw_squares(ax, rows, self.flagged)


def deviations(level: float) -> float:
    """Return how many deviations an interval of a Gaussian reaches to each side."""
    return float(norm.ppf(0.5 * (1.0 + level)))


def checked_level(level: float) -> float:
    """Return the probability of a band."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1, got {level!r}.")
    return level


def checked_rows(rows: Any, flagged: Any) -> dict[str, Any]:
    """Return rows to draw, and which of them are flagged."""
    if rows is None:
        if flagged is not None:
            raise ValueError("flagged rows are squared, and there are no rows. Give rows: input and target.")
        return {}
    dots = np.asarray(rows, dtype=float)
    if dots.ndim != 2 or dots.shape[1] != 2:
        raise ValueError(f"rows must have two columns, input and target; got shape {dots.shape}.")
    mask = None if flagged is None else checked_mask(flagged, len(dots), "flagged")
    return {"rows": dots, "flagged": mask}


def range_of(values: Array, resolution: int) -> Array:
    """Return numbers over the range of values, and a margin beyond it."""
    if not np.isfinite(values).any():
        raise ValueError("the input that varies has no numbers, and no range. Give rows that have some.")
    low, high = np.nanmin(values), np.nanmax(values)
    edge = MARGIN * (high - low if high > low else 1.0)
    return np.linspace(low - edge, high + edge, resolution)


def predictions_of(estimator: Any, points: Any, level: float) -> dict[str, Array]:
    """Return what a regressor of this library says of new targets at some points."""
    machine, inputs = machine_of(estimator), inputs_of(estimator, points)
    if not hasattr(machine, "predict_interval"):
        raise ValueError(
            f"{type(machine).__name__} does not tell function from noise. Draw regressors of this library, "
            "or give numbers to PredictionDisplay.from_predictions."
        )
    mean, std = machine.predict(inputs, return_std=True)
    if mean.ndim > 1:
        each = (
            "Draw one of them: estimators_[0], or another," if hasattr(machine, "estimators_") else "Fit one,"
        )
        raise ValueError(
            f"{mean.shape[1]} targets cannot be drawn as one. {each} or give the numbers of one to "
            "PredictionDisplay.from_predictions."
        )
    function = function_deviation(machine, inputs)
    noise = np.sqrt(np.maximum(std**2 - function**2, 0.0))
    half = deviations(level) * std
    lower, upper = mean - half, mean + half
    if isinstance(machine, BayesianSVR) or machine.predictive_model_.likelihood.is_location_scale:
        lower, upper = machine.predict_interval(inputs, coverage=level)
    moments = {"mean": mean, "function_std": function, "noise_std": noise}
    return {**moments, "lower": lower, "upper": upper}


def function_deviation(machine: Any, inputs: Any) -> Array:
    """Return the standard deviation of the function alone: that of new targets without their noise."""
    if isinstance(machine, BayesianSVR):
        return np.asarray(machine.predict(inputs, return_std="function")[1])
    model, rows = machine.fitted_.model, machine._validated(inputs)
    variance = model.likelihood.predict(*model.latent_moments(rows), 0.0).variance[:, 0]
    return np.asarray(np.sqrt(variance))
