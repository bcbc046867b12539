"""Which kernels a model is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rowtrust.displays._base import Display, fitted_attribute
from rowtrust.displays._machines import machine_of
from rowtrust.displays.looks import checked_numbers, colours
from rowtrust.displays.marks import in_percent, name_bars, size_of_bars, write_behind

LEAST_SHARE = 0.005
"""Shares below this are not named: half a per cent is no longer seen."""

MOST_BARS = 12
"""Families, and widths, drawn at most, those with the largest shares: more do not fit into a figure."""


@dataclass(kw_only=True, eq=False, repr=False)
class KernelShareDisplay(Display):
    """The shares of kernel families and widths in the average.

    Use :meth:`from_estimator` or :meth:`from_predictions` to create one.

    Parameters
    ----------
    kernel_share : dict of str to float
        Share of each family, adding up to one: ``kernel_share_``.
    gamma_share : dict of float to float, default=None
        Share of each width: ``gamma_share_``.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.
    bars_ : matplotlib BarContainer
        The bars, the largest share first.

    Examples
    --------
    >>> from rowtrust.displays import KernelShareDisplay
    >>> display = KernelShareDisplay.from_predictions({"rbf": 0.7, "laplacian": 0.3})
    >>> [round(float(bar.get_width()), 1) for bar in display.bars_]
    [0.7, 0.3]
    """

    kernel_share: dict[str, float]
    gamma_share: dict[float, float] | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the kernels of a fitted estimator.

        Parameters
        ----------
        estimator : estimator
            A fitted relevance vector machine, or a pipeline that ends with one.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        KernelShareDisplay
            The display.
        """
        cure = "Only relevance vector machines average kernels; fit RVC, RVR or another of them."
        machine = machine_of(estimator)
        shares = fitted_attribute(machine, "kernel_share_", cure)
        return cls.from_predictions(shares, getattr(machine, "gamma_share_", None), ax=ax)

    @classmethod
    def from_predictions(
        cls, kernel_share: dict[str, float], gamma_share: dict[float, float] | None = None, *, ax: Any = None
    ) -> Self:
        """Draw shares.

        Parameters
        ----------
        kernel_share : dict of str to float
            Share of each family.
        gamma_share : dict of float to float, default=None
            Share of each width.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        KernelShareDisplay
            The display.
        """
        if not kernel_share:
            raise ValueError("there is no share to draw. Give the share of each family: kernel_share_.")
        for name, shares in (("kernel_share", kernel_share), ("gamma_share", gamma_share or {})):
            checked_numbers(list(shares.values()), name, f"Give the fitted {name}_.")
        return cls(kernel_share=kernel_share, gamma_share=gamma_share).plot(ax)

    def _figure_size(self) -> tuple[float, float]:
        return size_of_bars(len(ordered(self.kernel_share)) + len(widths(self.gamma_share)))

    def _draw(self, ax: Any) -> None:
        families, gammas = ordered(self.kernel_share), widths(self.gamma_share)
        names, values = zip(*families, *gammas, strict=True)
        is_family = np.arange(len(names)) < len(families)
        places = np.arange(len(names)) + 0.5 * ~is_family  # a gap between families and widths
        palette = colours(ax)
        fills = [palette.first] * len(families) + [palette.second] * len(gammas)
        self.bars_ = ax.barh(places, values, 0.7, color=fills)
        write_behind(ax, values, places, [f"{value:.0%}" for value in values])
        name_bars(ax, places, names)
        in_percent(ax, 1.14 * max(values) or 1.0, "share of the average")


def ordered(shares: dict[Any, float]) -> list[tuple[Any, float]]:
    """Return what counts, the largest first; of many that are all small, the largest."""
    found = sorted(shares.items(), key=lambda item: -item[1])[:MOST_BARS]
    return [item for item in found if item[1] >= LEAST_SHARE] or found


def widths(shares: dict[float, float] | None) -> list[tuple[str, float]]:
    """Return the widths that count, named, from wide to narrow."""
    if shares is None or len(shares) < 2:
        return []
    return [(f"gamma {gamma:.2g}", share) for gamma, share in sorted(ordered(shares))]
