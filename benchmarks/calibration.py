"""Calibration: whether error bars and probabilities are what they promise, near the data and far away."""

from __future__ import annotations

import tarfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.stats import norm
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from benchmarks.problems import Problem, ripley_split
from benchmarks.race import Settings
from benchmarks.report import print_table, print_title, verdict
from benchmarks.widths import SETS, available, standardised
from rowtrust import RVC, RVR, RobustRVC, RobustRVR
from rowtrust.datasets import fetch_boston, fetch_concrete, fetch_yacht, make_friedman, make_sinc

Array = NDArray[Any]

SPLITS, QUICK_SPLITS = 20, 2
LEVELS = (0.5, 0.8, 0.95)
REGRESSORS = {"RVR": RVR, "RobustRVR": RobustRVR}
FRIEDMAN_NOISE = {1: 1.0, 2: 125.0, 3: 0.1}
FETCHED: dict[str, Callable[..., Any]] = {
    "Boston": fetch_boston,
    "concrete": fetch_concrete,
    "yacht": fetch_yacht,
}

PEER = "calibrated SVC"
CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "RVC": RVC,
    "RobustRVC": RobustRVC,
    PEER: lambda: CalibratedClassifierCV(SVC()),
}
FLIPS = (0.0, 0.05, 0.1)
BINS = 10
FAR_WIDTHS = (5.0, 10.0)


