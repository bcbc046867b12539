"""Hwang & Jeong (2015): figures 1 to 7."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from papers.context import RunContext
from papers.hwang import RANKED, comparison, load
from papers.hwang_published import CLASSIFIERS
from papers.models import AS_PUBLISHED, GRIDS, searched, select_width
from papers.pictures import (
    canvas,
    draw_critical_difference,
    draw_level,
    draw_ranks,
    draw_rows,
    line_handle,
    plane,
    shared_legend,
)
from rowtrust.contracts import Array
from rowtrust.datasets import add_outliers, make_lone_outlier, sensitivity_curve
from rowtrust.estimators import RVC, RobustRVC
from rowtrust.weights import HWANG_TRUST_PRIOR

GAMMA = 0.5
"""The paper's kernel width 2: its kernel divides the squared distance by it."""

STEPS = (1, 3, 10, 20, 40, 80, 160, 1000)
"""Iterations after which figure 3 looks; the last is more than the algorithm needs to converge."""

STYLES: dict[str, dict[str, Any]] = {
    "SVM": {"colors": "tab:green", "linestyles": ":"},
    "RVM": {"colors": "tab:purple", "linestyles": "--"},
    "RRVM": {"colors": "black", "linestyles": "-"},
}
"""How contours of each machine are drawn."""

LINES = [
    (name, {"color": style["colors"], "linestyle": style["linestyles"]}) for name, style in STYLES.items()
]
"""The same styles, in the words that lines take."""

MACHINES: dict[str, Any] = {
    "SVM": SVC,
    "RVM": partial(RVC, **AS_PUBLISHED),
    "RRVM": partial(RobustRVC, label_noise="power", **AS_PUBLISHED),
}
"""The kernel machines of the figures, by the paper's names."""

OUTLIER_SHARE = 0.04
"""Simulated outliers in figures 4, 5 and 7, as a share of the training rows."""

TRAINING_ROWS = {"ripley": 250, "banana": 400}
"""Rows that figures 4, 5 and 7 train on: the usual sizes of these training sets."""

OUTLIER_DISTANCE = {"ripley": 0.15, "banana": 2.5}
"""How far outliers lie beyond the other class, in distances between the centres: banana's are close."""


def simulated(context: RunContext) -> tuple[Array, NDArray[Any], NDArray[np.bool_]]:
    """Return the data of figure 1."""
    return make_lone_outlier(60, random_state=context.store.seed + 1)


def machines(kernel: str, gamma: float, seed: int) -> dict[str, Any]:
    """Return the three kernel machines, unfitted."""
    shared = {"kernel": kernel, "gamma": gamma, "random_state": seed}
    return {name: machine(**shared) for name, machine in MACHINES.items()}


def figure_1(context: RunContext) -> Any:
    """Boundaries of SVM, RVM and RRVM beside one outlier, with a linear and a Gaussian kernel."""
    X, y, outlier = simulated(context)
    figure = canvas(10, 4.8)
    grid = plane(X)
    titles = {"linear": "(a) linear kernel", "rbf": "(b) Gaussian kernel, width 2"}
    for axes, kernel in zip(figure.subplots(1, 2, sharex=True, sharey=True), titles, strict=True):
        for name, machine in machines(kernel, GAMMA, context.store.seed).items():
            values = machine.fit(X, y).decision_function(grid[2])
            draw_level(axes, values, grid, 0.0, linewidths=1.8, **STYLES[name])
        draw_rows(axes, X, y, outlier)
        axes.set_title(titles[kernel])
    shared_legend(figure, axes, [line_handle(name, **style) for name, style in LINES])
    return figure


def figure_2(context: RunContext) -> Any:
    """The weighted logistic loss, bounded by r, and the logistic loss."""
    figure = canvas(6, 4)
    axes = figure.subplots()
    margin = np.linspace(-6, 4, 400)
    loss = np.logaddexp(0.0, -margin)
    bound = HWANG_TRUST_PRIOR
    axes.plot(margin, loss, "--", color="tab:purple", label="logistic loss")
    axes.plot(margin, bound * loss / (bound + loss), ":", color="black", linewidth=2, label="weighted loss")
    axes.axhline(bound, color="0.7", linewidth=0.8)
    axes.annotate("r = 2 - ln 2, its bound", (4, bound), ha="right", va="bottom", color="0.4", fontsize=9)
    axes.set(xlabel="margin u = (2t - 1) f(x)", ylabel="loss", ylim=(0, 5))
    axes.legend(frameon=False)
    return figure


