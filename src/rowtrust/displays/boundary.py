"""Decision boundaries in the plane of two inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.lines import Line2D
from numpy.typing import NDArray
from sklearn.base import is_classifier

from rowtrust.contracts import Array
from rowtrust.displays._base import Display
from rowtrust.displays._frames import checked_labels, dense, framed_like, name_of
from rowtrust.displays._machines import checked_mask, drawn_vectors, flagged_of, machine_of, vector_word
from rowtrust.displays.looks import AXIS_LENGTH, checked_numbers, colours, short
from rowtrust.displays.marks import (
    Mask,
    draw_borders,
    draw_crosses,
    draw_level,
    draw_rings,
    draw_rows,
    draw_shades,
    draw_squares,
    place_legend,
    plane_around,
)

QUARTERS = (0.25, 0.75)
"""Probabilities of the second of two classes at which thin lines are drawn: odds of one to three."""


GRID = "Make the grid by numpy.meshgrid, and give a response for each of its points."
"""How grids are made, for those whose numbers do not fit together."""

TIE = 1e-9
"""Share of the largest response by which a class may lag and still be named: rounding breaks ties."""


@dataclass(kw_only=True, eq=False, repr=False)
class BoundaryDisplay(Display):
    """A classifier's boundary in the plane of two inputs, with rows, vectors and flagged rows.

    Regions have the colour of the class that ``predict`` names, stronger where it leads by more. Where that
    is not the most probable class everywhere, as with a threshold of one's own, regions are of one strength,
    since probabilities do not say how far they reach. Of two classes dotted lines are where the probability
    is 0.25 and 0.75. Relevance or support vectors are ringed, flagged rows are
    squared, and rows that are known to be wrong are crossed.

    Use :meth:`from_estimator` or :meth:`from_predictions` to create one.

    Parameters
    ----------
    across, up : ndarrays of shape (n, m)
        The grid: first and second input.
    response : ndarray of shape (n, m, n_classes)
        Probabilities of the classes, or any numbers of which the largest leads.
    classes : ndarray of shape (n_classes,)
        The labels.
    is_probability : bool, default=True
        Whether ``response`` holds probabilities.
    X : ndarray of shape (n_rows, 2), default=None
        Rows to draw.
    y : ndarray of shape (n_rows,), default=None
        Their labels; without them rows are grey.
    vectors : ndarray of shape (n_vectors, 2), default=None
        Inputs to ring.
    vector_name : str, default="relevance vector"
        What they are called.
    flagged, wrong : ndarrays of bool of shape (n_rows,), default=None
        Rows to square, and rows to cross.
    names : list of str, default=None
        Of both inputs.
    named : ndarray of int of shape (n, m), default=None
        Position among the classes of the one that is named; None: the one with the largest response.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.
    rings_, squares_, crosses_ : matplotlib PathCollection, or None
        The marks; None where there is nothing to mark.
    legend_ : matplotlib Legend, or None
        What names the marks.

    Examples
    --------
    >>> from rowtrust import RobustRVC
    >>> from rowtrust.datasets import make_ripley
    >>> from rowtrust.displays import BoundaryDisplay
    >>> X, y = make_ripley(100, random_state=0)
    >>> model = RobustRVC().fit(X, y)
    >>> display = BoundaryDisplay.from_estimator(model, X, y, flagged="audit", grid_resolution=40)
    >>> display.response.shape
    (40, 40, 2)
    >>> len(display.vectors) == len(model.relevance_)
    True
    """

    size = (6.6, 4.4)

    across: Array
    up: Array
    response: Array
    classes: NDArray[Any]
    is_probability: bool = True
    X: Array | None = None
    y: NDArray[Any] | None = None
    vectors: Array | None = None
    vector_name: str = "relevance vector"
    flagged: Mask | None = None
    wrong: Mask | None = None
    names: list[str] | None = None
    named: NDArray[np.intp] | None = None

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        flagged: Any = None,
        wrong: Any = None,
        grid_resolution: int = 160,
        margin: float = 0.12,
        legend: bool = True,
        ax: Any = None,
    ) -> Self:
        """Draw the boundary of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
            Fitted to two inputs; one of this library, of scikit-learn, a pipeline, or a search.
        X : array-like of shape (n_rows, 2)
            Rows to draw; the names of a dataframe's columns are written beside the axes.
        y : array-like of shape (n_rows,), default=None
            Their labels, each of them one of the classes.
        flagged : "audit" or array-like of bool of shape (n_rows,), default=None
            Rows to square; "audit" asks :func:`rowtrust.find_wrong_rows`.
        wrong : array-like of bool of shape (n_rows,), default=None
            Rows that are known to be wrong, to be crossed.
        grid_resolution : int, default=160
            Points of the grid along each side.
        margin : float, default=0.12
            How far the plane reaches beyond the rows, as a share of their range.
        legend : bool, default=True
            Whether to draw a legend, if there is something to name.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        BoundaryDisplay
            The display.
        """
        machine = machine_of(estimator)
        if not is_classifier(estimator):
            raise ValueError(
                f"{type(machine).__name__} is not a classifier. Use PredictionDisplay for regressors."
            )
        rows, classes = two_columns(X), known_classes(estimator)
        labels = None if y is None else checked_labels(y, rows, classes)
        across, up, points = plane_around(rows, margin, grid_resolution)
        response, is_probability, named = response_of(estimator, framed_like(X, points))
        return cls(
            across=across,
            up=up,
            response=response.reshape(*across.shape, -1),
            classes=classes,
            is_probability=is_probability,
            X=rows,
            y=labels,
            vectors=drawn_vectors(estimator, X, rows),
            vector_name=vector_word(machine),
            flagged=flagged_of(estimator, X, y, flagged),
            wrong=None if wrong is None else checked_mask(wrong, len(rows), "wrong"),
            names=[name_of(X, 0), name_of(X, 1)],
            named=None if named is None else named.reshape(across.shape),
        ).plot(ax, legend=legend)

    @classmethod
    def from_predictions(
        cls,
        across: Any,
        up: Any,
        response: Any,
        *,
        classes: Any = None,
        is_probability: bool = True,
        X: Any = None,
        y: Any = None,
        vectors: Any = None,
        flagged: Any = None,
        wrong: Any = None,
        legend: bool = True,
        ax: Any = None,
    ) -> Self:
        """Draw a boundary from probabilities, or decision values, on a grid.

        Parameters
        ----------
        across, up : ndarrays of shape (n, m)
            First and second input, as ``numpy.meshgrid`` makes them.
        response : ndarray of shape (n, m) or (n, m, n_classes)
            Probability of the second of two classes, or of every class. Of decision values the second of two
            classes has the positive ones; of one value per class the largest leads.
        classes : array-like of shape (n_classes,), default=None
            The labels; None numbers them from 0.
        is_probability : bool, default=True
            Whether the response is probability; False: decision values.
        X : array-like of shape (n_rows, 2), default=None
            Rows to draw.
        y : array-like of shape (n_rows,), default=None
            Their labels.
        vectors : array-like of shape (n_vectors, 2), default=None
            Inputs to ring.
        flagged, wrong : array-like of bool of shape (n_rows,), default=None
            Rows to square, and rows to cross.
        legend : bool, default=True
            Whether to draw a legend, if there is something to name.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        BoundaryDisplay
            The display.
        """
        plane = [checked_numbers(each, name, GRID) for each, name in ((across, "across"), (up, "up"))]
        found = checked_response(response, plane, is_probability)
        labels = np.arange(found.shape[-1]) if classes is None else np.asarray(classes)
        if labels.shape != found.shape[-1:]:
            raise ValueError(f"response is of {found.shape[-1]} classes; classes has {len(labels)} labels.")
        if X is None and any(each is not None for each in (y, flagged, wrong)):
            raise ValueError("y, flagged and wrong are of rows. Give the rows: X.")
        rows = None if X is None else two_columns(X)
        count = 0 if rows is None else len(rows)
        return cls(
            across=plane[0],
            up=plane[1],
            response=found,
            classes=labels,
            is_probability=is_probability,
            X=rows,
            y=None if y is None else checked_labels(y, rows, labels),
            vectors=None if vectors is None else two_columns(vectors),
            flagged=None if flagged is None else checked_mask(flagged, count, "flagged"),
            wrong=None if wrong is None else checked_mask(wrong, count, "wrong"),
            names=[name_of(X, 0), name_of(X, 1)],
        ).plot(ax, legend=legend)

    def _draw(self, ax: Any) -> None:
        leading, is_graded = self.response, self.is_probability
        if self.named is not None:
            leading, is_graded = (self.named[..., None] == np.arange(len(self.classes))).astype(float), False
        draw_shades(ax, self.across, self.up, leading, is_probability=is_graded)
        draw_borders(ax, self.across, self.up, leading)
        quarters = self._draw_quarters(ax)
        self.rings_ = self.squares_ = self.crosses_ = self.legend_ = None
        if self.X is not None:
            self._draw_rows(ax, self.X)
        if self.vectors is not None and len(self.vectors):
            self.rings_ = draw_rings(ax, self.vectors, label=self.vector_name)
        ax.set(xlim=(self.across.min(), self.across.max()), ylim=(self.up.min(), self.up.max()))
        if self.names is not None:
            across, up = (short(name, AXIS_LENGTH) for name in self.names)
            ax.set(xlabel=across, ylabel=up)
        handles = [*ax.get_legend_handles_labels()[0], *quarters]
        if handles:
            self.legend_ = place_legend(ax, handles=handles)

    def _draw_rows(self, ax: Any, X: Array) -> None:
        if self.y is None:
            ax.scatter(*X.T, s=14, color=colours(ax).muted, linewidths=0, label="row")
        else:
            draw_rows(ax, X, self.y, classes=self.classes)
        if self.wrong is not None:
            self.crosses_ = draw_crosses(ax, X, self.wrong)
        if self.flagged is not None:
            self.squares_ = draw_squares(ax, X, self.flagged)

    def _draw_quarters(self, ax: Any) -> list[Any]:
        """Draw where two classes are one and three quarters probable; return the legend's entry."""
        if not self.is_probability or len(self.classes) != 2:
            return []
        looks: dict[str, Any] = {"colors": [colours(ax).ink], "linestyles": ":", "linewidths": 1.2}
        plane = (self.across, self.up, self.across)
        drawn = [draw_level(ax, self.response[..., 1], plane, level, **looks) for level in QUARTERS]
        label = "probability " + ", ".join(map(str, QUARTERS))
        entry = Line2D([], [], color=colours(ax).ink, linestyle=":", linewidth=1.2, label=label)
        return [entry] if any(each is not None for each in drawn) else []


