"""How far a single row can move a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_consistent_length, column_or_1d

from rowtrust.contracts import Array
from rowtrust.displays._base import Display
from rowtrust.displays._frames import (
    dense,
    is_pandas,
    is_polars,
    name_of,
    numbers_of,
    position_of,
    refuse_absent_rows,
    replaced,
)
from rowtrust.displays.looks import (
    AXIS_LENGTH,
    checked_numbers,
    colours,
    curve_look,
    curves_in,
    free_places,
    in_legend,
    short,
)
from rowtrust.displays.marks import named_once

PLACES = 21
"""Values that a row is moved to unless they are given: enough to see a bend, few enough to wait for as many
fits."""

REACH = 1.0
"""How far beyond the data these go, in ranges of the data: as far out as a typing error of interest. By
eye."""


@dataclass(kw_only=True, eq=False, repr=False)
class SensitivityDisplay(Display):
    """How far a fit moves as one row is moved: Tukey's sensitivity curve.

    A curve that levels off, or comes back to zero, belongs to a fit that a single wrong row cannot spoil.
    To compare estimators, draw them into the same axes. It is recommended to use
    :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        Where the row is moved to.
    change : ndarray of shape (n_values,)
        How far the fit moves: the mean absolute change of what it predicts for the other rows.
    at : float, default=None
        Where the row is in the data.
    label : str, default=None
        Name of the curve.
    xlabel : str, default="value of the row"
        What is moved.
    ylabel : str, default="mean change of predictions"
        What changes.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.
    line_ : matplotlib Line2D
        The curve.

    Examples
    --------
    >>> import numpy as np
    >>> from rowtrust import RVR, RobustRVR
    >>> from rowtrust.displays import SensitivityDisplay
    >>> X = np.linspace(0.0, 6.0, 30)[:, None]
    >>> y = np.sin(X[:, 0])
    >>> far = [0.0, 5.0]
    >>> plain = SensitivityDisplay.from_estimator(RVR(gamma=0.5), X, y, row=12, values=far)
    >>> robust = SensitivityDisplay.from_estimator(
    ...     RobustRVR(gamma=0.5), X, y, row=12, values=far, ax=plain.ax_
    ... )
    >>> bool(robust.change[1] < plain.change[1])
    True
    """

    values: Array
    change: Array
    at: float | None = None
    label: str | None = None
    xlabel: str = "value of the row"
    ylabel: str = "mean change of predictions"

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        row: int,
        values: ArrayLike | None = None,
        column: int | str | None = None,
        label: str | None = None,
        legend: bool = True,
        ax: Any = None,
    ) -> Self:
        """Fit an estimator again for every place of a row, and draw how far it moves.

        The change is that from a fit without the row, on the other rows: of probabilities for classifiers,
        of predictions for regressors. The estimator given is not fitted; copies of it are.

        Parameters
        ----------
        estimator : estimator
            Any classifier with ``predict_proba``, or any regressor, fitted or not.
        X : array-like of shape (n_samples, n_features)
            The inputs.
        y : array-like of shape (n_samples,)
            The targets.
        row : int
            Which row is moved.
        values : array-like, default=None
            Where to; None: 21 places, from one range of the data below them to one range above.
        column : int or str, default=None
            Along which input, by its name in a dataframe or its position; None: along the target, for
            regressors.
        label : str, default=None
            Name of the curve; None: the estimator's class.
        legend : bool, default=True
            Whether to draw a legend, if there is something to name.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        SensitivityDisplay
            The display.
        """
        moved = MovedRow(estimator, X, y, row, column)
        places = default_values(moved.along) if values is None else checked_values(values)
        return cls(
            values=places,
            change=moved.changes(places),
            at=float(moved.along[row]),
            label=type(estimator).__name__ if label is None else label,
            xlabel=f"{moved.name} of row {row}",
            ylabel=f"mean change of {'probabilities' if is_classifier(estimator) else 'predictions'}",
        ).plot(ax, legend=legend)

    @classmethod
    def from_predictions(
        cls,
        values: ArrayLike,
        change: ArrayLike,
        *,
        at: float | None = None,
        label: str | None = None,
        legend: bool = True,
        ax: Any = None,
    ) -> Self:
        """Draw changes that you have already.

        Parameters
        ----------
        values : array-like of shape (n_values,)
            Where the row is moved to.
        change : array-like of shape (n_values,)
            How far the fit moves.
        at : float, default=None
            Where the row is in the data.
        label : str, default=None
            Name of the curve.
        legend : bool, default=True
            Whether to draw a legend, if there is something to name.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        SensitivityDisplay
            The display.
        """
        places = checked_values(values)
        changes = checked_numbers(change, "change", "Give how far the fit moves with each value.")
        if places.shape != changes.shape:
            raise ValueError(
                f"values and change have the shapes {places.shape} and {changes.shape}: give as many of each."
            )
        return cls(values=places, change=changes, at=at, label=label).plot(ax, legend=legend)

    def _draw(self, ax: Any) -> None:
        palette, there = colours(ax), curves_in(ax)
        (place,) = free_places(ax, 1)
        look = curve_look(ax, place) | {"markersize": 4.5, "linewidth": 1.8}
        label = f"curve {place}" if self.label is None else in_legend(self.label)
        (self.line_,) = ax.plot(self.values, self.change, label=label, **look)
        if self.at is not None and not there:
            ax.axvline(self.at, color=palette.grid, linewidth=1.0, linestyle=":", zorder=1)
            words = {"xytext": (3, -3), "textcoords": "offset points", "va": "top", "fontsize": "small"}
            ax.annotate(
                "as it is", (self.at, 1.0), xycoords=ax.get_xaxis_transform(), color=palette.muted, **words
            )
        ax.set(xlabel=short(self.xlabel, AXIS_LENGTH), ylabel=self.ylabel)
        highest = max(float(np.max(line.get_ydata())) for line in (*there, self.line_))
        ax.set_ylim(0.0, 1.12 * highest or 1.0)
        if there:
            ax.legend(handles=named_once(ax), frameon=False)


class MovedRow:
    """Fits with one row moved, compared with the fit without it."""

    def __init__(self, estimator: Any, X: Any, y: ArrayLike, row: int, column: int | str | None) -> None:
        self.estimator, self.row = estimator, row
        refuse_absent_rows(X)
        self.X, self.y = X if is_pandas(X) or is_polars(X) else as_array(X), column_or_1d(y)
        check_consistent_length(self.X, self.y)
        check(estimator, self.y, row, column)
        self.column = None if column is None else position_of(column, self.X)
        self.name = "target" if self.column is None else name_of(self.X, self.column)
        moving = self.y if self.column is None else numbers_of(self.X, self.column)
        self.along = np.asarray(moving, dtype=float)
        others = np.delete(np.arange(len(self.y)), row)
        self.others = _safe_indexing(self.X, others)
        self.without = self._answers(self.others, self.y[others])

    def changes(self, values: Array) -> Array:
        """Return how far the fit moves with each value."""
        return np.array([self._change(value) for value in values])

    def _change(self, value: float) -> float:
        along = self.along.copy()
        along[self.row] = value
        given = (self.X, along) if self.column is None else (replaced(self.X, self.column, along), self.y)
        differences = np.abs(self._answers(*given) - self.without)
        # Half of the sum over classes: of two classes it is the change of the probability of either.
        return float(np.mean(differences if differences.ndim == 1 else 0.5 * differences.sum(axis=1)))

    def _answers(self, X: Any, y: Any) -> Array:
        """Fit to some rows, and return what is said of the others."""
        model = clone(self.estimator).fit(X, y)
        answers = model.predict_proba if is_classifier(model) else model.predict
        return np.asarray(answers(self.others), dtype=float)


def check(estimator: Any, y: Any, row: int, column: int | str | None) -> None:
    """Raise ValueError for what has no curve."""
    name = type(estimator).__name__
    if not 0 <= row < len(y):
        raise ValueError(f"row must lie between 0 and {len(y) - 1}, got {row}.")
    if not is_classifier(estimator):
        return
    if column is None:
        raise ValueError(
            f"{name} is a classifier, whose target cannot be moved. Name an input, such as column=0."
        )
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(f"{name} has no predict_proba, whose change would be drawn.")
    if np.sum(y == y[row]) == 1:
        raise ValueError(f"Row {row} is the only one of its class; move another row.")


def as_array(X: Any) -> Any:
    """Return rows as an array that can be changed; of sparse ones all numbers."""
    return dense(X) if issparse(X) else np.asarray(X)


def checked_values(values: ArrayLike) -> Array:
    """Return the places that a row is moved to."""
    found = checked_numbers(values, "values", "Give the places that the row is moved to.")
    found = np.atleast_1d(found)
    if found.ndim != 1 or not len(found):
        raise ValueError(f"values must hold one number per place; got an array of shape {found.shape}.")
    return np.asarray(found)


def default_values(along: Array) -> Array:
    """Return places from one range of the data below them to one range above."""
    low, high = float(np.nanmin(along)), float(np.nanmax(along))
    reach = REACH * ((high - low) or 1.0)
    return np.linspace(low - reach, high + reach, PLACES)
