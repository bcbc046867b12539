"""What figures 1, 3, 4, 5 and 7 of Hwang & Jeong (2015) show, in numbers.

Machines are named as in ``papers.hwang.machines``: "SVM", "RVM" and "RRVM" (the paper's own loop) as the
paper's figures have them; "RVM, same width", "default" (power weights by the working set), "channel" and
"channel, all defaults" beside them. Every function takes the context and returns plain numbers. Fits are
made once a process, whoever asks first.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from papers.context import RunContext
from papers.hwang.machines import (
    COMPARED,
    GAMMA,
    LONE,
    PAPER_MACHINES,
    Rows,
    Setting,
    fitted,
    literal_loop,
    quiet_fit,
    rows_of,
    setting_of,
)
from papers.pictures import plane
from rowtrust.contracts import Array

ALL_MACHINES = (*PAPER_MACHINES, *(name for name in COMPARED if name not in PAPER_MACHINES))
"""Every machine of the figures and of our comparison."""

STEPS = (1, 3, 10, 20, 40, 80, 160, 1000)
"""Steps after which figure 3 looks; the last is more than the loop needs to converge."""

ZERO = 0.01
"""A coefficient of the loop counts as zero below this share of the largest: it sets none to zero itself."""

PLANE_SIZE, QUICK_PLANE_SIZE = 120, 60
"""Points along each side of the grid on which boundaries are compared, and drawn."""

MORE_DRAWS, QUICK_DRAWS = 10, 2
"""Times that figure 1's rows are drawn again, in a full and in a quick run: one draw proves little."""

DRAWN_AGAIN = (*PAPER_MACHINES, "default", "channel")
"""The machines that are fitted to those draws too."""

SENSITIVE = {"a": "rbf", "b": "ripley"}
"""The problems of figure 7, by panel."""


def figure_1(context: RunContext) -> dict[tuple[str, str], dict[str, float]]:
    """Return what one outlier does to each machine, by kernel ("linear", "rbf") and machine.

    Keys of each entry:

    - "shift": how far the boundary moves when the outlier is added, on average along it, in units of the
      inputs (area of the plane whose class changes over the length of the boundary without the outlier);
    - "moved": that area as a share of the plane that is drawn;
    - "pull": how much nearer to the outlier the boundary comes when it is added, in units of the inputs:
      its distance from the nearest point of its own class, without less with it;
    - "swallowed": 1 where the machine gives the outlier the outlier's own wrong label, else 0;
    - "trust": the outlier's weight, or with the channel the probability that its label is right; NaN for
      machines that have none;
    - "trust_of_others": the mean over the other rows, likewise;
    - "vectors": support or relevance vectors with the outlier.
    """
    setting = setting_of(context)
    return {
        (kernel, machine): lone_outlier(setting, kernel, machine)
        for kernel in LONE
        for machine in ALL_MACHINES
    }


def figure_1_again(context: RunContext) -> dict[tuple[str, str], dict[str, float]]:
    """Return what an outlier does on other draws of figure 1's rows, by kernel and machine (DRAWN_AGAIN).

    Keys of each entry:

    - "draws": how many other draws there are;
    - "moved", "trust": medians over them of what figure_1 has;
    - "below_rvm": draws on which less of the plane changes than with the RVM;
    - "below_both": draws on which less changes than with the RVM and with the SVM.
    """
    setting = setting_of(context)
    draws = QUICK_DRAWS if setting.quick else MORE_DRAWS
    settings = [setting._replace(seed=setting.seed + 1 + draw) for draw in range(draws)]
    found = {}
    for kernel in LONE:
        entries = {name: [lone_outlier(each, kernel, name) for each in settings] for name in DRAWN_AGAIN}
        moved = {name: np.array([entry["moved"] for entry in entries[name]]) for name in DRAWN_AGAIN}
        for name in DRAWN_AGAIN:
            found[kernel, name] = {
                "draws": draws,
                "moved": float(np.median(moved[name])),
                "trust": float(np.median([entry["trust"] for entry in entries[name]])),
                "below_rvm": int(np.sum(moved[name] < moved["RVM"])),
                "below_both": int(np.sum(moved[name] < np.minimum(moved["RVM"], moved["SVM"]))),
            }
    return found


def figure_3(context: RunContext) -> list[dict[str, float]]:
    """Return the outlier's weight after some steps of the loop (Gaussian kernel, figure 1's data).

    Each entry has "iteration", "weight" and "moved": the share of the plane whose class differs from that
    of the loop without the outlier. The last entry is the end: it converged if its "iteration" is below
    the last of STEPS.
    """
    setting = setting_of(context)
    rows = rows_of(setting, "rbf")
    grid = plane_of(setting, "rbf")[2]
    clean = fitted(setting, "rbf", "RRVM").clean.predict(grid)
    return [
        {
            "iteration": int(model.n_iter_),
            "weight": float(model.expected_weight_[rows.added][0]),
            "moved": float(np.mean(model.predict(grid) != clean)),
        }
        for model in (stopped_after(setting, steps) for steps in STEPS)
    ]