def two_columns(X: Any) -> Array:
    """Return rows as numbers, or say that a plane has two inputs."""
    found = dense(X)
    if found.ndim != 2 or found.shape[1] != 2:
        raise ValueError(
            f"a boundary is drawn over exactly two inputs; got X of shape {found.shape}. Fit a model to two "
            "columns, or draw probabilities on a grid by BoundaryDisplay.from_predictions."
        )
    return found


def checked_response(response: Any, plane: list[Array], is_probability: bool) -> Array:
    """Return one number per class at each point of a grid, or say what is wrong with them."""
    found = checked_numbers(response, "response", GRID)
    across, up = plane
    if across.ndim != 2 or across.shape != up.shape or found.shape[:2] != across.shape or found.ndim > 3:
        raise ValueError(
            f"across, up and response must be on one grid; got shapes {across.shape}, {up.shape} and "
            f"{found.shape}. {GRID}"
        )
    if min(across.shape) < 2 or (found.ndim == 3 and found.shape[2] < 2):
        raise ValueError(f"a boundary needs two points a side and two classes; got shape {found.shape}.")
    if is_probability and not (found.min() >= 0.0 and found.max() <= 1.0):
        raise ValueError(
            f"probabilities lie between 0 and 1; got a response from {found.min():.3g} to {found.max():.3g}. "
            "Of decision values say is_probability=False."
        )
    if found.ndim == 2:
        both = [1.0 - found, found] if is_probability else [-0.5 * found, 0.5 * found]
        found = np.stack(both, axis=-1)
    return np.asarray(found)


