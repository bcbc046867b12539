"""A plain and a robust classifier where 30 % of one class is labelled wrong: the picture of the README.

Run ``python examples/boundaries.py [FILE.png]``; it needs ``pip install 'rowtrust[plot]'`` for matplotlib. It
prints what comes of ten draws of such rows: one picture proves nothing.
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
"""Draws whose means are printed."""


@dataclass(frozen=True)
class Trial:
    """Dirty rows, a model fitted to them, its suspects, and its error on clean rows."""

    X: Array
    given: Array
    flipped: Array
    model: Any
    suspects: Array
    error: float

    @classmethod
    def of(cls, kind: type, seed: int) -> Trial:
        """Draw rows, make labels wrong, fit, and judge."""
        X, y = make_moons(ROWS, noise=NOISE, random_state=seed)
        given, flipped = flip_labels(y, FLIPPED, only_from=1, random_state=seed + 1)
        test = make_moons(CLEAN_ROWS, noise=NOISE, random_state=seed + 2)
        model = kind(kernel="rbf", random_state=seed).fit(X, given)  # one kernel: the smoothest picture
        suspects = np.isin(np.arange(ROWS), find_wrong_rows(model, X, given).suspects)
        return cls(X, given, flipped, model, suspects, 1.0 - model.score(*test))

    @property
    def found(self) -> int:
        """How many wrong labels are among the suspects."""
        return int(self.flipped[self.suspects].sum())


def draw(path: Path, seed: int = 0) -> None:
    """Fit both models to the same dirty rows and draw their boundaries side by side."""
    figure = Figure(figsize=(10, 5), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    for axes, kind in zip(panels, KINDS, strict=True):
        tried = Trial.of(kind, seed)
        shown = BoundaryDisplay.from_estimator(
            tried.model, tried.X, tried.given, wrong=tried.flipped, suspects=tried.suspects, ax=axes
        )
        draw_truth(axes)
        errors = f"{kind.__name__}: {tried.error:.1%} errors on clean rows"
        found = f"finds {tried.found} of {tried.flipped.sum()} wrong labels, {tried.suspects.sum()} suspects"
        axes.set_title(f"{errors}\n{found}", fontsize=12)
        axes.set(xlabel="", ylabel="")
        axes.tick_params(bottom=False, left=False, labelbottom=False, labelleft=False)
        shown.legend_.remove()
    add_legend(figure, shown)
    figure.savefig(path, dpi=160)


def print_means() -> None:
    """Print what both models make of several draws."""
    for kind in KINDS:
        trials = [Trial.of(kind, 100 * place) for place in range(DRAWS)]
        error, found = (np.mean([getattr(each, name) for each in trials]) for name in ("error", "found"))
        named = np.mean([each.suspects.sum() for each in trials])
        print(
            f"{kind.__name__}, means of {DRAWS} draws: {error:.1%} errors, {found:.1f} of "
            f"{trials[0].flipped.sum()} wrong labels found, {named:.1f} suspects"
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
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "boundaries.png"))
    print_means()