def figure_4(context: RunContext) -> dict[tuple[str, str], dict[str, float]]:
    """Return what outliers do to each machine on Ripley's data, by machine and "clean" or "outliers".

    Keys of each entry:

    - "vectors": support or relevance vectors, as coefficients that are not zero: of the loop, those above
      a hundredth of the largest;
    - "columns": all coefficients that the model carries, the loop's tiny ones too;
    - "outliers_among_vectors": how many of the vectors are simulated outliers;
    - "outliers": how many outliers were added (0 for "clean");
    - "error": per cent on the data set's own clean test rows (1000, banana 4900);
    - "moved": share of the plane drawn whose class changes when the outliers are added (0 for "clean");
    - "trust": mean trust of the outliers (NaN where a machine has none, or there are no outliers);
    - "trust_of_others": mean trust of the other rows, likewise;
    - "gamma": the kernel's width, as an inverse square.
    """
    return contaminated(setting_of(context), "ripley")


def figure_5(context: RunContext) -> dict[tuple[str, str], dict[str, float]]:
    """Return what outliers do to each machine on the banana data; the keys are those of figure_4."""
    return contaminated(setting_of(context), "banana")


def figure_7(context: RunContext) -> dict[tuple[str, str], dict[str, float]]:
    """Return how sensitive each machine is, by problem ("a": figure 1(b), "b": figure 4) and machine.

    Keys of each entry:

    - "largest", "mean_on_rows": the largest change on the plane, and the mean absolute change on the clean
      rows, of the certainty that the outliers cause. Certainty goes from -1 to 1: twice a probability less
      one, and for the SVM the margin cut at one. The change is halved, so that it goes from -1 to 1 too;
    - "scaled_largest", "scaled_on_rows": the same of the function itself (margin or log-odds), divided by
      the largest change of the paper's three machines, which is 1: the paper's "standardized to have a value
      between -1 and 1 ... on the same criteria", as we read it;
    - "own_scaled_on_rows": the mean on the rows when each machine is divided by its own largest change, the
      other way to read it.
    """
    setting = setting_of(context)
    return {
        (panel, machine): values
        for panel, problem in SENSITIVE.items()
        for machine, values in sensitivities(setting, problem).items()
    }


@cache
def stopped_after(setting: Setting, steps: int) -> Any:
    """Return the loop on figure 1(b)'s rows, stopped after some steps."""
    rows = rows_of(setting, "rbf")
    return quiet_fit(literal_loop(setting, gamma=GAMMA, max_iter=steps), rows.dirty)


@cache
def lone_outlier(setting: Setting, kernel: str, machine: str) -> dict[str, float]:
    """Return one entry of figure_1."""
    rows, pair = rows_of(setting, kernel), fitted(setting, kernel, machine)
    moved, shift = displacement(setting, kernel, machine)
    return {
        "shift": shift,
        "moved": moved,
        "pull": pull(setting, kernel, machine),
        "swallowed": float(pair.dirty.predict(rows.dirty.X[rows.added])[0] == rows.dirty.y[rows.added][0]),
        **trusts(pair.dirty, rows.added),
        "vectors": float(vector_rows(pair.dirty, rows.dirty.X).shape[0]),
    }


@cache
def displacement(setting: Setting, problem: str, machine: str) -> tuple[float, float]:
    """Return the share of the plane whose class the outliers change, and the boundary's mean shift."""
    before, after = (values > 0.0 for values in on_plane(setting, problem, machine))
    return float(np.mean(before != after)), boundary_shift(before, after, plane_of(setting, problem))


def boundary_shift(
    before: NDArray[np.bool_], after: NDArray[np.bool_], grid: tuple[Array, Array, Array]
) -> float:
    """Return how far a boundary moved, on average along it: the area between, over its length before.

    The length is measured by how often the boundary crosses the lines of the grid (Crofton's formula).
    """
    across, up = float(grid[0][0, 1] - grid[0][0, 0]), float(grid[1][1, 0] - grid[1][0, 0])
    rising, level = np.sum(before[:, 1:] != before[:, :-1]), np.sum(before[1:] != before[:-1])
    length = np.pi / 4.0 * float(rising * up + level * across)
    return float(np.sum(before != after)) * across * up / length if length else float("nan")


def pull(setting: Setting, problem: str, machine: str) -> float:
    """Return how much nearer the outlier's own class comes to the outlier when it is added."""
    rows, grid = rows_of(setting, problem), plane_of(setting, problem)
    distance = np.hypot(*(grid[2] - rows.dirty.X[rows.added][0]).T).reshape(grid[0].shape)
    own = bool(rows.dirty.y[rows.added][0])
    before, after = (
        distance[(values > 0.0) == own].min(initial=distance.max())
        for values in on_plane(setting, problem, machine)
    )
    return float(before - after)