def known_classes(estimator: Any) -> NDArray[Any]:
    """Return the classes of a classifier, which are one list of two or more."""
    classes = getattr(estimator, "classes_", None)
    if classes is None or isinstance(classes, list) or np.ndim(classes) != 1 or len(classes) < 2:
        raise ValueError(
            f"a boundary lies between classes, and {type(estimator).__name__} has not one list of two or "
            "more classes_. Of several targets draw the classifier of one, such as estimators_[0]."
        )
    return np.asarray(classes)


def response_of(estimator: Any, points: Any) -> tuple[Array, bool, NDArray[np.intp] | None]:
    """Return what a classifier says of points, whether that is probability, and which classes it names.

    There is one column a class. The classes named are None where each has the largest response of its point.
    """
    classes = np.asarray(estimator.classes_)
    is_named = np.asarray(estimator.predict(points))[:, None] == classes
    found = graded_response(estimator, points, len(classes))
    if found is None:
        return is_named.astype(float), False, None
    response, is_probability = found
    named = is_named.argmax(axis=1)
    best, own = response.max(axis=1), response[np.arange(len(named)), named]
    if np.all(best - own <= TIE * np.maximum(1.0, np.abs(best))):
        return response, is_probability, None
    return response, is_probability, named


def graded_response(estimator: Any, points: Any, n_classes: int) -> tuple[Array, bool] | None:
    """Return probabilities of classes, or decision values, and which of them it is; None: neither."""
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(points)), True
    if hasattr(estimator, "decision_function"):
        values = np.asarray(estimator.decision_function(points))
        if values.ndim == 1:
            return np.column_stack([-0.5 * values, 0.5 * values]), False
        if values.shape[1] == n_classes:
            return values, False
    return None
