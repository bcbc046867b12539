"""A plain and a robust classifier where 30 % of one class is labelled wrong: the picture of the README.

Run ``python examples/boundaries.py [FILE.png]``; it needs ``pip install 'rowtrust[plot]'`` for matplotlib. It
shows a typical one of ten draws, and prints the means of all.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from sklearn.datasets import make_moons

from rowtrust import RVC, RobustRVC, find_wrong_rows
from rowtrust.contracts import Array
from rowtrust.datasets import flip_labels
from rowtrust.displays import BoundaryDisplay

NOISE = 0.2
"""Spread of the rows around the two moons."""

ROWS, CLEAN_ROWS, FLIPPED = 250, 4000, 0.3
"""Rows to fit, clean rows to judge by, and the share of class 1 that is labelled 0. For the story's sake."""

KINDS = (RVC, RobustRVC)
"""What is compared."""

DRAWS = 10
"""Draws whose means are shown."""


@dataclass(frozen=True)
class Trial:
    """Dirty rows, a model fitted to them, its flagged rows, and its error on clean rows."""

    X: Array
    given: Array
    flipped: Array
    model: Any
    flagged: Array
    error: float

    @classmethod
    def of(cls, kind: type, seed: int) -> Trial:
        """Draw rows, make labels wrong, fit, and judge."""
        X, y = make_moons(ROWS, noise=NOISE, random_state=seed)
        given, flipped = flip_labels(y, FLIPPED, only_from=1, random_state=seed + 1)
        test = make_moons(CLEAN_ROWS, noise=NOISE, random_state=seed + 2)
        model = kind(kernel="rbf", random_state=seed).fit(X, given)  # one kernel: the smoothest picture
        flagged = np.isin(np.arange(ROWS), find_wrong_rows(model, X, given).flagged)
        return cls(X, given, flipped, model, flagged, 1.0 - model.score(*test))

    @property
    def found(self) -> int:
        """How many wrong labels are among the flagged rows."""
        return int(self.flipped[self.flagged].sum())


def trials_of(kind: type) -> list[Trial]:
    """Return what comes of several draws."""
    return [Trial.of(kind, 100 * place) for place in range(DRAWS)]


def draw(path: Path, trials: dict[type, list[Trial]]) -> None:
    """Draw boundaries on one draw, the middle one by what the robust model finds, and the means of all."""
    figure = Figure(figsize=(10, 5), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    middle = np.argsort([each.found for each in trials[RobustRVC]], kind="stable")[DRAWS // 2]
    for axes, (kind, tries) in zip(panels, trials.items(), strict=True):
        tried = tries[middle]
        shown = BoundaryDisplay.from_estimator(
            tried.model, tried.X, tried.given, wrong=tried.flipped, flagged=tried.flagged, ax=axes
        )
        draw_truth(axes)
        axes.set_title("\n".join(sentences(kind, tries)), fontsize=12)
        axes.set(xlabel="", ylabel="")
        axes.tick_params(bottom=False, left=False, labelbottom=False, labelleft=False)
        shown.legend_.remove()
    add_legend(figure, shown)
    figure.savefig(path, dpi=160)


def sentences(kind: type, trials: list[Trial]) -> tuple[str, str]:
    """Return the means of several draws in words."""
    error, found = (np.mean([getattr(each, name) for each in trials]) for name in ("error", "found"))
    named = np.mean([each.flagged.sum() for each in trials])
    return (
        f"{kind.__name__}, means of {DRAWS} draws: {error:.1%} errors",
        f"{found:.1f} of {trials[0].flipped.sum()} wrong labels found, {named:.1f} rows flagged",
    )


def draw_truth(axes: Any) -> None:
    """Draw the boundary of the best classifier that there is."""
    across, up = np.meshgrid(np.linspace(*axes.get_xlim(), 200), np.linspace(*axes.get_ylim(), 200))
    odds = moon_odds(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    axes.contour(across, up, odds, levels=[0.0], colors="#2f9e79", linestyles="--", linewidths=2)
    axes.plot([], [], color="#2f9e79", linestyle="--", linewidth=2, label="best possible boundary")


def moon_odds(points: Array) -> Array:
    """Return the true log-odds of class 1: rows are spread around points of two half circles."""
    angle = np.linspace(0.0, np.pi, 200)
    arcs = [(np.cos(angle), np.sin(angle)), (1.0 - np.cos(angle), 0.5 - np.sin(angle))]
    squared = [((points[:, None] - np.column_stack(arc)) ** 2).sum(axis=2) for arc in arcs]
    upper, lower = (np.logaddexp.reduce(-0.5 * each / NOISE**2, axis=1) for each in squared)
    return np.asarray(lower - upper)


def add_legend(figure: Figure, shown: BoundaryDisplay) -> None:
    """Say below the panels what the marks are."""
    handles = [*shown.legend_.legend_handles, shown.ax_.get_lines()[-1]]
    names = {"known to be wrong": "wrong label", "probability 0.25, 0.75": "probability ¼, ¾"}
    labels = [names.get(handle.get_label(), handle.get_label()) for handle in handles]
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, fontsize=11)


if __name__ == "__main__":
    tried = {kind: trials_of(kind) for kind in KINDS}
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "boundaries.png"), tried)
    for kind, tries in tried.items():
        print("; ".join(sentences(kind, tries)))
