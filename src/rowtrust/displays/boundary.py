"""The plane of two inputs: which class a classifier names where, how sure it is, and by which rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from matplotlib.lines import Line2D
from numpy.typing import NDArray
from sklearn.base import is_classifier

from rowtrust.contracts import Array
from rowtrust.displays._base import Display
from rowtrust.displays._machines import (
    checked_mask,
    column_names,
    framed_like,
    is_vector,
    machine_of,
    suspects_of,
    vector_word,
    vectors_of,
)
from rowtrust.displays.looks import colours
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


class BoundaryDisplay(Display):
    """A classifier's boundary in the plane of two inputs, with rows, vectors and suspects.

    Regions have the colour of the class that leads, stronger where it leads by more. Of two classes dotted
    lines are where the probability is 0.25 and 0.75. Relevance or support vectors are ringed, suspects are
    squared, and rows that are known to be wrong are crossed.

    It is recommended to use :meth:`from_estimator` or :meth:`from_predictions`.

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
    suspects, wrong : ndarrays of bool of shape (n_rows,), default=None
        Rows to square, and rows to cross.
    names : list of str, default=None
        Of both inputs.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure of these axes.
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
    >>> display = BoundaryDisplay.from_estimator(model, X, y, suspects="audit", grid_resolution=40)
    >>> display.response.shape
    (40, 40, 2)
    >>> len(display.vectors) == len(model.relevance_)
    True
    """

    size = (6.6, 4.4)

    def __init__(
        self,
        *,
        across: Array,
        up: Array,
        response: Array,
        classes: NDArray[Any],
        is_probability: bool = True,
        X: Array | None = None,
        y: NDArray[Any] | None = None,
        vectors: Array | None = None,
        vector_name: str = "relevance vector",
        suspects: Mask | None = None,
        wrong: Mask | None = None,
        names: list[str] | None = None,
    ) -> None:
        self.across, self.up, self.response = across, up, response
        self.classes, self.is_probability = classes, is_probability
        self.X, self.y = X, y
        self.vectors, self.vector_name = vectors, vector_name
        self.suspects, self.wrong = suspects, wrong
        self.names = names

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        suspects: Any = None,
        wrong: Any = None,
        grid_resolution: int = 160,
        margin: float = 0.12,
        ax: Any = None,
    ) -> Self:
        """Draw the boundary of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
            Fitted to two inputs; one of this library, of scikit-learn, or a pipeline.
        X : array-like of shape (n_rows, 2)
            Rows to draw; the names of a dataframe's columns are written beside the axes.
        y : array-like of shape (n_rows,), default=None
            Their labels.
        suspects : "audit" or array-like of bool of shape (n_rows,), default=None
            Rows to square; "audit" asks :func:`rowtrust.find_wrong_rows`.
        wrong : array-like of bool of shape (n_rows,), default=None
            Rows that are known to be wrong, to be crossed.
        grid_resolution : int, default=160
            Points of the grid along each side.
        margin : float, default=0.12
            How far the plane reaches beyond the rows, as a share of their range.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        BoundaryDisplay
            What was drawn.
        """
        machine = machine_of(estimator)
        if not is_classifier(estimator):
            raise ValueError(
                f"{type(machine).__name__} is no classifier, and has no boundary. Draw regressors by "
                "PredictionDisplay."
            )
        rows = two_columns(X)
        across, up, points = plane_around(rows, margin, grid_resolution)
        response, is_probability = response_of(estimator, framed_like(X, points))
        vectors = vectors_of(machine)
        if (
            machine is not estimator and vectors is not None
        ):  # a pipeline's vectors are not in the user's units
            vectors = rows[is_vector(estimator, X)]
        return cls(
            across=across,
            up=up,
            response=response.reshape(*across.shape, -1),
            classes=estimator.classes_,
            is_probability=is_probability,
            X=rows,
            y=None if y is None else np.asarray(y),
            vectors=vectors,
            vector_name=vector_word(machine),
            suspects=suspects_of(estimator, X, y, suspects),
            wrong=None if wrong is None else checked_mask(wrong, len(rows), "wrong"),
            names=column_names(X),
        ).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        across: Array,
        up: Array,
        response: Array,
        *,
        classes: Any = None,
        X: Any = None,
        y: Any = None,
        vectors: Any = None,
        suspects: Any = None,
        wrong: Any = None,
        ax: Any = None,
    ) -> Self:
        """Draw a boundary from probabilities on a grid.

        Parameters
        ----------
        across, up : ndarrays of shape (n, m)
            First and second input, as ``numpy.meshgrid`` makes them.
        response : ndarray of shape (n, m) or (n, m, n_classes)
            Probability of the second of two classes, or of every class.
        classes : array-like of shape (n_classes,), default=None
            The labels; None numbers them from 0.
        X : array-like of shape (n_rows, 2), default=None
            Rows to draw.
        y : array-like of shape (n_rows,), default=None
            Their labels.
        vectors : array-like of shape (n_vectors, 2), default=None
            Inputs to ring.
        suspects, wrong : array-like of bool of shape (n_rows,), default=None
            Rows to square, and rows to cross.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        BoundaryDisplay
            What was drawn.
        """
        response = np.asarray(response, dtype=float)
        if response.ndim == 2:
            response = np.stack([1.0 - response, response], axis=-1)
        rows = None if X is None else two_columns(X)
        count = 0 if rows is None else len(rows)
        return cls(
            across=across,
            up=up,
            response=response,
            classes=np.arange(response.shape[-1]) if classes is None else np.asarray(classes),
            X=rows,
            y=None if y is None else np.asarray(y),
            vectors=None if vectors is None else two_columns(vectors),
            suspects=None if suspects is None else checked_mask(suspects, count, "suspects"),
            wrong=None if wrong is None else checked_mask(wrong, count, "wrong"),
            names=column_names(X),
        ).plot(ax)

    def _draw(self, ax: Any) -> None:
        draw_shades(ax, self.across, self.up, self.response, is_probability=self.is_probability)
        draw_borders(ax, self.across, self.up, self.response)
        quarters = self._draw_quarters(ax)
        self.rings_ = self.squares_ = self.crosses_ = self.legend_ = None
        if self.X is not None:
            self._draw_rows(ax, self.X)
        if self.vectors is not None and len(self.vectors):
            self.rings_ = draw_rings(ax, self.vectors, label=self.vector_name)
        ax.set(xlim=(self.across.min(), self.across.max()), ylim=(self.up.min(), self.up.max()))
        if self.names is not None:
            ax.set(xlabel=self.names[0], ylabel=self.names[1])
        handles = [*ax.get_legend_handles_labels()[0], *quarters]
        if handles:
            self.legend_ = place_legend(ax, handles=handles)

    def _draw_rows(self, ax: Any, X: Array) -> None:
        if self.y is None:
            ax.scatter(*X.T, s=14, color=colours().muted, linewidths=0, label="row")
        else:
            draw_rows(ax, X, self.y, classes=self.classes)
        if self.wrong is not None:
            self.crosses_ = draw_crosses(ax, X, self.wrong)
        if self.suspects is not None:
            self.squares_ = draw_squares(ax, X, self.suspects)

    def _draw_quarters(self, ax: Any) -> list[Any]:
        """Draw where two classes are one and three quarters probable; return the legend's entry."""
        if not self.is_probability or len(self.classes) != 2:
            return []
        looks: dict[str, Any] = {"colors": [colours().ink], "linestyles": ":", "linewidths": 1.2}
        plane = (self.across, self.up, self.across)
        drawn = [draw_level(ax, self.response[..., 1], plane, level, **looks) for level in QUARTERS]
        label = "probability " + ", ".join(map(str, QUARTERS))
        entry = Line2D([], [], color=colours().ink, linestyle=":", linewidth=1.2, label=label)
        return [entry] if any(each is not None for each in drawn) else []


def two_columns(X: Any) -> Array:
    """Return rows as numbers, or say that a plane has two inputs."""
    found = np.asarray(X, dtype=float)
    if found.ndim != 2 or found.shape[1] != 2:
        raise ValueError(
            f"a boundary is drawn over exactly two inputs; got X of shape {found.shape}. Fit a model to two "
            "columns, or draw probabilities on a grid by BoundaryDisplay.from_predictions."
        )
    return found


def response_of(estimator: Any, points: Any) -> tuple[Array, bool]:
    """Return what a classifier says of points, one column a class, and whether that is probability."""
    classes = estimator.classes_
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(points)), True
    if hasattr(estimator, "decision_function"):
        values = np.asarray(estimator.decision_function(points))
        if values.ndim == 1:
            return np.column_stack([-0.5 * values, 0.5 * values]), False
        if values.shape[1] == len(classes):
            return values, False
    return (np.asarray(estimator.predict(points))[:, None] == classes).astype(float), False
