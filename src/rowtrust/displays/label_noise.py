"""How often labels are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rowtrust.contracts import Array
from rowtrust.displays._base import Display, fitted_attribute
from rowtrust.displays._machines import machine_of
from rowtrust.displays.looks import colours, short
from rowtrust.displays.marks import in_percent, name_bars, size_of_bars, write_behind

MOST_PAIRS = 12
"""Pairs of classes drawn, those with the highest rates: more names do not fit into a figure."""


CLASS_LENGTH = 11
"""Characters of a class: two of them, and the words between, fit beside a bar."""


@dataclass(kw_only=True, eq=False, repr=False)
class LabelNoiseDisplay(Display):
    """How often each class was given the label of another, with intervals.

    Use :meth:`from_estimator` or :meth:`from_predictions` to create one.

    Parameters
    ----------
    label_noise : ndarray of shape (n_classes, n_classes)
        Entry [k, j] is the probability that a row of class k was given the label j: ``noise_``.
    interval : ndarray of shape (2, n_classes, n_classes)
        Lower and upper ends of the interval of each entry: ``noise_interval_``.
    classes : sequence, default=None
        Names of the classes; None: their numbers.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.
    bars_ : matplotlib BarContainer
        The bars, the highest rate first; their ``errorbar`` has the intervals.
    pairs_ : list of tuple of int
        The pairs drawn, each the true class and the one given.

    Examples
    --------
    >>> from rowtrust.displays import LabelNoiseDisplay
    >>> rates = [[0.9, 0.1], [0.02, 0.98]]
    >>> interval = [[[0.85, 0.06], [0.0, 0.95]], [[0.94, 0.15], [0.05, 1.0]]]
    >>> display = LabelNoiseDisplay.from_predictions(rates, interval, classes=["good", "bad"])
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['good given as bad', 'bad given as good']
    """

    label_noise: Array
    interval: Array
    classes: Sequence[Any] | Array | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the label noise that a fitted classifier found, with 90 % intervals.

        Parameters
        ----------
        estimator : classifier
            A fitted RobustRVC, another that learns how often labels are wrong, or a pipeline that ends with
            one.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        LabelNoiseDisplay
            The display.
        """
        cure = "Fit RobustRVC, which learns how often labels are wrong."
        machine = machine_of(estimator)
        rates = fitted_attribute(machine, "noise_", cure)
        if str(getattr(machine, "label_noise", "power")) == "power":  # others are numbers, or arrays of them
            if hasattr(machine, "label_noise"):
                cure = 'Fit it with label_noise="channel".'
            raise ValueError(f"This {type(machine).__name__} assumes that all labels are right. {cure}")
        interval = machine.noise_interval_
        return cls.from_predictions(rates, interval, classes=machine.classes_, ax=ax)

    @classmethod
    def from_predictions(
        cls,
        label_noise: ArrayLike,
        interval: ArrayLike,
        *,
        classes: Sequence[Any] | Array | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw rates and their intervals.

        Parameters
        ----------
        label_noise : array-like of shape (n_classes, n_classes)
            Entry [k, j] is the probability that a row of class k was given the label j.
        interval : array-like of shape (2, n_classes, n_classes)
            Lower and upper ends.
        classes : sequence, default=None
            Names of the classes; None: their numbers.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        LabelNoiseDisplay
            The display.
        """
        rates, ends = np.asarray(label_noise, dtype=float), np.asarray(interval, dtype=float)
        if rates.ndim != 2 or rates.shape[0] != rates.shape[1] or len(rates) < 2:
            raise ValueError(f"label_noise must have a row and a column for each class; got {rates.shape}.")
        if ends.shape != (2, *rates.shape):
            raise ValueError(f"interval must have the shape {(2, *rates.shape)}; got {ends.shape}.")
        if not np.isfinite(rates).all() or not np.isfinite(ends).all():
            raise ValueError("label_noise and interval must be finite. Give the fitted noise_.")
        if classes is not None and len(classes) != len(rates):
            raise ValueError(f"There are {len(rates)} classes and {len(classes)} names of them.")
        return cls(label_noise=rates, interval=ends, classes=classes).plot(ax)

    def _figure_size(self) -> tuple[float, float]:
        return size_of_bars(min(len(self.label_noise) * (len(self.label_noise) - 1), MOST_PAIRS))

    def _draw(self, ax: Any) -> None:
        rates, order = self.label_noise, np.argsort(-self.label_noise, axis=None, kind="stable")
        pairs = [divmod(int(each), len(rates)) for each in order]
        self.pairs_ = [(true, given) for true, given in pairs if true != given][:MOST_PAIRS]
        places, (true, given) = np.arange(float(len(self.pairs_))), np.array(self.pairs_).T
        values, (low, high) = rates[true, given], self.interval[:, true, given]
        reach = np.maximum(np.stack([values - low, high - values]), 0.0)
        palette = colours(ax)
        bars = {"ecolor": palette.ink, "capsize": 3, "error_kw": {"elinewidth": 1.2}}
        self.bars_ = ax.barh(places, values, 0.6, xerr=reach, color=palette.second, **bars)
        furthest = np.maximum(values, high)
        told = [
            f"{rate:.1%} ({low:.1%} to {high:.1%})" for rate, low, high in zip(values, low, high, strict=True)
        ]
        write_behind(ax, furthest, places, told)
        name_bars(ax, places, [self._named(*pair) for pair in self.pairs_])
        in_percent(ax, 1.6 * furthest.max() or 1.0, "share of the rows of a class")

    def _named(self, true: int, given: int) -> str:
        names = range(len(self.label_noise)) if self.classes is None else self.classes
        return f"{short(names[true], CLASS_LENGTH)} given as {short(names[given], CLASS_LENGTH)}"
