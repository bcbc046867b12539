"""Chu, Keerthi & Ong (2001): figures 1 to 3, and ours beside them."""

from __future__ import annotations

from typing import Any

import numpy as np

from papers.chu.evidence_words import all_points
from papers.chu.our_tables import coverage_records, standard_error
from papers.chu.plan import evidence_experiments
from papers.chu.protocol import BETA, LEVELS, PAPER_PRIOR, SINC_ROWS, Normalised
from papers.context import RunContext
from papers.paper import Picture
from papers.pictures import canvas
from rowtrust.datasets import make_sinc
from rowtrust.displays.loss import LossDisplay, edges
from rowtrust.estimators import BayesianSVR
from rowtrust.likelihoods import Gaussian, Likelihood
from rowtrust.likelihoods.soft_insensitive import EpsilonInsensitive, Huber, Laplace, SoftInsensitive

COLOURS = ("tab:blue", "tab:orange", "tab:green", "tab:purple", "tab:brown", "tab:pink", "black")
"""Of the data sets in the picture of coverage."""

CLEAN = "sinc, noise 0"
"""Rows without noise, whose coverage says nothing: see table C."""

MARKERS = "osD^v<>"
"""Their marks: colour alone does not tell them apart for every reader."""


def figure_1(context: RunContext) -> Any:
    """The losses: quadratic, absolute, Huber's, and the epsilon-insensitive one."""
    losses: dict[str, tuple[Likelihood, str]] = {
        r"quadratic, $\delta^2 / 2$": (Gaussian(1.0), ""),
        r"Laplacian, $|\delta|$": (Laplace(1.0), ""),
        r"Huber's, $\epsilon$ = 0.5": (Huber(1.0, 0.5), r"$2\epsilon$"),
        r"$\epsilon$-insensitive, $\epsilon$ = 0.5": (EpsilonInsensitive(1.0, 0.5), r"$\epsilon$"),
    }
    figure = canvas(9, 6.4)
    panels = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
    for axes, (name, (likelihood, word)) in zip(panels, losses.items(), strict=True):
        drawn = LossDisplay.from_likelihoods({name: likelihood}, span=3.0, zones=True, ax=axes)
        for edge in drawn.zones:
            for side, sign in ((-1, "-"), (1, "")):
                axes.text(side * edge, 2.3, f"{sign}{word}", ha="center", backgroundcolor="white")
        axes.set(title=name, ylim=(0, 2.5), xlabel="", ylabel="")
    figure.supxlabel(r"residual $\delta$")
    figure.supylabel(r"loss $\ell(\delta)$")
    return figure


def figure_2(context: RunContext) -> Any:
    """The soft insensitive loss and the noise that it stands for."""
    noise = SoftInsensitive(C=2.0, epsilon=0.5, beta=0.5)
    residual = np.linspace(-2, 2, 801)
    figure = canvas(8, 5)
    axes = figure.subplots()
    curves = {
        r"loss $\ell(\delta)$": noise.loss(residual),
        r"noise density $P(\delta)$": noise.density(residual),
    }
    drawn = LossDisplay.from_predictions(residual, curves, zones=tuple(edges(noise)), ax=axes)
    drawn.lines_[1].set_linestyle(":")
    zones = {
        -1.35: r"$\Delta_{C^*}$",
        -0.5: r"$\Delta_{M^*}$",
        0.0: r"$\Delta_0$",
        0.5: r"$\Delta_M$",
        1.35: r"$\Delta_C$",
    }
    for place, name in zones.items():
        axes.text(place, 1.5, name, ha="center", va="center", fontsize=13)
    borders = {0.25: r"$(1-\beta)\epsilon$", 0.75: r"$(1+\beta)\epsilon$"}
    for place, name in borders.items():
        axes.text(place, 1.27, name, ha="center", va="center", fontsize=9, backgroundcolor="white")
        axes.text(-place, 1.27, f"$-${name}", ha="center", va="center", fontsize=9, backgroundcolor="white")
    axes.set(xlabel=r"residual $\delta$", ylabel="", ylim=(0, 1.65))
    axes.set_title(r"soft insensitive loss, $\beta$ = 0.5, $\epsilon$ = 0.5, C = 2", fontsize=11)
    axes.legend(frameon=False, loc="center", bbox_to_anchor=(0.5, 0.56))
    return figure


