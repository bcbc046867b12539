"""The losses of likelihoods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rowtrust.contracts import Array
from rowtrust.displays._base import Display
from rowtrust.displays.looks import LINES, colours, in_legend
from rowtrust.displays.marks import named_once
from rowtrust.likelihoods import Likelihood, SoftInsensitive

POINTS = 801
"""Residuals at which curves are drawn; odd, so that zero, where some losses have a corner, is one of them."""

RESIDUAL, MARGIN = "residual", "margin: the latent function of a row with target 1"
"""What lies along the axis, for likelihoods of numbers and of classes."""


@dataclass(kw_only=True, eq=False, repr=False)
class LossDisplay(Display):
    """The losses of likelihoods over the residual, or their densities.

    A loss that grows slowly tolerates outliers. It is recommended to use :meth:`from_likelihoods` or
    :meth:`from_predictions`.

    Parameters
    ----------
    residual : ndarray of shape (n_points,)
        Residuals, or margins of classes.
    losses : dict of str to ndarray of shape (n_points,)
        The loss, or density, at each of them, by name.
    density : bool, default=False
        Whether they are densities.
    zones : sequence of float, default=()
        Where a loss changes its form, to be marked on both sides of zero.
    xlabel : str, default="residual"
        What lies along the axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.
    lines_ : list of matplotlib Line2D
        The curves, in the order of ``losses``.
    zone_lines_ : list of matplotlib Line2D
        The marks of the zones.

    Examples
    --------
    >>> from rowtrust.displays import LossDisplay
    >>> from rowtrust.likelihoods import Gaussian, Huber
    >>> noises = {"squares": Gaussian(), "Huber": Huber(1.0, 0.5)}
    >>> display = LossDisplay.from_likelihoods(noises, span=3.0)
    >>> [round(float(loss[-1]), 2) for loss in display.losses.values()]
    [4.5, 2.5]
    """

    residual: Array
    losses: Mapping[str, Array]
    density: bool = False
    zones: Sequence[float] = ()
    xlabel: str = RESIDUAL

    @classmethod
    def from_likelihoods(
        cls,
        likelihoods: Mapping[str, Likelihood],
        *,
        span: float = 3.0,
        density: bool = False,
        zones: bool = False,
        scaled: bool = True,
        legend: bool = True,
        ax: Any = None,
    ) -> Self:
        """Draw the losses of likelihoods.

        The loss is minus the log density, less its smallest value: all are on one scale, and a larger ``C``
        or precision is seen as a steeper loss.

        Parameters
        ----------
        likelihoods : dict of str to Likelihood
            Likelihoods by name; all of numbers, or all of classes, which are drawn over margins.
        span : float, default=3.0
            Up to which residual, on both sides of zero.
        density : bool, default=False
            Whether to draw densities instead of losses.
        zones : bool, default=False
            Whether to mark where soft insensitive losses turn from flat to quadratic to linear.
        scaled : bool, default=True
            Whether ``C`` multiplies the losses of the soft insensitive family, as in the log density. False
            draws the functions themselves, as papers do; then all must be of this family.
        legend : bool, default=True
            Whether to draw a legend, if there is something to name.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        LossDisplay
            The display.
        """
        if not likelihoods:
            raise ValueError("likelihoods must have at least one entry. Give names and likelihoods.")
        if len({likelihood.is_location_scale for likelihood in likelihoods.values()}) != 1:
            raise ValueError(
                "likelihoods must all be of numbers, drawn over residuals, or all of classes, drawn over "
                f"margins; got {', '.join(map(str, likelihoods))}. Draw them in two pictures."
            )
        if not scaled and not all(isinstance(each, SoftInsensitive) for each in likelihoods.values()):
            raise ValueError(
                "scaled=False is for the soft insensitive family alone: others have no C to leave out, and "
                "would be on another scale. Draw them with scaled=True."
            )
        if not span > 0:
            raise ValueError(f"span must be positive, got {span}.")
        residual = np.linspace(-span, span, POINTS)
        curve = density_of if density else partial(loss_of, scaled=scaled)
        return cls(
            residual=residual,
            losses={name: curve(likelihood, residual) for name, likelihood in likelihoods.items()},
            density=density,
            zones=sorted({edge for each in likelihoods.values() for edge in edges(each)}) if zones else (),
            xlabel=RESIDUAL if next(iter(likelihoods.values())).is_location_scale else MARGIN,
        ).plot(ax, legend=legend)

    @classmethod
    def from_predictions(
        cls,
        residual: ArrayLike,
        losses: Mapping[str, ArrayLike],
        *,
        density: bool = False,
        zones: Sequence[float] = (),
        xlabel: str = RESIDUAL,
        legend: bool = True,
        ax: Any = None,
    ) -> Self:
        """Draw losses that you have already.

        Parameters
        ----------
        residual : array-like of shape (n_points,)
            Residuals, or margins of classes.
        losses : dict of str to array-like of shape (n_points,)
            The loss, or density, at each of them, by name.
        density : bool, default=False
            Whether they are densities.
        zones : sequence of float, default=()
            Where a loss changes its form, to be marked on both sides of zero.
        xlabel : str, default="residual"
            What lies along the axis.
        legend : bool, default=True
            Whether to draw a legend, if there is something to name.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        LossDisplay
            The display.
        """
        places = np.asarray(residual, dtype=float)
        values = {name: np.asarray(loss, dtype=float) for name, loss in losses.items()}
        if not values:
            raise ValueError("losses must have at least one entry, got none. Give names and losses.")
        if places.ndim != 1 or not len(places):
            raise ValueError(f"residual must hold one number per point; got shape {places.shape}.")
        for name, value in values.items():
            if value.shape != places.shape:
                raise ValueError(
                    f"The loss {name!r} has shape {value.shape}, the residuals {places.shape}. Give one "
                    "value per residual."
                )
        return cls(residual=places, losses=values, density=density, zones=zones, xlabel=xlabel).plot(
            ax, legend=legend
        )

    def _draw(self, ax: Any) -> None:
        palette = colours(ax)
        kinds = len(palette.series)
        marked = [side * zone for zone in self.zones for side in (-1.0, 1.0)]
        mark = {"color": palette.grid, "linewidth": 0.8, "linestyle": (0, (1, 3)), "zorder": 1}
        self.zone_lines_ = [ax.axvline(place, **mark) for place in marked]
        self.lines_ = [
            ax.plot(
                self.residual,
                loss,
                color=palette.series[place % kinds],
                linestyle=LINES[(place + place // kinds) % len(LINES)],
                linewidth=2.0,
                label=in_legend(name),
            )[0]
            for place, (name, loss) in enumerate(self.losses.items())
        ]
        density = "probability of the target" if self.xlabel == MARGIN else "density"
        ylabel = density if self.density else "loss"
        ax.set(xlabel=self.xlabel, ylabel=ylabel, xlim=(self.residual.min(), self.residual.max()))
        ax.set_ylim(bottom=min([0.0, *(float(np.min(loss)) for loss in self.losses.values())]))
        if len(self.losses) > 1:
            ax.legend(handles=named_once(ax), frameon=False)


def log_density(likelihood: Likelihood, residual: Array) -> Array:
    """Return the log density of residuals, or of the target 1 at latent values."""
    zero, one = np.zeros_like(residual), np.ones_like(residual)
    of_numbers = likelihood.is_location_scale
    return likelihood.log_density(residual, zero) if of_numbers else likelihood.log_density(one, residual)


def density_of(likelihood: Likelihood, residual: Array) -> Array:
    """Return the density of residuals, or the probability of the target 1 at latent values."""
    return np.exp(log_density(likelihood, residual))


def loss_of(likelihood: Likelihood, residual: Array, scaled: bool = True) -> Array:
    """Return minus the log density, from its peak on."""
    if isinstance(likelihood, SoftInsensitive):  # the same, without what rounding makes of the peak
        return (likelihood.C if scaled else 1.0) * likelihood.loss(residual)
    values = log_density(likelihood, residual)
    peak = values.max() if likelihood.is_location_scale else 0.0  # a probability is at most one
    return peak - values


def edges(likelihood: Likelihood) -> Iterator[float]:
    """Yield the residuals, beyond zero, at which a soft insensitive loss changes its form."""
    if isinstance(likelihood, SoftInsensitive):
        flat = likelihood.insensitive_width
        yield from (edge for edge in (flat, flat + likelihood.quadratic_width) if edge > 0.0)
