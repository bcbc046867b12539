"""Many rows: time and memory of a fit on landmarks, each run in a fresh process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from statistics import mean, median
from typing import Any

from sklearn.calibration import CalibratedClassifierCV
from sklearn.svm import SVC

from benchmarks import scores
from benchmarks.memory import resident_peak
from benchmarks.problems import Problem, moons
from benchmarks.race import Entrant, Settings, one_thread, timed_fit, warm_up
from benchmarks.report import print_table, print_title, seconds, verdict
from rowtrust import RVC, RobustRVC

SIZE, QUICK_SIZE = 20000, 5000
GAMMA, LANDMARKS = 2.0, 1000
SECONDS, MEBIBYTES = 5.0, 1024.0

MODELS: dict[str, Callable[[int], Any]] = {
    "RobustRVC": lambda seed: RobustRVC(basis=LANDMARKS, gamma=GAMMA, random_state=seed),
    "RVC": lambda seed: RVC(basis=LANDMARKS, gamma=GAMMA, random_state=seed),
    "SVC calibrated": lambda seed: CalibratedClassifierCV(SVC(gamma=GAMMA)),
}


def run(settings: Settings) -> None:
    """Measure every model and print the table."""
    size = QUICK_SIZE if settings.quick else SIZE
    outcomes = {name: measure_all(name, size, settings) for name in MODELS}
    print_title(f"Many rows: moons, n = {size}, 10 % of the labels wrong, basis={LANDMARKS}")
    headers = ["model", "runs", "fit s", "accuracy", "vectors", "peak MiB", "above imports MiB"]
    print_table(headers, [row(name, outcome) for name, outcome in outcomes.items()])
    if size == SIZE:
        verdicts(outcomes["RobustRVC"])


def measure_all(name: str, size: int, settings: Settings) -> list[dict[str, float]]:
    """Measure in fresh processes until the repeats, or the patience, are used up."""
    outcomes: list[dict[str, float]] = []
    while len(outcomes) < settings.repeats and (not outcomes or outcomes[-1]["seconds"] <= settings.patience):
        outcomes.append(measure_afresh(name, size, seed=len(outcomes)))
    return outcomes


def measure_afresh(name: str, size: int, seed: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.large", name, str(size), str(seed)]
    finished = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    outcome: dict[str, float] = json.loads(finished.stdout)
    return outcome


def measure(name: str, size: int, seed: int) -> dict[str, float]:
    """Fit once in this process; return time, accuracy, vectors and memory in MiB."""
    imported = resident_peak()
    problem = moons(size, seed)
    warm_up(Entrant(name, MODELS[name]), problem)
    fit = timed_fit(MODELS[name](seed), problem, peak_and_accuracy)
    return {"seconds": fit.seconds, "vectors": fit.vectors, "imported": imported, **fit.scores}


def peak_and_accuracy(model: Any, problem: Problem) -> dict[str, float]:
    # In this order: the peak is to be that of the fit.
    return {"peak": resident_peak(), **scores.accuracy(model, problem)}


def row(name: str, outcome: list[dict[str, float]]) -> list[str]:
    peak = max(run["peak"] for run in outcome)
    above = max(run["peak"] - run["imported"] for run in outcome)
    return [
        name,
        f"{len(outcome)}",
        seconds(median(run["seconds"] for run in outcome)),
        f"{mean(run['accuracy'] for run in outcome):.4f}",
        f"{median(run['vectors'] for run in outcome):.0f}",
        f"{peak:.0f}",
        f"{above:.0f}",
    ]


def verdicts(outcome: list[dict[str, float]]) -> None:
    time, peak = median(run["seconds"] for run in outcome), max(run["peak"] for run in outcome)
    verdict(time <= SECONDS, f"RobustRVC fits n = {SIZE} in {time:.2f} s (target at most {SECONDS:g})")
    verdict(peak <= MEBIBYTES, f"its process peaks at {peak:.0f} MiB, imports included (target at most 1024)")


if __name__ == "__main__":
    with one_thread():
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