def figure_3(context: RunContext) -> Any:
    """The boundary and the outlier's weight at each iteration of the paper's algorithm."""
    X, y, outlier = simulated(context)
    figure = canvas(12, 6)
    grid = plane(X)
    for axes, steps in zip(figure.subplots(2, 4, sharex=True, sharey=True).ravel(), STEPS, strict=True):
        machine = stopped_after(steps, context.store.seed).fit(X, y)
        values = machine.decision_function(grid[2])
        draw_level(axes, values, grid, 0.0, colors="black", linewidths=1.8)
        draw_rows(axes, X, y, outlier)
        trust = float(machine.sample_trust_[outlier][0])
        last = steps == STEPS[-1]
        title = f"iteration {machine.n_iter_}" + (" (the end)" if last else "")
        axes.set_title(f"{title}: weight {trust:.2f}", fontsize=10)
    shared_legend(figure, axes, [line_handle("boundary", color="black")])
    return figure


def stopped_after(steps: int, seed: int) -> Any:
    """Return the paper's algorithm, to be stopped early."""
    return MACHINES["RRVM"](gamma=GAMMA, solver="variational", max_iter=steps, tol=1e-5, random_state=seed)


def clean_and_dirty(
    name: str, context: RunContext
) -> tuple[Array, NDArray[Any], Array, NDArray[Any], NDArray[np.bool_]]:
    """Return the training rows of a plane data set, and the same with simulated outliers."""
    X, y = load(name, context.store.data)
    size, distance = TRAINING_ROWS[name], OUTLIER_DISTANCE[name]
    X, y = StandardScaler().fit_transform(X[:size]), y[:size]
    return X, y, *add_outliers(X, y, OUTLIER_SHARE, distance=distance, random_state=context.store.seed)


def chosen_machines(X: Array, y: NDArray[Any], context: RunContext) -> dict[str, Any]:
    """Return SVM, RVM and RRVM, unfitted, with the settings that each chooses on clean rows."""
    grid, seed = GRIDS[context.grid], context.store.seed
    choices = {"gamma": grid.gammas(2), "C": list(grid.penalties)}
    found = {"SVM": clone(searched(MACHINES["SVM"](), choices, X, y).model)}
    for name in ("RVM", "RRVM"):
        found[name] = clone(select_width(MACHINES[name](random_state=seed), X, y, grid.gammas(2)).model)
    return found


def boundaries(name: str, context: RunContext) -> Any:
    """Figures 4 and 5: boundaries without and with outliers, and the vectors each machine kept."""
    X, y, dirty_X, dirty_y, added = clean_and_dirty(name, context)
    figure = canvas(9.5, 11.5)
    grid = plane(dirty_X, margin=0.05)
    panels = figure.subplots(3, 2, sharex=True, sharey=True)
    sets = ((X, y, np.zeros(len(y), dtype=bool)), (dirty_X, dirty_y, added))
    # Settings from the clean rows serve both columns, so that a difference is the outliers' doing.
    chosen = chosen_machines(X, y, context)
    for column, (rows, labels, outliers) in enumerate(sets):
        for axes, (machine, settings) in zip(panels[:, column], chosen.items(), strict=True):
            model = clone(settings).fit(rows, labels)
            draw_machine(axes, model, grid)
            draw_rows(axes, rows, labels, outliers)
            kept = "support" if machine == "SVM" else "relevance"
            vectors = getattr(model, f"{kept}_vectors_")
            axes.scatter(*vectors.T, s=45, facecolors="none", edgecolors="black", linewidths=0.8)
            state = "with outliers" if column else "without outliers"
            axes.set_title(f"{machine}, {state}: {len(vectors)} {kept} vectors", fontsize=10)
    shared_legend(figure, panels[0, 1], boundary_handles(), columns=4)
    return figure


def boundary_handles() -> list[Any]:
    """Return the legend's entries for boundaries and kept vectors."""
    ring = {"marker": "o", "linestyle": "", "markerfacecolor": "none", "color": "black"}
    return [
        line_handle("boundary", color="black"),
        line_handle("probability 0.25, 0.75", color="0.4", linestyle="--"),
        line_handle("support or relevance vector", **ring),
    ]


