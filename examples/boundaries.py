"""A plain and a robust classifier on data with 10 % wrong labels: the picture of the README.

Run ``python examples/boundaries.py [FILE.png]``; it needs ``pip install 'rowtrust[cli]'`` for matplotlib.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from rowtrust import RVC, RobustRVC
from rowtrust.contracts import Array
from rowtrust.datasets import flip_labels, make_ripley, ripley_probability


def draw(path: Path, seed: int = 0) -> None:
    """Fit both models to the same dirty rows and draw their boundaries side by side."""
    X, y = make_ripley(250, random_state=seed)
    given, flipped = flip_labels(y, 0.1, random_state=seed + 1)
    X_test, y_test = make_ripley(2000, random_state=seed + 2)
    figure = Figure(figsize=(11, 5.2), layout="constrained")
    FigureCanvasAgg(figure)
    for axes, estimator in zip(
        figure.subplots(1, 2, sharex=True, sharey=True), (RVC, RobustRVC), strict=True
    ):
        model = estimator(gamma=4.0, scaling=None, sparsity=0, random_state=seed).fit(X, given)
        draw_model(axes, model)
        draw_rows(axes, X, given, flipped, model)
        probability = model.predict_proba(X_test)[:, 1]
        error, rmse = np.mean((probability > 0.5) != y_test), np.sqrt(np.mean((probability - y_test) ** 2))
        axes.set_title(f"{estimator.__name__}: error {error:.1%}, RMSE {rmse:.3f} on clean rows", fontsize=11)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False, fontsize=9)
    figure.savefig(path, dpi=100)


def draw_model(axes: Any, model: Any) -> None:
    """Draw the probability as shade, the model's boundary, and the true one."""
    across, up = np.meshgrid(np.linspace(-1.35, 1.05, 200), np.linspace(-0.35, 1.35, 200))
    grid = np.column_stack([across.ravel(), up.ravel()])
    shade = model.predict_proba(grid)[:, 1].reshape(across.shape)
    truth = ripley_probability(grid).reshape(across.shape)
    axes.contourf(across, up, shade, levels=np.linspace(0, 1, 11), cmap="RdBu_r", alpha=0.35)
    axes.contour(across, up, shade, levels=[0.25, 0.75], colors="0.35", linestyles=":", linewidths=1)
    axes.contour(across, up, shade, levels=[0.5], colors="black", linewidths=2)
    axes.contour(across, up, truth, levels=[0.5], colors="seagreen", linestyles="--", linewidths=1.6)
    axes.plot([], [], color="seagreen", linestyle="--", label="true boundary")
    axes.set(xlabel="first input", ylabel="second input")


def draw_rows(axes: Any, X: Array, given: Array, flipped: Array, model: Any) -> None:
    """Draw the training rows, those with a wrong label, and the relevance vectors."""
    for label, colour in ((0, "tab:blue"), (1, "tab:red")):
        axes.scatter(*X[given == label].T, s=12, c=colour, label=f"labelled {label}")
    hollow = {"facecolors": "none", "edgecolors": "black"}
    axes.scatter(*X[flipped].T, s=60, marker="s", label="wrong label", **hollow)
    axes.scatter(*model.relevance_vectors_.T, s=150, linewidths=1.6, label="relevance vector", **hollow)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "boundaries.png"))
