"""Relevance and length scale of each input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rowtrust.contracts import Array
from rowtrust.displays._base import Display, fitted_attribute
from rowtrust.displays._machines import steps_and_machine
from rowtrust.displays.looks import checked_numbers, colours
from rowtrust.displays.marks import in_percent, name_bars, named_once, size_of_bars, write_behind

MOST_INPUTS = 20
"""Inputs drawn, the most relevant ones: more names do not fit into a figure."""


SHARE, PREPARED = "share of the relevance", "\nlength scales in units after preparation"
"""What is written below the axis, always and of pipelines."""


@dataclass(kw_only=True, eq=False, repr=False)
class LengthScalesDisplay(Display):
    """How relevant each input is, and over which length the function changes along it.

    The relevance ``w`` of an input is that of ``exp(-w (x - c)**2 / 2)``: its length scale is
    ``1 / sqrt(w)``, in the units of the input as the estimator had it: behind a scaler in a pipeline these
    are not the user's. Bars are shares of the relevance, after each input was divided by its scale, and so
    can be compared; the length scales are written beside them. It is recommended to use
    :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    relevance : ndarray of shape (n_features,) or (n_outputs, n_features)
        Relevance of each input: ``feature_relevance_``.
    names : sequence of str, default=None
        Of the inputs; None: their numbers.
    scale : ndarray of shape (n_features,), default=None
        How far each input spreads; None: all alike.
    is_prepared : bool, default=False
        Whether inputs were prepared before the fit, and length scales are in units after that.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.
    bars_ : list of matplotlib BarContainer
        One for each output: its bars, the most relevant input first.
    length_scales : ndarray of the shape of relevance
        The length scale of each input, infinite where it is of no use.
    share : ndarray of the shape of relevance
        The share of each input.

    Examples
    --------
    >>> from rowtrust.displays import LengthScalesDisplay
    >>> display = LengthScalesDisplay.from_predictions([4.0, 1.0, 0.0], names=["a", "b", "c"])
    >>> [round(float(share), 1) for share in display.share]
    [0.8, 0.2, 0.0]
    >>> [float(length) for length in display.length_scales]
    [0.5, 1.0, inf]
    """

    relevance: Array
    names: Sequence[str] | None = None
    scale: Array | None = None
    is_prepared: bool = False

    @classmethod
    def from_estimator(cls, estimator: Any, *, legend: bool = True, ax: Any = None) -> Self:
        """Draw the length scales of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted BayesianSVR, a relevance vector machine that stretches its inputs, or a pipeline
            that ends with one of them: then length scales are in the units that its steps make, which is
            said below the axis.
        legend : bool, default=True
            Whether to draw a legend, if there is something to name.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        LengthScalesDisplay
            The display.
        """
        cure = (
            'Fit BayesianSVR, or a relevance vector machine with kernel="auto"; that one has none '
            "either where the best kernel treats all inputs alike."
        )
        steps, machine = steps_and_machine(estimator)
        relevance = np.asarray(fitted_attribute(machine, "feature_relevance_", cure), dtype=float)
        scale = spread_of(machine, relevance.shape[-1])
        found: dict[str, Any] = {"names": names_of(estimator), "scale": scale, "is_prepared": bool(steps)}
        return cls.from_predictions(relevance, **found, legend=legend, ax=ax)

    @classmethod
    def from_predictions(
        cls,
        relevance: ArrayLike,
        *,
        names: Sequence[str] | None = None,
        scale: ArrayLike | None = None,
        is_prepared: bool = False,
        legend: bool = True,
        ax: Any = None,
    ) -> Self:
        """Draw relevances.

        Parameters
        ----------
        relevance : array-like of shape (n_features,) or (n_outputs, n_features)
            Relevance of each input.
        names : sequence of str, default=None
            Of the inputs; None: their numbers.
        scale : array-like of shape (n_features,), default=None
            How far each input spreads; None: all alike.
        is_prepared : bool, default=False
            Whether inputs were prepared before the fit, and length scales are in units after that.
        legend : bool, default=True
            Whether to draw a legend, if there is something to name.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        LengthScalesDisplay
            The display.
        """
        values = checked_numbers(relevance, "relevance", "Give the fitted feature_relevance_.")
        if values.ndim not in (1, 2) or not values.size or (values < 0.0).any():
            raise ValueError(
                "relevance must be a positive number or zero for each input, of one output or a row for "
                f"each; got {np.array2string(values, threshold=8, precision=3)}."
            )
        for name, given in (("names", names), ("scale", scale)):
            if given is not None and np.shape(given) != values.shape[-1:]:
                raise ValueError(f"{name} must have one entry for each of {values.shape[-1]} inputs.")
        spread = None if scale is None else np.asarray(scale, dtype=float)
        made = cls(relevance=values, names=names, scale=spread, is_prepared=is_prepared)
        return made.plot(ax, legend=legend)

    def _figure_size(self) -> tuple[float, float]:
        outputs, inputs = np.atleast_2d(self.relevance).shape
        return size_of_bars(min(inputs, MOST_INPUTS) * max(1.0, 0.6 * outputs))

    @property
    def length_scales(self) -> Array:
        """The length scale of each input, infinite where it is of no use."""
        with np.errstate(divide="ignore"):
            return np.asarray(1.0 / np.sqrt(self.relevance))

    @property
    def share(self) -> Array:
        """The share of each input in the relevance, each divided by its scale."""
        scaled = self.relevance * (1.0 if self.scale is None else self.scale**2)
        total = scaled.sum(axis=-1, keepdims=True)
        return np.asarray(scaled / np.where(total > 0.0, total, 1.0))

    def _draw(self, ax: Any) -> None:
        share, lengths = np.atleast_2d(self.share), np.atleast_2d(self.length_scales)
        order = np.argsort(-share.mean(axis=0), kind="stable")[:MOST_INPUTS]
        places, height = np.arange(float(len(order))), 0.7 / len(share)
        series = colours(ax).series
        self.bars_ = []
        for output, (shares, scales) in enumerate(zip(share[:, order], lengths[:, order], strict=True)):
            beside = places + height * (output - 0.5 * (len(share) - 1))
            fill = series[output % len(series)]
            self.bars_.append(ax.barh(beside, shares, height, color=fill, label=f"output {output}"))
            write_behind(ax, shares, beside, [told(scale) for scale in scales])
        names = [f"input {each}" if self.names is None else str(self.names[each]) for each in order]
        name_bars(ax, places, names)
        in_percent(ax, 1.45 * share.max() or 1.0, SHARE + (PREPARED if self.is_prepared else ""))
        if len(share) > 1:
            ax.legend(handles=named_once(ax), frameon=False, loc="lower right")


def told(length: float) -> str:
    """Say over which length a function changes."""
    if not np.isfinite(length):
        return "off"
    return f"length scale {length:,.0f}" if 999.5 <= length < 1e6 else f"length scale {length:.3g}"


def names_of(estimator: Any) -> Sequence[str] | None:
    """Return the names of the inputs, as a pipeline makes them for its last step; None if there are none."""
    steps, machine = steps_and_machine(estimator)
    made: Sequence[str] | None = getattr(machine, "feature_names_in_", None)
    if made is not None:
        return made
    try:
        for step in steps:
            made = step.get_feature_names_out(made)
    except (AttributeError, ValueError):  # a step that does not name what it makes
        return None
    return made


def spread_of(machine: Any, n_features: int) -> Array | None:
    """Return what a machine divided its inputs by, if anything."""
    machines = getattr(machine, "machines_", None)
    if machines is None:
        scale = getattr(machine, "scale_", None)
        return None if scale is None else np.asarray(scale, dtype=float)
    units = machines[0].units
    spread = np.ones(n_features)  # of a constant input, whose relevance is zero
    spread[units.columns] = units.input_scale
    return spread