def draw_machine(axes: Any, model: Any, grid: tuple[Array, Array, Array]) -> None:
    """Draw a boundary, and where a model has probabilities those of one and three quarters."""
    values = model.decision_function(grid[2])
    draw_level(axes, values, grid, 0.0, colors="black", linewidths=1.8)
    if hasattr(model, "predict_proba"):
        for odds in (-np.log(3.0), np.log(3.0)):
            draw_level(axes, values, grid, odds, colors="0.4", linestyles="--", linewidths=1.0)


def figure_6(context: RunContext) -> Any:
    """Mean ranks and critical differences over the real data with 10 % wrong labels."""
    figure = canvas(13, 6.4)
    panels = figure.subplots(2, 3)
    for column, measure in enumerate(RANKED):
        found = comparison(context, measure, 10)
        title = f"{measure} (Friedman p = {found.p_value:.1e}, {found.n_blocks} blocks)"
        draw_ranks(panels[0, column], found, CLASSIFIERS, title)
        draw_critical_difference(panels[1, column], found, CLASSIFIERS, "")
    return figure


def figure_7(context: RunContext) -> Any:
    """Sensitivity: how far outliers move each function, on the data of figures 1 and 4."""
    figure = canvas(11, 7)
    panels = figure.subplots(2, 3, sharey="row", sharex="row")
    X, y, outlier = simulated(context)
    fixed = machines("rbf", GAMMA, context.store.seed)
    first = (fixed, X[~outlier], y[~outlier], X[outlier], y[outlier], "(a) figure 1")
    clean_X, clean_y, dirty_X, dirty_y, added = clean_and_dirty("ripley", context)
    chosen = chosen_machines(clean_X, clean_y, context)
    second = (chosen, clean_X, clean_y, dirty_X[added], dirty_y[added], "(b) figure 4")
    for row, problem in zip(panels, (first, second), strict=True):
        image = draw_sensitivities(row, *problem)
    figure.colorbar(image, ax=panels, label="change of certainty, from -1 to 1", shrink=0.7)
    return figure


def draw_sensitivities(
    row: Any,
    chosen: dict[str, Any],
    X: Array,
    y: NDArray[Any],
    X_outlier: Array,
    y_outlier: NDArray[Any],
    title: str,
) -> Any:
    """Draw one problem's sensitivity for the three machines, on one scale from -1 to 1."""
    everything = np.vstack([X, X_outlier])
    grid = plane(everything, margin=0.05, size=80)
    for axes, (name, machine) in zip(row, chosen.items(), strict=True):
        at = np.vstack([grid[2], X])
        curve = sensitivity_curve(machine, X, y, X_outlier, y_outlier, at, together=True, response=certainty)
        change, on_rows = np.split(curve / (2.0 * len(everything)), [len(grid[2])])
        image = axes.pcolormesh(
            grid[0], grid[1], change.reshape(grid[0].shape), cmap="RdBu_r", vmin=-1, vmax=1, rasterized=True
        )
        labels = np.append(y, y_outlier)
        draw_rows(axes, everything, labels, np.arange(len(labels)) >= len(y))
        largest, usual = np.abs(change).max(), np.abs(on_rows).mean()
        axes.set_title(f"{title}, {name}: largest {largest:.2f}, on rows {usual:.3f}", fontsize=9)
    return image


def certainty(model: Any, at: Array) -> Array:
    """Return what a machine says of each point, from -1 to 1.

    Margins and log-odds have no common unit; probabilities and margins cut at one have.
    """
    if hasattr(model, "predict_proba"):
        return np.asarray(2.0 * model.predict_proba(at)[:, 1] - 1.0)
    return np.asarray(np.clip(model.decision_function(at), -1.0, 1.0))


def quietly(draw: Callable[[RunContext], Any]) -> Callable[[RunContext], Any]:
    """Draw without the warnings of fits that are stopped early on purpose."""

    def drawn(context: RunContext) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return draw(context)

    return drawn


FIGURES: dict[int, Callable[[RunContext], Any]] = {
    1: quietly(figure_1),
    2: figure_2,
    3: quietly(figure_3),
    4: quietly(lambda context: boundaries("ripley", context)),
    5: quietly(lambda context: boundaries("banana", context)),
    6: figure_6,
    7: quietly(figure_7),
}
"""The paper's figures, by number."""
