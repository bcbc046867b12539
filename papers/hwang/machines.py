"""The problems and the machines of figures 1, 3, 4, 5 and 7 of Hwang & Jeong (2015), fitted once each."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from papers.context import RunContext
from papers.datasets import load
from papers.hwang.models import AS_PUBLISHED, GRIDS, searched
from rowtrust.contracts import Array
from rowtrust.datasets import add_outliers, make_lone_outlier
from rowtrust.estimators import RVC, RobustRVC

GAMMA = 0.5
"""The paper's kernel width 2 in figures 1 and 3: its kernel divides the squared distance by it."""

LONE_ROWS = 60
"""Rows of the simulated problem, without its outlier."""

LONE, CONTAMINATED = ("linear", "rbf"), ("ripley", "banana")
"""The problems: figure 1 by its two kernels, figures 4 and 5 by their data."""

PAPER_MACHINES = ("SVM", "RVM", "RRVM")
"""The machines of the paper's figures; RRVM is the paper's own loop."""

COMPARED = ("RVM, same width", "RRVM", "default", "channel", "channel, all defaults")
"""The machines of our comparison. All but the last have the kernel and the width of the loop, RRVM."""

SHOWN = {
    "RRVM": "literal loop",
    "default": "power, working set",
    "RVM, same width": "RVM",
    "channel": "channel",
    "channel, all defaults": "channel, own kernels",
}
"""What the machines of the comparison are called in its pictures."""

OUTLIER_SHARE = 0.04
"""Simulated outliers in figures 4, 5 and 7, as a share of the training rows."""

TRAINING_ROWS = {"ripley": 250, "banana": 400}
"""Rows that figures 4, 5 and 7 train on: the first, which are these data sets' own training rows. A quick run
takes every third of them."""

OUTLIER_DISTANCE = {"ripley": 0.15, "banana": 2.5}
"""How far outliers lie beyond the other class, in distances between the centres: banana's are close."""

WIDTH_STEPS, QUICK_STEPS = 200, 50
"""Steps of the loop after which widths are compared by the bound (17), and all steps of a quick run."""

LOOP_TOLERANCE = 1e-5
"""The paper's threshold: the loop ends when a step raises the bound by less."""


class Setting(NamedTuple):
    """What of a context the fits depend on: its seed, its folder of data, and whether it is quick."""

    seed: int
    data: str | None
    quick: bool


class Labelled(NamedTuple):
    """Inputs and their labels."""

    X: Array
    y: NDArray[Any]


class Rows(NamedTuple):
    """A problem: clean training rows, the same with outliers, which these are, and clean test rows."""

    clean: Labelled
    dirty: Labelled
    added: NDArray[np.bool_]
    test: Labelled


class Pair(NamedTuple):
    """One machine, fitted to the clean rows and to the rows with outliers."""

    clean: Any
    dirty: Any


def setting_of(context: RunContext) -> Setting:
    """Return what of a context the fits depend on."""
    return Setting(context.store.seed, context.store.data, context.quick)


@cache
def rows_of(setting: Setting, problem: str) -> Rows:
    """Return the rows of a problem: "linear" and "rbf" (one lone outlier), "ripley" or "banana"."""
    if problem in LONE:
        X, y, outlier = make_lone_outlier(LONE_ROWS, random_state=setting.seed + 1)
        return Rows(Labelled(X[~outlier], y[~outlier]), Labelled(X, y), outlier, Labelled(X[:0], y[:0]))
    X, y = load(problem, setting.data)
    own, others = slice(None, TRAINING_ROWS[problem], 3 if setting.quick else 1), TRAINING_ROWS[problem]
    scaler = StandardScaler().fit(X[own])
    clean = Labelled(scaler.transform(X[own]), y[own])
    test = Labelled(scaler.transform(X[others:]), y[others:])
    distance = OUTLIER_DISTANCE[problem]
    X, y, added = add_outliers(*clean, OUTLIER_SHARE, distance=distance, random_state=setting.seed)
    return Rows(clean, Labelled(X, y), added, test)


