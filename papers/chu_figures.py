"""Chu, Keerthi & Ong (2001): figures 1 to 3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from papers.chu_protocol import BETA, PAPER_PRIOR, SINC_ROWS, Normalised
from papers.context import RunContext
from papers.pictures import canvas
from rowtrust.datasets import make_sinc
from rowtrust.estimators import BayesianSVR
from rowtrust.likelihoods.soft_insensitive import EpsilonInsensitive, Huber, Laplace, SoftInsensitive


def figure_1(context: RunContext) -> Any:
    """The losses: quadratic, absolute, Huber's, and the epsilon-insensitive one."""
    residual = np.linspace(-3, 3, 601)
    losses = {
        "Gaussian": 0.5 * residual**2,
        "Laplacian": Laplace(1.0).loss(residual),
        "Huber's": Huber(1.0, 0.5).loss(residual),
        r"$\epsilon$-insensitive": EpsilonInsensitive(1.0, 0.5).loss(residual),
    }
    figure = canvas(9, 6)
    for axes, (name, loss) in zip(
        figure.subplots(2, 2, sharex=True, sharey=True).ravel(), losses.items(), strict=True
    ):
        axes.plot(residual, loss, color="black", linewidth=1.8)
        mark_zones(axes, {"Huber's": (1.0,), r"$\epsilon$-insensitive": (0.5,)}.get(name, ()))
        axes.set(title=name, ylim=(0, 2.5))
    figure.supxlabel(r"residual $\delta$")
    figure.supylabel(r"loss $\ell(\delta)$")
    return figure


def mark_zones(axes: Any, places: tuple[float, ...]) -> None:
    """Draw where a loss changes its form."""
    for place in places:
        for side in (-place, place):
            axes.axvline(side, color="0.7", linewidth=0.8, linestyle=":")


def figure_2(context: RunContext) -> Any:
    """The soft insensitive loss and the noise that it stands for."""
    noise = SoftInsensitive(C=2.0, epsilon=0.5, beta=0.5)
    residual = np.linspace(-2, 2, 601)
    figure = canvas(7, 4.4)
    axes = figure.subplots()
    axes.plot(residual, noise.loss(residual), color="black", linewidth=1.8, label="loss")
    axes.plot(residual, noise.density(residual), ":", color="tab:blue", linewidth=2, label="noise density")
    mark_zones(axes, (0.25, 0.75))
    for place, name in ((0.0, r"$\Delta_0$"), (0.5, r"$\Delta_M$"), (1.3, r"$\Delta_C$")):
        for side in {-place, place}:
            mark = name if side >= 0 else name.replace("}", "").replace("_M", "_{M*}").replace("_C", "_{C*}")
            axes.text(side, 1.45, mark, ha="center")
    axes.set(xlabel=r"residual $\delta$", ylim=(0, 1.6))
    axes.set_title(r"$\beta$ = 0.5, $\epsilon$ = 0.5, C = 2", fontsize=10)
    axes.legend(frameon=False, loc="center", bbox_to_anchor=(0.5, 0.62))
    return figure


def figure_3(context: RunContext) -> Any:
    """Sinc, learnt from clean rows and from noisy ones, with error bars."""
    figure = canvas(11, 4.4)
    for axes, noise in zip(figure.subplots(1, 2, sharey=True), (0.0, 0.3), strict=True):
        draw_sinc(axes, noise, context.store.seed)
    axes.legend(frameon=False, fontsize=8, loc="upper right")
    return figure


def draw_sinc(axes: Any, noise: float, seed: int) -> None:
    """Fit and draw one level of noise."""
    X, y = make_sinc(SINC_ROWS, noise=noise, random_state=seed)
    model = Normalised(BayesianSVR(beta=BETA, random_state=seed, **PAPER_PRIOR)).fit(X, y)
    line = np.linspace(-10, 10, 400)[:, None]
    mean, deviation = model.predict(line, return_std=True)
    support = model.machine.support_
    axes.fill_between(
        line[:, 0],
        mean - 1.96 * deviation,
        mean + 1.96 * deviation,
        color="tab:blue",
        alpha=0.15,
        linewidth=0,
        label="95 % of new targets",
    )
    axes.plot(line[:, 0], np.sinc(line[:, 0] / np.pi), "--", color="seagreen", label="sin(x) / x")
    axes.plot(line[:, 0], mean, color="black", linewidth=1.6, label="prediction")
    axes.scatter(X[:, 0], y, s=10, color="0.35", label="training rows")
    axes.scatter(
        X[support, 0], y[support], s=42, facecolors="none", edgecolors="crimson", label="support vectors"
    )
    axes.set(title=f"noise {noise:g}: {len(support)} support vectors of {len(y)} rows", xlabel="x")


FIGURES: dict[int, Callable[[RunContext], Any]] = {1: figure_1, 2: figure_2, 3: figure_3}
"""The paper's figures, by number."""