def figure_3(context: RunContext) -> Any:
    """Sinc, learnt from clean rows and from noisy ones, with error bars."""
    figure = canvas(13, 5.4)
    panels = figure.subplots(1, 2, sharey=True)
    for axes, noise in zip(panels, (0.0, 0.3), strict=True):
        draw_sinc(axes, noise, context.store.seed)
    panels[0].set_ylabel("y")
    handles, labels = panels[1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
    return figure


def draw_sinc(axes: Any, noise: float, seed: int) -> None:
    """Fit and draw one level of noise."""
    X, y = make_sinc(SINC_ROWS, noise=noise, random_state=seed)
    model = Normalised(BayesianSVR(beta=BETA, random_state=seed, **PAPER_PRIOR)).fit(X, y)
    line = np.linspace(-10, 10, 400)[:, None]
    mean, (low, high) = model.predict(line), model.interval(line, 0.95)
    support = model.machine.support_
    axes.fill_between(
        line[:, 0], low, high, color="tab:blue", alpha=0.15, linewidth=0, label="95 % of new targets"
    )
    axes.plot(line[:, 0], np.sinc(line[:, 0] / np.pi), "--", color="seagreen", label="sin|x| / |x|", zorder=3)
    axes.plot(line[:, 0], mean, color="black", linewidth=1.6, label="prediction")
    axes.scatter(X[:, 0], y, s=10, color="0.35", label="training rows")
    axes.scatter(
        X[support, 0], y[support], s=42, facecolors="none", edgecolors="crimson", label="support vectors"
    )
    title = rf"$\sigma$ = {noise:g}, $\beta$ = {BETA:g}: {len(support)} support vectors of {len(y)} rows"
    axes.set(title=title, xlabel="x", xlim=(-10, 10))


def figure_a(context: RunContext) -> Any:
    """How many new targets lie inside the intervals, beside how many should."""
    figure = canvas(8, 6)
    axes = figure.subplots()
    axes.axhline(0.0, color="0.6", linewidth=1.0)
    levels, places = 100.0 * np.array(LEVELS), np.arange(len(LEVELS))
    found = {data: repeats for data, repeats in coverage_records(context).items() if data != CLEAN}
    for place, (data, repeats) in enumerate(found.items()):
        shares = [[100.0 * repeat[f"{level:g}"] for repeat in repeats] for level in LEVELS]
        off = np.array([np.mean(share) for share in shares]) - levels
        error = [2.0 * standard_error(share) for share in shares]
        aside = 0.12 * (place - 0.5 * (len(found) - 1))
        axes.errorbar(
            places + aside,
            off,
            yerr=error,
            fmt=MARKERS[place],
            color=COLOURS[place],
            capsize=2,
            markersize=5,
            label=data,
        )
    axes.set_xticks(places, [f"{level:g} %" for level in levels])
    axes.set(xlabel="interval", ylabel="inside, minus nominal: percentage points (two s.e.)")
    axes.legend(frameon=False, fontsize=9)
    return figure


def figure_b(context: RunContext) -> Any:
    """The error of Laplace's method against the integral."""
    experiments = evidence_experiments(context)
    records = context.collect(experiments.values())
    points = all_points({place: records[experiment.name] for place, experiment in experiments.items()})
    betas = list(dict.fromkeys(point["beta"] for point in points))
    sizes = list(dict.fromkeys(point["rows"] for point in points))
    figure = canvas(11, 4.8)
    left, right = figure.subplots(1, 2, sharey=True)
    for place, rows in enumerate(sizes):
        off = [
            [point["off"] for point in points if (point["rows"], point["beta"]) == (rows, b)] for b in betas
        ]
        box = left.boxplot(
            off,
            positions=np.arange(len(betas)) + 0.25 * (place - 1),
            widths=0.2,
            sym=".",
            patch_artist=True,
            medianprops={"color": "black"},
        )
        for patch in box["boxes"]:
            patch.set(facecolor=COLOURS[place], alpha=0.6)
        left.plot([], [], "s", color=COLOURS[place], alpha=0.6, label=f"{rows} rows")
    left.set_xticks(range(len(betas)), [f"{beta:g}" for beta in betas])
    left.set(xlabel=r"$\beta$", ylabel="-ln P by (46) minus by the integral (43), nats")
    left.legend(frameon=False)
    for place, beta in enumerate(betas):
        mine = [point for point in points if point["beta"] == beta]
        share = [100.0 * point["in M"] / point["rows"] + 1.2 * (place - 1.5) for point in mine]
        offs = [point["off"] for point in mine]
        label = rf"$\beta$ = {beta:g}"
        right.scatter(share, offs, s=9, marker=MARKERS[place], color=COLOURS[place], alpha=0.5, label=label)
    right.set(xlabel="rows in a quadratic zone, %")
    right.legend(frameon=False)
    for axes in (left, right):
        axes.axhline(0.0, color="0.6", linewidth=1.0)
    return figure


LOSSES = "The four losses of the paper's caption and of (5) to (7), drawn by the library's own functions."
"""How figure 1 agrees with the paper's."""

LOSS_AND_NOISE = (
    "As the caption has it: solid the loss (8), dotted the density (11); its beta, epsilon and C."
)
"""How figure 2 agrees with the paper's."""

SINC = (
    "The two panels of the paper's caption, with the estimator's own 95 % intervals. The rows are drawn "
    "anew: the paper's are not kept."
)
"""How figure 3 agrees with the paper's."""

COVERAGE = (
    "Ours: table C as a picture, without the clean rows of sinc. Above the line intervals are too wide, "
    "below it too narrow."
)
"""What our figure A shows."""

EVIDENCE = (
    "Ours: table B as a picture, every point of every grid. Left by beta and number of rows; right by the "
    "share of rows with curvature, the betas drawn a little aside of each other."
)
"""What our figure B shows."""

FIGURES: dict[str, Picture] = {
    "1": Picture("Loss functions", figure_1, (LOSSES,)),
    "2": Picture("The soft insensitive loss and its noise density", figure_2, (LOSS_AND_NOISE,)),
    "3": Picture("Sinc, learnt from clean and from noisy rows", figure_3, (SINC,)),
    "A": Picture("Coverage of the error bars", figure_a, (COVERAGE,)),
    "B": Picture("The evidence by Laplace's method and by Monte Carlo", figure_b, (EVIDENCE,)),
}
"""The paper's figures, by number, and ours beside them, by letter."""
