"""How a fit converged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rowtrust.contracts import Array
from rowtrust.displays._base import Display, fitted_attribute
from rowtrust.displays._machines import machine_of
from rowtrust.displays.looks import checked_numbers, curve_look, curves_in, free_places, in_legend
from rowtrust.displays.marks import class_names, place_legend

MARKED = 40
"""Steps up to which each has a mark; the marks of more would touch."""


@dataclass(kw_only=True, eq=False, repr=False)
class BoundDisplay(Display):
    """The lower bound on the log evidence, step by step: it never falls, and a fit ends where it is flat.

    Where the best kernels were found on the way, this is the trace of the best one's fit. To compare fits,
    draw them into the same axes.

    Use :meth:`from_estimator` or :meth:`from_predictions` to create one.

    Parameters
    ----------
    bounds : list of ndarrays
        The bound after each step, one array per output.
    names : list of str, default=None
        Of the outputs.
    label : str, default=None
        Name of the fit, to distinguish it in the same axes.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.
    lines_ : list of matplotlib Line2D
        One line per output.

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

    bounds: list[Array]
    names: Sequence[str] | None = None
    label: str | None = None

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, label: str | None = None, legend: bool = True, ax: Any = None
    ) -> Self:
        """Draw the bound of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted relevance vector machine, or a pipeline that ends with one. Several classes or targets
            have a line each.
        label : str, default=None
            Name of the fit, where several are drawn into the same axes; None: the estimator's class.
        legend : bool, default=True
            Whether to draw a legend, if there is something to name.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        BoundDisplay
            The display.
        """
        machine = machine_of(estimator)
        targets = getattr(machine, "estimators_", None)
        if targets is not None and all(hasattr(each, "lower_bounds_") for each in targets):
            bounds = [bound for each in targets for bound in as_list(each.lower_bounds_)]
            names = [f"target {place}" for place in range(len(bounds))]
            return cls.from_predictions(bounds, names=names, label=label, legend=legend, ax=ax)
        cure = (
            "Relevance vector machines have it after fit; BayesianSVR, and fits to a stream of rows, keep no "
            "trace."
        )
        bounds = as_list(fitted_attribute(machine, "lower_bounds_", cure))
        labels = getattr(machine, "classes_", [])
        named = class_names(labels) if len(labels) == len(bounds) > 1 else None
        if named is None and label is None:
            label = type(machine).__name__
        return cls.from_predictions(bounds, names=named, label=label, legend=legend, ax=ax)

    @classmethod
    def from_predictions(
        cls,
        bounds: Any,
        *,
        names: Sequence[str] | None = None,
        label: str | None = None,
        legend: bool = True,
        ax: Any = None,
    ) -> Self:
        """Draw bounds.

        Parameters
        ----------
        bounds : array-like of shape (n_steps,), or list of such
            The bound after each step, of each output.
        names : list of str, default=None
            Of the outputs; None numbers them.
        label : str, default=None
            Name of the fit, where several are drawn into the same axes.
        legend : bool, default=True
            Whether to draw a legend, if there is something to name.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        BoundDisplay
            The display.
        """
        traces = as_list(bounds)
        if not traces or not all(len(trace) for trace in traces):
            raise ValueError("there is no step to draw. Give the bound after each step: lower_bounds_.")
        if names is not None and len(names) != len(traces):
            raise ValueError(f"names must name {len(traces)} traces, got {len(names)} names.")
        return cls(bounds=traces, names=names, label=label).plot(ax, legend=legend)

    def _draw(self, ax: Any) -> None:
        places = free_places(ax, len(self.bounds))
        self.lines_ = []
        for place, trace, name in zip(places, self.bounds, self._names(places), strict=True):
            look = curve_look(ax, place) | ({} if len(trace) <= MARKED else {"marker": None})
            steps, own = np.arange(1, len(trace) + 1), {"linewidth": 1.8, "markersize": 4.0}
            self.lines_ += ax.plot(steps, trace, label=in_legend(name), **look, **own)
        ax.set(xlabel="step", ylabel="lower bound, nats")
        ax.xaxis.get_major_locator().set_params(integer=True)
        if len(curves_in(ax)) > 1:
            place_legend(ax)

    def _names(self, places: list[int]) -> list[str]:
        """Return what the lines are called: without names, by their places among all."""
        if self.names is None and self.label is not None and len(self.bounds) == 1:
            return [self.label]
        numbered = [f"output {place}" for place in places]
        names = numbered if self.names is None else [str(name) for name in self.names]
        return names if self.label is None else [f"{self.label}, {name}" for name in names]


def as_list(bounds: Any) -> list[Array]:
    """Return one array of numbers an output, however they were given."""
    if not hasattr(bounds, "__len__"):
        raise ValueError(f"bounds must be the bound after each step, got {bounds!r}. Give lower_bounds_.")
    several = len(bounds) and np.ndim(bounds[0])
    cure = "Give the bound after each step: lower_bounds_."
    traces = list(bounds) if several or not len(bounds) else [bounds]
    found = [checked_numbers(trace, "bounds", cure) for trace in traces]
    if any(trace.ndim != 1 for trace in found):
        raise ValueError(f"bounds must hold one number per step. {cure}")
    return found
