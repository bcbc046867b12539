"""What all displays share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from rowtrust.displays.looks import axes_for


class Display(ABC):
    """A picture whose parts are kept: made from numbers, drawn by :meth:`plot`, as often as wanted."""

    size = (6.0, 4.2)
    """Width and height in inches of a figure that is made for it; scikit-learn's, by eye."""

    ax_: Any
    figure_: Any

    def plot(self, ax: Any = None, *, legend: bool = True) -> Self:
        """Draw the picture; again into the same axes, it takes the place of the last one.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.
        legend : bool, default=True
            Whether to draw a legend, if there is something to name.

        Returns
        -------
        Display
            The display itself; ``ax_`` and ``figure_`` are where it was drawn.
        """
        width, height = self._figure_size()
        ax = axes_for(ax, width=width, height=height)
        if ax is getattr(self, "ax_", None):
            self._take_away()
        self.ax_, self.figure_ = ax, ax.get_figure()
        there, groups = set(ax.get_children()), list(ax.containers)
        self._draw(ax)
        if not legend and ax.get_legend() is not None:
            ax.get_legend().remove()
            self.legend_ = None
        self._artists = [each for each in ax.get_children() if each not in there]
        self._groups = [each for each in ax.containers if not any(each is known for known in groups)]
        return self

    def _figure_size(self) -> tuple[float, float]:
        """Return width and height of a figure that is made for it."""
        return self.size

    def _take_away(self) -> None:
        """Remove what was drawn last."""
        for artist in self._artists:
            if artist.axes is not None and artist in self.ax_.get_children():
                artist.remove()
        for group in self._groups:
            if group in self.ax_.containers:
                self.ax_.containers.remove(group)

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw into axes."""


def fitted_attribute(estimator: Any, name: str, cure: str) -> Any:
    """Return an attribute of a fitted estimator, or say which estimators have it."""
    check_is_fitted(estimator)
    found = getattr(estimator, name, None)
    if found is None:
        targets = getattr(estimator, "estimators_", ())
        if any(getattr(each, name, None) is not None for each in targets):
            cure = f"It has one for each of {len(targets)} targets: draw estimators_[0], or another of them."
        raise ValueError(f"{type(estimator).__name__} has no {name} to draw. {cure}")
    return found
