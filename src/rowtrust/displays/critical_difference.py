"""Which of several models differ over many data sets (Demsar 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from rowtrust.contracts import Array
from rowtrust.displays._base import Display
from rowtrust.displays._frames import column_names
from rowtrust.displays.looks import checked_numbers, colours, short

LEVEL, STEP = 0.35, 0.55
"""Heights from bar to bar and from name to name, in units of the picture. By eye."""

LEAST_SHOWN = 1e-4
"""Smaller probabilities are shown as below this one: tests are not that exact."""


MOST_TICKS = 10
"""Ranks written along the line at most, so that their numbers do not touch; by eye."""

LINE, LETTER, RULER = 0.24, 0.085, 3.0
"""Inches from name to name at least, a line of text and a little; of a letter; and of the line of ranks. By
eye."""

MODEL_LENGTH = 26
"""Characters of a model's name, which stands on both sides of the picture; by eye."""


@dataclass(kw_only=True, eq=False, repr=False)
class CriticalDifferenceDisplay(Display):
    """Mean ranks of models over many data sets, and which of them do not differ significantly.

    Demsar's diagram: models hang from a line of ranks, the best on the left. A bar joins those whose mean
    ranks are closer than the critical difference of Nemenyi's test. It is recommended to use
    :meth:`from_scores` or :meth:`from_predictions`.

    Parameters
    ----------
    mean_ranks : ndarray of shape (n_models,)
        Mean rank of each model; 1 is best.
    critical_difference : float
        Mean ranks further apart than this differ.
    names : sequence of str
        Of the models.
    p_value : float, default=None
        That of Friedman's test: how likely such different ranks are if all models are alike.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes.
    figure_ : matplotlib Figure
        The figure of the axes.
    bars_ : list of matplotlib Line2D
        The bars over models that do not differ significantly.

    References
    ----------
    J. Demsar (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine
    Learning Research 7.

    Examples
    --------
    >>> from rowtrust.displays import CriticalDifferenceDisplay
    >>> errors = [[0.1, 0.2, 0.3], [0.2, 0.4, 0.3], [0.1, 0.2, 0.3], [0.3, 0.4, 0.5]]
    >>> display = CriticalDifferenceDisplay.from_scores(errors, names=["robust", "plain", "nearest"])
    >>> [float(rank) for rank in display.mean_ranks]
    [1.0, 2.25, 2.75]
    >>> round(display.critical_difference, 2), round(display.p_value, 3)
    (1.66, 0.039)
    """

    size = (6.4, 3.0)

    mean_ranks: Array
    critical_difference: float
    names: Sequence[str]
    p_value: float | None = None

    @classmethod
    def from_scores(
        cls,
        scores: ArrayLike,
        *,
        names: Sequence[str] | None = None,
        greater_is_better: bool = False,
        alpha: float = 0.05,
        ax: Any = None,
    ) -> Self:
        """Rank models on every data set, test whether they differ, and draw the answer.

        Parameters
        ----------
        scores : array-like of shape (n_blocks, n_models)
            One row for each data set, on which all models were measured.
        names : sequence of str, default=None
            Of the models; None: those of a dataframe's columns, or their numbers.
        greater_is_better : bool, default=False
            Whether the best model has the highest score; errors are lowest for the best.
        alpha : float, default=0.05
            Significance level of the test.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        CriticalDifferenceDisplay
            The display.
        """
        ranks = ranked(scores, greater_is_better=greater_is_better)
        n_blocks, n_models = ranks.shape
        difference = nemenyi_difference(n_models, n_blocks, alpha)
        if names is None:
            names = column_names(scores) or [f"model {place}" for place in range(n_models)]
        found = {"names": names, "p_value": friedman_p_value(ranks), "ax": ax}
        return cls.from_predictions(ranks.mean(axis=0), difference, **found)

    @classmethod
    def from_predictions(
        cls,
        mean_ranks: ArrayLike,
        critical_difference: float,
        *,
        names: Sequence[str],
        p_value: float | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw ranks that you have already.

        Parameters
        ----------
        mean_ranks : array-like of shape (n_models,)
            Mean rank of each model; 1 is best.
        critical_difference : float
            Mean ranks further apart than this differ.
        names : sequence of str
            Of the models.
        p_value : float, default=None
            That of Friedman's test.
        ax : matplotlib Axes, default=None
            Axes to draw into; None creates a figure.

        Returns
        -------
        CriticalDifferenceDisplay
            The display.
        """
        ranks = checked_numbers(mean_ranks, "mean_ranks", "Give one mean rank per model.")
        if ranks.ndim != 1 or len(ranks) != len(names):
            raise ValueError(f"There are mean ranks of shape {ranks.shape} and {len(names)} names of models.")
        difference = float(critical_difference)
        if not 0.0 <= difference < np.inf:
            raise ValueError(f"critical_difference must be positive or zero, got {difference:g}.")
        return cls(mean_ranks=ranks, critical_difference=difference, names=names, p_value=p_value).plot(ax)

    def _figure_size(self) -> tuple[float, float]:
        width, height = self.size
        top, bottom = self._heights()
        longest = max(len(self._told(index)) for index in range(len(self.names)))
        return max(width, RULER + 2.0 * LETTER * longest), max(height, LINE / STEP * (top - bottom))

    def _told(self, index: int) -> str:
        """Return what is written of a model."""
        return f"{short(self.names[index], MODEL_LENGTH)} {self.mean_ranks[index]:.2f}"

    def _runs(self) -> list[tuple[float, float]]:
        return alike(np.sort(self.mean_ranks), self.critical_difference)

    def _heights(self) -> tuple[float, float]:
        """Return where the picture ends above and below."""
        return 1.3, -LEVEL * len(self._runs()) - STEP * ((len(self.names) + 1) // 2 + 0.5)

    def _draw(self, ax: Any) -> None:
        count = len(self.names)
        order = np.argsort(self.mean_ranks, kind="stable")
        runs = self._runs()
        first = -LEVEL * len(runs) - STEP
        ax.axis("off")
        ax.set(xlim=(0.6, count + 0.4), ylim=self._heights()[::-1])
        self._draw_ruler(ax)
        for place, index in enumerate(order):
            is_left = place < (count + 1) // 2
            height = first - STEP * (place if is_left else count - 1 - place)
            self._draw_name(ax, int(index), height, is_left)
        thick = {"color": colours(ax).second, "linewidth": 4.0, "solid_capstyle": "round", "zorder": 3}
        self.bars_ = [ax.plot(run, [-LEVEL * (level + 1)] * 2, **thick)[0] for level, run in enumerate(runs)]

    def _draw_ruler(self, ax: Any) -> None:
        """Draw the line of ranks, and above it how long the critical difference is."""
        ink, count = colours(ax).ink, len(self.names)
        ax.plot([1, count], [0, 0], color=ink, linewidth=1.2)
        for tick in range(1, count + 1, -(-count // MOST_TICKS)):
            ax.plot([tick, tick], [0, 0.12], color=ink, linewidth=1.2)
            ax.text(tick, 0.2, str(tick), ha="center", va="bottom", color=ink, fontsize="small")
        difference = self.critical_difference
        ax.plot([1, 1 + difference], [1, 1], color=ink, linewidth=1.5, marker="|", markersize=8)
        told = f"critical difference {difference:.2f}"
        if self.p_value is not None:
            told += f", Friedman p {shown(self.p_value)}"
        text = {"xytext": (8, 0), "textcoords": "offset points", "va": "center", "fontsize": "small"}
        ax.annotate(told, (1 + difference, 1), color=ink, **text)

    def _draw_name(self, ax: Any, index: int, height: float, is_left: bool) -> None:
        """Draw a line from a mean rank down to its model's name at the side."""
        palette, rank = colours(ax), self.mean_ranks[index]
        edge, side = (0.75, "right") if is_left else (len(self.names) + 0.25, "left")
        ax.plot([rank, rank, edge], [0, height, height], color=palette.muted, linewidth=1.0)
        text = {"xytext": (-4 if is_left else 4, 0), "textcoords": "offset points"}
        ax.annotate(self._told(index), (edge, height), ha=side, va="center", color=palette.ink, **text)


def shown(p_value: float) -> str:
    """Return a probability in few digits, after its sign."""
    return f"< {LEAST_SHOWN:g}" if p_value < LEAST_SHOWN else f"= {p_value:.2g}"


def ranked(scores: ArrayLike, *, greater_is_better: bool = False) -> Array:
    """Return the rank of each model in each block; 1 is best, and equal models share a rank."""
    values = np.asarray(scores, dtype=float)
    if values.ndim != 2 or min(values.shape) < 2:
        raise ValueError(
            "scores must have a row for each data set (two or more) and a column for each model (two or "
            f"more); got shape {values.shape}."
        )
    if not np.isfinite(values).all():
        raise ValueError("scores must be finite: leave out data sets on which a model was not measured.")
    ranks: Array = stats.rankdata(-values if greater_is_better else values, axis=1)
    return ranks


def friedman_statistic(ranks: Array) -> float:
    """Return Friedman's chi-squared of ranks within blocks, corrected for ties."""
    n_blocks, n_models = ranks.shape
    between = n_blocks * np.sum((ranks.mean(axis=0) - (n_models + 1) / 2.0) ** 2)
    within = np.sum((ranks - (n_models + 1) / 2.0) ** 2) / (n_blocks * (n_models - 1))
    return float(between / within) if within > 0 else 0.0


def friedman_p_value(ranks: Array) -> float:
    """Return how likely mean ranks so different are if all models are alike."""
    return float(stats.chi2.sf(friedman_statistic(ranks), ranks.shape[1] - 1))


def rank_spread(n_models: int, n_blocks: int) -> float:
    """Return the standard error of the difference of two mean ranks."""
    return float(np.sqrt(n_models * (n_models + 1) / (6.0 * n_blocks)))


def nemenyi_difference(n_models: int, n_blocks: int, alpha: float = 0.05) -> float:
    """Return the difference of mean ranks beyond which Nemenyi's test tells models apart."""
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}.")
    # The studentised range is that of independent normals, whose difference has twice the variance.
    quantile = stats.studentized_range.isf(alpha, n_models, np.inf) / np.sqrt(2.0)
    return float(quantile * rank_spread(n_models, n_blocks))


def alike(ranks: Array, critical: float) -> list[tuple[float, float]]:
    """Return the widest runs of sorted ranks that lie within the critical difference."""
    runs: list[tuple[float, float]] = []
    for start, rank in enumerate(ranks):
        end = int(np.searchsorted(ranks, rank + critical, side="right")) - 1
        if end > start and (not runs or ranks[end] > runs[-1][1]):
            runs.append((float(rank), float(ranks[end])))
    return runs
