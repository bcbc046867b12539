"""Hwang & Jeong (2015): figures 1 to 7, and ours beside them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from papers.context import RunContext
from papers.hwang.boundaries import (
    agreement,
    compared_boundaries,
    compared_lone,
    figure_1,
    figure_3,
    on_problem,
    paper_boundaries,
)
from papers.hwang.cells import RANKED, comparison
from papers.hwang.machines import LOOP_TOLERANCE, OUTLIER_SHARE, WIDTH_STEPS
from papers.hwang.measures import ZERO
from papers.hwang.published import PROTOCOLS
from papers.hwang.sensitivity import figure_7, figure_7a
from papers.paper import Picture
from papers.pictures import canvas, draw_ranks
from papers.statistics import Comparison
from rowtrust.displays import CriticalDifferenceDisplay, LossDisplay
from rowtrust.estimators import RobustRVC
from rowtrust.weights import HWANG_TRUST_PRIOR


def figure_2(context: RunContext) -> Any:
    """The weighted logistic loss, bounded by r, and the logistic loss."""
    figure = canvas(7, 4.4)
    axes = figure.subplots()
    margin = np.linspace(-6, 4, 400)
    loss = np.logaddexp(0.0, -margin)
    bound = HWANG_TRUST_PRIOR
    weighted = bound * loss / (bound + loss)
    curves = {"logistic loss": loss, "weighted loss": weighted}
    drawn = LossDisplay.from_predictions(margin, curves, xlabel="margin u = (2t - 1) f(x)", ax=axes)
    for line, style in zip(drawn.lines_, ("--", ":"), strict=True):
        line.set_linestyle(style)
    axes.axhline(bound, color="0.6", linewidth=0.8)
    axes.annotate(f"r = 2 - ln 2 = {bound:.3f}, its bound", (4, bound), ha="right", va="bottom", fontsize=10)
    below = agreement(bool(weighted.max() < bound))
    title = f"largest weighted loss drawn {weighted.max():.3f}, below r: {below}"
    axes.set(ylim=(0, 5), title=title)
    axes.legend(frameon=False)
    return figure


def figure_6(context: RunContext, protocol: str = "paper") -> Any:
    """Mean ranks and critical differences over the real data with 10 % wrong labels."""
    figure = canvas(11, 6.4)
    panels = figure.subplots(2, 3)
    names = tuple(PROTOCOLS[protocol].values())
    for column, measure in enumerate(RANKED):
        found = comparison(context, measure, 10, protocol)
        draw_ranks(panels[0, column], found, names, rank_title(measure, found, names))
        ranks = found.mean_ranks, found.critical_difference
        CriticalDifferenceDisplay.from_predictions(*ranks, names=names, ax=panels[1, column])
    return figure


def rank_title(measure: str, found: Comparison, names: Sequence[str]) -> str:
    """Say whether the last, robust, is better than every other by more than the critical difference."""
    *others, robust = zip(found.mean_ranks, names, strict=True)
    best = min(others)
    ahead = agreement(best[0] - robust[0] > found.critical_difference)
    return (
        f"{measure}: {ahead}\n{robust[1]} {robust[0]:.2f}, best other {best[1]} {best[0]:.2f}\n"
        f"Friedman p = {found.p_value:.1e}, {found.n_blocks} blocks"
    )


LOOP = (
    "RRVM is the paper's own loop (section 3.4, power weights), with the paper's width on the data of figure "
    f"1 and elsewhere with the width of the highest bound (17) after {WIDTH_STEPS} steps; then it runs until "
    f"a step gains less than {LOOP_TOLERANCE:g}, for {RobustRVC().max_iter} steps at most."
)
"""Which machine the figures call RRVM."""

DATA = (
    "The paper does not say where its outliers lie. Ours are rows moved beyond the other class, "
    f"{100 * OUTLIER_SHARE:.0f} for every hundred rows, the same for all machines; inputs are standardised. "
    "Settings are chosen on the rows without outliers: by 5-fold cross-validation for SVM and RVM, by the "
    "bound for RRVM. Errors are on the data set's own test rows, which are clean."
)
"""What the rows of figures 4, 5 and 7(b) are."""

CHANGE = "Shaded is the part of the plane whose class the outliers change. Titles are computed."
"""How to read shaded planes."""

VECTORS = (
    "The loop sets no coefficient to zero: of its vectors those are counted and ringed whose coefficient is "
    f"above {100 * ZERO:g} % of the largest."
)
"""What a vector of the loop is."""

COMPARISON = (
    "Literal loop: the paper's algorithm. Power, working set: RobustRVC(label_noise='power'), the same model "
    "by the default solver. Channel: RobustRVC() with its default label noise. All have the width of the "
    "literal loop; channel, own kernels is RobustRVC() with nothing set."
)
"""Which machines are compared."""

DRAWS = "The last line of a title is the median share that changes over other draws of the same rows."
"""What figure 1A says of other draws."""

CERTAINTY = (
    "In titles: the largest change on the plane, and the mean on the rows without outliers. "
    "Drawn is the change of certainty: twice the probability of class 1 less one, for the SVM its margin cut "
    "at one, halved so that it lies between -1 and 1. The paper's scale is not defined further; the line "
    "function is the change of margin or log-odds over the largest among SVM, RVM and RRVM. Where classes "
    "are separable, log-odds have no scale of their own: an outlier then shrinks the whole function, which "
    "moves no boundary."
)
"""How sensitivities are scaled."""

FIGURES: dict[str, Picture] = {
    "1": Picture(
        "Boundaries of SVM, RVM and RRVM beside one outlier",
        figure_1,
        (
            LOOP,
            "The paper's rows are not published: ours are two clouds and one outlier, drawn alike.",
            "Changed: the share of the plane drawn whose class changes when the outlier is added.",
            "The other draws tell how far one picture can be trusted.",
        ),
    ),
    "1A": Picture(
        "One outlier: literal loop, working set and channel", compared_lone, (COMPARISON, CHANGE, DRAWS)
    ),
    "2": Picture(
        "The weighted logistic loss and the logistic loss",
        figure_2,
        ("r = 2 - ln 2 solves the second derivative at the boundary, not the first that the paper prints.",),
    ),
    "3": Picture("The boundary and the outlier's weight at each iteration", figure_3, (CHANGE,)),
    "4": Picture(
        "Boundaries on Ripley's data without and with outliers",
        on_problem(paper_boundaries, "ripley"),
        (LOOP, DATA, VECTORS, CHANGE),
    ),
    "4A": Picture(
        "Outliers in Ripley's data: literal loop, working set and channel",
        on_problem(compared_boundaries, "ripley"),
        (COMPARISON, VECTORS),
    ),
    "5": Picture(
        "Boundaries on the banana data without and with outliers",
        on_problem(paper_boundaries, "banana"),
        (LOOP, DATA, VECTORS, CHANGE),
    ),
    "5A": Picture(
        "Outliers in the banana data: literal loop, working set and channel",
        on_problem(compared_boundaries, "banana"),
        (COMPARISON, VECTORS),
    ),
    "6": Picture(
        "Mean ranks and critical differences over the real data with 10 % wrong labels",
        figure_6,
        (
            "The paper's protocol. In the paper RRVM leads all by more than the critical difference.",
            "The titles say whether it does here. The grey band reaches as far from the best as chance does.",
            "Classifiers under one bar are not told apart. Repeats of a data set are no independent blocks.",
        ),
    ),
    "6A": Picture(
        "The same ranks with RVC and RobustRVC as they come",
        partial(figure_6, protocol="ours"),
        (
            "Our protocol: RVC and RobustRVC with nothing set stand in the places of RVM and RRVM.",
            "As in the paper, in a title: RobustRVC is ahead of all by more than the critical difference.",
        ),
    ),
    "7": Picture("Sensitivity: how far outliers move each function", figure_7, (LOOP, CERTAINTY)),
    "7A": Picture("Sensitivity of literal loop, working set and channel", figure_7a, (COMPARISON, CERTAINTY)),
}
"""The paper's figures, by number, and ours beside them, by letter."""
