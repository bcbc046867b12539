"""Error bars and probabilities far from the data: what a sparse model says there, and what rowtrust says.

Run ``python examples/error_bars.py [FILE.png]``; it needs ``pip install 'rowtrust[cli]'`` for matplotlib.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from sklearn.datasets import make_moons
from sklearn.metrics.pairwise import rbf_kernel

from rowtrust import RVC, RVR
from rowtrust.contracts import Array


def draw(path: Path, seed: int = 0) -> None:
    """Draw a regression with a gap in its inputs, and the class probabilities around two moons."""
    figure = Figure(figsize=(11, 4.4), layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    draw_regression(left, seed)
    draw_classes(right, seed)
    figure.savefig(path, dpi=100)


def draw_regression(axes: Any, seed: int) -> None:
    """Draw 95 % intervals of the model alone, and those that know where the data are."""
    X, y = gapped_sinc(np.random.default_rng(seed))
    model = RVR(gamma=0.15, scaling=None, sparsity=0).fit(X, y)
    grid = np.linspace(-24, 24, 600)[:, None]
    mean, deviation = model.predict(grid, return_std=True)
    phi = np.column_stack([np.ones(600), rbf_kernel(grid, model.relevance_vectors_, gamma=0.15)])
    fitted = phi @ np.r_[model.intercept_, model.dual_coef_[0]]
    alone = np.sqrt(np.einsum("ij,jk,ik->i", phi, model.covariance_[0], phi) + model.noise_variance_)
    axes.fill_between(grid[:, 0], mean - 1.96 * deviation, mean + 1.96 * deviation, alpha=0.25, label="95 %")
    axes.plot(grid[:, 0], mean, label="prediction")
    for sign in (-1, 1):
        label = "95 %, basis functions alone" if sign == 1 else None
        axes.plot(grid[:, 0], fitted + sign * 1.96 * alone, color="0.3", linestyle=":", label=label)
    axes.scatter(X[:, 0], y, s=8, color="black", label="rows")
    axes.set(title="RVR: error bars grow away from the rows", xlabel="input", ylim=(-2, 2.4))
    axes.legend(frameon=False, fontsize=8, ncols=2, loc="upper center")


def gapped_sinc(generator: np.random.Generator) -> tuple[Array, Array]:
    """Draw noisy rows of sinc, none of them in a gap."""
    X = generator.uniform(-10, 10, 120)
    X = X[(X < 2) | (X > 6.5)][:, None]
    return X, np.sinc(X[:, 0] / np.pi) + 0.1 * generator.standard_normal(len(X))


def draw_classes(axes: Any, seed: int) -> None:
    """Draw the probability of one moon, near and far."""
    X, y = make_moons((150, 50), noise=0.15, random_state=seed)
    model = RVC().fit(X, y)
    across, up = np.meshgrid(np.linspace(-8, 9, 240), np.linspace(-8, 8, 240))
    shade = model.predict_proba(np.column_stack([across.ravel(), up.ravel()]))[:, 1].reshape(across.shape)
    image = axes.contourf(across, up, shade, levels=np.linspace(0, 1, 21), cmap="RdBu_r", alpha=0.6)
    axes.contour(across, up, shade, levels=[0.5], colors="black", linewidths=1.5)
    for label, colour in ((0, "tab:blue"), (1, "tab:red")):
        axes.scatter(*X[y == label].T, s=5, c=colour)
    axes.figure.colorbar(image, ax=axes, label="probability of red", ticks=np.linspace(0, 1, 6))
    axes.set(title=f"RVC: far away the class rate, {y.mean():.0%} red", xlabel="first input")


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "error_bars.png"))
