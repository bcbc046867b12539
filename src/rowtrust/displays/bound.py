"""How a fit converged."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Any, Self

import numpy as np

from rowtrust.contracts import Array
from rowtrust.displays._base import Display, fitted_attribute
from rowtrust.displays._machines import machine_of
from rowtrust.displays.looks import MARKERS, colours
from rowtrust.displays.marks import class_names, place_legend

MARKED = 40
"""Steps up to which each has a mark; the marks of more would touch."""


class BoundDisplay(Display):
    """The lower bound on the log evidence, step by step: it never falls, and a fit ends where it is flat.

    Where the best kernels were found on the way, this is the trace of the best one's fit.

    It is recommended to use :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    bounds : list of ndarrays
        The bound after each step, one array an output.
    names : list of str, default=None
        Of the outputs.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure of these axes.
    lines_ : list of matplotlib Line2D
        One line an output.

    Examples
    --------
    >>> from rowtrust import RVC
    >>> from rowtrust.datasets import make_ripley
    >>> from rowtrust.displays import BoundDisplay
    >>> X, y = make_ripley(100, random_state=0)
    >>> display = BoundDisplay.from_estimator(RVC().fit(X, y))
    >>> bool((display.bounds[0][1:] >= display.bounds[0][:-1] - 1e-6).all())
    True
    """

    def __init__(self, *, bounds: list[Array], names: Sequence[str] | None = None) -> None:
        self.bounds = bounds
        self.names = names

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the bound of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted relevance vector machine, or a pipeline that ends with one. Several classes or targets
            have a line each.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        BoundDisplay
            What was drawn.
        """
        machine = machine_of(estimator)
        targets = getattr(machine, "estimators_", None)
        if targets is not None and all(hasattr(each, "lower_bounds_") for each in targets):
            bounds = [bound for each in targets for bound in as_list(each.lower_bounds_)]
            names = [f"target {place}" for place in range(len(bounds))]
            return cls.from_predictions(bounds, names=names, ax=ax)
        cure = (
            "Relevance vector machines have it after fit; BayesianSVR, and fits to a stream of rows, keep no "
            "trace."
        )
        bounds = as_list(fitted_attribute(machine, "lower_bounds_", cure))
        labels = getattr(machine, "classes_", [])
        named = class_names(labels) if len(labels) == len(bounds) > 1 else None
        return cls.from_predictions(bounds, names=named, ax=ax)

    @classmethod
    def from_predictions(cls, bounds: Any, *, names: Sequence[str] | None = None, ax: Any = None) -> Self:
        """Draw bounds.

        Parameters
        ----------
        bounds : array-like of shape (n_steps,), or list of such
            The bound after each step, of each output.
        names : list of str, default=None
            Of the outputs; None numbers them.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        BoundDisplay
            What was drawn.
        """
        traces = as_list(bounds)
        if not traces or not all(len(trace) for trace in traces):
            raise ValueError("there is no step to draw. Give the bound after each step: lower_bounds_.")
        if names is not None and len(names) != len(traces):
            raise ValueError(f"names must name {len(traces)} traces, got {len(names)} names.")
        return cls(bounds=traces, names=names).plot(ax)

    def _draw(self, ax: Any) -> None:
        several = len(self.bounds) > 1
        names = self.names or [f"output {place}" for place in range(len(self.bounds))]
        self.lines_ = []
        looks = zip(cycle(colours().series), cycle(MARKERS), strict=False)
        for trace, name, (colour, marker) in zip(self.bounds, names, looks, strict=False):
            mark = {"marker": marker, "markersize": 4.0} if len(trace) <= MARKED else {}
            steps = np.arange(1, len(trace) + 1)
            self.lines_ += ax.plot(steps, trace, color=colour, label=name, linewidth=1.8, **mark)
        ax.set(xlabel="step", ylabel="lower bound, nats")
        ax.xaxis.get_major_locator().set_params(integer=True)
        if several:
            place_legend(ax)


def as_list(bounds: Any) -> list[Array]:
    """Return one array of numbers an output, however they were given."""
    if len(bounds) and np.ndim(bounds[0]):
        return [np.asarray(trace, dtype=float) for trace in bounds]
    return [np.asarray(bounds, dtype=float)] if len(bounds) else []
