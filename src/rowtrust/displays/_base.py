"""What all displays share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

from sklearn.utils.validation import check_is_fitted

from rowtrust.displays.looks import axes_for


class Display:
    """A picture whose parts are kept: made from numbers, drawn by :meth:`plot`, as often as wanted."""

    size = (6.0, 4.2)
    """Width and height in inches of a figure that is made for it; scikit-learn's, by eye."""

    ax_: Any
    figure_: Any

    def plot(self, ax: Any = None) -> Self:
        """Draw the picture.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        Display
            The display itself; ``ax_`` and ``figure_`` are where it was drawn.
        """
        width, height = self.size
        self.ax_ = axes_for(ax, width=width, height=height)
        self.figure_ = self.ax_.get_figure()
        self._draw(self.ax_)
        return self

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw into axes."""


def fitted_attribute(estimator: Any, name: str, cure: str) -> Any:
    """Return an attribute of a fitted estimator, or say which estimators have it."""
    check_is_fitted(estimator)
    found = getattr(estimator, name, None)
    if found is None:
        raise ValueError(f"{type(estimator).__name__} has no {name} to draw. {cure}")
    return found
