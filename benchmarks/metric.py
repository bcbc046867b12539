"""Inputs that move together: sensors of one process, spectra, and functions that must not come back constant.

Errors of numbers are in deviations of the clean targets, those of classes in per cent; medians over draws.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from time import process_time
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.cross_decomposition import PLSRegression
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from benchmarks.race import Settings
from benchmarks.report import print_table, print_title
from rowtrust import RVC, RVR, RobustRVC, RobustRVR

Array = NDArray[Any]

DRAWS, QUICK_DRAWS = 10, 1
TEST_ROWS = 500
FUNCTIONS, QUICK_FUNCTIONS = 200, 12
SENSORS, LEVELS, SMALL = 14, 9, 0.02
"""Sensors, levels of what moves all of them, and how much anything else moves one."""


@dataclass(frozen=True)
class Problem:
    """Rows to fit, and clean rows to test on."""

    X: Array
    y: Array
    X_test: Array
    y_test: Array

    @classmethod
    def of(cls, X: Array, y: Array, outliers: float, generator: np.random.Generator) -> Problem:
        """Split rows, and move a share of the targets to fit by four to eight deviations."""
        given, moved = y[:-TEST_ROWS].copy(), generator.random(len(y) - TEST_ROWS) < outliers
        signs = generator.choice([-1.0, 1.0], moved.sum())
        given[moved] += signs * generator.uniform(4.0, 8.0, moved.sum()) * y.std()
        return cls(X[:-TEST_ROWS], given, X[-TEST_ROWS:], y[-TEST_ROWS:])

    def as_classes(self) -> Problem:
        """Return two classes: targets below and above the middle."""
        middle = np.median(self.y_test)
        return Problem(self.X, (self.y > middle).astype(int), self.X_test, (self.y_test > middle).astype(int))


def sensors(rows: int, outliers: float, draw: int) -> Problem:
    """Draw sensors that move together; the target is in their small differences, without noise."""
    generator = np.random.default_rng([rows, draw])
    v = generator.integers(1, LEVELS + 1, (rows + TEST_ROWS, 1)) / LEVELS
    hidden = generator.uniform(size=(rows + TEST_ROWS, 2))
    powers, slopes = generator.uniform(0.5, 3.0, SENSORS), SMALL * generator.normal(size=(2, SENSORS))
    return Problem.of(v**powers * (1.0 + hidden @ slopes), hidden[:, 0], outliers, generator)


def spectrum(rows: int, channels: int, draw: int) -> Problem:
    """Draw spectra of three components on a drifting baseline; the target is the amount of the first."""
    generator, axis = np.random.default_rng([channels, draw]), np.linspace(0.0, 1.0, channels)
    centres, widths = generator.uniform(0.15, 0.85, (3, 1)), generator.uniform(0.03, 0.12, (3, 1))
    amounts = generator.uniform(size=(rows + TEST_ROWS, 3))
    drift = generator.normal(size=(rows + TEST_ROWS, 2)) @ np.array([np.ones(channels), 0.5 * axis])
    noise = 0.002 * generator.normal(size=drift.shape)
    peaks = np.exp(-0.5 * ((axis - centres) / widths) ** 2)
    return Problem.of(amounts @ peaks + drift + noise, amounts[:, 0], 0.0, generator)


PROBLEMS: dict[str, Callable[[int], Problem]] = {
    "sensors 400": partial(sensors, 400, 0.0),
    "sensors 400, outliers": partial(sensors, 400, 0.1),
    "sensors 1200": partial(sensors, 1200, 0.0),
    "sensors 1200, outliers": partial(sensors, 1200, 0.1),
    "spectra 60 x 400": partial(spectrum, 60, 400),
    "spectra 200 x 1000": partial(spectrum, 200, 1000),
}


def searched(machine: Any, name: str) -> Any:
    """Return a support vector machine with a grid search over its penalty and width."""
    grid = {f"{name}__C": np.logspace(-1, 3, 5), f"{name}__gamma": ["scale", 0.01, 0.1]}
    return GridSearchCV(make_pipeline(StandardScaler(), machine), grid)


NUMBERS: dict[str, Callable[[], Any]] = {
    "RVR": RVR,
    "RobustRVR": RobustRVR,
    "ridge": lambda: make_pipeline(StandardScaler(), RidgeCV(np.logspace(-8, 3, 30))),
    "PLS": lambda: GridSearchCV(PLSRegression(), {"n_components": [1, 2, 3, 4, 6, 8, 10, 12, 14]}),
    "SVR": lambda: searched(SVR(epsilon=0.01), "svr"),
}
CLASSES: dict[str, Callable[[], Any]] = {
    "RVC": RVC,
    "RobustRVC": RobustRVC,
    "logistic": lambda: make_pipeline(
        StandardScaler(),
        LogisticRegressionCV(
            Cs=np.logspace(-1, 6, 8), max_iter=2000, l1_ratios=(0.0,), use_legacy_attributes=False
        ),
    ),
    "SVC": lambda: searched(SVC(), "svc"),
}


def fitted(build: Callable[[], Any], problem: Problem) -> tuple[Any, float]:
    """Return a fitted model and its CPU seconds."""
    start = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = build().fit(problem.X, problem.y)
    return model, process_time() - start


def error(model: Any, problem: Problem) -> float:
    """Return the root mean square error in deviations of the targets, or the per cent of wrong classes."""
    said = np.ravel(model.predict(problem.X_test))
    if np.issubdtype(problem.y_test.dtype, np.integer):
        return 100.0 * float(np.mean(said != problem.y_test))
    return float(np.sqrt(np.mean((said - problem.y_test) ** 2)) / np.std(problem.y_test))


def run(settings: Settings) -> None:
    """Print errors of sensors and spectra, and which functions came back constant."""
    draws = QUICK_DRAWS if settings.quick else min(DRAWS, max(settings.draws, QUICK_DRAWS))
    raced("numbers", NUMBERS, draws)
    raced("classes", CLASSES, draws)
    constants(QUICK_FUNCTIONS if settings.quick else FUNCTIONS)


def raced(kind: str, models: dict[str, Callable[[], Any]], draws: int) -> None:
    """Print the table of one kind."""
    print_title(f"Inputs that move together: {kind}, {draws} draws; error (CPU seconds)")
    lines = []
    for name, make in PROBLEMS.items():
        if kind == "classes" and "outliers" in name:
            continue
        drawn = [make(draw) if kind == "numbers" else make(draw).as_classes() for draw in range(draws)]
        cells = []
        for build in models.values():
            found = [fitted(build, problem) for problem in drawn]
            errors = [error(model, problem) for (model, _), problem in zip(found, drawn, strict=True)]
            cells.append(f"{np.median(errors):.4f} ({np.median([each[1] for each in found]):.1f})")
        lines.append([name, *cells])
        print("  ".join(lines[-1]), flush=True)
    print_table(["problem", *models], lines)


def smooth_function(number: int) -> Problem:
    """Return rows of a sum of three plane waves, a twentieth of it noise, and clean test points.

    Of inputs between -1 and 1 a wave has half a period to four; targets have units and an offset.
    """
    generator = np.random.default_rng([crc32(b"smooth function"), number])
    inputs, rows = 1 + number % 6, int(generator.integers(60, 301))
    frequency = generator.choice([0.25, 0.5, 1.0, 2.0], 3)
    directions = generator.normal(size=(inputs, 3))
    directions *= 2.0 * np.pi * frequency / np.linalg.norm(directions, axis=0)
    phase, height = generator.uniform(0.0, 2.0 * np.pi, 3), generator.uniform(0.5, 1.5, 3)
    X = generator.uniform(-1.0, 1.0, (rows + TEST_ROWS, inputs))
    truth = np.sin(X @ directions + phase) @ height
    scale, offset = 10.0 ** generator.uniform(-2.0, 2.0), generator.normal()
    truth = scale * (truth / np.std(truth) + offset)
    y = truth[:rows] + 0.05 * scale * generator.normal(size=rows)
    return Problem(X[:rows], y, X[rows:], truth[rows:])


def functions(number: int) -> Iterator[Problem]:
    """Yield random smooth functions, every third of them through inputs that move together."""
    for split in range(number):
        made = smooth_function(split)
        rows = np.vstack([made.X, made.X_test])
        if split % 3 == 2:
            generator = np.random.default_rng(split)
            mixed = rows @ generator.normal(size=(rows.shape[1], 2 * rows.shape[1] + 2))
            rows = generator.uniform(size=(len(rows), 1)) + SMALL * mixed
        yield Problem(rows[: len(made.X)], made.y, rows[len(made.X) :], made.y_test)


def constants(number: int) -> None:
    """Print which fits to smooth functions explain nothing where a simple model explains half."""
    simple: dict[str, Callable[[], Any]] = {
        "ridge": NUMBERS["ridge"],
        "neighbours": lambda: make_pipeline(StandardScaler(), KNeighborsRegressor(3)),
    }
    ours = {name: NUMBERS[name] for name in ("RVR", "RobustRVR")}
    lines = []
    for place, problem in enumerate(functions(number)):
        found = {name: error(fitted(each, problem)[0], problem) for name, each in (ours | simple).items()}
        best = min(found.values())
        if best**2 < 0.5 and max(found[name] for name in ours) > 0.9:
            lines.append([str(place), str(problem.X.shape), *(f"{each:.3f}" for each in found.values())])
    print_title(f"Of {number} smooth functions, those that one of ours does not explain and another does")
    print_table(["function", "shape", *ours, *simple], lines or [["none"]])
