"""Error bars and probabilities, near the data and far from them: the second picture of the README.

Run ``python examples/error_bars.py [FILE.png]``; it needs ``pip install 'rowtrust[plot]'`` for matplotlib.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from sklearn.datasets import make_moons

from rowtrust import RVC, BayesianSVR
from rowtrust.contracts import Array
from rowtrust.displays import BoundaryDisplay, PredictionDisplay


def draw(path: Path, seed: int = 0) -> None:
    """Draw a regression with a gap in its inputs, and the class probabilities around two moons."""
    figure = Figure(figsize=(10, 4.6), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    draw_regression(left, seed)
    draw_classes(right, seed)
    figure.savefig(path, dpi=160)


def draw_regression(axes: Any, seed: int) -> None:
    """Draw 95 % intervals that know where the data are."""
    X, y = gapped_sinc(np.random.default_rng(seed))
    model = BayesianSVR().fit(X, y)
    shown = PredictionDisplay.from_estimator(model, X, y, ax=axes)
    place = np.linspace(*axes.get_xlim(), 400)
    (truth,) = axes.plot(
        place, np.sinc(place / np.pi), color="black", linestyle="--", linewidth=1.2, label="truth"
    )
    move_legend(shown, truth, loc="upper center")
    axes.set(ylim=(-0.7, 2.1), xlabel="input", ylabel="target")
    axes.set_title("BayesianSVR: error bars in a gap", fontsize=12)


def gapped_sinc(generator: np.random.Generator) -> tuple[Array, Array]:
    """Draw noisy rows of sinc, none of them in a gap."""
    X = generator.uniform(-10, 10, 120)
    X = X[(X < 2) | (X > 6.5)][:, None]
    return X, np.sinc(X[:, 0] / np.pi) + 0.1 * generator.standard_normal(len(X))


def draw_classes(axes: Any, seed: int) -> None:
    """Draw the probability of one moon, near and far."""
    # A class rate between two levels of the picture: on one, rounding would draw contours far away.
    X, y = make_moons((150, 48), noise=0.15, random_state=seed)
    model = RVC().fit(X, y)
    shown = BoundaryDisplay.from_estimator(model, X, y, margin=1.3, ax=axes)
    move_legend(shown, loc="lower center")
    axes.set(xlabel="first input", ylabel="second input")
    axes.set_title(f"RVC: far from all rows the class rate, {y.mean():.0%}", fontsize=12)


def move_legend(shown: Any, *more: Any, loc: str) -> None:
    """Put the legend of a display into its axes, with more lines in it."""
    handles = [*shown.legend_.legend_handles, *more]
    labels = [*(text.get_text() for text in shown.legend_.get_texts()), *(line.get_label() for line in more)]
    shown.ax_.legend(handles, labels, frameon=False, ncols=2, loc=loc, fontsize=10.5)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "error_bars.png"))
