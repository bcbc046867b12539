"""How far rows are trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from rowtrust.contracts import Array
from rowtrust.displays._base import Display
from rowtrust.displays._machines import checked_mask, findings_of, flagged_mask
from rowtrust.displays.looks import AXIS_LENGTH, colours, plain, short
from rowtrust.displays.marks import Mask, named_once

BINS = 40
"""Bins of the histogram; readability of the picture."""

LINEAR_COUNTS = 10
"""Counts up to which the scale of rows is linear: one flagged row must be seen beside many rows."""

TICKS = (0, 5, 10, 100, 1000, 10_000, 100_000, 1_000_000)
"""Counts that are written beside the axis, as far as there are so many rows."""

TRUST = "trust: probability that the row is right"
"""What is written below the axis."""


@dataclass(kw_only=True, eq=False, repr=False)
class TrustDisplay(Display):
    """A histogram of the trust in rows, the likely errors in another colour.

    Counts above ten are on a logarithmic scale, so that one flagged row is seen beside thousands of rows.

    Use :meth:`from_estimator` or :meth:`from_predictions` to create one.

    Parameters
    ----------
    trust : ndarray of shape (n_rows,)
        Trust in each row, from 0 to 1.
    flagged : ndarray of bool of shape (n_rows,), default=None
        Rows that are likely errors.
    about : str, default=None
        What is written below the axis; None says that it is trust.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.
    counts_ : ndarray of shape (2, n_bins)
        Rows in each bin: those that are not flagged, and those that are.
    edges_ : ndarray of shape (n_bins + 1,)
        Where bins begin and end.

    Examples
    --------
    >>> from rowtrust.displays import TrustDisplay
    >>> display = TrustDisplay.from_predictions([0.9, 1.0, 0.95, 0.1], flagged=[False, False, False, True])
    >>> display.counts_.sum(axis=1).astype(int).tolist()
    [3, 1]
    """

    trust: Array
    flagged: Mask | None = None
    about: str | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, legend: bool = True, ax: Any = None) -> Self:
        """Draw how far an estimator trusts rows, by its audit of them.

        Parameters
        ----------
        estimator : estimator
            A fitted one, or a pipeline that ends with one. Those of other libraries are fitted again to parts
            of the rows, as :func:`rowtrust.find_wrong_rows` does, and so is all of their pipeline.
        X : array-like of shape (n_rows, n_features)
            Inputs.
        y : array-like of shape (n_rows,)
            Labels or targets as given.
        legend : bool, default=True
            Whether to draw a legend, if there is something to name.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        TrustDisplay
            The display.
        """
        found = findings_of(estimator, X, y)
        return cls.from_predictions(found.trust, flagged=flagged_mask(found), legend=legend, ax=ax)

    @classmethod
    def from_predictions(
        cls, trust: Any, *, flagged: Any = None, about: str | None = None, legend: bool = True, ax: Any = None
    ) -> Self:
        """Draw the trust in rows.

        Parameters
        ----------
        trust : array-like of shape (n_rows,)
            Trust in each row, such as ``sample_trust_``.
        flagged : array-like of bool of shape (n_rows,), default=None
            Rows that are likely errors.
        about : str, default=None
            What is written below the axis; None says that it is trust.
        legend : bool, default=True
            Whether to draw a legend, if there is something to name.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        TrustDisplay
            The display.
        """
        values = np.asarray(trust, dtype=float)
        if values.ndim != 1 or not len(values):
            raise ValueError(f"trust must hold one number per row; got an array of shape {values.shape}.")
        if not np.isfinite(values).all() or (values < 0.0).any():
            bad = np.flatnonzero(~np.isfinite(values) | (values < 0.0))
            raise ValueError(
                f"trust must be a number from 0 to 1 for every row; {len(bad)} rows have none, the first of "
                f"them is row {bad[0]} with {values[bad[0]]:g}. Leave them out, of flagged as well."
            )
        mask = None if flagged is None else checked_mask(flagged, len(values), "flagged")
        return cls(trust=values, flagged=mask, about=about).plot(ax, legend=legend)

    def _draw(self, ax: Any) -> None:
        flagged = np.zeros(len(self.trust), dtype=bool) if self.flagged is None else self.flagged
        self.edges_ = np.linspace(0.0, max(1.0, float(self.trust.max())), BINS + 1)
        groups = [self.trust[~flagged], self.trust[flagged]]
        self.counts_ = np.array([np.histogram(group, self.edges_)[0] for group in groups])
        fills = [colours(ax).first, colours(ax).second]
        looks: dict[str, Any] = {"color": fills, "label": ["rows", "likely errors"], "linewidth": 0}
        ax.hist(groups, bins=list(self.edges_), stacked=True, rwidth=0.9, **looks)
        ax.set_yscale("symlog", linthresh=LINEAR_COUNTS)
        most = int(self.counts_.sum(axis=0).max())
        ax.set_yticks([tick for tick in TICKS if tick <= max(most, TICKS[1])])
        ax.yaxis.set_major_formatter(plain)
        ax.minorticks_off()
        ax.set(
            xlabel=TRUST if self.about is None else short(self.about, AXIS_LENGTH),
            ylabel="rows",
            ylim=(0, None),
        )
        if flagged.any():
            ax.legend(handles=named_once(ax), loc="upper left")