@cache
def plane_of(setting: Setting, problem: str) -> tuple[Array, Array, Array]:
    """Return the grid on which a problem is compared and drawn."""
    size = QUICK_PLANE_SIZE if setting.quick else PLANE_SIZE
    return plane(rows_of(setting, problem).dirty.X, margin=0.08, size=size)


@cache
def on_plane(setting: Setting, problem: str, machine: str) -> tuple[Array, Array]:
    """Return a machine's function on the problem's grid, without and with the outliers."""
    grid, pair = plane_of(setting, problem), fitted(setting, problem, machine)
    before, after = (model.decision_function(grid[2]).reshape(grid[0].shape) for model in pair)
    return before, after


@cache
def contaminated(setting: Setting, problem: str) -> dict[tuple[str, str], dict[str, float]]:
    """Return the entries of figure_4 or figure_5."""
    rows = rows_of(setting, problem)
    nothing = np.zeros(len(rows.clean.y), dtype=bool)
    found = {}
    for machine in ALL_MACHINES:
        pair = fitted(setting, problem, machine)
        moved, _ = displacement(setting, problem, machine)
        found[machine, "clean"] = {**described(pair.clean, rows, rows.clean.X, nothing), "moved": 0.0}
        found[machine, "outliers"] = {**described(pair.dirty, rows, rows.dirty.X, rows.added), "moved": moved}
    return found


def described(model: Any, rows: Rows, X: Array, added: NDArray[np.bool_]) -> dict[str, float]:
    """Return what one fitted machine has of the keys of figure_4, but for "moved"."""
    vectors = vector_rows(model, X)
    coefficients = np.atleast_2d(model.dual_coef_)
    return {
        "vectors": float(len(vectors)),
        "columns": float(coefficients.shape[1]),
        "outliers_among_vectors": float(np.sum(added[vectors])),
        "outliers": float(np.sum(added)),
        "error": 100.0 * float(np.mean(model.predict(rows.test.X) != rows.test.y)),
        **trusts(model, added),
        "gamma": float(getattr(model, "gamma_", None) or model.gamma),
    }


def vector_rows(model: Any, X: Array) -> NDArray[np.intp]:
    """Return the training rows of a machine's vectors, one entry a coefficient that is not zero."""
    if hasattr(model, "support_"):
        return np.asarray(model.support_, dtype=np.intp)
    size = np.abs(model.dual_coef_[0])
    least = ZERO * size.max() if model.solver == "variational" and len(size) else 0.0
    return np.asarray(model.relevance_[size > least], dtype=np.intp)


def trusts(model: Any, added: NDArray[np.bool_]) -> dict[str, float]:
    """Return the mean trust of the outliers and of the other rows; NaN where a machine has none."""
    nothing = float("nan")
    if not hasattr(model, "label_noise"):
        return {"trust": nothing, "trust_of_others": nothing}
    trust = getattr(model, "expected_weight_", model.sample_trust_)
    of_outliers = float(np.mean(trust[added])) if added.any() else nothing
    return {"trust": of_outliers, "trust_of_others": float(np.mean(trust[~added]))}


@cache
def sensitivities(setting: Setting, problem: str) -> dict[str, dict[str, float]]:
    """Return the entries of figure_7 for one problem, by machine."""
    changes = {machine: changed(setting, problem, machine) for machine in ALL_MACHINES}
    scale = max(np.abs(changes[machine]["function"]).max() for machine in PAPER_MACHINES)
    rows = len(rows_of(setting, problem).clean.y)
    found = {}
    for machine, change in changes.items():
        certain, function = np.abs(change["certainty"]), np.abs(change["function"])
        found[machine] = {
            "largest": float(certain.max()),
            "mean_on_rows": float(certain[-rows:].mean()),
            "scaled_largest": float(function.max() / scale),
            "scaled_on_rows": float(function[-rows:].mean() / scale),
            "own_scaled_on_rows": float(function[-rows:].mean() / function.max()) if function.any() else 0.0,
        }
    return found


@cache
def changed(setting: Setting, problem: str, machine: str) -> dict[str, Array]:
    """Return what outliers change of a machine's certainty (halved) and of its function.

    The plane's points come first, then the clean rows.
    """
    rows, pair = rows_of(setting, problem), fitted(setting, problem, machine)
    at = np.vstack([plane_of(setting, problem)[2], rows.clean.X])
    return {
        "certainty": (certainty(pair.dirty, at) - certainty(pair.clean, at)) / 2.0,
        "function": np.asarray(pair.dirty.decision_function(at) - pair.clean.decision_function(at)),
    }


def certainty(model: Any, at: Array) -> Array:
    """Return what a machine says of each point, from -1 to 1.

    Margins and log-odds have no common unit; probabilities and margins cut at one have.
    """
    if hasattr(model, "predict_proba"):
        return np.asarray(2.0 * model.predict_proba(at)[:, 1] - 1.0)
    return np.asarray(np.clip(model.decision_function(at), -1.0, 1.0))
