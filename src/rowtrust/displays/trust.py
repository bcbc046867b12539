"""How far rows are trusted."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from rowtrust.contracts import Array
from rowtrust.displays._base import Display
from rowtrust.displays._machines import checked_mask, findings_of, suspect_mask
from rowtrust.displays._words import AXIS_LENGTH, plain, short
from rowtrust.displays.looks import colours
from rowtrust.displays.marks import Mask, named_once

BINS = 40
"""Bins of the histogram; readability of the picture."""

LINEAR_COUNTS = 10
"""Counts up to which the scale of rows is linear: one suspect must be seen beside many rows."""

TICKS = (0, 5, 10, 100, 1000, 10_000, 100_000, 1_000_000)
"""Counts that are written beside the axis, as far as there are so many rows."""

TRUST, RIGHT = "trust in the row", "probability that the row is right"
"""What the numbers are called: of robust fits, and of those that trust all rows alike."""


class TrustDisplay(Display):
    """A histogram of the trust in rows, the suspects in another colour.

    Counts above ten are on a logarithmic scale, so that one suspect is seen beside thousands of rows.

    It is recommended to use :meth:`from_estimator` or :meth:`from_predictions`.

    Parameters
    ----------
    trust : ndarray of shape (n_rows,)
        Trust in each row, from 0 to 1.
    suspect : ndarray of bool of shape (n_rows,), default=None
        Rows that are likely wrong.
    about : str, default=None
        What is written below the axis; None says that it is trust.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure of these axes.
    counts_ : ndarray of shape (2, n_bins)
        Rows in each bin: those that are no suspects, and suspects.
    edges_ : ndarray of shape (n_bins + 1,)
        Where bins begin and end.

    Examples
    --------
    >>> from rowtrust.displays import TrustDisplay
    >>> display = TrustDisplay.from_predictions([0.9, 1.0, 0.95, 0.1], suspect=[False, False, False, True])
    >>> display.counts_.sum(axis=1).astype(int).tolist()
    [3, 1]
    """

    def __init__(self, *, trust: Array, suspect: Mask | None = None, about: str | None = None) -> None:
        self.trust = trust
        self.suspect = suspect
        self.about = about

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, legend: bool = True, ax: Any = None) -> Self:
        """Draw how far an estimator trusts rows, by its audit of them.

        A model that trusts all rows alike says nothing by it: then it is the probability that the row is
        right.

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
            Whether to name what was drawn in a legend, where there is something to name.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        TrustDisplay
            What was drawn.
        """
        found = findings_of(estimator, X, y)
        is_told = bool(np.ptp(found.trust) > 0.0)
        trust, about = (found.trust, TRUST) if is_told else (1.0 - found.wrong, RIGHT)
        return cls.from_predictions(trust, suspect=suspect_mask(found), about=about, legend=legend, ax=ax)

    @classmethod
    def from_predictions(
        cls,
        trust: Any,
        *,
        suspect: Any = None,
        about: str | None = None,
        legend: bool = True,
        ax: Any = None,
    ) -> Self:
        """Draw the trust in rows.

        Parameters
        ----------
        trust : array-like of shape (n_rows,)
            Trust in each row, such as ``sample_trust_``.
        suspect : array-like of bool of shape (n_rows,), default=None
            Rows that are likely wrong.
        about : str, default=None
            What is written below the axis; None says that it is trust.
        legend : bool, default=True
            Whether to name what was drawn in a legend, where there is something to name.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        TrustDisplay
            What was drawn.
        """
        values = np.asarray(trust, dtype=float)
        if values.ndim != 1 or not len(values):
            raise ValueError(f"trust must hold one number a row; got an array of shape {values.shape}.")
        if not np.isfinite(values).all() or (values < 0.0).any():
            bad = np.flatnonzero(~np.isfinite(values) | (values < 0.0))
            raise ValueError(
                f"trust must be a number from 0 to 1 for every row; {len(bad)} rows have none, the first of "
                f"them is row {bad[0]} with {values[bad[0]]:g}. Leave them out, of suspect too."
            )
        mask = None if suspect is None else checked_mask(suspect, len(values), "suspect")
        return cls(trust=values, suspect=mask, about=about).plot(ax, legend=legend)

    def _draw(self, ax: Any) -> None:
        suspect = np.zeros(len(self.trust), dtype=bool) if self.suspect is None else self.suspect
        self.edges_ = np.linspace(0.0, max(1.0, float(self.trust.max())), BINS + 1)
        groups = [self.trust[~suspect], self.trust[suspect]]
        self.counts_ = np.array([np.histogram(group, self.edges_)[0] for group in groups])
        fills = [colours(ax).first, colours(ax).second]
        looks: dict[str, Any] = {"color": fills, "label": ["rows", "suspects"], "linewidth": 0}
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
        if suspect.any():
            ax.legend(handles=named_once(ax), loc="upper left")