def run(settings: Settings) -> None:
    """Print the tables; those on real data only where their folder is known."""
    splits = QUICK_SPLITS if settings.quick else SPLITS
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        regression(settings.data, splits)
        if settings.data is not None:
            classification(settings.data, splits)
    unfinished = sum(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    print(f"fits that did not converge: {unfinished}", flush=True)


# regression ---------------------------------------------------------------------------------------


def regression(folder: Path | None, splits: int) -> None:
    """Print how much of fresh targets lies within 50, 80 and 95 % intervals."""
    print_title(f"Calibration: intervals of fresh targets, {splits} splits, default settings")
    rows, coverages = [], {}
    for data, problems in regression_problems(folder, splits):
        for name, build in REGRESSORS.items():
            scores = np.array([interval_scores(build(), problem) for problem in problems]).T
            means, spread = scores.mean(axis=1), scores[2].std(ddof=1) / np.sqrt(len(problems))
            coverages[data, name] = means[2]
            rows.append([data, name, *(f"{value:.3f}" for value in means[:3]), f"{spread:.3f}",
                         f"{means[3]:.3f}", f"{means[4]:.4g}", f"{means[5]:.2f}"])  # fmt: skip
    headers = [f"in {level:.0%}" for level in LEVELS]
    print_table(["data", "model", *headers, "s.e.", "log score", "RMSE", "far"], rows)
    print(
        "s.e.: of the coverage at 95 %. far: deviation of f five widths from the nearest row, smallest over"
    )
    print(
        "directions, over that of the prior. Rows to fit: Friedman 240, sinc 100, real data 90 % (published"
    )
    print("splits of concrete and yacht).")
    for (data, name), coverage in coverages.items():
        verdict(
            0.93 <= coverage <= 0.97, f"{name} on {data}: 95 % intervals cover {coverage:.3f} (0.93 to 0.97)"
        )
    worst = min(float(row[-1]) for row in rows)
    verdict(
        worst >= 0.8, f"five widths away, deviations are at least {worst:.2f} of the prior's (target 0.8)"
    )


def regression_problems(folder: Path | None, splits: int) -> Iterator[tuple[str, list[Problem]]]:
    """Yield names and standardised problems."""
    yield "sinc", [drawn(make_sinc, seed, 100, noise=0.1) for seed in range(splits)]
    for number, noise in FRIEDMAN_NOISE.items():
        name = f"Friedman #{number}"
        yield name, [drawn(make_friedman, seed, number, 240, noise=noise) for seed in range(splits)]
    for name, X, y in available(FETCHED, folder) if folder is not None else ():
        published = folder / "uci_regression" / name / "gal_splits.tar.xz"
        parts = published_splits(published) if published.exists() else random_splits(len(y))
        yield name, [standardised(split_rows(X, y, *part)) for part in list(parts)[:splits]]


def drawn(make: Callable[..., Any], seed: int, *sizes: int, noise: float) -> Problem:
    """Draw rows to fit and a thousand fresh ones, with noise on both."""
    X, y = make(*sizes, noise=noise, random_state=seed)
    X_test, y_test = make(*sizes[:-1], 1000, noise=noise, random_state=1000 + seed)
    return standardised(Problem(X, y, X_test, y_test, np.zeros(len(y), dtype=bool)))


def split_rows(X: Array, y: Array, kept: Array, tested: Array) -> Problem:
    """Return the rows to fit and those to test on."""
    return Problem(X[kept], y[kept], X[tested], y[tested], np.zeros(len(kept), dtype=bool))


def random_splits(n_rows: int) -> Iterator[tuple[Array, Array]]:
    """Keep a tenth of the rows for the test, at random."""
    for seed in range(SPLITS):
        yield tuple(train_test_split(np.arange(n_rows), test_size=0.1, random_state=seed))


def published_splits(path: Path) -> Iterator[tuple[Array, Array]]:
    """Read the splits that papers on these data share (Hernandez-Lobato & Adams 2015)."""
    with tarfile.open(path) as archive:
        members = {Path(member.name).name: member for member in archive.getmembers()}
        for number in range(SPLITS):
            names = [f"index_{part}_{number}.txt" for part in ("train", "test")]
            files = [archive.extractfile(members[name]) for name in names]
            yield tuple(np.loadtxt(file).astype(int) for file in files if file is not None)


def interval_scores(model: Any, problem: Problem) -> list[float]:
    """Return coverages, mean log score, RMSE, and the deviation far away as a share of the prior's."""
    mean, deviation = model.fit(problem.X, problem.y).predict(problem.X_test, return_std=True)
    error = problem.y_test - mean
    inside = [float(np.mean(np.abs(error) < norm.ppf(0.5 + level / 2) * deviation)) for level in LEVELS]
    _, far = model.predict(beyond(problem.X, 5.0 / np.sqrt(2.0 * model.anchor_gamma_)), return_std=True)
    return [
        *inside,
        float(norm.logpdf(error, scale=deviation).mean()),
        float(np.sqrt(np.mean(error**2))),
        float(np.sqrt((far.min() ** 2 - model.noise_variance_) / model.prior_variance_[0])),
    ]


def beyond(X: Array, distance: float, directions: int = 20) -> Array:
    """Return points at a distance from the nearest row, in random directions from the middle."""
    generator = np.random.default_rng(0)
    steps = generator.normal(size=(directions, X.shape[1]))
    steps /= np.linalg.norm(steps, axis=1, keepdims=True)
    near, far = np.zeros(directions), np.full(directions, distance + 2.0 * np.linalg.norm(X, axis=1).max())
    for _ in range(50):
        middle = (near + far) / 2
        outside = cdist(middle[:, None] * steps, X).min(axis=1) >= distance
        near, far = np.where(outside, near, middle), np.where(outside, middle, far)
    return far[:, None] * steps


# classification -----------------------------------------------------------------------------------


def classification(folder: Path, splits: int) -> None:
    """Print calibration errors on clean test labels, and what is said far from the data."""
    print_title(f"Calibration: probabilities of clean test labels, 60/40 splits, {splits} splits")
    errors: dict[tuple[str, float, str], Array] = {}
    rows = []
    for data, X, y in available(SETS, folder):
        for flips in FLIPS:
            problems = [standardised(ripley_split(X, y, seed, flips)) for seed in range(splits)]
            for name, build in CLASSIFIERS.items():
                scores = np.array([probability_scores(build(), problem) for problem in problems]).T
                errors[data, flips, name] = scores[0]
                means = np.nanmean(scores, axis=1)
                far = [f"{value:.3f}" if name != PEER else "-" for value in scores[3:].max(axis=1)]
                rows.append([data, f"{flips:.0%}", name, *(f"{value:.2f}" for value in means[:2]),
                             f"{means[2]:.3f}", *far])  # fmt: skip
    print_table(["data", "flips", "model", "ECE %", "error %", "log score", "far 5", "far 10"], rows)
    print(
        f"ECE: {BINS} equal bins of the probability of class 1. far: largest distance of a probability from"
    )
    print("the class rate, five and ten widths from the nearest row, over all splits and twenty directions.")
    print("RVC believes every label and is judged where all are right, RobustRVC where some are wrong.")
    for data, flips, name in errors:
        if name == ("RVC" if flips == 0 else "RobustRVC"):
            calibration_verdict(data, flips, name, errors)
    for column, widths in zip((-2, -1), FAR_WIDTHS, strict=True):
        worst = max(float(row[column]) for row in rows if row[2] != PEER)
        verdict(
            worst <= 0.1, f"{widths:g} widths away, probabilities are within {worst:.3f} of the class rates"
        )


def calibration_verdict(
    data: str, flips: float, name: str, errors: dict[tuple[str, float, str], Array]
) -> None:
    ours, theirs = errors[data, flips, name], errors[data, flips, PEER]
    spread = (ours - theirs).std(ddof=1) / np.sqrt(len(ours))
    verdict(
        ours.mean() <= theirs.mean(),
        f"{name} on {data}, {flips:.0%} flips: ECE {ours.mean():.2f} % against {theirs.mean():.2f} % "
        f"(difference {ours.mean() - theirs.mean():+.2f}, s.e. {spread:.2f})",
    )


def probability_scores(model: Any, problem: Problem) -> list[float]:
    """Return calibration error and error in percent, mean log score, and distances from the class rate."""
    labels = np.unique(problem.y)
    positive = model.fit(problem.X, problem.y).predict_proba(problem.X_test)[:, 1]
    truth = (problem.y_test == labels[1]).astype(float)
    given = np.clip(np.where(truth == 1, positive, 1.0 - positive), 1e-12, 1.0)
    scores = [
        100.0 * calibration_error(positive, truth),
        100.0 * float(np.mean((positive > 0.5) != truth)),
        float(np.log(given).mean()),
    ]
    return [*scores, *(from_the_rate(model, problem, widths) for widths in FAR_WIDTHS)]


def calibration_error(positive: Array, truth: Array) -> float:
    """Return the mean distance, over rows, of their bin's rate from their bin's mean probability."""
    bins = np.minimum((positive * BINS).astype(int), BINS - 1)
    excess = np.bincount(bins, weights=truth - positive, minlength=BINS)
    return float(np.abs(excess).sum() / len(truth))


def from_the_rate(model: Any, problem: Problem, widths: float) -> float:
    """Return how far a probability far from the data is from the rate of class 1."""
    if not hasattr(model, "anchor_gamma_"):
        return float("nan")
    rate = np.mean(problem.y == np.unique(problem.y)[1])
    far = beyond(problem.X, widths / np.sqrt(2.0 * model.anchor_gamma_))
    return float(np.abs(model.predict_proba(far)[:, 1] - rate).max())