def literal_loop(setting: Setting, **options: Any) -> Any:
    """Return the paper's algorithm, section 3.4, unfitted: every column kept, weights from step one."""
    published = {**AS_PUBLISHED, "tol": LOOP_TOLERANCE, "random_state": setting.seed, **options}
    return RobustRVC(label_noise="power", solver="variational", **published)


@cache
def loop_width(setting: Setting, problem: str) -> float:
    """Return the width (as gamma) whose fit to the clean rows has the highest bound (17), by the loop."""
    if problem in LONE:
        return GAMMA
    rows = rows_of(setting, problem)
    steps = QUICK_STEPS if setting.quick else WIDTH_STEPS
    bounds = {
        gamma: quiet_fit(literal_loop(setting, gamma=gamma, max_iter=steps), rows.clean).lower_bound_
        for gamma in grid_of(setting).gammas(2)
    }
    return float(max(bounds, key=bounds.__getitem__))


def grid_of(setting: Setting) -> Any:
    """Return the settings that machines choose from."""
    return GRIDS["quick" if setting.quick else "full"]


def at_width(setting: Setting, problem: str, machine: Callable[..., Any], **options: Any) -> Any:
    """Return a machine with the kernel and the width that the loop has on this problem."""
    kernel = problem if problem in LONE else "rbf"
    gamma = loop_width(setting, problem)
    return machine(**{**AS_PUBLISHED, "kernel": kernel, "random_state": setting.seed, **options}, gamma=gamma)


@cache
def unfitted(setting: Setting, problem: str, machine: str) -> Any:
    """Return one of PAPER_MACHINES or COMPARED with the settings that it has on this problem.

    On the lone outlier these are the paper's: linear, or Gaussian of width 2, and C = 1. On Ripley's and the
    banana data SVM and RVM choose by 5-fold cross-validation and the loop by its bound, on the clean rows:
    the same settings serve the rows with outliers, so that a difference is the outliers' doing.
    """
    if machine in ("SVM", "RVM"):
        return chosen(setting, problem, machine)
    if machine == "RVM, same width":
        return at_width(setting, problem, RVC)
    if machine == "channel, all defaults":
        return RobustRVC(random_state=setting.seed)
    if machine == "RRVM":
        short = setting.quick and problem in CONTAMINATED
        steps = {"max_iter": QUICK_STEPS} if short else {}
        options = {"label_noise": "power", "solver": "variational", "tol": LOOP_TOLERANCE, **steps}
        return at_width(setting, problem, RobustRVC, **options)
    noise = {"default": "power", "channel": "channel"}[machine]
    return at_width(setting, problem, RobustRVC, label_noise=noise)


def chosen(setting: Setting, problem: str, machine: str) -> Any:
    """Return SVM or RVM as the paper has them on a problem, unfitted."""
    if problem in LONE:
        return SVC(kernel=problem, gamma=GAMMA) if machine == "SVM" else at_width(setting, problem, RVC)
    grid, rows = grid_of(setting), rows_of(setting, problem)
    choices: dict[str, Any] = {"gamma": grid.gammas(2)}
    if machine == "SVM":
        return clone(searched(SVC(), {**choices, "C": list(grid.penalties)}, *rows.clean).model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = RVC(**AS_PUBLISHED, random_state=setting.seed)
        return clone(searched(plain, choices, *rows.clean).model)


@cache
def fitted(setting: Setting, problem: str, machine: str) -> Pair:
    """Return a machine fitted to a problem without and with its outliers."""
    alone = Setting(setting.seed, None, quick=False)
    if problem in LONE and setting != alone:
        return fitted(alone, problem, machine)
    if problem in LONE and machine == "RVM, same width":
        return fitted(setting, problem, "RVM")
    if problem == "linear" and machine == "channel, all defaults":
        return fitted(setting, "rbf", machine)
    rows, model = rows_of(setting, problem), unfitted(setting, problem, machine)
    return Pair(quiet_fit(model, rows.clean), quiet_fit(model, rows.dirty))


def quiet_fit(model: Any, rows: Labelled) -> Any:
    """Fit a copy, without the warnings of loops that end before they converge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(*rows)
