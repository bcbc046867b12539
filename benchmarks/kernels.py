"""Kernel objects: a sum over groups of inputs against one kernel, and inputs of no use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_moons
from sklearn.gaussian_process.kernels import RBF

from benchmarks.problems import Array, Problem
from benchmarks.race import Entrant, Record, Settings, race
from benchmarks.report import print_table, print_title, print_warnings, seconds, verdict
from rowtrust import RVC, RVR, RobustRVC, RobustRVR
from rowtrust.datasets import make_friedman
from rowtrust.kernels import OnColumns

SEEDS, QUICK_SEEDS = 5, 2
ROWS, TEST_ROWS = 240, 1000
NOISE_INPUTS = 6

DEFAULT, ALIKE, OWN, GROUPS = 'kernel="auto"', 'kernel="rbf"', "RBF, one length an input", "sum over groups"
FRIEDMAN_GROUPS = ((0, 1), (2,), (3,), (4,))
"""Of ten inputs, those that Friedman's first function adds up over; the last five are of no use."""


def run(settings: Settings) -> None:
    """Print the tables."""
    seeds = QUICK_SEEDS if settings.quick else SEEDS
    additive(seeds)
    noisy_moons(seeds)


# sums over groups ---------------------------------------------------------------------------------


def additive(seeds: int) -> None:
    """Race kernels that know the groups against kernels that do not, on an additive problem."""
    problems = [friedman(seed) for seed in range(seeds)]
    n_inputs = problems[0].X.shape[1]
    ways: dict[str, dict[str, Any]] = {
        DEFAULT: {},
        ALIKE: {"kernel": "rbf"},
        OWN: {"kernel": RBF(np.ones(n_inputs))},
        GROUPS: {"kernel": sum_over(FRIEDMAN_GROUPS)},
    }
    print_title(f"Kernels: Friedman #1, ten inputs, {ROWS} rows, noise of variance 1, {seeds} seeds")
    print("Root mean squared error to the truth. The sum is told the groups, and learns its length scales.")
    records: dict[str, Record] = {}
    for build in (RVR, RobustRVR):
        entrants = [Entrant(f"{build.__name__} {way}", builder(build, ways[way])) for way in ways]
        records |= race(entrants, problems, truth_error)
    rows = [
        [name, f"{record.mean('RMSE'):.3f}", f"{record.vectors:.0f}", seconds(record.seconds)]
        for name, record in records.items()
    ]
    print_table(["model", "RMSE", "vectors", "fit s"], rows)
    print_warnings(records.values())
    for build in (RVR, RobustRVR):
        additive_verdict(records, build.__name__)


def sum_over(groups: tuple[tuple[int, ...], ...]) -> Any:
    """Return an rbf kernel on each group, one length scale an input, all added up."""
    first, *others = (OnColumns(RBF(np.ones(len(group))), list(group)) for group in groups)
    return sum(others, start=first)


def builder(build: Callable[..., Any], options: dict[str, Any]) -> Callable[[int], Any]:
    """Return what makes an estimator with these options, whatever the seed."""
    return lambda seed: build(**options)


def truth_error(model: Any, problem: Problem) -> dict[str, float]:
    return {"RMSE": float(np.sqrt(np.mean((model.predict(problem.X_test) - problem.y_test) ** 2)))}


def additive_verdict(records: dict[str, Record], model: str) -> None:
    rivals = [records[f"{model} {way}"] for way in (DEFAULT, ALIKE, OWN)]
    rival = min(rivals, key=lambda record: record.mean("RMSE"))
    groups = records[f"{model} {GROUPS}"].mean("RMSE")
    verdict(
        groups < rival.mean("RMSE"),
        f"{model} {GROUPS} leaves {groups / rival.mean('RMSE'):.0%} of the error of the best that is told "
        f"nothing, {rival.name.removeprefix(model).strip()} (target: less than all of it)",
    )


def friedman(seed: int) -> Problem:
    """Draw noisy rows of Friedman's first problem to fit, and rows with the true function to test on."""
    X, y = make_friedman(1, ROWS, noise=1.0, random_state=seed)
    X_test, truth = make_friedman(1, TEST_ROWS, noise=0.0, random_state=1000 + seed)
    return Problem(X, y, X_test, truth, np.zeros(len(y), dtype=bool))


# noise inputs -------------------------------------------------------------------------------------


def noisy_moons(seeds: int) -> None:
    """Print what the default kernel, which stretches inputs by their effect, makes of inputs of no use."""
    problems = [moons_in_noise(seed) for seed in range(seeds)]
    ways: dict[str, dict[str, Any]] = {ALIKE: {"kernel": "rbf"}, DEFAULT: {}}
    entrants = [
        Entrant(f"{build.__name__} {way}", builder(build, options))
        for build in (RVC, RobustRVC)
        for way, options in ways.items()
    ]
    records = race(entrants, problems, moons_scores)
    print_title(f"Moons with {NOISE_INPUTS} inputs of no use, 200 rows, {seeds} seeds")
    print("Accuracy; largest relevance of an input of no use, of the largest of all, the worst seed.")
    print_table(["model", "accuracy", "useless inputs", "vectors", "fit s"], map(moons_row, records.values()))
    print_warnings(records.values())
    for build in (RVC, RobustRVC):
        useless = worst_useless(records[f"{build.__name__} {DEFAULT}"])
        verdict(useless < 0.05, f"{build.__name__}: inputs of no use get {useless:.2%} (target below 5 %)")


def moons_in_noise(seed: int) -> Problem:
    X, y = moons_rows(200, seed)
    X_test, y_test = moons_rows(2000, 1000 + seed)
    return Problem(X, y, X_test, y_test, np.zeros(len(y), dtype=bool))


def moons_rows(n_rows: int, seed: int) -> tuple[Array, Array]:
    X, y = make_moons(n_rows, noise=0.2, random_state=seed)
    return np.column_stack([X, np.random.default_rng(seed).standard_normal((n_rows, NOISE_INPUTS))]), y


def moons_scores(model: Any, problem: Problem) -> dict[str, float]:
    relevance = model.feature_relevance_
    useless = np.nan if relevance is None else float(relevance[2:].max() / relevance.max())
    return {"accuracy": float(model.score(problem.X_test, problem.y_test)), "useless": useless}


def worst_useless(record: Record) -> float:
    return max(run.scores["useless"] for run in record.runs)


def moons_row(record: Record) -> list[str]:
    useless = worst_useless(record)
    return [
        record.name,
        f"{record.mean('accuracy'):.4f}",
        "-" if np.isnan(useless) else f"{useless:.2%}",
        f"{record.vectors:.0f}",
        seconds(record.seconds),
    ]
